import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  byFingerprint,
  environment,
  filled,
  model,
  ranges,
  schedule,
  texts,
} from '../../../tests/support/plan/applied.ts';
import { WHOLE } from '../../domain/engine.ts';
import type { Environment } from '../../domain/environment.ts';
import type { BackfillMember } from '../../domain/plan.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { DAY_MS } from '../../foundation/time/civil.ts';
import { normalizeRanges, type RangeSet, subtractRanges, unionRanges } from '../../foundation/time/ranges.ts';
import { makeRun, type RunInput, type RunOutcome, signalQuestions } from './make-run.ts';

const NOON = Date.parse('2024-03-10T12:00Z');
const RANGE = 'incremental-by-time-range';
const hourly = schedule({ cron: '0 * * * *', unit: 'hour' });

describe('what a run fills', () => {
  test('nothing when nothing is due: not even a statement', () => {
    const models = [model('s.a', RANGE)];
    const done = run(models, {
      intervals: filled({ 's.a': ['2024-03-01/2024-03-10'] }),
      beforeAll: ['SELECT 1'],
    });
    expect(done).toEqual({ stages: [], missing: [], waiting: [] });
  });

  test('what cron makes due, upstream first', () => {
    const models = [model('s.c', RANGE, ['s.b']), model('s.b', RANGE, ['s.a']), model('s.a', RANGE)];
    const intervals = filled({
      's.a': ['2024-03-01/2024-03-09'],
      's.b': ['2024-03-01/2024-03-09'],
      's.c': ['2024-03-01/2024-03-08'],
    });
    const { missing, stages } = run(models, { intervals });
    expect(missing.map(({ model: name, version, ranges: due }) => [name, version, texts(due)])).toEqual([
      ['s.a', 'v_s.a', ['2024-03-09/2024-03-10']],
      ['s.b', 'v_s.b', ['2024-03-09/2024-03-10']],
      ['s.c', 'v_s.c', ['2024-03-08/2024-03-10']],
    ]);
    expect(stages.map(({ id, needs }) => [id, needs])).toEqual([
      ['backfill:s.a__v_s.a', []],
      ['backfill:s.b__v_s.b', ['backfill:s.a__v_s.a']],
      ['backfill:s.c__v_s.c', ['backfill:s.b__v_s.b']],
    ]);
  });

  test('a running day is filled as far as the hours above it are there', () => {
    const models = [
      model('s.hours', RANGE, [], { schedule: hourly }),
      model('s.days', RANGE, ['s.hours'], { schedule: schedule({ allowPartials: true }) }),
    ];
    const intervals = filled({
      's.hours': ['2024-03-01/2024-03-10T11:00Z'],
      's.days': ['2024-03-01/2024-03-10T11:00Z'],
    });
    const { missing } = run(models, { intervals, executionTime: NOON + 20 * 60_000 });
    expect(missing.map(({ model: name, ranges: due }) => [name, texts(due)])).toEqual([
      ['s.hours', ['2024-03-10T11:00:00Z/2024-03-10T12:00:00Z']],
      ['s.days', ['2024-03-10/2024-03-10T12:00:00Z']],
    ]);
  });

  test('a restatement that is pending is part of it, said to fill again', () => {
    const models = [model('s.a', RANGE)];
    const outcome = run(models, {
      intervals: filled({ 's.a': ['2024-03-01/2024-03-04', '2024-03-06/2024-03-09'] }),
      restatements: [
        {
          table: { model: 's.a', version: 'v_s.a' },
          ranges: ranges('2024-03-04/2024-03-06'),
        },
      ],
    });
    const [member] = members(outcome);
    expect(texts(member?.ranges)).toEqual(['2024-03-04/2024-03-06', '2024-03-09/2024-03-10']);
    expect(texts(member?.refills)).toEqual(['2024-03-04/2024-03-06']);
    expect(member?.isRestatement).toBe(true);
  });

  test('only models that are selected', () => {
    const models = [model('s.a', RANGE), model('s.b', RANGE)];
    expect(run(models, { selected: new Set(['s.b']) }).missing.map(({ model: name }) => name)).toEqual([
      's.b',
    ]);
  });

  test('outside prod a table goes on from where a plan began, and one that prod has is left to it', () => {
    const models = [model('s.a', RANGE), model('s.shared', RANGE)];
    const dev = environment('dev', models);
    const prod = environment('prod', [models[1]!]);
    const intervals = filled({ 's.a': ['2024-03-05/2024-03-08'], 's.shared': ['2024-03-05/2024-03-08'] });
    const asked = { environment: dev, environments: [dev, prod], intervals };
    const { missing, waiting } = run(models, asked);
    expect(missing.map(({ model: name, ranges: due }) => [name, texts(due)])).toEqual([
      ['s.a', ['2024-03-08/2024-03-10']],
    ]);
    expect(waiting.map(({ kind, model: name, on }) => [kind, name, on])).toEqual([
      ['owner', 's.shared', 'prod'],
    ]);
    const shared = run(models, { ...asked, isShared: true }).missing;
    expect(shared.map(({ model: name, ranges: due }) => [name, texts(due)])).toEqual([
      ['s.a', ['2024-03-08/2024-03-10']],
      ['s.shared', ['2024-03-01/2024-03-05', '2024-03-08/2024-03-10']],
    ]);
  });

  test('a view that was never built, but no view twice', () => {
    const models = [model('s.v', 'view'), model('s.w', 'view')];
    const outcome = run(models, { intervals: new Map([['s.w__v_s.w', [WHOLE]]]) });
    expect(members(outcome).map(({ model: name, ranges: due }) => [name, due])).toEqual([['s.v', [WHOLE]]]);
  });
});

