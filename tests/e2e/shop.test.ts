/** The example project tells its stories: loaded by the real loader, rendered by the real renderer, built in DuckDB over its generated data. */
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expandWithAnswers } from '../../src/compiler/resolve/analyze-model.ts';
import type { Model } from '../../src/domain/model.ts';
import { folderContext } from '../../src/operations/ask/own-context.ts';
import { modelTables } from '../../src/operations/ask/readable-models.ts';
import { type LoadedWorkspace, loadProject } from '../../src/operations/project/load-project.ts';
import { render } from '../../src/operations/project/render.ts';
import { generateSample } from '../../src/operations/project/sample/generate-sample.ts';
import { testResults } from '../../src/operations/project/test-results.ts';
import { openWorkspace, type Workspace } from '../../src/operations/workspace.ts';
import { type PlainDuckdb, plainDuckdb } from '../support/plain-duckdb.ts';

const ALL_TIME = {
  start: Date.UTC(2022, 0, 1),
  end: Date.UTC(2026, 0, 1),
  execution: Date.UTC(2026, 0, 2, 6),
};
const folder = mkdtempSync(join(tmpdir(), 'plinth-shop-'));
let workspace: Workspace;
let loaded: LoadedWorkspace;
let engine: PlainDuckdb;

beforeAll(async () => {
  cpSync(join(import.meta.dirname, '../../examples/shop'), folder, { recursive: true });
  await generateSample({
    scale: 1,
    write(path, chunk) {
      if (path.startsWith('seeds/')) return;
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      appendFileSync(join(folder, path), chunk);
    },
  });
  workspace = openWorkspace({ folder, variables: {}, executionTime: ALL_TIME.execution });
  loaded = await loadProject(workspace);
  engine = await plainDuckdb(folder);
  await engine.execute(
    ...['raw', 'staging', 'marts', 'quarantine'].map((schema) => `CREATE SCHEMA ${schema}`),
  );
  for (const model of loaded.project.models) await build(model);
});
afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true });
});

/** Builds a model over all time at once; kinds that keep history or hold rows back are imitated until they are built for real. */
async function build(model: Model): Promise<void> {
  const { query } = await render(loaded, { model, times: ALL_TIME });
  const object = model.kind.kind === 'view' || model.kind.kind === 'embedded' ? 'VIEW' : 'TABLE';
  await engine.execute(
    `CREATE ${object} ${model.name} AS ${model.kind.kind === 'scd-type-2-by-column' ? history(query) : query}`,
  );
  if (model.name !== 'staging.orders') return;
  const bad = await ownAudit(model, 'valid_channel');
  await engine.execute(
    `CREATE TABLE quarantine.orders AS ${bad}`,
    'DELETE FROM staging.orders WHERE order_id IN (SELECT order_id FROM quarantine.orders)',
  );
}

/** What SCD 2 by column makes of the monthly lists: the first list of each price, valid until the next one. */
function history(query: string): string {
  return `
    SELECT product_id, price, listed_on, CAST(listed_on AS TIMESTAMP) AS valid_from,
           CAST(LEAD(listed_on) OVER (PARTITION BY product_id ORDER BY listed_on) AS TIMESTAMP) AS valid_to
    FROM (SELECT *, LAG(price) OVER (PARTITION BY product_id ORDER BY listed_on) AS before FROM (${query}))
    WHERE before IS DISTINCT FROM price`;
}

async function ownAudit(model: Model, name: string): Promise<string> {
  const audit = loaded.project.audits.find((each) => each.name === name);
  const use = model.audits.find((each) => each.name === name);
  if (audit === undefined) throw new Error(`no audit ${name}`);
  const context = loaded.compileContext.macroContext(model, () => undefined);
  const sqlVariables = { ...audit.defaults, ...use?.arguments };
  const { statements } = await expandWithAnswers(
    [audit.query],
    { ...context, sqlVariables, times: ALL_TIME },
    workspace.userCode,
  );
  return (statements[0]?.text ?? '').replace(/;\s*$/, '');
}

const rows = async (sql: string): Promise<readonly (readonly unknown[])[]> => (await engine.query(sql)).rows;
const count = async (sql: string): Promise<number> =>
  Number((await rows(`SELECT COUNT(*) FROM (${sql})`))[0]?.[0]);

