/** Rollups through the real program: planned, built, used while they are up to date, never when they are not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../../e2e/planned-project.ts';
import { orders, TINY_PROJECT } from '../../e2e/tiny-project.ts';

const SALES = `kind: semantic
name: sales
depends_on: staging.orders
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
policies: [{group: eu, filter: [{member: region, operator: equals, values: [EU]}]}]
joins: [{name: places, type: many_to_one, on: "{sales.region} = {places.region}"}]
rollups:
  - {name: daily, measures: [revenue, count], dimensions: [region, places.name], time_dimension: day, granularity: day}
`;
const PROJECT = {
  ...TINY_PROJECT,
  'models/semantics/sales.yml': SALES,
  'models/semantics/places.yml': 'kind: semantic\nname: places\ndepends_on: raw.regions\n',
  'models/big.sql':
    'MODEL (name marts.big, kind VIEW, grain order_id);\nSELECT * FROM staging.orders WHERE amount > 15\n',
  'models/semantics/big.yml':
    'kind: semantic\nname: big\ndepends_on: marts.big\nrollups: [{name: regions, measures: [count], dimensions: [region]}]\n',
  'models/files.sql':
    "MODEL (name raw.files, kind VIEW, grain order_id);\nSELECT order_id::INTEGER AS order_id, region FROM READ_CSV('data/orders.csv', header = true, all_varchar = true)\n",
  'models/semantics/files.yml':
    'kind: semantic\nname: files\ndepends_on: raw.files\nrollups: [{name: regions, measures: [count], dimensions: [region]}]\n',
};

let project: PlannedProject;
beforeAll(() => {
  project = plannedProject(PROJECT);
});
afterAll(() => project.remove());

interface Answered {
  readonly rows: readonly (readonly unknown[])[];
  readonly rollup: string | null;
}

async function asked(...words: readonly string[]): Promise<Answered> {
  const { data, diagnostics } = await project.json('query', ...words);
  if (data === undefined) throw new Error(JSON.stringify(diagnostics));
  return data as unknown as Answered;
}

const revenue = (...more: readonly string[]): Promise<Answered> =>
  asked(
    '--measures',
    'sales.revenue,sales.count',
    '--dimensions',
    'places.name',
    '--order',
    'places.name',
    ...more,
  );

describe('rollups', () => {
  test('are in the plan as what they are; one over a file is not built and says so', async () => {
    const { stdout, code } = await project.plinth('plan', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('+ rollup rollups.sales__daily');
    expect(stdout).toContain('+ rollup rollups.big__regions');
    expect(stdout).not.toContain('rollups.files__regions');
    const { diagnostics } = await project.json('plan');
    expect(diagnostics.map(({ code: found }) => found)).toContain('semantic.unused-rollup');
  });

  test('are no models of the project', async () => {
    const { stdout } = await project.plinth('lineage', '--json');
    expect(stdout).not.toContain('rollups.');
    expect((await project.plinth('lint')).code).toBe(0);
  });

  test('answer, and the answer says so', async () => {
    expect(await revenue()).toMatchObject({
      rows: [
        ['America', 60, 3],
        ['Europe', 30, 3],
      ],
      rollup: 'sales.daily',
    });
    expect(await asked('--measures', 'big.count')).toMatchObject({ rows: [[3]], rollup: 'big.regions' });
  });

  test('show nobody what policies keep from them', async () => {
    expect(await asked('--measures', 'sales.revenue', '--as-group', 'eu')).toMatchObject({
      rows: [[30]],
      rollup: 'sales.daily',
    });
    for (const [table, code] of [
      ['staging.orders', 'policy.model-restricted'],
      ['rollups.sales__daily', 'policy.no-access'],
    ]) {
      const { error } = await project.json('query', '--as-group', 'eu', '--sql', `SELECT * FROM ${table}`);
      expect(error, table).toMatchObject({ code });
    }
  });

  test('are not asked when their tables were written without them, and are again after the next run', async () => {
    project.now('2025-01-06');
    expect((await project.plinth('run', '--select', 'staging.orders')).code).toBe(0);
    expect(await revenue()).toMatchObject({
      rows: [
        ['America', 100, 5],
        ['Europe', 50, 5],
      ],
      rollup: null,
    });
    expect(await asked('--measures', 'big.count')).toMatchObject({ rows: [[5]], rollup: null });
    const run = await project.json('run');
    // What was generated is no edit of the folder.
    expect(run).toMatchObject({ code: 0, data: { ignored_edits: [] } });
    expect(await revenue()).toMatchObject({
      rows: [
        ['America', 100, 5],
        ['Europe', 50, 5],
      ],
      rollup: 'sales.daily',
    });
    expect(await asked('--measures', 'big.count')).toMatchObject({ rows: [[5]], rollup: 'big.regions' });
  });

  test('of a restated table are made again with it', async () => {
    project.write('data/orders.csv', orders(10, { 1: 1000 }));
    expect((await project.plinth('plan', '--restate-model', 'staging.orders', '--yes')).code).toBe(0);
    expect(await revenue()).toMatchObject({
      rows: [
        ['America', 100, 5],
        ['Europe', 1040, 5],
      ],
      rollup: 'sales.daily',
    });
  });

  test('of definitions that were edited and not planned are not asked', async () => {
    project.write('models/semantics/sales.yml', SALES.replace('"{amount}"', '"{amount} * 2"'));
    const doubled = {
      rows: [
        ['America', 200, 5],
        ['Europe', 2080, 5],
      ],
    };
    expect(await revenue()).toMatchObject({ rollup: 'sales.daily' });
    expect(await revenue('--local')).toMatchObject({ ...doubled, rollup: null });
    expect((await project.plinth('plan', 'dev', '--yes')).code).toBe(0);
    expect(await revenue('--env', 'dev')).toMatchObject({ ...doubled, rollup: 'sales.daily' });
    project.write('models/semantics/sales.yml', SALES);
    expect(await revenue()).toMatchObject({ rollup: 'sales.daily' });
  });

  test('go with their definition', async () => {
    project.write('models/semantics/sales.yml', SALES.slice(0, SALES.indexOf('rollups:')));
    const { stdout, code } = await project.plinth('plan', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('- rollup rollups.sales__daily');
    expect(await revenue()).toMatchObject({ rollup: null });
  });
});
