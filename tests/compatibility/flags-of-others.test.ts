/** Flags and commands that users of SQLMesh reach for, by the real program over a real warehouse. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { orders, TINY_PROJECT } from '../e2e/tiny-project.ts';

let project: PlannedProject;
const start = async (files: Readonly<Record<string, string>> = {}, time?: string): Promise<void> => {
  project = plannedProject({ ...TINY_PROJECT, ...files }, time);
  await done('plan', '--yes');
};
const done = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const answer = await project.json(...args);
  if (answer.code !== 0) throw new Error(JSON.stringify([answer.error, answer.diagnostics]));
  return answer.data ?? {};
};
const count = async (table: string, environment?: string): Promise<number> =>
  Number((await project.rows(`SELECT COUNT(*) FROM ${table}`, environment))[0]?.[0]);
const model = (name: string): string => TINY_PROJECT[`models/${name}.sql`] as string;
const filled = (data: Record<string, unknown>): readonly string[] =>
  (data['models'] as readonly { readonly name: string; readonly status: string }[])
    .filter(({ status }) => status === 'built')
    .map(({ name }) => name);
afterEach(() => project.remove());

describe('run', () => {
  test('--ignore-cron fills every whole interval, whatever the cron says', async () => {
    await start(
      { 'models/orders.sql': model('orders').replace('grain order_id', "cron '@weekly',\n  grain order_id") },
      '2025-01-06',
    );
    expect(await count('staging.orders')).toBe(8);
    project.now('2025-01-08');
    await done('run');
    expect(await count('staging.orders')).toBe(8);
    await done('run', '--ignore-cron');
    expect(await count('staging.orders')).toBe(14);
  });

  test('--start and --end bound what is filled, without holes and without losing rows', async () => {
    await start();
    project.now('2025-01-10');
    await done('run', '--end', '2025-01-05');
    expect(await count('staging.orders')).toBe(10);
    expect(await project.rows('SELECT SUM(orders) FROM marts.revenue')).toEqual([[10]]);
    await done('run', '--start', '2025-01-08', '--end', '2025-01-08');
    expect(await count('staging.orders')).toBe(16);
    await done('run');
    expect(await count('staging.orders')).toBe(18);
    expect(await project.json('run', '--start', '2025-01-08', '--end', '2025-01-02')).toMatchObject({
      code: 2,
      error: { code: 'plan.bad-range' },
    });
  });

  test('--start fills an environment back to before it began', async () => {
    await start();
    project.write('models/orders.sql', model('orders').replace('region,', 'LOWER(region) AS region,'));
    await done('plan', 'dev', '--yes', '--start', '2025-01-03');
    expect(await count('staging.orders', 'dev')).toBe(2);
    await done('run', 'dev');
    expect(await count('staging.orders', 'dev')).toBe(2);
    await done('run', 'dev', '--start', '2025-01-02');
    expect(await count('staging.orders', 'dev')).toBe(4);
  });

  test('--select takes what the models read along, --no-auto-upstream does not', async () => {
    await start();
    project.now('2025-01-05');
    expect(filled(await done('run', '--select', 'marts.revenue', '--no-auto-upstream'))).toEqual([]);
    expect(filled(await done('run', '--select', 'marts.revenue'))).toEqual([
      'staging.orders',
      'marts.revenue',
    ]);
  });
});

describe('plan', () => {
  test('--run --ignore-cron fills every whole interval', async () => {
    await start(
      { 'models/orders.sql': model('orders').replace('grain order_id', "cron '@weekly',\n  grain order_id") },
      '2025-01-06',
    );
    project.now('2025-01-08');
    await done('plan', '--yes', '--run');
    expect(await count('staging.orders')).toBe(8);
    await done('plan', '--yes', '--run', '--ignore-cron');
    expect(await count('staging.orders')).toBe(14);
  });

  test('--backfill-model fills those models and what they read; the others stay as they were', async () => {
    await start();
    await done('plan', 'dev', '--yes');
    project.write('models/orders.sql', model('orders').replace('region,', 'LOWER(region) AS region,'));
    project.write('models/regions.sql', model('regions').replace('grain region', 'grain region, tags (geo)'));
    project.write('seeds/regions.csv', 'region,name\neu,Europe\nus,America\n');
    const planned = await done('plan', 'dev', '--yes', '--backfill-model', 'staging.*');
    expect(filled(planned)).toEqual(['staging.orders']);
    expect(await project.rows('SELECT DISTINCT region FROM staging.orders ORDER BY 1', 'dev')).toEqual([
      ['eu'],
      ['us'],
    ]);
    expect(await project.rows('SELECT region FROM marts.revenue ORDER BY 1', 'dev')).toEqual([
      ['EU'],
      ['US'],
    ]);
    expect(filled(await done('plan', 'dev', '--yes'))).toEqual(
      expect.arrayContaining(['raw.regions', 'marts.revenue']),
    );
    expect(await project.rows('SELECT region FROM marts.revenue ORDER BY 1', 'dev')).toEqual([
      ['eu'],
      ['us'],
    ]);
    expect(await project.json('plan', 'dev', '--backfill-model', 'staging.ordrs')).toMatchObject({
      code: 2,
      error: { code: 'plan.unknown-model', hint: expect.stringContaining('staging.orders') },
    });
  });

  test('--create-from compares a new environment with another one than prod', async () => {
    await start();
    project.write('models/best.sql', model('best').replace('best_revenue', 'highest'));
    await done('plan', 'dev', '--yes');
    const names = (data: Record<string, unknown>): unknown =>
      (data['changes'] as readonly { readonly name: string }[]).map(({ name }) => name);
    expect(names(await done('plan', 'feature', '--explain'))).toEqual(['marts.best']);
    expect(names(await done('plan', 'feature', '--create-from', 'dev', '--explain'))).toEqual([]);
    await done('plan', 'feature', '--create-from', 'dev', '--yes');
    expect(await project.rows('SELECT highest FROM marts.best', 'feature')).toEqual([[60]]);
    expect(await project.json('plan', 'other', '--create-from', 'dve', '--explain')).toMatchObject({
      error: { code: 'environment.unknown' },
    });
  });
});

describe('tidying', () => {
  test('janitor --ignore-ttl removes what nothing uses, however young', async () => {
    await start();
    project.write('models/orders.sql', model('orders').replace('region,', 'LOWER(region) AS region,'));
    await done('plan', '--yes');
    expect((await done('janitor', '--dry-run'))['would_drop']).toEqual([]);
    const dropped = (await done('janitor', '--ignore-ttl'))['dropped'] as readonly string[];
    expect(dropped.join()).toContain('staging.orders__');
    expect(await count('staging.orders')).toBe(6);
  });

  test('invalidate --sync removes the environment at once and nothing else', async () => {
    await start();
    project.write('models/best.sql', model('best').replace('best_revenue', 'highest'));
    await done('plan', 'dev', '--yes');
    expect(await done('invalidate', 'dev', '--sync')).toMatchObject({ environment: 'dev', removed: true });
    const { environments } = await done('environments');
    expect((environments as readonly { readonly name: string }[]).map(({ name }) => name)).toEqual(['prod']);
    expect(await project.rows('SELECT best_revenue FROM marts.best')).toEqual([[60]]);
    expect((await project.json('invalidate', 'prod', '--sync')).error).toMatchObject({
      code: 'cli.environment-pinned',
    });
  });

  test('clean removes what can be made again, and nothing that cannot', async () => {
    await start();
    const cache = join(project.folder, '.plinth/cache');
    expect(readdirSync(cache)).not.toEqual([]);
    const cleaned = await done('clean');
    expect(cleaned['removed']).toEqual(expect.arrayContaining(['.plinth/cache']));
    expect(existsSync(cache)).toBe(false);
    expect(await count('staging.orders')).toBe(6);
    expect((await done('plan', '--explain'))['changes']).toEqual([]);
  });

  test('destroy asks, then removes every environment and table that Plinth made', async () => {
    await start();
    await done('plan', 'dev', '--yes');
    const refused = await project.json('destroy');
    expect(refused).toMatchObject({ code: 2, error: { code: 'cli.needs-yes' } });
    expect(await count('staging.orders')).toBe(6);
    const destroyed = await done('destroy', '--yes');
    expect(destroyed['environments']).toEqual(expect.arrayContaining(['dev', 'prod']));
    expect((destroyed['dropped'] as readonly string[]).join()).toContain('staging.orders__');
    expect(destroyed['kept']).toEqual([]);
    expect((await project.json('query', '--sql', 'SELECT 1')).error).toMatchObject({
      code: 'environment.unknown',
    });
    await done('plan', '--yes');
    expect(await count('staging.orders')).toBe(6);
  });
});

test('check-intervals tells what a run would fill, and fills nothing', async () => {
  await start();
  project.now('2025-01-06');
  const checked = await done('check-intervals');
  expect(checked).toMatchObject({
    environment: 'prod',
    missing: [
      { model: 'staging.orders', intervals: [['2025-01-04T00:00:00Z', '2025-01-06T00:00:00Z']] },
      { model: 'marts.revenue' },
    ],
    waiting: [],
  });
  expect(await count('staging.orders')).toBe(6);
  expect((await project.plinth('check-intervals')).stdout).toContain('staging.orders\t2025-01-04');
  const some = await done('check-intervals', '--select', 'staging.*', '--end', '2025-01-04');
  expect(some['missing']).toEqual([
    { model: 'staging.orders', intervals: [['2025-01-04T00:00:00Z', '2025-01-05T00:00:00Z']] },
  ]);
  expect((await project.json('check-intervals', '--exit-code')).code).toBe(3);
  project.write('data/orders.csv', orders(10));
  await done('run');
  expect((await project.json('check-intervals', '--exit-code')).code).toBe(0);
});
