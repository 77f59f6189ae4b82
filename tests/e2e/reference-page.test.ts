/* The reference of each API in a real browser, by keyboard: found, searched, copied, and nothing refused by its own policy. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningServer } from '../../src/operations/serve/running-server.ts';
import { startServer } from '../../src/server/start-server.ts';
import { type BrowserPage, browserPage, CHROMIUM } from './chromium.ts';
import { type TemporaryProject, temporaryProject } from './run-plinth.ts';

let project: TemporaryProject;
let server: RunningServer;
let base = '';

beforeAll(async () => {
  project = temporaryProject({
    'config.yaml':
      'name: wares\ngateways: {local: {connection: {type: duckdb, database: wares.duckdb}}}\nmodel_defaults: {dialect: duckdb}\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  server = await startServer({
    folders: [project.folder],
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
    host: '127.0.0.1',
    port: 0,
    auth: 'required',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  base = server.products[0]?.baseUrl ?? '';
});
afterAll(async () => {
  await server?.close();
  project?.remove();
});

describe('the reference', () => {
  test('is open to everybody, and tells nobody whether a product exists', async () => {
    const own = await fetch(`${base}/reference`);
    const other = await fetch(`${base.replace('default-wares', 'default-none')}/reference`);
    expect([own.status, other.status]).toEqual([200, 200]);
    expect(own.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(own.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await own.text()).replaceAll('default-wares', 'default-none')).toBe(await other.text());
    expect((await fetch(`${base}/openapi.json`)).status).toBe(401);
  });

  test('shows the reader the address as it was asked for, and no more of it than an address has', async () => {
    const page = await (await fetch(`${base.replace('default-wares', '%3Cscript%3Ex%22')}/reference`)).text();
    expect(page).not.toContain('<script>x');
    expect(page).toContain('%3Cscript%3Ex%22/api/v1');
  });
});

describe.skipIf(CHROMIUM === undefined)(
  `in a browser${CHROMIUM === undefined ? ' (left out: there is none)' : ''}`,
  () => {
    let page: BrowserPage;
    beforeAll(async () => {
      page = await browserPage(CHROMIUM as string);
    });
    afterAll(() => page?.close());
    const shown = "[...document.querySelectorAll('article:not([hidden])')].map((each) => each.id).join()";

    test.each([
      ['product', () => `${base}/reference`],
      ['platform', () => `${server.url}/platform-api/reference`],
    ])('the page of the %s asks for nothing else and breaks no rule of its policy', async (_, address) => {
      await page.open(address());
      await page.until("document.querySelectorAll('article').length > 20");
      expect(page.complaints).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(server.url) && !url.startsWith('about:'))).toEqual(
        [],
      );
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });

    test('is searched by words, goes to what was found, and shows all again', async () => {
      await page.open(`${base}/reference`);
      await page.until('document.activeElement === document.body || document.activeElement === null');
      await page.press('/');
      await page.until("document.activeElement.id === 'search'");
      await page.type('statement cancel');
      await page.until(`${shown} === 'cancelStatement'`);
      expect(await page.evaluate("[...document.querySelectorAll('nav li:not([hidden])')].length")).toBe(1);
      await page.press('Enter');
      await page.until("location.hash === '#cancelStatement'");
      await page.press('/');
      await page.press('Escape');
      await page.until("document.querySelectorAll('article[hidden]').length === 0");
      await page.press('j');
      await page.until("location.hash !== '#cancelStatement'");
      expect(page.complaints).toEqual([]);
    });

    test('says so when nothing has the words', async () => {
      await page.open(`${base}/reference`);
      await page.press('/');
      await page.type('zebra');
      await page.until("document.getElementById('none').hidden === false");
      expect(await page.evaluate(shown)).toBe('');
    });
  },
);
