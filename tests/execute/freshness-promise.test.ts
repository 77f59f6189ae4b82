/** A promise of freshness: what of it is kept, when it is broken, and how often that is told. */
import { afterEach, expect, test } from 'vitest';
import { FRESHNESS_CHECK } from '../../src/domain/product-health.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time/civil.ts';
import { environmentHealth } from '../../src/operations/catalog/environment-health.ts';
import type { OpenedWorld } from '../../src/operations/open-world.ts';
import { checkAfter } from '../../src/operations/quality/check-after.ts';
import { observeFreshness } from '../../src/operations/quality/observe-freshness.ts';
import { watchFreshness } from '../../src/operations/quality/watch-freshness.ts';
import { PlannedRows } from '../plan-rows/planned-rows.ts';

const CONFIG = `name: rows
gateways: {local: {connection: {type: duckdb, database: rows.duckdb}}}
model_defaults: {dialect: duckdb, start: '2025-01-01', cron: '@daily'}
`;
const DAYS = `MODEL (name m.days, kind INCREMENTAL_BY_TIME_RANGE (time_column ds), cron '@daily');
SELECT range AS ds FROM range(DATE '2025-01-01', DATE '2026-01-01', INTERVAL 1 DAY) WHERE range BETWEEN @start_ds AND @end_ds
`;
const TOTAL = 'MODEL (name m.total, kind FULL);\nSELECT count(*) AS n FROM m.days\n';

let rows: PlannedRows | undefined;
afterEach(async () => {
  await rows?.close();
});

async function planned(slo: string): Promise<OpenedWorld> {
  rows = new PlannedRows(
    { 'config.yaml': `${CONFIG}${slo}`, 'models/days.sql': DAYS, 'models/total.sql': TOTAL },
    '2025-01-08',
  );
  await rows.done();
  return rows.world();
}

/** The same world at another time. */
const at = (world: OpenedWorld, time: number): OpenedWorld => ({
  ...world,
  clock: { ...world.clock, now: () => time },
});
const FILLED = Date.parse('2025-01-08');

async function toldBy({ state }: OpenedWorld): Promise<readonly string[]> {
  const types = ['freshness.*', 'incident.*', 'dq.*'];
  return (await state.events.events({ types, limit: 99 })).map(({ event }) => event);
}

test('is told once when it breaks and once when it is kept again, and its incident opens and closes', async () => {
  const world = await planned('slo: {freshness: {max_age: 26h, model: m.days}}\n');
  const look = (hours: number, runId?: string) =>
    observeFreshness(at(world, FILLED + hours * HOUR_MS), {
      environment: 'prod',
      trigger: 'schedule',
      ...(runId === undefined ? {} : { runId }),
    });
  await look(1);
  await look(2);
  expect(await toldBy(world)).toEqual([]);
  for (const hours of [27, 28, 60]) await look(hours);
  for (const hours of [61, 62]) await look(hours, `r_${hours}`);
  const broken = ['freshness.breached', 'incident.opened'];
  expect(await toldBy(world)).toEqual(broken);
  const scope = { environment: 'prod', check: FRESHNESS_CHECK, limit: 9 };
  expect(await world.state.quality.incidents({ ...scope, isOpen: true })).toMatchObject([
    { model: 'm.days', openedAt: FILLED + 27 * HOUR_MS, failures: 3 },
  ]);
  rows?.now('2025-01-11');
  await rows?.run();
  await look(73);
  expect(await toldBy(world)).toEqual([...broken, 'freshness.recovered', 'incident.closed']);
  // Only what differs from before, and what a run has written, is kept.
  expect((await world.state.quality.results(scope)).map(({ outcome }) => outcome)).toEqual([
    ...['pass', 'fail', 'fail', 'fail', 'pass'],
  ]);
});

test('is looked at after each run, also by one that checks nothing else', async () => {
  const world = await planned('slo: {freshness: {max_age: 26h}}\n');
  const [newest] = await world.state.journal.runs({ environment: 'prod', limit: 1 });
  if (newest === undefined) throw new Error('no run');
  // biome-ignore lint/correctness/useYield: a run without events
  const ran = (async function* () {
    return newest;
  })();
  for await (const _ of checkAfter(at(world, FILLED + 30 * HOUR_MS), ran));
  expect(await toldBy(world)).toEqual(['freshness.breached', 'incident.opened']);
  const [result] = await world.state.quality.results({ environment: 'prod', limit: 9 });
  expect(result).toMatchObject({ changedBy: newest.id, value: 30 * 3_600, model: 'm.days' });
});

test('a worker sees it break while nothing runs, and ends when it is told to', async () => {
  const world = await planned('slo: {freshness: {max_age: 26h}}\n');
  const stop = new AbortController();
  let now = FILLED;
  const clock = {
    ...world.clock,
    now: () => now,
    sleep: async () => {
      now += 10 * HOUR_MS;
      if (now > FILLED + 2 * DAY_MS) stop.abort();
    },
  };
  await watchFreshness({ ...world, clock }, ['prod', 'none'], stop.signal);
  expect(await toldBy(world)).toEqual(['freshness.breached', 'incident.opened']);
});

test('nothing is recorded where nothing is promised', async () => {
  const world = await planned('');
  await observeFreshness(world, { environment: 'prod', trigger: 'schedule' });
  await watchFreshness(world, ['prod'], new AbortController().signal);
  expect(await world.state.quality.results({ environment: 'prod', limit: 9 })).toEqual([]);
});

test('health says what is wrong with an environment, and what added to its age', async () => {
  const world = await planned('slo: {freshness: {max_age: 26h, model: m.total}}\n');
  const health = async (hours: number) =>
    environmentHealth(at(world, FILLED + hours * HOUR_MS), (await rows?.status()) as never);
  expect(await health(1)).toMatchObject({
    health: 'healthy',
    reasons: [],
    freshness: { state: 'fresh', model: 'm.total', newest: FILLED, hop: { model: 'm.days' } },
  });
  expect(await health(27)).toMatchObject({ health: 'caution', reasons: [{ kind: 'slo' }] });
  expect(await health(53)).toMatchObject({ health: 'degraded', freshness: { state: 'stale' } });
  rows?.write({
    'models/total.sql': "MODEL (name m.total, kind FULL);\nSELECT error('boom')::BIGINT AS n\n",
  });
  await rows?.plan();
  expect(await health(1)).toMatchObject({ health: 'degraded', reasons: [{ kind: 'run' }] });
});
