/** Types that only the engine knows: READ_CSV and READ_PARQUET say nothing at load. */
import { afterEach, describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/domain/plan.ts';
import type { Run } from '../../src/domain/run.ts';
import { apply } from '../../src/operations/change/apply.ts';
import { dueWork } from '../../src/operations/change/due-work.ts';
import { run as runDue } from '../../src/operations/change/run.ts';
import {
  draftProduct,
  ended,
  planProduct,
  type ServedProduct,
  servedProduct,
} from '../support/served-product.ts';

const CONFIG = "name: rides\nmodel_defaults: {dialect: duckdb, start: '2025-06-10'}\n";
const TRIPS =
  'day,fare,rider\n2025-06-10,10.5,ann\n2025-06-11,20,bob\n2025-06-12,30,ann\n2025-06-13,5,ann\n2025-06-14,6,bob\n';
const trips = (columns: string, more = ''): string =>
  `MODEL (name s.trips, kind INCREMENTAL_BY_TIME_RANGE (time_column day)${more});
SELECT ${columns} FROM READ_CSV('seeds/trips.csv') WHERE day BETWEEN @start_date AND @end_date`;
const FILES = { 'config.yaml': CONFIG, 'seeds/trips.csv': TRIPS, 'models/trips.sql': trips('day, fare') };

let served: ServedProduct;
afterEach(() => served.close());

async function planned(options: Partial<PlanOptions> = {}): Promise<Run> {
  const { plan, diagnostics } = await draftProduct(served.product, { options });
  if (plan === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return ended(apply(served.product.world, plan, { who: 'a test' }));
}

async function types(relation: string): Promise<readonly string[]> {
  const { rows } = await served.product.world.engine.query(
    `SELECT column_name, column_type FROM (DESCRIBE ${relation})`,
  );
  return rows.map(([name, type]) => `${name} ${type}`);
}

describe('a forward-only change', () => {
  test.each([
    ['fare * 0.9 AS net', 'net DOUBLE'],
    ['[fare] AS fares', 'fares DOUBLE[]'],
    ['{f: fare, r: rider} AS both', 'both STRUCT(f DOUBLE, r VARCHAR)'],
    ['MAP {rider: fare} AS by_rider', 'by_rider MAP(VARCHAR, DOUBLE)'],
    ['NULL AS nothing', 'nothing INTEGER'],
  ])('adds %s with the type that the engine says', async (column, type) => {
    served = await servedProduct(FILES);
    served.project.write({ 'models/trips.sql': trips(`day, fare, ${column}`) });
    const run = await planned({ isForwardOnly: true });
    expect(run.error).toBeUndefined();
    expect(await types('s.trips')).toEqual(['day DATE', 'fare DOUBLE', type]);
  });

  test('of a model over another that gets its new column in the same plan asks for both', async () => {
    const child = (columns: string): string =>
      `MODEL (name s.child, kind INCREMENTAL_BY_TIME_RANGE (time_column day));
SELECT ${columns} FROM s.trips WHERE day BETWEEN @start_date AND @end_date`;
    served = await servedProduct({ ...FILES, 'models/child.sql': child('day, fare') });
    served.project.write({
      'models/trips.sql': trips('day, fare, fare > 7 AS is_dear'),
      'models/child.sql': child('day, fare, is_dear, [is_dear] AS list'),
    });
    const run = await planned({ isForwardOnly: true });
    expect(run.error).toBeUndefined();
    expect(await types('s.child')).toEqual(['day DATE', 'fare DOUBLE', 'is_dear BOOLEAN', 'list BOOLEAN[]']);
  });

  test('whose type not even the engine can say is refused before anything is altered, with the way out', async () => {
    served = await servedProduct(FILES);
    served.project.write({
      'models/trips.sql': `MODEL (name s.trips, kind INCREMENTAL_BY_TIME_RANGE (time_column day));
CREATE TEMP TABLE IF NOT EXISTS helper AS SELECT 1 AS factor;
SELECT day, fare, fare * factor AS net FROM READ_CSV('seeds/trips.csv'), temp.helper WHERE day BETWEEN @start_date AND @end_date`,
    });
    const { plan, diagnostics } = await draftProduct(served.product, { options: { isForwardOnly: true } });
    expect(plan).toBeUndefined();
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'plan.type-unknown',
        message: expect.stringMatching(/s\.trips.*\bnet\b/),
        hint: expect.stringContaining('net::'),
        at: expect.objectContaining({ file: 'models/trips.sql' }),
      }),
    );
    expect(await types('s.trips')).toEqual(['day DATE', 'fare DOUBLE']);
  });

  test('that the engine knows to lose values is refused in the plan', async () => {
    served = await servedProduct(FILES);
    served.project.write({ 'models/trips.sql': trips('day, {f: fare} AS fare') });
    const { plan, diagnostics } = await draftProduct(served.product, { options: { isForwardOnly: true } });
    expect(plan).toBeUndefined();
    expect(diagnostics).toContainEqual(
      expect.objectContaining({ code: 'plan.destructive-change', message: expect.stringContaining('fare') }),
    );
  });
});

test('an audit that another environment demands reads the interval by the type that the time column has', async () => {
  const model = (audits: string): string =>
    `MODEL (name s.trips, kind INCREMENTAL_BY_TIME_RANGE (time_column (day, '%Y-%m/%d'))${audits});
SELECT day, fare FROM READ_CSV('seeds/trips.csv', all_varchar = true)`;
  const files = { ...FILES, 'seeds/trips.csv': TRIPS.replaceAll('2025-06-', '2025-06/') };
  served = await servedProduct({ ...files, 'models/trips.sql': model('') });
  served.project.write({ 'models/trips.sql': model(', audits (not_null(columns := (fare)))') });
  await planProduct(served.product, 'dev');
  const { world } = served.product;
  const due = await dueWork(world, { environment: 'prod', executionTime: Date.UTC(2025, 5, 16) });
  const run = await ended(runDue(world, due, { who: 'a test' }));
  expect([run.error, run.models]).toMatchObject([undefined, [{ name: 's.trips', status: 'built' }]]);
});
