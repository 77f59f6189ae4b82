/** Keys whose effect needs a warehouse, a state or a server: each is written, and what follows is looked at. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/adapters/state/sqlite/database.ts';
import type { TestResult } from '../../src/domain/model-test.ts';
import type { RunEvent } from '../../src/domain/run.ts';
import type { HistoryBounds } from '../../src/domain/state-store.ts';
import { DAY_MS } from '../../src/foundation/time/civil.ts';
import { productPage } from '../../src/operations/catalog/product-page.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { janitorWork } from '../../src/operations/change/janitor-work.ts';
import { plan } from '../../src/operations/change/plan.ts';
import { status } from '../../src/operations/change/status.ts';
import { trimState } from '../../src/operations/change/trim-state.ts';
import { type OpenedWorld, openWorld } from '../../src/operations/open-world.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { runTests } from '../../src/operations/project/run-tests.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { startServer } from '../../src/server/start-server.ts';
import { PLAN_OPTIONS, servedProduct } from '../support/served-product.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

type Files = Readonly<Record<string, string>>;
const NOW = Date.UTC(2024, 0, 11, 12);
const CONFIG =
  'name: keys\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\nmodel_defaults: {start: 2024-01-01}\n';
const MODEL = "MODEL (name m.a, kind FULL, description 'all of a');\nSELECT 1 AS id -- the number\n";

/** A project that is opened, and what was opened with it. */
interface Opened {
  readonly project: TemporaryProject;
  readonly workspace: Workspace;
  readonly world: OpenedWorld;
  readonly loaded: LoadedWorkspace;
  close(): Promise<void>;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function opened(files: Files, executionTime = NOW): Promise<Opened> {
  const project = temporaryProject({ 'config.yaml': CONFIG, 'models/a.sql': MODEL, ...files });
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await workspace.close();
    isOpen = false;
  };
  closing.push(async () => {
    await close();
    project.delete();
  });
  const world = await openWorld(workspace);
  return { project, workspace, world, loaded: await loadProject(workspace), close };
}

/** Plans and applies; answers with the events, and throws what went wrong. */
async function planned(
  { workspace, world, loaded }: Opened,
  environment?: string,
): Promise<readonly RunEvent[]> {
  const found = await plan(workspace, loaded, {
    world: Promise.resolve(world),
    environment,
    options: PLAN_OPTIONS,
  });
  if (found.plan === undefined) throw new Error(JSON.stringify(found.diagnostics));
  const events: RunEvent[] = [];
  const stages = apply(world, found.plan, { who: 'a test' });
  for (let next = await stages.next(); ; next = await stages.next()) {
    if (next.done === true) {
      if (next.value.status !== 'succeeded') throw new Error(JSON.stringify(next.value));
      return events;
    }
    events.push(next.value);
  }
}

const with_ = (more: string): Files => ({ 'config.yaml': `${CONFIG}${more}\n` });

test('the file of a connection is where the warehouse lies', async () => {
  const one = await opened({ 'config.yaml': CONFIG.replace('w.duckdb', 'elsewhere/other.duckdb') });
  await planned(one);
  expect(existsSync(join(one.project.folder, 'elsewhere/other.duckdb'))).toBe(true);
  expect(existsSync(join(one.project.folder, 'w.duckdb'))).toBe(false);
});

test('a gateway without a connection has the default one', async () => {
  const one = await opened({
    'config.yaml':
      'name: keys\ndefault_connection: {type: duckdb, database: shared.duckdb}\ngateways: {local: {variables: {x: 1}}}\n',
  });
  await planned(one);
  expect(existsSync(join(one.project.folder, 'shared.duckdb'))).toBe(true);
});

test('nothing is built through a connection that is read_only', async () => {
  const one = await opened({});
  await planned(one);
  await one.close();
  one.project.write({
    'config.yaml': CONFIG.replace('w.duckdb}', 'w.duckdb, read_only: true}'),
    'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 2 AS id\n',
  });
  const workspace = openWorkspace({ folder: one.project.folder, variables: {}, executionTime: NOW });
  closing.push(() => workspace.close());
  const again = {
    ...one,
    workspace,
    world: await openWorld(workspace),
    loaded: await loadProject(workspace),
  };
  await expect(planned(again)).rejects.toThrow(/read-only/i);
});

describe('no more models are built at a time than', () => {
  const models = Object.fromEntries(
    ['b', 'c', 'd'].map((name) => [
      `models/${name}.sql`,
      `MODEL (name m.${name}, kind FULL);\nSELECT count(*) AS n FROM range(30000000) AS r(i) WHERE i % 7 = 3\n`,
    ]),
  );
  /** The most stages that had begun and not ended. */
  const together = (events: readonly RunEvent[]): number => {
    const running = new Set<string>();
    let most = 0;
    for (const event of events) {
      if (event.event === 'stage.started' && event.stage.kind === 'backfill') running.add(event.stage.id);
      if (event.event === 'stage.finished') running.delete(event.stage.id);
      most = Math.max(most, running.size);
    }
    return most;
  };
  test.each([
    ['run: {max_parallel: 1}', 'w.duckdb}', 1],
    ['', 'w.duckdb, concurrent_tasks: 1}', 1],
    ['run: {max_parallel: 2}', 'w.duckdb, concurrent_tasks: 3}', 2],
    ['', 'w.duckdb}', 4],
  ])('run.max_parallel and concurrent_tasks allow: %s %s', async (more, connection, most) => {
    const config = `${CONFIG.replace('w.duckdb}', connection)}${more}\n`;
    expect(together(await planned(await opened({ ...models, 'config.yaml': config })))).toBe(most);
  });
});