describe('upstreams', () => {
  test('an hourly child of a daily parent waits for the hours that the parent will have tomorrow', () => {
    const models = [model('s.daily', RANGE), model('s.hourly', RANGE, ['s.daily'], { schedule: hourly })];
    const intervals = filled({ 's.daily': ['2024-03-01/2024-03-10'], 's.hourly': ['2024-03-01/2024-03-10'] });
    const { missing, waiting, stages } = run(models, { intervals });
    expect(missing).toEqual([]);
    expect(stages).toEqual([]);
    expect(waiting).toEqual([
      {
        kind: 'upstream',
        model: 's.hourly',
        on: 's.daily',
        ranges: ranges('2024-03-10/2024-03-10T12:00Z'),
        reason: 's.daily does not have this time yet; it is next due at 2024-03-11T00:00:00Z.',
      },
    ]);
  });

  test('what the parent gets in the same run counts as there', () => {
    const models = [model('s.daily', RANGE), model('s.hourly', RANGE, ['s.daily'], { schedule: hourly })];
    const { missing } = run(models, { intervals: filled({ 's.daily': ['2024-03-01/2024-03-09'] }) });
    expect(missing.map(({ ranges: due }) => texts(due))).toEqual([
      ['2024-03-09/2024-03-10'],
      ['2024-03-01/2024-03-10'],
    ]);
  });

  test('through views and EMBEDDED models, and on to the grandchildren', () => {
    const models = [
      model('s.daily', RANGE),
      model('s.view', 'view', ['s.daily']),
      model('s.embedded', 'embedded', ['s.view']),
      model('s.child', RANGE, ['s.embedded'], { schedule: hourly }),
      model('s.grandchild', RANGE, ['s.child'], { schedule: hourly }),
    ];
    const { waiting } = run(models, {});
    expect(waiting.map(({ model: name, on }) => [name, on])).toEqual([
      ['s.child', 's.daily'],
      ['s.grandchild', 's.child'],
    ]);
  });

  test('before its start and after its end a parent has nothing to wait for', () => {
    const models = [
      model('s.short', RANGE, [], { schedule: schedule({ start: '2024-03-03', end: '2024-03-05' }) }),
      model('s.long', RANGE, ['s.short']),
    ];
    const { missing, waiting } = run(models, {});
    expect(waiting).toEqual([]);
    expect(texts(missing[1]?.ranges)).toEqual(['2024-03-01/2024-03-10']);
  });

  test.each(['full', 'seed'] as const)('a %s parent holds nobody up', (kind) => {
    const models = [model('s.whole', kind), model('s.child', RANGE, ['s.whole'], { schedule: hourly })];
    expect(run(models, {}).waiting).toEqual([]);
  });

  test('a FULL child is rebuilt with what there is', () => {
    const models = [model('s.daily', RANGE), model('s.full', 'full', ['s.daily'], { schedule: hourly })];
    const { missing, waiting } = run(models, { intervals: filled({ 's.daily': ['2024-03-01/2024-03-10'] }) });
    expect(waiting).toEqual([]);
    expect(texts(missing[0]?.ranges)).toEqual(['2024-03-01/2024-03-10T12:00:00Z']);
  });

  test('a parent that is not selected is waited for', () => {
    const models = [model('s.a', RANGE), model('s.b', RANGE, ['s.a'])];
    const intervals = filled({ 's.a': ['2024-03-01/2024-03-05'] });
    const { missing, waiting } = run(models, { intervals, selected: new Set(['s.b']) });
    expect(missing.map(({ model: name, ranges: due }) => [name, texts(due)])).toEqual([
      ['s.b', ['2024-03-01/2024-03-05']],
    ]);
    expect(waiting.map(({ on, ranges: due }) => [on, texts(due)])).toEqual([
      ['s.a', ['2024-03-05/2024-03-10']],
    ]);
  });
});

