import { afterEach, describe, expect, test } from 'vitest';
import { tableKey } from '../../src/domain/relation.ts';
import { type RangeSet, subtractRanges } from '../../src/foundation/time/ranges.ts';
import { recover } from '../../src/runtime/execute/recover.ts';
import type { World } from '../../src/runtime/world.ts';
import { Killed, killAfter, type Port, withFaults } from '../support/execution-faults.ts';
import {
  apply,
  days,
  planFor,
  projectOf,
  shiftedClock,
  type TestPlace,
  type TestProject,
  type TestWorld,
  testPlace,
} from '../support/execution-support.ts';
import { IS_LONG } from '../support/long-form.ts';

let places: TestPlace[] = [];
afterEach(async () => {
  for (const place of places) await place.remove();
  places = [];
});

function newPlace(): TestPlace {
  const place = testPlace();
  places.push(place);
  return place;
}

const DAYS =
  'SELECT CAST(day AS DATE) AS day, 1 AS n FROM RANGE(@start_at::TIMESTAMP, @end_before::TIMESTAMP, INTERVAL 1 DAY) AS r(day)';
const MODELS = {
  's.events': ['INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 1)', DAYS, "start '2026-01-01'"],
  's.log': [
    'INCREMENTAL_UNMANAGED',
    'SELECT day, n FROM s.events WHERE day >= @start_at AND day < @end_before',
    "start '2026-01-01'",
  ],
  's.side': ['FULL', 'SELECT 7 AS n'],
  's.total': ['VIEW', 'SELECT SUM(n) AS total FROM s.log'],
} as const;
const WANTED: Readonly<Record<string, RangeSet>> = {
  's.events': days(0, 2),
  's.log': days(0, 2),
  's.side': days(0, 2),
};

/** What a plan made now would have to fill. */
async function missing(world: World, project: TestProject): Promise<Record<string, RangeSet>> {
  const filled = await world.state.journal.intervals();
  const found: Record<string, RangeSet> = {};
  for (const { model, version = '' } of project.entries) {
    const left = subtractRanges(WANTED[model] ?? [], filled.get(tableKey({ model, version })) ?? []);
    if (left.length > 0) found[model] = left;
  }
  return found;
}

async function expectDone(world: TestWorld): Promise<void> {
  expect(await world.rows('SELECT count(*), count(DISTINCT day) FROM s.events')).toEqual(['2,2']);
  expect(await world.rows('SELECT count(*), count(DISTINCT day) FROM s.log')).toEqual(['2,2']);
  expect(await world.rows('SELECT total FROM s.total')).toEqual(['2']);
  expect(await world.rows('SELECT n FROM s.side')).toEqual(['7']);
  expect(await world.state.journal.leases()).toEqual([]);
  expect(await world.state.journal.intents()).toEqual([]);
  expect(await world.state.journal.promotionIntents()).toEqual([]);
  const ledger = await world.engine.ledger();
  const versions = await world.state.journal.dataVersions();
  for (const { table, dataVersion } of ledger) expect(versions.get(tableKey(table))).toBe(dataVersion);
}

const WRITES =
  /^(?:start|finish|begin|drop|forget|record|replace|insert|create|remove|write|release|raise|savePlan|ledger)/;
const isCounted = (_: Port, method: string): boolean => WRITES.test(method);

/** The plan is killed after one step, somebody else recovers and plans again. Answers with the step's name, or undefined past the last. */
async function killAndRecover(step: number, project: TestProject): Promise<string | undefined> {
  const place = newPlace();
  const first = await place.open();
  const plan = await planFor(first, project, { fill: await missing(first, project) });
  const faults = killAfter(step, isCounted);
  const end = await apply(withFaults(first, faults), plan, { maxParallel: 1 }).then(
    ({ run }) => run.status,
    (error: unknown) => error,
  );
  if (faults.calls.length < step) {
    expect(end).toBe('succeeded');
    await place.remove();
    return undefined;
  }
  expect(end).toBeInstanceOf(Killed);
  await first.close();
  const clock = shiftedClock();
  clock.shift(10_000);
  const second = await place.open({ clock });
  await recover(second);
  const again = await planFor(second, project, { fill: await missing(second, project) });
  const { run } = await apply(second, again);
  expect(run.error, faults.calls.at(-1)).toBeUndefined();
  await expectDone(second);
  await place.remove();
  return faults.calls.at(-1);
}

describe('a process that dies', () => {
  // Each step is a process's death after one call that changes something, in the order they come. A quarter of them is tried each
  // time, all of them in the long form.
  const STEPS = 12;
  for (let lane = 0; lane < STEPS; lane += IS_LONG ? 1 : 4)
    test(`after any call leaves nothing that the next plan does not finish, each interval once (${lane + 1} of ${STEPS})`, async () => {
      const project = await projectOf(MODELS);
      let killed = 0;
      for (let step = 1 + lane; ; step += STEPS) {
        const at = await killAndRecover(step, project);
        if (at === undefined) break;
        killed++;
      }
      expect(killed).toBeGreaterThan(0);
    }, 300_000);
});