test.each([
  ['w.duckdb}', ['all of a', 'the number']],
  ['w.duckdb, register_comments: false}', [null, null]],
])('descriptions are comments unless register_comments is false: %s', async (connection, comments) => {
  const one = await opened({ 'config.yaml': CONFIG.replace('w.duckdb}', connection) });
  await planned(one);
  const { rows } = await one.world.engine.query(
    "SELECT comment, (SELECT comment FROM duckdb_columns() WHERE schema_name = 'm' AND table_name = 'a') FROM duckdb_views() WHERE schema_name = 'm' AND view_name = 'a'",
  );
  expect(rows).toEqual([comments]);
});

describe('options of a test connection hold for tests', () => {
  const files = {
    'models/semantics/a.yml':
      'kind: semantic\nname: a\ndepends_on: m.a\nprimary_key: [id]\nmeasures: [{name: n, type: count}]\n',
    'tests/test_a.yaml':
      'test_a:\n  semantic_query: {measures: [a.n]}\n  inputs: {m.a: [{id: 1}]}\n  rows: [{a.n: 1}]\n',
  };
  const ended = async (config: string): Promise<TestResult> => {
    const { workspace, loaded } = await opened({ ...files, 'config.yaml': config });
    const results: TestResult[] = [];
    for await (const result of runTests(workspace, loaded, loaded.project.tests)) results.push(result);
    return results[0] as TestResult;
  };
  test.each([
    [
      'test_connection',
      CONFIG.replace(
        'w.duckdb}',
        'w.duckdb}, test_connection: {type: duckdb, connector_config: {no_such_setting: 1}}',
      ),
    ],
    [
      'default_test_connection',
      `${CONFIG}default_test_connection: {type: duckdb, connector_config: {no_such_setting: 1}}\n`,
    ],
  ])('%s', async (_, config) => {
    expect((await ended(CONFIG)).kind).toBe('passed');
    const result = await ended(config).catch((error: unknown) => String(error));
    expect(JSON.stringify(result)).toContain('no_such_setting');
  });
});

test.each(['environments: {default_target: stage}', 'default_target_environment: stage'])(
  'the default target is the environment that plan means: %s',
  async (more) => {
    const one = await opened(with_(more));
    await planned(one);
    expect((await one.world.state.snapshots.environments()).map(({ name }) => name)).toEqual(['stage']);
  },
);

test.each([
  ['environments: {suffix_target: table}', ['w', 'm', 'a__dev']],
  ['environment_suffix_target: table', ['w', 'm', 'a__dev']],
  ['', ['w', 'm__dev', 'a']],
  ["environments: {catalogs: {'^dev$': other}}", ['other', 'm__dev', 'a']],
  ["environment_catalog_mapping: {'^dev$': other}", ['other', 'm__dev', 'a']],
])('views are named by suffix_target and by the catalogs of environments: %s', async (more, name) => {
  const one = await opened({
    'config.yaml': `${CONFIG.replace('database: w.duckdb', 'catalogs: {w: w.duckdb, other: other.duckdb}')}${more}\n`,
  });
  await planned(one, 'dev');
  const { rows } = await one.world.engine.query(
    "SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE view_name LIKE 'a%' AND NOT internal",
  );
  expect(rows).toEqual([[name[0] === 'w' ? expect.any(String) : name[0], name[1], name[2]]]);
});

test.each(['janitor: {snapshot_ttl: 2 days}', 'snapshot_ttl: 2 days', ''])(
  'unused tables go when their time to live is over: %s',
  async (more) => {
    const one = await opened(with_(more));
    await planned(one);
    one.project.write({ 'models/a.sql': 'MODEL (name m.a, kind FULL);\nSELECT 3 AS id\n' });
    await planned({ ...one, loaded: await loadProject(one.workspace) });
    const { gone } = await janitorWork(one.world, NOW + 3 * DAY_MS);
    expect(gone.tables.length > 0).toBe(more !== '');
  },
);

test.each(['runs', 'events', 'plans', 'statements', 'leases', 'audit_log', 'quality'])(
  'history is kept as long as retention says: %s',
  async (key) => {
    const asked: HistoryBounds[] = [];
    const { world } = await opened(with_(`retention: {${key}: 3 days}`));
    const trim = async (bounds: HistoryBounds): Promise<number> => {
      asked.push(bounds);
      return 0;
    };
    await trimState({ ...world, clock: { ...world.clock, now: () => NOW }, state: { ...world.state, trim } });
    const bounds = new Map<string, number>(Object.entries(asked[0] ?? {}));
    expect(bounds.get(key === 'audit_log' ? 'auditLog' : key)).toBe(NOW - 3 * DAY_MS);
    expect([...bounds.values()].filter((at) => at === NOW - 3 * DAY_MS)).toHaveLength(1);
  },
);

