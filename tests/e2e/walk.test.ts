/** The walking skeleton: one project through every floor of the house, with real DuckDB, real SQLite and real HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/domain/plan.ts';
import { OWNER } from '../../src/domain/semantic-query.ts';
import { answerOwn } from '../../src/operations/ask/answer-own.ts';
import { compileOwn } from '../../src/operations/ask/compile-own.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { NO_OPTIONS } from '../../src/operations/change/diff.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { openWorld } from '../../src/operations/open-world.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { startServer } from '../../src/server/start-server.ts';

const FILES: Readonly<Record<string, string>> = {
  'config.yaml': 'name: walk\ngateways:\n  local:\n    connection: {type: duckdb, database: walk.duckdb}\n',
  'seeds/orders.csv': 'order_id,region,amount\n1,EU,10.50\n2,US,5.25\n3,EU,4.00\n',
  'models/raw_orders.sql':
    "MODEL (name raw.orders, kind SEED (path '../seeds/orders.csv'), columns (order_id INTEGER, region VARCHAR, amount DECIMAL(10, 2)));",
  'models/revenue.sql':
    'MODEL (name marts.revenue, kind FULL);\nSELECT region, amount FROM raw.orders -- one row per order\n',
  'models/semantics/revenue.yml':
    'kind: semantic\nname: revenue\ndepends_on: marts.revenue\nprimary_key: [region]\nmeasures:\n  - {name: total, type: sum, expression: "{amount}"}\n',
};

function writeFiles(into: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    writeFileSync(join(into, path), text);
  }
}

let folder: string;
let workspace: Workspace;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-walk-'));
  writeFiles(folder);
  workspace = openWorkspace({ folder, variables: {}, executionTime: Date.UTC(2026, 0, 2) });
});
afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true });
});

test('a project is loaded, planned, built in DuckDB, asked by a semantic query and shown over HTTP', async () => {
  const opening = openWorld(workspace);
  const loaded = await loadProject(workspace);
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const world = await opening;
  const request = { world: opening, environment: 'prod', options: NO_OPTIONS };
  const planned = await plan(workspace, loaded, request);
  expect(planned.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(planned.plan?.changes.map(({ kind, name, change }) => [kind, name, change])).toEqual([
    ['model', 'raw.orders', 'added'],
    ['model', 'marts.revenue', 'added'],
    ['semantic', 'revenue', 'added'],
  ]);
  const done: string[] = [];
  for await (const { event } of apply(world, planned.plan as Plan, { who: 'test' })) done.push(event);
  expect(done).toEqual(expect.arrayContaining(['run.started', 'model.built', 'environment.promoted']));
  expect(done.at(-1)).toBe('run.finished');
  expect((await plan(workspace, loaded, request)).plan?.stages).toEqual([]);

  const question = { measures: ['revenue.total', 'revenue.count'], dimensions: ['revenue.region'] };
  const compiled = await compileOwn(
    () => opening,
    { kind: 'json', data: question },
    {
      environment: 'prod',
      caller: OWNER,
      now: world.clock.now(),
      isLocal: false,
      isShown: false,
      isUnlimited: false,
      load: async () => loaded,
    },
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  const asked = await answerOwn(workspace, world, {
    compiled: compiled.compiled,
    context: compiled.own.context,
    rowLimit: undefined,
    signal: new AbortController().signal,
  });
  expect(asked.rows()).toMatchObject({
    rows: [
      ['EU', '14.50', 2],
      ['US', '5.25', 1],
    ],
  });

  const server = await startServer({
    folders: [folder],
    variables: {},
    executionTime: Date.UTC(2026, 0, 2),
    host: '127.0.0.1',
    port: 0,
    auth: 'disabled',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  try {
    const apps = await fetch(`${server.url}/platform-api/v1/tenants/default/resources/apps`);
    expect(apps.status).toBe(200);
    expect(await apps.json()).toMatchObject({
      items: [{ name: 'walk', type: 'data-product', health: { status: 'healthy' } }],
      next_cursor: null,
    });
  } finally {
    await server.close();
  }
});

test('a file that is no database is refused by name', async () => {
  writeFileSync(
    join(folder, 'text.duckdb'),
    'not a database, only a text that is long enough to be read as a header '.repeat(100),
  );
  const engine = await workspace.engine({ type: 'duckdb', options: { database: 'text.duckdb' } });
  await expect(engine.query('SELECT 1')).rejects.toMatchObject({
    code: 'engine.cannot-open',
    message: expect.stringContaining('text.duckdb'),
  });
});

test('the same walk begins at a terminal: plinth plan builds what the query then reads', () => {
  const plinth = (...args: readonly string[]): string =>
    execFileSync(join(import.meta.dirname, '../../bin/plinth'), [...args, '--project', walked], {
      encoding: 'utf8',
      env: { ...process.env, PLINTH_NOW: '2026-01-02' },
    });
  const walked = mkdtempSync(join(tmpdir(), 'plinth-walk-cli-'));
  try {
    writeFiles(walked);
    expect(JSON.parse(plinth('plan', '--json'))).toMatchObject({ data: { applied: false } });
    const lines = plinth('plan', '--yes', '--json').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      schema: 'plinth.plan/1',
      ok: true,
      data: { environment: 'prod', applied: true },
    });
    expect(plinth('plan')).toContain('prod is up to date');
    expect(
      plinth('query', '--sql', 'SELECT SUM(amount) AS total FROM marts.revenue', '--format', 'csv'),
    ).toBe('total\n19.75\n');
  } finally {
    rmSync(walked, { recursive: true });
  }
});
