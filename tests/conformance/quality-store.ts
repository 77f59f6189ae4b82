/** What every store of quality must do: results, incidents, profiles. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECK_OUTCOMES, type CheckResult, type Incident } from '../../src/domain/check-result.ts';
import type { QualityStore } from '../../src/domain/quality-store.ts';
import type { HistoryBounds, StateStore } from '../../src/domain/state-store.ts';
import { profileOf, resultOf } from './quality-store-fixtures.ts';
import type { StateStoreUnderTest } from './state-store.ts';
import { environmentOf } from './state-store-fixtures.ts';

const NOTHING: HistoryBounds = {
  ...{ runs: 0, events: 0, plans: 0, statements: 0, leases: 0, auditLog: 0, quality: 0 },
};
const idOf = (index: number): string => `c_${String(index).padStart(5, '0')}`;

export function describeQualityStore(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    let place = '';
    let state: StateStore;
    let quality: QualityStore;
    const opened: StateStore[] = [];
    const open = async (): Promise<StateStore> => {
      const another = await store.open(place);
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      place = store.newPlace();
      state = await open();
      quality = state.quality;
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    const record = (...results: readonly CheckResult[]): Promise<readonly Incident[]> =>
      quality.recordResults(results, []);
    const events = async (): Promise<readonly string[]> =>
      (await state.events.events({ limit: 1_000 })).map(({ event }) => event);
    const trimAll = async (before: number): Promise<void> => {
      while ((await state.trim({ ...NOTHING, quality: before })) > 0);
    };
    const show = async (environment: string): Promise<void> => {
      const target = environmentOf([], { name: environment, promotionId: `v_${environment}` });
      await state.snapshots.beginPromotion({ target, runId: 'run-1' });
      await state.snapshots.finishPromotion(target, 1, []);
    };

    test('a result is read back whole, by another opening too', async () => {
      const strange = 'zero \0, half \ud800, last \uffff, \\u0000, quote "\'';
      const whole = resultOf('c_1', {
        reason: strange,
        value: -1.5e-300,
        rowsTested: 9_007_199_254_740_991,
        rowsFailed: 0,
        groups: [{ key: [strange, null, 1], value: null, outcome: 'warn' }],
        groupsTested: 7,
        learned: { low: -1, high: 1, score: 3.5, points: 14 },
        baseline: 2,
        shares: [{ bin: '[0, 1)', share: 0.5 }],
        sample: { columns: ['id', 'x'], rows: [[1, strange]], isPart: true },
        sql: `SELECT ${'1 + '.repeat(3_000)}1`,
      });
      await record(whole);
      const another = (await open()).quality;
      expect(await another.result('c_1')).toEqual(whole);
      expect(await another.latestResults({ environment: 'prod' })).toEqual([whole]);
      expect(await another.result('c_2')).toBeUndefined();
    });

    test('a result is kept no larger than the history allows', async () => {
      const rows = Array.from({ length: 500 }, () => ['y'.repeat(2_000)]);
      await record(resultOf('c_1', { sample: { columns: ['x'], rows, isPart: false } }));
      const sample = (await quality.result('c_1'))?.sample;
      expect(sample?.isPart).toBe(true);
      expect(sample?.rows.length).toBeGreaterThan(10);
      expect(JSON.stringify(sample).length).toBeLessThan(66_000);
    });

    test('the newest of each check are found, of one environment and of some models', async () => {
      await record(
        resultOf('c_1'),
        resultOf('c_2', { outcome: 'error' }),
        resultOf('c_3', { check: 'p/two', model: 'a.two' }),
        resultOf('c_4', { environment: 'dev' }),
      );
      const latest = async (models?: readonly string[], environment = 'prod') =>
        (await quality.latestResults({ environment, ...(models === undefined ? {} : { models }) })).map(
          ({ id }) => id,
        );
      expect(await latest()).toEqual(['c_2', 'c_3']);
      expect(await latest(['a.two'])).toEqual(['c_3']);
      expect(await latest([])).toEqual([]);
      expect(await latest(undefined, 'dev')).toEqual(['c_4']);
      // One that comes late is history.
      await record(resultOf('c_0', { check: 'p/two', model: 'a.two', outcome: 'fail' }));
      expect(await latest(['a.two'])).toEqual(['c_3']);
      expect(await events()).toEqual([]);
      // As it was.
      await record(resultOf('c_6', { at: 20 }));
      const then = async (at: number) =>
        (await quality.latestResults({ environment: 'prod', at })).map(({ id }) => id);
      expect(await then(20)).toEqual(['c_6', 'c_3']);
      expect(await then(10)).toEqual(['c_2', 'c_3']);
      expect(await then(9)).toEqual([]);
      // A pack that moves to another model.
      await record(resultOf('c_5', { check: 'p/two', model: 'a.one' }));
      expect(await latest(['a.two'])).toEqual([]);
    });

    test('since when a check has not passed is known, however often that was found', async () => {
      const outcomes = ['pass', 'fail', 'fail', 'warn', 'warn', 'warn'] as const;
      await record(
        ...outcomes.map((outcome, index) => resultOf(idOf(index), { outcome, at: index })),
        resultOf(idOf(10), { check: 'p/fine', at: 10 }),
        resultOf(idOf(11), { check: 'p/never', at: 11, outcome: 'error' }),
        resultOf(idOf(12), { check: 'p/never', at: 12, outcome: 'error' }),
        resultOf(idOf(13), { environment: 'dev', at: 13, outcome: 'fail' }),
      );
      expect([...(await quality.outcomesSince({ environment: 'prod' }))]).toEqual([
        ['p/known', 3],
        ['p/never', 11],
      ]);
    });
    test('what speaks against models is what does not pass now, and incidents that are open', async () => {
      await record(
        ...(['pass', 'warn', 'fail', 'error', 'not_evaluated'] as const).map((outcome, index) =>
          resultOf(`c_${index}`, { check: `p/${outcome}`, outcome }),
        ),
        resultOf('c_5', { check: 'p/other', model: 'a.two', outcome: 'fail' }),
        resultOf('c_6', { environment: 'dev', outcome: 'fail' }),
      );
      const found = async (models: readonly string[], environment = 'prod') => {
        const { results, incidents } = await quality.troubles({ environment, models });
        return [results.map(({ id }) => id).sort(), incidents.map(({ id }) => id).sort()];
      };
      expect(await found(['a.one'])).toEqual([['c_1', 'c_2', 'c_3', 'c_4'], ['i_2']]);
      expect(await found(['a.one', 'a.two'])).toEqual([
        ['c_1', 'c_2', 'c_3', 'c_4', 'c_5'],
        ['i_2', 'i_5'],
      ]);
      expect(await found([])).toEqual([[], []]);
      expect(await found(['a.one'], 'dev')).toEqual([['c_6'], ['i_6']]);
      // One that passed, and now cannot be evaluated; one that failed, and passes.
      await record(resultOf('c_7', { check: 'p/pass', outcome: 'error' }));
      await record(resultOf('c_8', { check: 'p/fail', outcome: 'pass' }));
      expect(await found(['a.one'])).toEqual([['c_1', 'c_3', 'c_4', 'c_7'], []]);
    });

    test('results are found by each of their marks, newest first, page by page', async () => {
      const all = Array.from({ length: 60 }, (_, index) =>
        resultOf(idOf(index), {
          environment: index % 2 === 0 ? 'prod' : 'dev',
          check: `p/${index % 3}`,
          model: `a.m${index % 5}`,
          runId: `run-${index % 4}`,
          outcome: CHECK_OUTCOMES[index % CHECK_OUTCOMES.length] ?? 'pass',
          at: index,
          dataVersion: `v${index % 7}`,
        }),
      );
      await record(...all);
      const marks = {
        check: (each: CheckResult) => each.check === 'p/1',
        model: (each: CheckResult) => each.model === 'a.m2',
        runId: (each: CheckResult) => each.runId === 'run-2',
        outcomes: (each: CheckResult) => each.outcome === 'fail' || each.outcome === 'error',
        since: (each: CheckResult) => each.at >= 30,
        before: (each: CheckResult) => each.id < idOf(40),
        from: (each: CheckResult) => each.id >= idOf(12),
        notOf: (each: CheckResult) => each.dataVersion !== 'v3',
      };
      const values = {
        ...{ check: 'p/1', model: 'a.m2', runId: 'run-2', outcomes: ['fail', 'error'] as const },
        ...{ since: 30, before: idOf(40), from: idOf(12), notOf: 'v3' },
      };
      const names = Object.keys(marks) as (keyof typeof marks)[];
      for (let set = 0; set < 2 ** names.length; set++) {
        const given = names.filter((_, bit) => (set >> bit) % 2 === 1);
        const request = Object.fromEntries(given.map((each) => [each, values[each]]));
        const expected = all
          .filter((each) => each.environment === 'prod' && given.every((mark) => marks[mark](each)))
          .map(({ id }) => id)
          .reverse()
          .slice(0, 7);
        const found = await quality.results({ environment: 'prod', ...request, limit: 7 });
        expect(
          found.map(({ id }) => id),
          given.join(', '),
        ).toEqual(expected);
      }
    });

    test('the history of a check has what was measured, the newest of it last', async () => {
      const outcomes = ['pass', 'error', 'warn', 'not_evaluated', 'fail'] as const;
      await record(
        ...outcomes.map((outcome, index) =>
          resultOf(idOf(index), { outcome, at: index, value: index === 2 ? null : index }),
        ),
        resultOf(idOf(9), { check: 'p/two', dataVersion: '9' }),
        resultOf(idOf(10), { environment: 'dev' }),
      );
      const history = await quality.history({
        environment: 'prod',
        checks: ['p/known', 'p/two', 'p/none'],
        limit: 2,
      });
      expect([...history]).toEqual([
        [
          'p/known',
          [
            { at: 3, value: 3, outcome: 'not_evaluated', dataVersion: '1:7' },
            { at: 4, value: 4, outcome: 'fail', dataVersion: '1:7' },
          ],
        ],
        ['p/two', [{ at: 10, value: 0.5, outcome: 'pass', dataVersion: '9' }]],
      ]);
    });

    test('an incident opens with the first failure, counts, and closes with the next pass; events tell it once', async () => {
      const outcomes = ['fail', 'error', 'fail', 'warn', 'not_evaluated', 'pass', 'pass', 'fail'] as const;
      const changed: (readonly Incident[])[] = [];
      for (const [index, outcome] of outcomes.entries())
        changed.push(await record(resultOf(idOf(index), { outcome, at: index })));
      expect(changed.map((each) => each.map(({ failures, closedAt }) => [failures, closedAt]))).toEqual([
        [[1, undefined]],
        [],
        [[2, undefined]],
        [],
        [],
        [[2, 5]],
        [],
        [[1, undefined]],
      ]);
      const incidents = await quality.incidents({ environment: 'prod', limit: 9 });
      expect(incidents).toMatchObject([
        { id: 'i_00007', check: 'p/known', openedAt: 7, openedBy: idOf(7), failures: 1, owner: 'mara' },
        { id: 'i_00000', openedAt: 0, closedAt: 5, closedBy: idOf(5), failures: 2 },
      ]);
      expect(await quality.incident('i_00000')).toEqual(incidents[1]);
      const ids = async (request: object) =>
        (await quality.incidents({ environment: 'prod', limit: 9, ...request })).map(({ id }) => id);
      expect(await ids({ isOpen: true })).toEqual(['i_00007']);
      expect(await ids({ isOpen: false })).toEqual(['i_00000']);
      expect(await ids({ before: 'i_00007', model: 'a.one', check: 'p/known' })).toEqual(['i_00000']);
      expect(await ids({ model: 'a.two' })).toEqual([]);
      expect(await ids({ environment: 'dev' })).toEqual([]);
      const told = await state.events.events({ limit: 99 });
      expect(told.map(({ event, at }) => `${event} ${at}`)).toEqual([
        ...['dq.failed 0', 'incident.opened 0', 'dq.warned 3', 'dq.recovered 5', 'incident.closed 5'],
        ...['dq.failed 7', 'incident.opened 7'],
      ]);
      expect(told[0]).toMatchObject({ environment: 'prod', runId: 'run-1', model: 'a.one' });
    });

    test('a check that no pack has any more stands for nothing: its incident closes once, its history stays', async () => {
      const of = (check: string, outcome: CheckResult['outcome'], more = {}) => ({ check, outcome, ...more });
      await record(
        resultOf('c_1', of('p/gone', 'fail')),
        resultOf('c_2', of('p/kept', 'fail')),
        resultOf('c_3', of('p/passed', 'pass')),
        resultOf('c_4', of('p/gone', 'fail', { environment: 'dev' })),
      );
      const request = { environment: 'prod', checks: ['p/gone', 'p/passed', 'p/never'], at: 9 };
      expect(await quality.retireChecks(request)).toMatchObject([{ id: 'i_1', closedAt: 9, failures: 1 }]);
      expect(await quality.retireChecks(request)).toEqual([]);
      const latest = async (environment: string) =>
        (await quality.latestResults({ environment })).map(({ check }) => check);
      expect([await latest('prod'), await latest('dev')]).toEqual([['p/kept'], ['p/gone']]);
      const incidents = await quality.incidents({ environment: 'prod', limit: 9 });
      expect(incidents.map(({ check, closedAt, closedBy }) => [check, closedAt, closedBy])).toEqual([
        ['p/kept', undefined, undefined],
        ['p/gone', 9, undefined],
      ]);
      expect(await quality.results({ environment: 'prod', limit: 9 })).toHaveLength(3);
      const told = await state.events.events({ types: ['incident.closed'], limit: 9 });
      expect(told).toMatchObject([
        { at: 9, environment: 'prod', model: 'a.one', data: { check: 'p/gone', isRetired: true } },
      ]);
      // A rule that comes back begins anew.
      expect(await record(resultOf('c_5', of('p/gone', 'fail')))).toMatchObject([{ id: 'i_5', failures: 1 }]);
    });

    test('what is recorded twice is recorded once, events included', async () => {
      const failed = resultOf('c_1', { outcome: 'fail' });
      const given = [{ at: 5, event: 'check.finished', data: null }];
      expect(await quality.recordResults([failed, failed], given)).toHaveLength(1);
      expect(await quality.recordResults([failed], given)).toEqual([]);
      expect(await events()).toEqual(['dq.failed', 'incident.opened', 'check.finished']);
      // A part of it was known.
      const next = resultOf('c_2', { outcome: 'fail' });
      expect(await quality.recordResults([failed, next], given)).toMatchObject([{ failures: 2 }]);
      expect(await quality.results({ environment: 'prod', limit: 9 })).toHaveLength(2);
      // A run that checked nothing.
      await quality.recordResults([], given);
      expect(await events()).toEqual([
        ...['dq.failed', 'incident.opened', 'check.finished', 'check.finished', 'check.finished'],
      ]);
    });

    test('however results are bundled, incidents and events are the same', async () => {
      const step = fc.record({
        check: fc.constantFrom('p/1', 'p/2'),
        environment: fc.constantFrom('prod', 'dev'),
        outcome: fc.constantFrom(...CHECK_OUTCOMES),
        isLast: fc.boolean(),
      });
      let life = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const lives = [`${++life}a`, `${life}b`];
          const seen: unknown[] = [];
          for (const [index, each] of lives.entries()) {
            let bundle: CheckResult[] = [];
            for (const [number, { check, environment, outcome, isLast }] of steps.entries()) {
              bundle.push(
                resultOf(`c_${each}${idOf(number)}`, {
                  ...{ check: `${each}${check}`, environment: `${each}${environment}`, outcome, at: number },
                }),
              );
              if (index === 0 || isLast || number === steps.length - 1) {
                await record(...bundle);
                bundle = [];
              }
            }
            const found: unknown[] = [];
            for (const environment of ['prod', 'dev']) {
              const scope = { environment: `${each}${environment}`, limit: 99 };
              found.push(await quality.incidents(scope), await quality.latestResults(scope));
              const told = await state.events.events({ ...scope, limit: 999 });
              found.push(told.map(({ event, at, data }) => [event, at, data]).sort());
            }
            seen.push(JSON.parse(JSON.stringify(found).replaceAll(each, '')));
          }
          expect(seen[1]).toEqual(seen[0]);
        }),
        { numRuns: 25 },
      );
    });

    test('of two that record at once each counts, and one incident opens', async () => {
      const other = (await open()).quality;
      const both = [quality, other];
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          both[index % 2]?.recordResults([resultOf(idOf(index), { outcome: 'fail', at: index })], []),
        ),
      );
      const incidents = await quality.incidents({ environment: 'prod', limit: 99 });
      expect(incidents).toHaveLength(1);
      expect(await quality.results({ environment: 'prod', limit: 99 })).toHaveLength(40);
      const told = await events();
      expect(told.filter((event) => event === 'incident.opened')).toHaveLength(1);
      expect(told.filter((event) => event === 'dq.failed')).toHaveLength(1);
    });

    test('profiles are read back whole, newest first, with the first as the baseline', async () => {
      const profiles = ['f_1', 'f_2', 'f_3'].map((id, index) => profileOf(id, { at: index, rows: index }));
      const given = [{ at: 1, event: 'profile.made', data: null }];
      await quality.recordProfiles([profiles[0]!, profiles[2]!], given);
      await quality.recordProfiles([profiles[0]!], given);
      await quality.recordProfiles([profiles[1]!, profileOf('f_4', { model: 'a.two' })], given);
      await quality.recordProfiles([profileOf('f_0', { environment: 'dev' })], []);
      const scope = { environment: 'prod', model: 'a.one' };
      expect(await quality.profiles({ ...scope, limit: 9 })).toEqual(profiles.toReversed());
      expect(await quality.profiles({ ...scope, before: 'f_3', limit: 1 })).toEqual([profiles[1]]);
      expect((await quality.profiles({ environment: 'prod', limit: 9 })).map(({ id }) => id)).toEqual([
        ...['f_4', 'f_3', 'f_2', 'f_1'],
      ]);
      expect(await quality.profile('f_2')).toEqual(profiles[1]);
      expect(await quality.profile('f_9')).toBeUndefined();
      expect(await quality.baseline(scope)).toEqual(profiles[0]);
      expect(await quality.baseline({ ...scope, model: 'a.none' })).toBeUndefined();
      expect(await events()).toEqual(['profile.made', 'profile.made']);
    });

    test('the janitor keeps what is young, the newest of each, what is open and what rules learn from', async () => {
      await show('prod');
      const old = Array.from({ length: 230 }, (_, index) =>
        resultOf(idOf(index), { at: 1, outcome: index === 0 ? 'fail' : 'pass' }),
      );
      await record(...old, resultOf(idOf(900), { at: 1, outcome: 'error' }));
      await record(
        resultOf(idOf(500), { check: 'p/open', at: 1, outcome: 'fail' }),
        resultOf(idOf(501), { check: 'p/error', at: 1, outcome: 'error' }),
        resultOf(idOf(502), { check: 'p/error', at: 1, outcome: 'error' }),
      );
      await record(resultOf(idOf(600), { check: 'p/error', at: 100 }));
      for (const id of ['f_1', 'f_2', 'f_3', 'f_4'])
        await quality.recordProfiles([profileOf(id, { at: id === 'f_3' ? 100 : 1 })], []);
      await trimAll(50);
      const kept = (check: string) => quality.results({ environment: 'prod', check, limit: 999 });
      expect((await kept('p/known')).map(({ id }) => id)).toEqual([
        idOf(900),
        ...old
          .slice(30)
          .map(({ id }) => id)
          .reverse(),
      ]);
      expect((await kept('p/open')).map(({ id }) => id)).toEqual([idOf(500)]);
      expect((await kept('p/error')).map(({ id }) => id)).toEqual([idOf(600)]);
      expect((await quality.incidents({ environment: 'prod', limit: 9 })).map(({ check }) => check)).toEqual([
        'p/open',
      ]);
      const profiles = await quality.profiles({ environment: 'prod', limit: 9 });
      expect(profiles.map(({ id }) => id)).toEqual(['f_4', 'f_3', 'f_1']);
      expect(await quality.latestResults({ environment: 'prod' })).toHaveLength(3);
    });

    test('an environment that is gone keeps nothing open, and its history goes with time', async () => {
      await show('dev');
      const inDev = { environment: 'dev', outcome: 'fail', at: 1 } as const;
      await record(
        resultOf('c_1', inDev),
        resultOf('c_2', { ...inDev, outcome: 'pass' }),
        resultOf('c_3', inDev),
      );
      await quality.recordProfiles([profileOf('f_1', { environment: 'dev' })], []);
      await state.snapshots.forget({ environments: ['dev'], fingerprints: [], tables: [] }, []);
      expect(await quality.incidents({ environment: 'dev', limit: 9 })).toMatchObject([{ id: 'i_1' }]);
      expect(await quality.latestResults({ environment: 'dev' })).toEqual([]);
      expect(await quality.results({ environment: 'dev', limit: 9 })).toHaveLength(3);
      await trimAll(50);
      expect(await quality.results({ environment: 'dev', limit: 9 })).toEqual([]);
      expect(await quality.profiles({ environment: 'dev', limit: 9 })).toEqual([]);
      expect(await quality.incidents({ environment: 'dev', limit: 9 })).toEqual([]);
    });
  });
}
