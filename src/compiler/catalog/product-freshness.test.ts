import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ModelStatus } from '../../domain/model-status.ts';
import type { Run } from '../../domain/run.ts';
import { DAY_MS, HOUR_MS } from '../../foundation/time/civil.ts';
import { type Duration, parseDuration } from '../../foundation/time/duration.ts';
import { freshnessBudget, newnessSteps } from './freshness-budget.ts';
import { type ClockInput, modelClocks, slowestHop } from './model-clocks.ts';
import { freshnessState, productFreshness } from './product-freshness.ts';

const NOW = 100 * DAY_MS;
const PROMOTED = 90 * DAY_MS;

interface Given {
  readonly kind?: ModelStatus['kind'];
  readonly parents?: readonly string[];
  readonly filledUntil?: number;
  readonly loaded?: number;
}

function inputOf(models: Readonly<Record<string, Given>>): ClockInput {
  const runs = Object.entries(models).flatMap(([name, { loaded, filledUntil }]): readonly Run[] =>
    loaded === undefined ? [] : [runOf(loaded, [[name, filledUntil]])],
  );
  return {
    found: {
      environment: { promotedAt: PROMOTED } as ClockInput['found']['environment'],
      parents: new Map(Object.entries(models).map(([name, { parents = [] }]) => [name, parents])),
      models: Object.entries(models).map(([model, { kind = 'full', filledUntil }]) => ({
        ...{ model, kind, status: 'fine', missing: [] },
        ...(filledUntil === undefined ? {} : { filledUntil }),
      })),
    },
    runs: runs.sort((one, two) => (two.endedAt ?? 0) - (one.endedAt ?? 0)),
    now: NOW,
  };
}

function runOf(
  endedAt: number,
  built: readonly (readonly [string, number | undefined])[],
  status: Run['status'] = 'succeeded',
): Run {
  return {
    ...{ id: `r_${endedAt}`, kind: 'run', environment: 'prod', who: 'x', status },
    ...{ startedAt: endedAt - 1, executionTime: endedAt, endedAt },
    models: built.map(([name, end]) => ({
      ...{ name, status: 'built', rows: 1, ms: 1, audits: [] },
      intervals: end === undefined ? [] : [{ start: 0, end }],
    })),
  };
}

const CHAIN: Readonly<Record<string, Given>> = {
  'raw.orders': { kind: 'external' },
  'seeds.countries': { kind: 'seed', loaded: 1 },
  'staging.orders': {
    kind: 'incremental-by-time-range',
    parents: ['raw.orders'],
    filledUntil: NOW - 5 * HOUR_MS,
    loaded: NOW - 4 * HOUR_MS,
  },
  'staging.late': {
    kind: 'incremental-by-time-range',
    parents: ['raw.orders'],
    filledUntil: NOW - 30 * HOUR_MS,
    loaded: NOW - 2 * HOUR_MS,
  },
  'marts.all': { parents: ['staging.orders', 'staging.late', 'seeds.countries'], loaded: NOW - HOUR_MS },
  'marts.view': { kind: 'view', parents: ['marts.all'] },
  'marts.old': { parents: ['staging.orders'], loaded: NOW - 3 * DAY_MS },
};

