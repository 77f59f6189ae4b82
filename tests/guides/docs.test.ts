/** The commands in the documentation are run: a page that shows a command that fails is wrong. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startedServer } from '../e2e/served-project.ts';
import { type DocumentedStep, makeExports, stepsOf, writeStep } from './documented-steps.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Where a reader begins with files of their own. */
const FIRST = 'docs/guides/first-project.md';
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-docs-'));
  await makeExports(join(folder, 'exports'));
  symlinkSync(join(ROOT, 'bin'), join(folder, 'bin'));
  run('bin/plinth init shop', folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(command: string, cwd: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd,
    encoding: 'utf8',
    timeout: 180_000,
    env: { ...process.env, NO_COLOR: '1' },
  });
  return { status, output: `${stdout}${stderr}` };
}

const pages = [
  'README.md',
  'examples/shop/README.md',
  ...['docs', 'docs/guides'].flatMap((sub) =>
    readdirSync(join(ROOT, sub))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${sub}/${name}`),
  ),
];
const withSteps = pages
  .map((page) => ({ page, steps: stepsOf(readFileSync(join(ROOT, page), 'utf8')) }))
  .filter(({ steps }) => steps.some(({ kind }) => kind === 'command'));

/** Does what a page says; the folder where it ends. */
function follow(page: string, steps: readonly DocumentedStep[]): string {
  let cwd = page.startsWith('examples/shop') ? join(folder, 'shop') : folder;
  for (const step of steps) {
    const moved = step.kind === 'file' ? undefined : /^cd (\S+)$/.exec(step.command)?.[1];
    if (step.kind === 'file') writeStep(cwd, step);
    else if (moved !== undefined) cwd = resolve(cwd, moved);
    else {
      const { status, output } = run(step.command, cwd);
      expect(status, `${step.command}\n${output}`).toBe(0);
    }
  }
  return cwd;
}

describe('commands in the documentation work', () => {
  test('there are some', () => expect(withSteps.flatMap(({ steps }) => steps).length).toBeGreaterThan(5));
  test.each(withSteps.filter(({ page }) => page !== FIRST))(
    '$page',
    { timeout: 600_000 },
    ({ page, steps }) => {
      follow(page, steps);
    },
  );
  test(`${FIRST}, whose product is served in the end`, { timeout: 600_000 }, async () => {
    const steps = stepsOf(readFileSync(join(ROOT, FIRST), 'utf8'));
    expect(steps.filter(({ kind }) => kind === 'file')).toHaveLength(7);
    const taxi = follow(FIRST, steps);
    const types = run('../bin/plinth info staging.zones', taxi).output;
    expect(types).toMatch(/zone_id\s+BIGINT/);
    const server = await startedServer(taxi, []);
    try {
      const base = server.products[0]?.base_url ?? '';
      const asked = await fetch(`${base}/query/semantic/rest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: { measures: ['trips.revenue'], dimensions: ['trips.ring'] } }),
      });
      const { result } = (await asked.json()) as { result: { rows: unknown } };
      expect(result.rows).toEqual([
        ['Inner', '546285.50'],
        ['Outer', '273181.25'],
      ]);
      expect(readFileSync(join(ROOT, FIRST), 'utf8')).toContain(new URL(base).pathname);
      const page = await fetch(server.url, { headers: { accept: 'text/html' } });
      expect(await page.text()).toContain('marts.zone_totals');
    } finally {
      await server.stop();
    }
  });
  test('a command that fails would be seen', () =>
    expect(run('bin/plinth no-such-command', folder).status).not.toBe(0));
});