test('a state that is synchronous: full survives a power loss', async () => {
  const asked: boolean[] = [];
  for (const more of ['', 'state: {synchronous: full}', 'state: {synchronous: normal}']) {
    const { workspace } = await opened(with_(more));
    await openWorld({
      ...workspace,
      state: (gateway, isDurable = false) => {
        asked.push(isDurable);
        return workspace.state(gateway, isDurable);
      },
    });
  }
  expect(asked).toEqual([false, true, false]);
  const { project } = await opened({});
  for (const [synchronous, level] of [
    ['full', 2],
    ['normal', 1],
  ] as const) {
    const database = openDatabase({ file: join(project.folder, `${synchronous}.db`), synchronous });
    expect(Object.values(database.row('PRAGMA synchronous') ?? {})).toEqual([level]);
    database.close();
  }
});

test('text times have the time_column_format of the project', async () => {
  const model =
    "MODEL (name m.days, kind INCREMENTAL_BY_TIME_RANGE (time_column ds));\nSELECT '20240103' AS ds, 1 AS id\n";
  const rowsOf = async (more: string): Promise<unknown> => {
    const one = await opened({ ...with_(more), 'models/days.sql': model });
    await planned(one);
    return (await one.world.engine.query('SELECT count(*) FROM m.days')).rows;
  };
  expect(await rowsOf("time_column_format: '%Y%m%d'")).toEqual([[1]]);
  expect(await rowsOf('')).toEqual([[0]]);
});

test('a model that is older than its freshness is stale', async () => {
  const byDay = (freshness: string): string =>
    `MODEL (name m.days, kind INCREMENTAL_BY_TIME_RANGE (time_column d), start '2024-01-01'${freshness});\nSELECT @start_date AS d\n`;
  const statusOf = async (freshness: string): Promise<unknown> => {
    const one = await opened({ 'models/days.sql': byDay(freshness) });
    await planned(one);
    const { models } = await status(one.world, { environment: 'prod', executionTime: NOW + 2 * DAY_MS });
    return models.find(({ model }) => model === 'm.days')?.status;
  };
  expect(await statusOf('')).not.toBe('stale');
  expect(await statusOf(", freshness '30 hours'")).toBe('stale');
  expect(await statusOf(", freshness '30 days'")).not.toBe('stale');
});

test('a promise of freshness is about the model it names', async () => {
  const old =
    "MODEL (name m.old, kind INCREMENTAL_BY_TIME_RANGE (time_column d), start '2020-01-01', end '2020-01-05');\nSELECT @start_date AS d\n";
  const isFresh = async (slo: string): Promise<unknown> => {
    const served = await servedProduct({
      'config.yaml': `${CONFIG}slo: {freshness: ${slo}}\n`,
      'models/a.sql': MODEL,
      'models/old.sql': old,
    });
    try {
      return (await productPage(served.product, undefined)).isFresh;
    } finally {
      await served.close();
    }
  };
  expect(await isFresh('{max_age: 20000 days}')).toBe(true);
  expect(await isFresh('{max_age: 900 days, model: m.a}')).toBe(true);
  expect(await isFresh('{max_age: 900 days, model: m.old}')).toBe(false);
});

test('addresses of products begin with the service of the server', async () => {
  const project = temporaryProject({
    'config.yaml': `${CONFIG}server: {service: house}\n`,
    'models/a.sql': MODEL,
  });
  const server = await startServer({
    folders: [project.folder],
    variables: {},
    executionTime: NOW,
    host: '127.0.0.1',
    port: 0,
    auth: 'disabled',
    hasScheduler: false,
    isForced: false,
    log: () => undefined,
  });
  expect(server.products[0]?.baseUrl).toContain('/house/tenants/default/');
  await server.close();
  project.delete();
});

test('members that are not public are shown to nobody', async () => {
  const members = (isPublic: boolean): string =>
    JSON.stringify({
      kind: 'semantic',
      name: 'a',
      depends_on: 'm.a',
      primary_key: ['id'],
      dimensions: [{ name: 'id', public: isPublic }],
      measures: [{ name: 'total', type: 'sum', expression: '{id}', public: isPublic }],
      segments: [{ name: 'large', expression: '{id} > 3', public: isPublic }],
    });
  const shown = async (isPublic: boolean): Promise<unknown> => {
    const { loaded } = await opened({ 'models/semantics/a.yml': members(isPublic) });
    const { semanticBody } = await import('../../src/server/http/answers/metadata-body.ts');
    const [semantic] = loaded.project.semanticModels;
    if (semantic === undefined) throw new Error('no semantic model');
    const { dimensions, measures, segments } = semanticBody(semantic, {
      model: undefined,
      seen: undefined,
      policies: undefined,
    });
    return [dimensions, measures, segments].map((list) => (list as readonly unknown[]).length);
  };
  expect(await shown(true)).toEqual([1, 1, 1]);
  expect(await shown(false)).toEqual([0, 0, 0]);
});
