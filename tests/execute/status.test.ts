import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/domain/plan.ts';
import type { Run } from '../../src/domain/run.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { dueWork } from '../../src/operations/change/due-work.ts';
import { run } from '../../src/operations/change/run.ts';
import { status } from '../../src/operations/change/status.ts';
import { draftProduct, ended, type ServedProduct, servedProduct } from '../support/served-product.ts';

const TIME = Date.UTC(2025, 5, 15);
const DAY = 86_400_000;
const model = (query: string): string =>
  `MODEL (name s.m, kind FULL, start '2025-06-01', audits (forall(criteria := (a > 0))));\n${query}`;
const READING = model("SELECT a::INTEGER AS a FROM READ_CSV('seeds/rows.csv', header = true)");
const FILES = {
  'config.yaml': 'name: sales\n',
  'seeds/rows.csv': 'a\n1\n',
  'models/m.sql': READING,
  'models/below.sql': "MODEL (name s.below, kind FULL, start '2025-06-01');\nSELECT a FROM s.m",
};

let served: ServedProduct;
afterEach(() => served.close());

async function planned(options: Partial<PlanOptions> = {}): Promise<Run> {
  const { plan, diagnostics } = await draftProduct(served.product, { options });
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  return ended(apply(served.product.world, plan, { who: 'a test' }));
}

const statuses = async (executionTime = TIME): Promise<readonly string[]> => {
  const { models } = await status(served.product.world, { environment: 'prod', executionTime });
  return models.map((each) => `${each.model} ${each.status}`).sort();
};

test('a plan that failed leaves what the environment shows fine, and is told as the last that was tried', async () => {
  served = await servedProduct(FILES);
  served.project.write({ 'models/m.sql': model('SELECT -1 AS a') });
  const failed = await planned();
  expect(failed.status).toBe('failed');
  expect(await statuses()).toEqual(['s.below fine', 's.m fine']);
  const { lastRun } = await status(served.product.world, { environment: 'prod', executionTime: TIME });
  expect(lastRun).toMatchObject({ id: failed.id, kind: 'plan', status: 'failed' });
});

test('a plan that failed does not hide that a run failed before it', async () => {
  served = await servedProduct(FILES);
  writeFileSync(join(served.project.folder, 'seeds/rows.csv'), 'a\n-1\n');
  const { world } = served.product;
  const due = await dueWork(world, { environment: 'prod', executionTime: TIME + DAY });
  expect((await ended(run(world, due, { who: 'a test' }))).status).toBe('failed');
  served.project.write({ 'models/m.sql': model('SELECT -1 AS a') });
  expect((await planned()).status).toBe('failed');
  expect(await statuses(TIME + DAY)).toEqual(['s.below broken', 's.m broken']);
  served.project.write({ 'models/m.sql': model('SELECT 5 AS a') });
  expect((await planned()).status).toBe('succeeded');
  expect(await statuses(TIME)).toEqual(['s.below fine', 's.m fine']);
});

test('a restatement that failed leaves its table due, not broken', async () => {
  served = await servedProduct(FILES);
  writeFileSync(join(served.project.folder, 'seeds/rows.csv'), 'a\n-1\n');
  expect((await planned({ restateModels: ['s.m'] })).status).toBe('failed');
  expect(await statuses()).toEqual(['s.below due', 's.m due']);
});