describe('a table that is made whole', () => {
  const signalled = model('s.a', RANGE, [], {
    schedule: schedule({ signals: [{ name: 'landed', arguments: {} }] }),
  });
  const whole = model('s.f', 'full', ['s.v']);
  const models = [signalled, model('s.v', 'view', ['s.a']), whole, model('s.i', RANGE, ['s.f'])];
  const before = {
    's.a': ['2024-03-01/2024-03-08'],
    's.f': ['2024-03-01/2024-03-08'],
    's.i': ['2024-03-01/2024-03-08'],
  };

  test('is recorded only until where what it reads has its rows, and what reads it stops there, too', () => {
    const intervals = filled({ ...before });
    const ready = new Map([['s.a', ranges('2024-03-08/2024-03-09')]]);
    const { missing } = run(models, { intervals, ready });
    expect(
      missing.filter(({ model: name }) => name !== 's.v').map((each) => [each.model, texts(each.ranges)]),
    ).toEqual([
      ['s.a', ['2024-03-08/2024-03-09']],
      ['s.f', ['2024-03-01/2024-03-09']],
      ['s.i', ['2024-03-08/2024-03-09']],
    ]);
  });

  test('waits when nothing new came above it, and says so', () => {
    const { missing, waiting } = run(models, {
      intervals: filled({ ...before }),
      ready: new Map([['s.a', []]]),
    });
    expect(missing.filter(({ model: name }) => name !== 's.v')).toEqual([]);
    expect(waiting.map(({ kind, model: name, on }) => [kind, name, on])).toContainEqual([
      'upstream',
      's.f',
      's.a',
    ]);
  });
});

