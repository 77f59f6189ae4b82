import { expect, test } from 'vitest';
import type { ModelResult, Run } from '../../src/domain/run.ts';
import { grantRole } from '../../src/operations/access/grant-role.ts';
import { modelActivity } from '../../src/operations/catalog/model-activity.ts';
import { productPage } from '../../src/operations/catalog/product-page.ts';
import { servedProduct } from '../support/served-product.ts';

const FILES = {
  'config.yaml': 'name: sales\n',
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
};

const result = (status: ModelResult['status'], rows: number): ModelResult => ({
  name: 's.m',
  status,
  intervals: [],
  rows,
  ms: 1,
  audits: [],
});
const run = (startedAt: number, ...models: readonly ModelResult[]): Run => ({
  id: `r_${startedAt}`,
  kind: 'run',
  environment: 'prod',
  who: 'a test',
  startedAt,
  endedAt: startedAt,
  executionTime: startedAt,
  status: 'succeeded',
  models,
});

test('a model that had nothing to do was not built by that, and wrote no rows', async () => {
  const served = await servedProduct(FILES, { isPlanned: false });
  try {
    const { world } = served.product;
    const add = (at: number, status: ModelResult['status'], rows = 0): Promise<void> =>
      world.state.journal.finishRun(run(at, result(status, rows)), []);
    await add(1, 'built', 7);
    await add(2, 'failed');
    await add(3, 'failed');
    expect(await modelActivity(world, {})).toMatchObject([{ model: 's.m', builtAt: 1, failures: 2 }]);
    await add(4, 'up-to-date');
    expect(await modelActivity(world, {})).toMatchObject([
      { last: { status: 'up-to-date' }, builtAt: 1, builtRows: 7, failures: 0 },
    ]);
  } finally {
    await served.close();
  }
});

test('the page of a product names those who own it now, and measures its promise on the model that it names', async () => {
  const incremental = (name: string, start: string, end: string) =>
    `MODEL (name ${name}, kind INCREMENTAL_BY_TIME_RANGE (time_column day), start '${start}', end '${end}', cron '@daily');
SELECT DATE '2025-01-01' AS day WHERE day BETWEEN @start_ds AND @end_ds`;
  const served = await servedProduct({
    'config.yaml':
      'name: sales\naccess: [{principal: ada, role: owner}]\nslo: {freshness: {max_age: 50000 days, model: s.new}}\n',
    'models/old.sql': incremental('s.old', '1850-01-01', '1850-01-02'),
    'models/new.sql': incremental('s.new', '2025-01-01', '2025-01-02'),
  });
  try {
    const { product } = served;
    const { state, clock } = product.world;
    const context = { principals: state.principals, eventsOf: 'default', actor: 'a test', now: clock.now() };
    const given = { tenant: 'default', product: product.slug, role: 'owner' } as const;
    await grantRole(context, { ...given, principal: 'group:now' });
    await grantRole(context, { ...given, principal: 'group:before', expiresAt: 1 });
    const page = await productPage(product, undefined);
    expect(page.owners).toEqual(['ada', 'group:now']);
    expect(page.isFresh).toBe(true);
  } finally {
    await served.close();
  }
});
