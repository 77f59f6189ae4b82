/** The walking skeleton: one project through every floor of the house, with real DuckDB, real SQLite and real HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainStage } from '../src/domain/plan.ts';
import { apply } from '../src/operations/apply.ts';
import { loadProject } from '../src/operations/load-project.ts';
import { plan } from '../src/operations/plan.ts';
import { openWorkspace, type Workspace } from '../src/operations/workspace.ts';
import { httpServer } from '../src/server/http/http-server.ts';

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

test('a project is loaded, planned, built in DuckDB, asked by a semantic query and answered over HTTP', async () => {
  const loaded = await loadProject(workspace);
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const engine = await workspace.engine('walk.duckdb');
  const state = await workspace.state();

  const planned = await plan(workspace, loaded, state, 'prod');
  expect(planned.changes).toEqual([
    { model: 'raw.orders', change: 'added' },
    { model: 'marts.revenue', change: 'added' },
  ]);
  const done: string[] = [];
  for await (const stage of apply({ engine, state }, planned))
    done.push(explainStage(stage).replace(/__[a-z2-7]{26}/, '__…'));
  expect(done).toEqual([
    'create schemas marts, plinth__marts, plinth__raw, raw',
    'build raw.orders into plinth__raw.orders__…',
    'build marts.revenue into plinth__marts.revenue__…',
    'point 2 views of prod at their tables',
  ]);
  expect((await plan(workspace, loaded, state, 'prod')).stages).toEqual([]);

  const server = httpServer(loaded.project, engine);
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    const url = `${address}/plinth/tenants/default/data-products/default-walk/api/v1/query/semantic/rest`;
    const ask = (query: unknown): Promise<Response> =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
    const answer = await ask({
      measures: ['revenue.total', 'revenue.count'],
      dimensions: ['revenue.region'],
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      result: {
        cols: [{ name: 'region' }, { name: 'total', type: 'DECIMAL(38,2)' }, { name: 'count' }],
        rows: [
          ['EU', '14.50', '2'],
          ['US', '5.25', '1'],
        ],
      },
    });
    const wrong = await ask({ measures: ['revenue.totl'], dimensions: [] });
    expect(wrong.status).toBe(422);
    expect(await wrong.json()).toMatchObject({
      errors: [{ code: 'semantic.unknown-member', hint: 'did you mean revenue.total?' }],
    });
    expect((await ask({ measures: 'x' })).status).toBe(400);
  } finally {
    await server.close();
  }
});

test('what the engine refuses is a coded failure, and nothing of its transaction is kept', async () => {
  const engine = await workspace.engine(':memory:');
  await expect(engine.query('SELECT nothing FROM nowhere')).rejects.toMatchObject({
    code: 'engine.statement-failed',
  });
  await expect(
    engine.executeInTransaction(['CREATE TABLE kept (a INTEGER)', 'INSERT INTO kept VALUES (1, 2)']),
  ).rejects.toMatchObject({
    code: 'engine.statement-failed',
  });
  expect((await engine.query("SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = 'kept'")).rows).toEqual(
    [['0']],
  );
});

test('a file that is no database is refused by name', async () => {
  writeFileSync(
    join(folder, 'text.duckdb'),
    'not a database, only a text that is long enough to be read as a header '.repeat(100),
  );
  await expect(workspace.engine('text.duckdb')).rejects.toMatchObject({
    code: 'engine.cannot-open',
    message: expect.stringContaining('text.duckdb'),
  });
});

test('a kind that cannot be built yet is refused before anything is written', async () => {
  const engine = await workspace.engine(':memory:');
  const state = await workspace.state();
  const snapshot = { model: 'm.a', kind: 'incremental-by-time-range', fingerprint: 'x', table: 'main.a' };
  const run = async (): Promise<void> => {
    for await (const _ of apply(
      { engine, state },
      { environment: 'prod', changes: [], stages: [{ kind: 'backfill', snapshot, query: 'SELECT 1' }] },
    ));
  };
  await expect(run()).rejects.toMatchObject({ code: 'engine.kind-not-yet' });
});

test('the same walk begins at a terminal: plinth plan builds what the query then reads', () => {
  const plinth = (...args: readonly string[]): string =>
    execFileSync(join(import.meta.dirname, '../bin/plinth'), [...args, '--project', walked], {
      encoding: 'utf8',
      env: { ...process.env, PLINTH_NOW: '2026-01-02' },
    });
  const walked = mkdtempSync(join(tmpdir(), 'plinth-walk-cli-'));
  try {
    writeFiles(walked);
    expect(plinth('plan')).toBe(
      'added raw.orders\nadded marts.revenue\nnothing was changed; pass --yes to apply\n',
    );
    expect(JSON.parse(plinth('plan', '--yes', '--json'))).toMatchObject({
      schema: 'plinth.plan/1',
      ok: true,
      data: { environment: 'prod', applied: true },
    });
    expect(plinth('plan')).toBe('prod is up to date\n');
  } finally {
    rmSync(walked, { recursive: true });
  }
});
