import { expect, test } from 'vitest';
import type { Run } from '../../src/domain/run.ts';
import { activityView } from '../../src/operations/catalog/activity-view.ts';
import { openPlatform } from '../../src/operations/serve/open-platform.ts';
import { identityOf, planProduct, servedProduct } from '../support/served-product.ts';
import { temporaryProject } from '../support/temporary-project.ts';

test('policies that cannot be read do not count as none: nothing is shown then', async () => {
  const project = temporaryProject({
    'config.yaml': 'name: sales\ngateways: {local: {connection: {type: duckdb, database: sales.duckdb}}}\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a',
  });
  const now = Date.UTC(2026, 0, 2);
  const platform = await openPlatform({ folders: [project.folder], variables: {}, executionTime: now });
  const [product] = platform.products;
  if (product === undefined) throw new Error('it has one product');
  const asker = {
    principalId: 'p1',
    name: 'ann',
    kind: 'user',
    tenant: product.tenant,
    isPlatformAdmin: false,
    productRoles: {},
    groups: [],
  } as const;
  try {
    // Nothing was ever applied: that is known, and restricts nobody.
    await expect(activityView(product, asker)).resolves.toBeDefined();
  } finally {
    await platform.close();
  }
  await expect(activityView(product, asker)).rejects.toThrow();
  project.delete();
});

test('words that name no model are for those who may read the rows of every one', async () => {
  const served = await servedProduct({
    'config.yaml': 'name: sales\n',
    'models/orders.sql': "MODEL (name s.orders, kind FULL);\nSELECT 'eu' AS region, 1 AS amount",
    'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: s.orders
dimensions: [region]
measures: [{name: revenue, type: sum, expression: "{amount}"}]
policies:
  - {group: all}
  - {group: eu, filter: [{member: region, operator: equals, values: [eu]}]}
`,
  });
  try {
    const consumer = { productRoles: { 'default-sales': 'consumer' } } as const;
    const askers = {
      all: identityOf({ ...consumer, groups: ['all'] }),
      restricted: identityOf({ ...consumer, groups: ['eu'] }),
      'without the right to read models': identityOf({
        ...consumer,
        groups: ['all'],
        scopes: ['activity:read'],
      }),
      editor: identityOf({ productRoles: { 'default-sales': 'editor' }, groups: ['eu'] }),
    };
    const error = {
      code: 'engine.statement-failed',
      severity: 'error',
      message: "cannot convert 'us'",
    } as const;
    const told = { sequence: 1, at: 0, event: 'run.failed', environment: 'prod', data: { run: { error } } };
    const run: Run = {
      id: 'r_1',
      kind: 'run',
      environment: 'prod',
      who: 'a test',
      startedAt: 0,
      executionTime: 0,
      status: 'failed',
      models: [],
      error,
    };
    const words: Record<string, unknown> = {};
    for (const [name, asker] of Object.entries(askers)) {
      const view = await activityView(served.product, asker, { runs: [run] });
      words[name] = (view.event(told) as typeof told).data.run.error.message;
      expect(view.run(run).error?.message, name).toBe(words[name]);
    }
    const hidden = 'The words are for those who may read the rows of the model.';
    expect(words).toEqual({
      all: error.message,
      restricted: hidden,
      'without the right to read models': hidden,
      // Policies hold for those who keep the product, too.
      editor: hidden,
    });
  } finally {
    await served.close();
  }
});

test('a metric that one environment hides is not told of because another does not', async () => {
  const policies = 'policies: [{group: all}]\n';
  const semantic = `kind: semantic
name: orders
depends_on: s.orders
dimensions: [day]
measures: [{name: revenue, type: sum, expression: "{amount}"}]
`;
  const served = await servedProduct({
    'config.yaml': 'name: sales\n',
    'models/orders.sql': "MODEL (name s.orders, kind FULL);\nSELECT 1 AS amount, DATE '2025-01-01' AS day",
    'models/semantics/orders.yml': `${semantic}${policies}`,
    'models/metrics/revenue.yml': 'kind: metric\nname: revenue\nmeasure: orders.revenue\nts: orders.day\n',
  });
  try {
    served.project.write({ 'models/semantics/orders.yml': semantic });
    await planProduct(served.product, 'dev');
    const told = {
      sequence: 1,
      at: 0,
      event: 'metric.changed',
      environment: 'dev',
      data: { metric: 'revenue' },
    };
    const seenBy = async (...groups: readonly string[]) => {
      const asker = identityOf({ productRoles: { 'default-sales': 'consumer' }, groups });
      return (await activityView(served.product, asker, { events: [told] })).event(told);
    };
    expect(await seenBy('all')).toEqual(told);
    expect(await seenBy('others')).toBeUndefined();
  } finally {
    await served.close();
  }
});
