/** A plan shows what changes in semantic models and metrics, and what that reaches; what was applied is kept with it. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appliedSemantics } from '../../../src/operations/applied-semantics.ts';
import { openWorld } from '../../../src/operations/open-world.ts';
import { openWorkspace } from '../../../src/operations/workspace.ts';
import { type PlannedProject, plannedProject } from '../../e2e/planned-project.ts';
import { TINY_PROJECT } from '../../e2e/tiny-project.ts';

const SALES = `kind: semantic
name: sales
depends_on: staging.orders
description: What was sold.
dimensions: [order_id, region, day]
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
  - {name: per_order, type: number, expression: "{revenue} / {count}"}
segments:
  - {name: big, expression: "{amount} > 15"}
`;
const METRIC = 'kind: metric\nname: daily_revenue\nmeasure: sales.revenue\nts: sales.day\n';

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject({
    ...TINY_PROJECT,
    'models/semantics/sales.yml': SALES,
    'models/metrics/daily_revenue.yml': METRIC,
    'models/metrics/per_order.yml':
      'kind: metric\nname: per_order\nmeasure: sales.per_order\nts: sales.day\n',
  });
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
});
afterAll(() => project.remove());

const golden = (name: string): string => join(import.meta.dirname, 'goldens', name);
const withoutId = (text: string): string => text.replace(/p_[a-z0-9]+/g, 'p_…');

test('members that came, went and changed, keys of metrics, and what they reach', async () => {
  const edited = SALES.replace('"{amount}"}', '"{amount} - 1"}')
    .replace('What was sold', 'All that was sold')
    .replace('[order_id, region, day]', '[order_id, day]')
    .replace(
      /segments:[\s\S]*/,
      'rollups: [{name: daily, measures: [revenue], time_dimension: day, granularity: day}]\n',
    );
  project.write('models/semantics/sales.yml', edited);
  project.write('models/metrics/daily_revenue.yml', `${METRIC}granularity: week\n`);
  project.write(
    'models/metrics/orders.yml',
    'kind: metric\nname: orders\nmeasure: sales.count\nts: sales.day\n',
  );
  const { stdout } = await project.plinth('plan', '--no-diff');
  await expect(withoutId(stdout)).toMatchFileSnapshot(golden('plan-semantics.txt'));
  const { data } = await project.json('plan');
  const { changes, impact } = data as { changes: readonly { kind: string }[]; impact: unknown };
  const shown = changes.filter(({ kind }) => kind === 'semantic' || kind === 'metric' || kind === 'rollup');
  await expect(`${JSON.stringify({ changes: shown, impact }, null, 2)}\n`).toMatchFileSnapshot(
    golden('plan-semantics.json'),
  );
});

test('a changed column is followed to measures and metrics', async () => {
  project.write('models/semantics/sales.yml', SALES);
  project.write('models/metrics/daily_revenue.yml', METRIC);
  project.write(
    'models/orders.sql',
    (TINY_PROJECT['models/orders.sql'] ?? '').replace('amount::INTEGER AS', 'amount::INTEGER + 1 AS'),
  );
  const { stdout } = await project.plinth('plan', '--no-diff');
  const reaches = stdout.slice(stdout.indexOf('Reaches'), stdout.indexOf('Fills'));
  // A condition stands in the query, so that rows may be others: every column counts.
  expect(reaches).toMatch(/semantic +sales .*revenue.* through .*staging\.orders\.amount/);
  expect(reaches).toMatch(/semantic +revenue .*total through .*marts\.revenue\.revenue/);
  expect(reaches).toMatch(/metric +daily_revenue +through .*staging\.orders\.amount/);
  expect(reaches).toMatch(/metric +per_order +through .*staging\.orders\.amount/);
});

test('what was applied can be read without the files, also after a rollback', async () => {
  project.write('models/orders.sql', TINY_PROJECT['models/orders.sql'] ?? '');
  project.write('models/semantics/sales.yml', SALES.replace('What was sold', 'Other words'));
  expect(await description()).toBe('What was sold.');
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
  expect(await description()).toBe('Other words.');
  // A plan that changes other things keeps to what the one before has stored.
  project.write(
    'models/best.sql',
    'MODEL (name marts.best, kind VIEW);\nSELECT MIN(revenue) AS worst FROM marts.revenue\n',
  );
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
  expect(await description()).toBe('Other words.');
  const { data } = await project.json('plans');
  expect(data).toBeDefined();
  expect((await project.plinth('rollback', 'prod', '--yes')).code).toBe(0);
  expect((await project.plinth('rollback', 'prod', '--yes')).code).toBe(0);
  expect(await description()).toBe('Other words.');
});

async function description(): Promise<string | undefined> {
  const workspace = openWorkspace({
    folder: project.folder,
    variables: {},
    executionTime: Date.UTC(2025, 0, 4),
  });
  try {
    const world = await openWorld(workspace);
    const environment = await world.state.snapshots.environment('prod');
    if (environment === undefined) throw new Error('no prod');
    const applied = await appliedSemantics(world, environment);
    if (applied === 'unreadable') throw new Error('it was stored');
    expect(applied.models.map(({ name }) => name).sort()).toEqual(['marts.revenue', 'staging.orders']);
    return applied.semanticModels.find(({ name }) => name.value === 'sales')?.description;
  } finally {
    await workspace.close();
  }
}
