/**
 * The walks that docs/architecture.md draws, taken for real: a plan and a query from a terminal, and a statement over HTTP, from the door to
 * the engine. A climb is a call that leads back up: to a floor above, or to a file that the walk has been in.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const CLIMBS_MAX = 2;
const ASKED = 'SELECT sum(amount) AS total FROM marts.revenue';
const FLOORS = ['cli', 'server', 'operations', 'runtime', 'compiler', 'adapters', 'domain', 'foundation'];
const FILES: Readonly<Record<string, string>> = {
  'config.yaml': 'name: walks\ngateways:\n  local:\n    connection: {type: duckdb, database: walks.duckdb}\n',
  'seeds/orders.csv': 'order_id,region,amount\n1,EU,10.50\n2,US,5.25\n',
  'models/orders.sql':
    "MODEL (name raw.orders, kind SEED (path '../seeds/orders.csv'), columns (order_id INTEGER, region VARCHAR, amount DECIMAL(10, 2)));",
  'models/revenue.sql':
    'MODEL (name marts.revenue, kind FULL, audits (not_null(columns := (region))));\nSELECT region, amount FROM raw.orders -- one row per order\n',
};

type Walk = readonly string[];

/** Doors are one floor; so are runtime and compiler. */
const heightOf = (file: string): number => {
  const at = FLOORS.indexOf(file.split('/')[0] ?? '');
  return at <= 1 ? 0 : at <= 2 ? 1 : at <= 4 ? 2 : 3;
};
const climbsOf = (walk: Walk): Walk =>
  walk.filter(
    (file, at) => at > 0 && (heightOf(file) < heightOf(walk[at - 1] ?? '') || walk.indexOf(file) < at),
  );
const stepsOf = (walk: Walk): Walk => walk.slice(1).map((file, at) => `${walk[at]} ─▶ ${file}`);

/** Of a picture: a floor, then files below it; further lines go on where the one above ended. */
function drawn(picture: string): { readonly walk: Walk; readonly climbs: Walk } {
  const walk: string[] = [];
  const climbs: string[] = [];
  let floor = '';
  for (const line of picture.split('\n')) {
    floor = /^[a-z]+/.exec(line)?.[0] ?? floor;
    for (const [, arrow = '', path] of line.slice(12).matchAll(/(─▶|─↑)? ?([\w/-]+\.ts)/g)) {
      walk.push(`${floor}/${path}`);
      if (arrow === '─↑') climbs.push(`${floor}/${path}`);
    }
  }
  return { walk, climbs };
}

const section =
  readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split('## Three walks')[1]?.split('\n## ')[0] ??
  '';
const pictures = [...section.matchAll(/```\n([\s\S]*?)```/g)].map(([, picture = '']) => drawn(picture));
const textOf = (file: string): string => readFileSync(join(ROOT, 'src', file), 'utf8');
/** What starts work and does not wait for it is not in the stack of that work: there the import says that it does. */
const isImport = (from: string, to: string): boolean =>
  new RegExp(`['(].*/${to.split('/').at(-1)}'`).test(textOf(from));

let folder: string;
let server: ChildProcess | undefined;
const walks = new Map<'plan' | 'query' | 'statement', readonly Walk[]>();

const start = (args: readonly string[]): readonly string[] => [
  '--disable-warning=ExperimentalWarning',
  ...['--import', join(ROOT, 'tests/support/walk-child.ts')],
  ...[
    '--eval',
    `import(${JSON.stringify(join(ROOT, 'src/main.ts'))}).then(({ main }) => main(${JSON.stringify(args)}))`,
  ],
];
const taken = (file: string): readonly Walk[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Walk)
    : [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-walks-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const notes = join(folder, 'walks');
  const env = { ...process.env, PLINTH_WALKS: notes };
  execFileSync(process.execPath, start(['plan', '--yes', '--project', folder]), { env });
  walks.set('plan', taken(notes));
  rmSync(notes);
  execFileSync(process.execPath, start(['query', '--sql', ASKED, '--project', folder]), { env });
  walks.set('query', taken(notes));
  rmSync(notes);
  const args = ['serve', '--project', folder, '--port', '0', '--auth', 'disabled', '--no-scheduler'];
  server = spawn(process.execPath, start(args), { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    server?.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (found !== undefined) resolve(found);
    });
    server?.once('exit', () => reject(new Error(`the server ended: ${said}`)));
  });
  const address = `${url}/plinth/tenants/default/data-products/default-walks/api/v1/query/statement`;
  rmSync(notes, { force: true });
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: ASKED, wait: 30 }),
  });
  expect(await answer.json()).toMatchObject({ status: 'SUCCESS', row_count: 1 });
  walks.set('statement', taken(notes));
});

afterAll(async () => {
  const ended = new Promise((resolve) => server?.once('exit', resolve) ?? resolve(undefined));
  server?.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

test.each(['plan', 'query', 'statement'] as const)(
  'a %s walks down to the engine, with two climbs at most',
  (name) => {
    const all = walks.get(name) ?? [];
    expect(all.length).toBeGreaterThan(2);
    expect(all.filter((walk) => climbsOf(walk).length > CLIMBS_MAX)).toEqual([]);
  },
);

test('a climb is counted', () => {
  const up = [
    'cli/a.ts',
    'operations/b.ts',
    'runtime/c.ts',
    'operations/d.ts',
    'runtime/e.ts',
    'runtime/c.ts',
  ];
  expect(climbsOf(up)).toEqual(['operations/d.ts', 'runtime/c.ts']);
  expect(drawn('runtime     a/b.ts ─▶ a/c.ts\n            ─↑ a/b.ts\n')).toEqual({
    walk: ['runtime/a/b.ts', 'runtime/a/c.ts', 'runtime/a/b.ts'],
    climbs: ['runtime/a/b.ts'],
  });
});

test('the pictures show files that are there, steps that are taken, and every climb', () => {
  expect(pictures).toHaveLength(5);
  const steps = new Set([...walks.values()].flat().flatMap(stepsOf));
  for (const { walk, climbs } of pictures) {
    expect(walk.filter((file) => !existsSync(join(ROOT, 'src', file)))).toEqual([]);
    expect(climbs).toEqual(climbsOf(walk));
    expect(climbs.length).toBeLessThanOrEqual(CLIMBS_MAX);
    const invented = stepsOf(walk).filter((step) => {
      const [from = '', to = ''] = step.split(' ─▶ ');
      return !steps.has(step) && !isImport(from, to);
    });
    expect(invented).toEqual([]);
  }
});
