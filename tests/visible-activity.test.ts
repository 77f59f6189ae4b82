import { expect, test } from 'vitest';
import { openPlatform } from '../src/operations/platform.ts';
import { activityView } from '../src/operations/visible-activity.ts';
import { temporaryProject } from './temporary-project.ts';

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