describe('a hole in a table whose rows do not say where they came from', () => {
  const models = [
    model('s.a', 'incremental-by-unique-key'),
    model('s.f', 'full', ['s.a']),
    model('s.b', RANGE, ['s.f']),
    model('s.c', RANGE, ['s.a']),
  ];
  const holed = ['2024-03-01/2024-03-02', '2024-03-03/2024-03-04'];

  test('is never filled, so what reads the table does not wait for it', () => {
    const { missing, waiting } = run(models, { intervals: filled({ 's.a': holed }) });
    expect(Object.fromEntries(missing.map(({ model: name, ranges: due }) => [name, texts(due)]))).toEqual({
      's.a': ['2024-03-04/2024-03-10'],
      's.f': ['2024-03-01/2024-03-10'],
      's.b': ['2024-03-01/2024-03-10'],
      's.c': ['2024-03-01/2024-03-10'],
    });
    expect(waiting).toEqual([]);
  });

  test('is waited for when the table is to be made again and cannot be yet', () => {
    const restated = { table: { model: 's.a', version: 'v_s.a' }, ranges: ranges('2024-03-02/2024-03-03') };
    const signalled = model('s.a', 'incremental-by-unique-key', [], {
      schedule: schedule({ signals: [{ name: 'landed', arguments: {} }] }),
    });
    const { missing } = run([signalled, ...models.slice(1)], {
      intervals: filled({ 's.a': holed }),
      restatements: [restated],
      ready: new Map([['s.a', []]]),
    });
    expect(Object.fromEntries(missing.map(({ model: name, ranges: due }) => [name, texts(due)]))).toEqual({
      's.f': ['2024-03-01/2024-03-02'],
      's.b': ['2024-03-01/2024-03-02'],
      's.c': ['2024-03-01/2024-03-02', '2024-03-03/2024-03-04'],
    });
  });
});

describe('signals', () => {
  const signalled = model('s.a', RANGE, [], {
    schedule: schedule({ signals: [{ name: 'landed', arguments: {} }] }),
  });
  const child = model('s.b', RANGE, ['s.a']);

  test('are asked about what is due before their answer', () => {
    const asked = signalQuestions(input([signalled, child], {}));
    expect([...asked].map(([name, due]) => [name, texts(due)])).toEqual([['s.a', ['2024-03-01/2024-03-10']]]);
  });

  test('let through what is ready, and children wait for the rest', () => {
    const ready = new Map([['s.a', ranges('2024-03-01/2024-03-05T12:00Z')]]);
    const { missing, waiting } = run([signalled, child], { ready });
    expect(missing.map(({ ranges: due }) => texts(due))).toEqual([
      ['2024-03-01/2024-03-05'],
      ['2024-03-01/2024-03-05'],
    ]);
    expect(waiting.map(({ kind, model: name, on }) => [kind, name, on])).toEqual([
      ['signal', 's.a', undefined],
      ['upstream', 's.b', 's.a'],
    ]);
    expect(waiting[0]?.reason).toBe('Its signal landed did not let it through.');
  });

  test('that nobody asked hold everything back', () => {
    expect(run([signalled], {}).missing).toEqual([]);
  });
});

describe('automatic restatement', () => {
  const restating = schedule({ autoRestatementCron: '@weekly', autoRestatementIntervals: 2 });
  const models = [
    model('s.a', RANGE, [], { schedule: restating }),
    model('s.view', 'view', ['s.a']),
    model('s.b', RANGE, ['s.view'], {
      schedule: schedule({ cron: '@monthly', unit: 'month', start: '2024-01-01' }),
    }),
    model('s.full', 'full', ['s.a']),
    model('s.fixed', RANGE, ['s.a'], { schedule: schedule({ disableRestatement: true }) }),
  ];
  const intervals = new Map<string, RangeSet>([
    ...filled({
      's.a': ['2024-02-01/2024-03-10'],
      's.b': ['2024-01-01/2024-03-01'],
      's.full': ['2024-03-01/2024-03-10'],
      's.fixed': ['2024-03-01/2024-03-10'],
    }),
    ['s.view__v_s.view', [WHOLE]],
  ]);

  test('fills the last intervals again, and below them what shows their rows', () => {
    const outcome = run(models, { intervals, lastRunAt: NOON - 86_400_000 });
    expect(outcome.missing.map(({ model: name, ranges: due }) => [name, texts(due)])).toEqual([
      ['s.a', ['2024-03-08/2024-03-10']],
      ['s.full', ['2024-03-01/2024-03-10']],
    ]);
    expect(members(outcome).map(({ isRestatement }) => isRestatement)).toEqual([true, true]);
    // 10 March 2024 is a Sunday, so an execution time of 1 March has last Sunday's tick before it.
    const first = Date.parse('2024-03-01T12:00Z');
    const { missing } = run(models, {
      intervals: new Map([...intervals, ...filled({ 's.a': ['2024-02-01/2024-03-01'] })]),
      executionTime: first,
      lastRunAt: first - 7 * 86_400_000,
    });
    expect(missing.map(({ model: name, ranges: due }) => [name, texts(due)])).toContainEqual([
      's.b',
      ['2024-02-01/2024-03-01'],
    ]);
  });

  test('not again after a run that succeeded', () => {
    expect(run(models, { intervals, lastRunAt: NOON - 1 }).missing).toEqual([]);
  });
});

