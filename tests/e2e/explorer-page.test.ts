/** The page of the GraphQL door in a real browser, with nothing but a keyboard. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserPage, browserPage, CHROMIUM } from './chromium.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';
import { newToken, type ServedProject, servedProject } from './served-project.ts';

if (CHROMIUM === undefined) console.error('NOT TESTED: there is no Chromium on this machine');

describe.runIf(CHROMIUM !== undefined)('the page of GraphQL', () => {
  let served: ServedProject;
  let page: BrowserPage;
  let token = '';
  beforeAll(async () => {
    served = await servedProject(SEMANTIC_PROJECT, async (project) => {
      await project.json('user', 'create', 'ada', '--role', 'viewer', '--group', 'admin');
      token = await newToken(project, '--user', 'ada');
    });
    page = await browserPage(CHROMIUM as string);
    await page.open(`${served.products[0]?.base_url.replace('/api/v1', '/graphql')}`);
  });
  afterAll(async () => {
    await page?.close();
    await served?.stop();
  });

  const value = (id: string): string => `document.getElementById('${id}').value`;
  const text = (id: string): string => `document.getElementById('${id}').textContent`;
  const focus = `document.activeElement.id`;

  test('asks for a token, and has the schema of whoever it is of', async () => {
    await page.until(`${text('status')} === 'a token is needed'`);
    expect(await page.evaluate(focus)).toBe('token');
    await page.type(token);
    await page.press('Enter');
    await page.until(`document.querySelectorAll('#schema details').length > 3`);
    expect(await page.evaluate(value('query'))).toMatch(/^\{\n {2}\w+\(limit: 20\)/);
    expect(await page.evaluate(text('product'))).toBe('asked');
  });

  test('completes, runs and shows a question that is typed', async () => {
    await page.evaluate("query.focus(); query.select(); ''");
    await page.press('Delete');
    await page.type('{ord');
    await page.until(`!document.getElementById('suggestions').hidden`);
    await page.press('Tab');
    await page.type(' {');
    await page.press(' ', { control: true });
    await page.until(`document.querySelectorAll('#suggestions li').length > 5`);
    await page.type('ret');
    await page.press('ArrowDown');
    await page.press('Enter');
    await page.type(' status');
    await page.press('Escape');
    expect(await page.evaluate(value('query'))).toBe('{orders {return_rate status}}');
    expect(await page.evaluate(text('paper'))).toBe('{orders {return_rate status}}\n');
    await page.press('Enter', { control: true });
    await page.until(`${text('status')}.startsWith('2 rows')`);
    expect(await page.evaluate(text('answer'))).toContain('"return_rate"');
    await page.evaluate("document.getElementById('as-table').click()");
    expect(await page.evaluate(`document.querySelectorAll('#table tbody tr').length`)).toBe(2);
  });

  test('tells what is wrong, and where', async () => {
    await page.evaluate("query.focus(); query.select(); ''");
    await page.press('Delete');
    await page.type('{orders{nothing');
    await page.press('Escape');
    await page.press('Enter', { control: true });
    await page.until(`!document.getElementById('errors').hidden`);
    expect(await page.evaluate(text('errors'))).toContain('graphql.invalid');
    await page.evaluate(`document.querySelector('#errors .place').click()`);
    expect(await page.evaluate(`query.value.slice(query.selectionStart, query.selectionEnd)`)).toBe(
      'nothing',
    );
  });

  test('lets the keyboard out of the editor, and names what it shows', async () => {
    await page.evaluate('query.focus()');
    await page.press('Tab');
    expect(await page.evaluate(focus)).toBe('variables');
    const unnamed = await page.evaluate(
      `[...document.querySelectorAll('button, input, select, textarea')].filter((each) => each.labels?.length === 0 && !each.getAttribute('aria-label') && each.textContent.trim() === '').map((each) => each.outerHTML)`,
    );
    expect(unnamed).toEqual([]);
  });

  test('asked this server alone, and broke no rule of its policy', async () => {
    expect(page.requests.length).toBeGreaterThan(3);
    for (const address of page.requests) expect(address.startsWith(`${served.url}/`), address).toBe(true);
    // The first question, without a token, is answered 401, which browsers note.
    expect(page.complaints.filter((each) => !each.includes('401') && !each.includes('favicon'))).toEqual([]);
    await page.evaluate(
      `(() => { const made = document.createElement('script'); made.textContent = 'window.broken = true'; document.body.append(made); })()`,
    );
    expect(await page.evaluate('window.broken')).toBeUndefined();
  });
});
test.skipIf(CHROMIUM !== undefined)(
  'the page of GraphQL is NOT tested: there is no Chromium',
  () => undefined,
);