describe('the shop project', () => {
  test('loads without a word and gives every model an owner, a grain, tags and a description', () => {
    expect(loaded.diagnostics).toEqual([]);
    const bare = loaded.project.models.filter(
      ({ owner, grains, tags, description }) =>
        owner === undefined || grains.length === 0 || tags.length === 0 || description === undefined,
    );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
  test('shows every kind worth showing', () => {
    const kinds = new Set(loaded.project.models.map(({ kind }) => kind.kind));
    expect([...kinds].sort()).toEqual([
      'embedded',
      'full',
      'incremental-by-time-range',
      'incremental-by-unique-key',
      'scd-type-2-by-column',
      'seed',
      'view',
    ]);
  });
  test('builds rows for every model', async () => {
    for (const { name } of loaded.project.models)
      expect(await count(`SELECT * FROM ${name}`), name).toBeGreaterThan(0);
  });
  test('passes every audit of its own, once bad channels are in quarantine', async () => {
    const own = new Set(loaded.project.audits.map(({ name }) => name));
    let passed = 0;
    for (const model of loaded.project.models)
      for (const use of model.audits.filter(({ name }) => own.has(name))) {
        expect(await count(await ownAudit(model, use.name)), `${model.name}: ${use.name}`).toBe(0);
        passed++;
      }
    expect(passed).toBeGreaterThan(4);
  });
  test('holds back exactly three orders with a bad channel', async () => {
    expect((await rows('SELECT channel FROM quarantine.orders ORDER BY order_id')).flat()).toEqual([
      'onlien',
      'ONLINE',
      'pos',
    ]);
    expect(await count('SELECT * FROM raw.orders')).toBe((await count('SELECT * FROM staging.orders')) + 3);
  });
  test('keeps the history of prices: eleven articles changed theirs once', async () => {
    expect(await count('SELECT * FROM staging.product_prices')).toBe(40 + 11);
    expect(await count('SELECT * FROM marts.products WHERE price_changes = 1')).toBe(11);
  });
  test('keeps one row of each customer although the feed has several, in all four segments', async () => {
    expect(await count('SELECT * FROM staging.customers')).toBe(2400);
    expect(await count('SELECT * FROM raw.customers')).toBeGreaterThan(2400);
    expect((await rows('SELECT DISTINCT segment FROM marts.customers ORDER BY 1')).flat()).toEqual([
      'active',
      'lapsed',
      'prospect',
      'vip',
    ]);
  });
  test('says the same revenue in the orders, in the daily sales and in the payments', async () => {
    const revenue = await rows('SELECT SUM(revenue) FROM marts.orders');
    expect(await rows('SELECT SUM(revenue) FROM marts.daily_sales')).toEqual(revenue);
    expect(
      await rows(
        'SELECT SUM(amount) FROM raw.payments WHERE order_id NOT IN (SELECT order_id FROM quarantine.orders)',
      ),
    ).toEqual(revenue);
  });
  test('splits the lines of all orders between the two regions', async () => {
    const total = await rows('SELECT SUM(net_amount) FROM marts.order_items');
    expect(
      await rows(
        'SELECT SUM(net_amount) FROM (SELECT net_amount FROM marts.eu_sales UNION ALL SELECT net_amount FROM marts.us_sales)',
      ),
    ).toEqual(total);
  });
});

describe('the model tests of the shop project hold', () => {
  test('every one of them', async () => {
    const results = await testResults(workspace, loaded, loaded.project.tests);
    expect(results.length).toBeGreaterThan(10);
    expect(results.filter(({ kind }) => kind !== 'passed')).toEqual([]);
  });
});

describe('the policies of the example', () => {
  test('close what their rows come from and go to, and leave the rest', async () => {
    const { project } = loaded;
    const tables = await modelTables({
      caller: { groups: ['eu_analyst'], isUnrestricted: false },
      mayReadModels: true,
      context: folderContext(project, { environment: 'prod', suffixTarget: 'schema' }),
    });
    const open = project.models.map(({ name }) => name).filter((name) => tables.hidden(name) === 'none');
    expect(open).toEqual(['raw.promotions']);
    expect(tables.refusal('raw.customers', 'all')?.hint).toBe('ask customers instead');
    const opened = project.config.access.flatMap(({ principal, models }) =>
      principal === 'eu_analyst' ? models.map(({ value }) => value) : [],
    );
    expect(opened).toEqual(['marts.products', 'marts.stores']);
  });
});