describe('any graph of models', () => {
  test('nothing is filled before the tables above have it, and a second run finds nothing more', () => {
    fc.assert(
      fc.property(projects, ({ models, intervals }) => {
        const { missing } = run(models, { intervals });
        const found = new Map(missing.map(({ model: name, ranges: due }) => [name, due]));
        const after = new Map(
          models.map(({ model: name }) => {
            const key = `${name}__v_${name}`;
            return [key, unionRanges(intervals.get(key) ?? [], found.get(name) ?? [])];
          }),
        );
        const order = missing.map(({ model: name }) => name);
        for (const { model: name, kind, parents } of models) {
          const due = found.get(name) ?? [];
          for (const parent of parents) {
            if (due.length > 0 && found.has(parent))
              expect(order.indexOf(parent)).toBeLessThan(order.indexOf(name));
            if (kind !== RANGE || models.find(({ model: other }) => other === parent)!.kind !== RANGE)
              continue;
            // Every model begins on 1 March.
            expect(subtractRanges(due, after.get(`${parent}__v_${parent}`)!)).toEqual([]);
          }
        }
        expect(run(models, { intervals: after }).missing).toEqual([]);
      }),
    );
  });
});

/** Up to eight models, each reading some of those before it, filled here and there since 1 March. */
const projects = fc
  .array(
    fc.record({
      kind: fc.constantFrom(RANGE, RANGE, 'full', 'incremental-by-unique-key'),
      cron: fc.constantFrom('@daily', '0 6 * * *', '0 18 * * *', '0 * * * *', '@weekly'),
      reads: fc.array(fc.nat(7), { maxLength: 3 }),
      filled: fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 4 })), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drawn) => {
    const models = drawn.map(({ kind, cron, reads }, i) =>
      model(`s.m${i}`, kind, [...new Set(reads.filter((n) => n < i).map((n) => `s.m${n}`))].sort(), {
        schedule: schedule({ cron, unit: cron === '0 * * * *' ? 'hour' : 'day' }),
      }),
    );
    const first = Date.parse('2024-03-01');
    const intervals = new Map(
      drawn.map(({ filled: pieces }, i) => [
        `s.m${i}__v_s.m${i}`,
        normalizeRanges(
          pieces.map(([from, length]) => ({
            start: first + from * DAY_MS,
            end: Math.min(first + (from + length) * DAY_MS, first + 9 * DAY_MS),
          })),
        ),
      ]),
    );
    return { models, intervals };
  });

function members({ stages }: RunOutcome): readonly BackfillMember[] {
  return stages.flatMap((stage) => (stage.kind === 'backfill' ? stage.members : []));
}

function run(models: readonly Snapshot[], own: Partial<RunInput>): RunOutcome {
  return makeRun(input(models, own));
}

function input(models: readonly Snapshot[], own: Partial<RunInput>): RunInput {
  const prod: Environment = environment('prod', models);
  return {
    environment: prod,
    environments: [prod],
    snapshots: byFingerprint(models),
    intervals: new Map(),
    restatements: [],
    executionTime: NOON,
    beforeAll: [],
    afterAll: [],
    naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
    concurrency: 4,
    ...own,
  };
}