describe('clocks', () => {
  test('say what is known of each model: no time for seeds and externals, that of its inputs for what has none', () => {
    const clocks = modelClocks(inputOf(CHAIN));
    const newest = Object.fromEntries([...clocks].map(([model, clock]) => [model, clock.newest]));
    expect(newest).toEqual({
      'raw.orders': undefined,
      'seeds.countries': undefined,
      'staging.orders': NOW - 5 * HOUR_MS,
      'staging.late': NOW - 30 * HOUR_MS,
      'marts.all': NOW - 30 * HOUR_MS,
      'marts.view': NOW - 30 * HOUR_MS,
      'marts.old': NOW - 3 * DAY_MS,
    });
    expect(clocks.get('staging.late')).toEqual({
      model: 'staging.late',
      dataTime: NOW - 30 * HOUR_MS,
      loadTime: NOW - 2 * HOUR_MS,
      publishTime: NOW - 2 * HOUR_MS,
      servedTime: NOW,
      newest: NOW - 30 * HOUR_MS,
    });
    expect(clocks.get('marts.view')).toEqual({
      model: 'marts.view',
      sourceTime: NOW - 30 * HOUR_MS,
      publishTime: PROMOTED,
      servedTime: NOW,
      newest: NOW - 30 * HOUR_MS,
    });
  });

  test('say which model on the way added most of the age', () => {
    const input = inputOf(CHAIN);
    const clocks = modelClocks(input);
    const hop = (model: string) => slowestHop(model, clocks, { parents: input.found.parents, now: NOW });
    const late = { model: 'staging.late', addedMs: 30 * HOUR_MS };
    expect(hop('marts.view')).toEqual({ ...late, path: ['staging.late', 'marts.all', 'marts.view'] });
    expect(hop('marts.old')).toEqual({
      ...{ model: 'marts.old', addedMs: 3 * DAY_MS - 5 * HOUR_MS },
      path: ['staging.orders', 'marts.old'],
    });
    expect(hop('raw.orders')).toBeUndefined();
  });

  test('of any graph: what the hops of a way add is the age, and no model is newer than what it reads', () => {
    const given = fc.array(
      fc.record({
        filled: fc.option(fc.nat(99), { nil: undefined }),
        loaded: fc.option(fc.nat(99), { nil: undefined }),
        parents: fc.array(fc.nat(7), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(given, (models) => {
        const input = inputOf(
          Object.fromEntries(
            models.map(({ filled, loaded, parents }, index) => [
              `m.${index}`,
              {
                parents: parents.filter((each) => each < index).map((each) => `m.${each}`),
                ...(filled === undefined ? {} : { filledUntil: NOW - filled * HOUR_MS }),
                ...(loaded === undefined ? {} : { loaded: NOW - loaded * HOUR_MS }),
              },
            ]),
          ),
        );
        const clocks = modelClocks(input);
        for (const { model, newest, dataTime, sourceTime } of clocks.values()) {
          if (dataTime === undefined && newest !== undefined && sourceTime !== undefined)
            expect(newest).toBeLessThanOrEqual(sourceTime);
          const hop = slowestHop(model, clocks, { parents: input.found.parents, now: NOW });
          expect(hop === undefined).toBe(newest === undefined);
          if (hop === undefined || newest === undefined) continue;
          expect(hop.path.at(-1)).toBe(model);
          expect(hop.path).toContain(hop.model);
          const times = hop.path.map((each) => clocks.get(each)?.newest ?? Number.NaN);
          const added = times.map((time, index) => (times[index - 1] ?? NOW) - time);
          expect(added.reduce((sum, each) => sum + each, 0)).toBe(NOW - newest);
          expect(hop.addedMs).toBe(Math.max(0, ...added));
        }
      }),
    );
  });
});

const age = (text: string): Duration => parseDuration(text) as Duration;

test('data is fresh up to the promised age, late up to twice of it, then stale', () => {
  const state = (hours: number | undefined) =>
    freshnessState(hours === undefined ? undefined : NOW - hours * HOUR_MS, age('26h'), NOW);
  expect([0, 26, 26.01, 52, 52.01, undefined].map(state)).toEqual([
    ...['fresh', 'fresh', 'late', 'late', 'stale', 'unknown'],
  ]);
});

test('the promise is about the model it names, else about the least new one with a time of its own', () => {
  const input = inputOf(CHAIN);
  const clocks = modelClocks(input);
  const freshness = (model?: string) =>
    productFreshness(
      { freshness: { maxAge: '26h', ...(model === undefined ? {} : { model }) } },
      clocks,
      input,
    );
  expect(freshness()).toMatchObject({ state: 'late', model: 'staging.late', ageMs: 30 * HOUR_MS });
  expect(freshness('STAGING.ORDERS')).toMatchObject({ state: 'fresh', model: 'staging.orders' });
  expect(freshness('marts.view')).toMatchObject({ state: 'late', hop: { model: 'staging.late' } });
  expect(freshness('raw.orders')).toEqual({ state: 'unknown', maxAge: '26h' });
  expect(productFreshness({}, clocks, input)).toBeUndefined();
  // Without a model that has a time, the last run that succeeded counts.
  const timeless = inputOf({ 'marts.a': { loaded: NOW - HOUR_MS } });
  expect(productFreshness({ freshness: { maxAge: '26h' } }, modelClocks(timeless), timeless)).toMatchObject({
    state: 'fresh',
    ageMs: HOUR_MS,
    budget: { brokenMs: 0, isSpent: false },
  });
});

test('the budget is what looking every hour finds, whatever runs there were', () => {
  const step = fc.record({ gap: fc.integer({ min: 1, max: 40 }), lag: fc.integer({ min: 0, max: 60 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (given, hours) => {
      let at = NOW - given.reduce((sum, { gap }) => sum + gap, 0) * HOUR_MS;
      const runs: Run[] = [];
      for (const { gap, lag } of given) {
        runs.unshift(runOf(at, [['m.a', at - lag * HOUR_MS]]));
        at += gap * HOUR_MS;
      }
      const budget = freshnessBudget(newnessSteps(runs, ['m.a']), age(`${hours}h`), NOW);
      const oldest = runs.at(-1)?.endedAt;
      if (oldest === undefined) {
        expect(budget).toBeUndefined();
        return;
      }
      const since = Math.max(oldest, NOW - 30 * DAY_MS);
      let broken = 0;
      for (let time = since + HOUR_MS / 2; time < NOW; time += HOUR_MS) {
        const ends = runs
          .filter(({ endedAt = 0 }) => endedAt <= time)
          .map(({ models }) => models[0]?.intervals.at(-1)?.end ?? 0);
        if (time - Math.max(...ends) > hours * HOUR_MS) broken += HOUR_MS;
      }
      const allowedMs = (NOW - since) / 100;
      expect(budget).toEqual({ since, brokenMs: broken, allowedMs, isSpent: broken > allowedMs });
    }),
  );
});

test('steps of several models begin when each is known, and go by the least new', () => {
  const runs = [
    runOf(40, [['m.b', 35]], 'failed'),
    runOf(30, [['m.a', 29]]),
    runOf(20, [['m.b', 10]]),
    runOf(10, [['m.a', 9]]),
  ];
  expect(newnessSteps(runs, ['m.a', 'm.b'])).toEqual([
    { at: 20, newest: 9 },
    { at: 30, newest: 10 },
    { at: 40, newest: 29 },
  ]);
  expect(newnessSteps(runs, [])).toEqual([10, 20, 30].map((at) => ({ at, newest: at })));
});
