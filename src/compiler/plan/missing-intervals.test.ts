import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WHOLE } from '../../domain/engine.ts';
import type { Schedule } from '../../domain/snapshot.ts';
import { nextTick } from '../../foundation/time/cron.ts';
import { addUnits, floorToUnit, type IntervalUnit, nextUnit } from '../../foundation/time/interval-unit.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import {
  containsRange,
  intersectRanges,
  normalizeRanges,
  type RangeSet,
  subtractRanges,
  type TimeRange,
} from '../../foundation/time/ranges.ts';
import { cronOf, dueEnd, nextDue } from './due.ts';
import { type MissingInput, missingIntervals } from './missing-intervals.ts';

const NOON = at('2024-03-10T12:00Z');

describe('what is due', () => {
  test('a unit is due once the cron has ticked at or after its end', () => {
    const daily = schedule({ cron: '0 6 * * *', start: '2024-03-07' });
    expect(missing({ schedule: daily, executionTime: at('2024-03-10T05:59Z') })).toEqual([
      '2024-03-07T00:00:00Z/2024-03-09T00:00:00Z',
    ]);
    expect(missing({ schedule: daily, executionTime: at('2024-03-10T06:00Z') })).toEqual([
      '2024-03-07T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test.each([
    ['winter', '2024-01-10T22:59Z', '2024-01-09'],
    ['winter, after midnight in Berlin', '2024-01-10T23:00Z', '2024-01-10'],
    ['summer', '2024-07-10T21:59Z', '2024-07-09'],
    ['summer, after midnight in Berlin', '2024-07-10T22:00Z', '2024-07-10'],
    ['the night clocks go forward', '2024-03-30T23:00Z', '2024-03-30'],
    ['the day after it, an hour earlier in UTC', '2024-03-31T22:00Z', '2024-03-31'],
    ['the night clocks go back', '2024-10-26T22:00Z', '2024-10-26'],
    ['the day after it, an hour later in UTC', '2024-10-27T22:30Z', '2024-10-26'],
    ['the day after it, at midnight', '2024-10-27T23:00Z', '2024-10-27'],
  ])('cron_tz moves the moment, not the unit: %s', (_, now, end) => {
    const berlin = schedule({ cronTz: 'Europe/Berlin' });
    expect(isoInstantShort(dueEnd(berlin, 'full', { executionTime: at(now) }))).toBe(`${end}T00:00:00Z`);
  });

  test('a schedule coarser than its unit makes many units due at once', () => {
    const weekly = schedule({ cron: '@weekly', unit: 'day', start: '2024-03-01' });
    // 10 March 2024 is a Sunday.
    expect(missing({ schedule: weekly, executionTime: at('2024-03-09T23:59Z') })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-03T00:00:00Z',
    ]);
    expect(missing({ schedule: weekly, executionTime: NOON })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test('an interval unit of its own refines the grid', () => {
    const hourlyUnits = schedule({ unit: 'hour', start: '2024-03-09 20:30:00' });
    expect(missing({ schedule: hourlyUnits })).toEqual(['2024-03-09T20:00:00Z/2024-03-10T00:00:00Z']);
  });

  test.each<[string, Partial<Schedule>, string, readonly string[]]>([
    [
      'a leap day',
      { start: '2024-02-28' },
      '2024-03-01T00:00Z',
      ['2024-02-28T00:00:00Z/2024-03-01T00:00:00Z'],
    ],
    [
      'no leap day',
      { start: '2023-02-28' },
      '2023-03-01T00:00Z',
      ['2023-02-28T00:00:00Z/2023-03-01T00:00:00Z'],
    ],
    [
      'months of different length',
      { cron: '@monthly', unit: 'month', start: '2024-01-15' },
      '2024-03-01T00:00Z',
      ['2024-01-01T00:00:00Z/2024-03-01T00:00:00Z'],
    ],
    [
      'the last minute of a month',
      { cron: '@monthly', unit: 'month', start: '2024-01-31' },
      '2024-01-31T23:59Z',
      [],
    ],
    [
      'years',
      { cron: '@yearly', unit: 'year', start: '2022-06-01' },
      '2024-12-31T23:59Z',
      ['2022-01-01T00:00:00Z/2024-01-01T00:00:00Z'],
    ],
  ])('%s', (_, own, now, expected) => {
    expect(missing({ schedule: schedule(own), executionTime: at(now) })).toEqual(expected);
  });

  test('ignore_cron makes every unit due that is over', () => {
    const weekly = schedule({ cron: '@weekly', unit: 'day', start: '2024-03-01' });
    expect(missing({ schedule: weekly, executionTime: at('2024-03-09T12:00Z'), ignoreCron: true })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-09T00:00:00Z',
    ]);
  });

  test('the next thing to be due is a tick of the schedule or of the automatic restatement', () => {
    const both = schedule({ cron: '@weekly', autoRestatementCron: '0 5 * * *' });
    expect(isoInstantShort(nextDue(both, NOON))).toBe('2024-03-11T05:00:00Z');
    expect(isoInstantShort(nextDue(schedule({ cron: '@weekly' }), NOON))).toBe('2024-03-17T00:00:00Z');
  });
});

describe('from where to where', () => {
  test('a relative start counts from the execution time', () => {
    expect(missing({ schedule: schedule({ start: '3 days ago' }) })).toEqual([
      '2024-03-07T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test('the end is the last day that is filled', () => {
    const ended = schedule({ start: '2024-03-01', end: '2024-03-03' });
    expect(missing({ schedule: ended })).toEqual(['2024-03-01T00:00:00Z/2024-03-04T00:00:00Z']);
    expect(missing({ schedule: ended, filled: ranges('2024-03-01/2024-03-04') })).toEqual([]);
  });

  test('nothing is due before a start in the future', () => {
    expect(missing({ schedule: schedule({ start: '2024-04-01' }) })).toEqual([]);
  });

  test('a model without a start begins where the caller says, and never later than what it has', () => {
    const without = schedule({});
    const yesterday = at('2024-03-09T00:00Z');
    expect(missing({ schedule: without, startFallback: yesterday })).toEqual([
      '2024-03-09T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
    // Four days without a run: the gap is filled although the fallback moved on.
    expect(
      missing({ schedule: without, startFallback: yesterday, filled: ranges('2024-03-04/2024-03-06') }),
    ).toEqual(['2024-03-06T00:00:00Z/2024-03-10T00:00:00Z']);
    expect(
      missing({ schedule: without, startFallback: yesterday, restated: ranges('2024-03-04/2024-03-10') }),
    ).toEqual(['2024-03-04T00:00:00Z/2024-03-10T00:00:00Z']);
  });

  test('--start and --end reach outward to whole units', () => {
    const monthly = schedule({ cron: '@monthly', unit: 'month', start: '2020-01-01' });
    const bounds = { start: at('2023-11-15T00:00Z'), end: at('2023-12-02T00:00Z') };
    expect(missing({ schedule: monthly, bounds })).toEqual(['2023-11-01T00:00:00Z/2024-01-01T00:00:00Z']);
  });

  test('a continuing table leaves out what was never filled before it', () => {
    const long = schedule({ start: '2020-01-01' });
    const filled = ranges('2024-03-01/2024-03-05', '2024-03-06/2024-03-08');
    expect(missing({ schedule: long, filled, isContinuing: true })).toEqual([
      '2024-03-05T00:00:00Z/2024-03-06T00:00:00Z',
      '2024-03-08T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });
});

describe('partial units', () => {
  const partial = schedule({ start: '2024-03-08', allowPartials: true });

  test('the running unit counts up to the execution time and is filled again until it is whole', () => {
    expect(missing({ schedule: partial })).toEqual(['2024-03-08T00:00:00Z/2024-03-10T12:00:00Z']);
    const filled = ranges('2024-03-08/2024-03-10T12:00Z');
    expect(missing({ schedule: partial, filled, executionTime: at('2024-03-10T13:00Z') })).toEqual([
      '2024-03-10T00:00:00Z/2024-03-10T13:00:00Z',
    ]);
    expect(missing({ schedule: partial, filled, executionTime: at('2024-03-11T00:00Z') })).toEqual([
      '2024-03-10T00:00:00Z/2024-03-11T00:00:00Z',
    ]);
  });

  test('at the same instant there is nothing more to fill', () => {
    expect(missing({ schedule: partial, filled: ranges('2024-03-08/2024-03-10T12:00Z') })).toEqual([]);
  });

  test.each(['incremental-unmanaged', 'scd-type-2-by-column'] as const)(
    'adding a running unit again would double rows, so %s waits for its end',
    (kind) => {
      expect(missing({ schedule: partial, kind })).toEqual(['2024-03-08T00:00:00Z/2024-03-10T00:00:00Z']);
    },
  );
});

describe('lookback', () => {
  test('fills the units before each newly filled one again, never before the start', () => {
    const two = schedule({ start: '2024-03-01', lookback: 2 });
    const filled = ranges('2024-03-01/2024-03-02', '2024-03-03/2024-03-09');
    expect(missing({ schedule: two, filled })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-03T00:00:00Z',
      '2024-03-07T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test('nothing new means nothing again', () => {
    const two = schedule({ start: '2024-03-01', lookback: 2 });
    expect(missing({ schedule: two, filled: ranges('2024-03-01/2024-03-10') })).toEqual([]);
  });

  test('a restated unit is not a new one', () => {
    const two = schedule({ start: '2024-03-01', lookback: 2 });
    const filled = ranges('2024-03-01/2024-03-05', '2024-03-06/2024-03-10');
    expect(missing({ schedule: two, filled, restated: ranges('2024-03-05/2024-03-06') })).toEqual([
      '2024-03-05T00:00:00Z/2024-03-06T00:00:00Z',
    ]);
  });

  test.each(['incremental-unmanaged', 'scd-type-2-by-time', 'scd-type-2-by-column'] as const)(
    '%s cannot fill a unit twice and looks back at nothing',
    (kind) => {
      const two = schedule({ start: '2024-03-01', lookback: 2 });
      expect(missing({ schedule: two, kind, filled: ranges('2024-03-01/2024-03-09') })).toEqual([
        '2024-03-09T00:00:00Z/2024-03-10T00:00:00Z',
      ]);
    },
  );
});

describe('kinds that are made whole', () => {
  test('FULL has one range from its start, due when the cron has ticked since it was filled', () => {
    const full = { schedule: schedule({ start: '2024-03-01' }), kind: 'full' } as const;
    const all = ['2024-03-01T00:00:00Z/2024-03-10T00:00:00Z'];
    expect(missing(full)).toEqual(all);
    expect(missing({ ...full, filled: ranges('2024-03-01/2024-03-09') })).toEqual(all);
    expect(missing({ ...full, filled: ranges('2024-03-01/2024-03-10') })).toEqual([]);
    expect(missing({ ...full, filled: [], restated: ranges('2024-03-01/2024-03-10') })).toEqual(all);
  });

  test('FULL with a moving start is not due again before the next tick', () => {
    const moving = { schedule: schedule({ start: '1 week ago' }), kind: 'full' } as const;
    expect(missing({ ...moving, filled: ranges('2024-03-02/2024-03-10') })).toEqual([]);
  });

  test.each(['view', 'seed'] as const)('a %s is built once', (kind) => {
    expect(missingIntervals(question({ kind }))).toEqual([WHOLE]);
    expect(missingIntervals(question({ kind, filled: [WHOLE] }))).toEqual([]);
  });

  test.each(['embedded', 'external'] as const)('an %s model has nothing to fill', (kind) => {
    expect(missingIntervals(question({ kind }))).toEqual([]);
  });
});

describe('time that has to wait', () => {
  const march = schedule({ start: '2024-03-01' });
  const blocked = ranges('2024-03-04T10:00Z/2024-03-04T11:00Z');

  test('a unit of which a part is blocked waits, the others do not', () => {
    expect(missing({ schedule: march, blocked })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-04T00:00:00Z',
      '2024-03-05T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test.each(['incremental-by-unique-key', 'scd-type-2-by-time'] as const)(
    'behind it everything waits where order matters: %s',
    (kind) => {
      expect(missing({ schedule: march, kind, blocked })).toEqual([
        '2024-03-01T00:00:00Z/2024-03-04T00:00:00Z',
      ]);
    },
  );

  test('where order matters, older time is never slipped in below newer rows', () => {
    const filled = ranges('2024-03-05/2024-03-08');
    expect(missing({ schedule: march, kind: 'incremental-by-unique-key', filled })).toEqual([
      '2024-03-08T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });

  test('a last unit that may be filled in part is filled until the blocked time, once', () => {
    const partial = { ...march, allowPartials: true };
    const later = ranges('2024-03-10T11:00Z/2024-03-11T00:00Z');
    const filled = ranges('2024-03-01/2024-03-10');
    expect(missing({ schedule: partial, filled, blocked: later })).toEqual([
      '2024-03-10T00:00:00Z/2024-03-10T11:00:00Z',
    ]);
    const more = ranges('2024-03-01/2024-03-10T11:00Z');
    expect(missing({ schedule: partial, filled: more, blocked: later })).toEqual([]);
    expect(missing({ schedule: partial, filled, blocked: ranges('2024-03-10/2024-03-11') })).toEqual([]);
    expect(missing({ schedule: partial, kind: 'incremental-unmanaged', filled, blocked: later })).toEqual([]);
  });

  test('FULL waits when what is new of it is blocked', () => {
    const full = { schedule: march, kind: 'full', filled: ranges('2024-03-01/2024-03-09') } as const;
    expect(missing({ ...full, blocked: ranges('2024-03-09/2024-03-10') })).toEqual([]);
    expect(missing({ ...full, blocked })).toEqual(['2024-03-01T00:00:00Z/2024-03-10T00:00:00Z']);
  });
});

describe('lookback over time that has to wait', () => {
  const two = schedule({ start: '2024-03-01', lookback: 2 });
  const filled = ranges('2024-03-01/2024-03-05', '2024-03-06/2024-03-09');
  const blocked = ranges('2024-03-05/2024-03-06');

  test.each(['incremental-by-time-range', 'incremental-by-partition'] as const)(
    'fills nothing that is held back, neither as new nor again: %s',
    (kind) => {
      expect(missing({ schedule: two, kind, filled, blocked })).toEqual([
        '2024-03-07T00:00:00Z/2024-03-10T00:00:00Z',
      ]);
      const later = ranges('2024-03-05/2024-03-06', '2024-03-08/2024-03-09');
      expect(missing({ schedule: two, kind, filled, blocked: later })).toEqual([
        '2024-03-07T00:00:00Z/2024-03-08T00:00:00Z',
        '2024-03-09T00:00:00Z/2024-03-10T00:00:00Z',
      ]);
    },
  );

  test('what is restated waits for it, too', () => {
    const march = schedule({ start: '2024-03-01' });
    const restated = ranges('2024-03-03/2024-03-07');
    expect(missing({ schedule: march, filled: ranges('2024-03-01/2024-03-03'), restated, blocked })).toEqual([
      '2024-03-03T00:00:00Z/2024-03-05T00:00:00Z',
      '2024-03-06T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });
});

describe('over its own past', () => {
  const march = schedule({ start: '2024-03-01' });
  const own = { schedule: march, readsItself: true } as const;

  test('everything behind a hole is filled again with it', () => {
    const filled = ranges('2024-03-01/2024-03-03', '2024-03-05/2024-03-08');
    expect(missing({ ...own, filled })).toEqual(['2024-03-03T00:00:00Z/2024-03-10T00:00:00Z']);
    expect(missing({ ...own, filled: ranges('2024-03-01/2024-03-10') })).toEqual([]);
  });

  test('a restated day is followed by all later ones', () => {
    const restated = ranges('2024-03-03/2024-03-04');
    const filled = ranges('2024-03-01/2024-03-03', '2024-03-04/2024-03-10');
    expect(missing({ ...own, filled, restated })).toEqual(['2024-03-03T00:00:00Z/2024-03-10T00:00:00Z']);
  });

  test('nothing is filled behind time that has to wait', () => {
    const blocked = ranges('2024-03-05/2024-03-06');
    expect(missing({ ...own, blocked })).toEqual(['2024-03-01T00:00:00Z/2024-03-05T00:00:00Z']);
    // What is there behind it could not be made again now.
    const filled = ranges('2024-03-01/2024-03-03', '2024-03-04/2024-03-08');
    expect(missing({ ...own, filled, blocked })).toEqual([]);
  });

  test('lookback goes on to the end, from the last day before it that is there', () => {
    const looking = { ...own, schedule: { ...march, lookback: 3 }, filled: ranges('2024-03-01/2024-03-09') };
    expect(missing(looking)).toEqual(['2024-03-06T00:00:00Z/2024-03-10T00:00:00Z']);
    expect(missing({ ...looking, blocked: ranges('2024-03-07/2024-03-08') })).toEqual([
      '2024-03-08T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });
});

describe('kinds whose rows do not say where they came from', () => {
  const march = schedule({ start: '2024-03-01' });
  const all = ['2024-03-01T00:00:00Z/2024-03-10T00:00:00Z'];

  test.each(['incremental-by-unique-key', 'scd-type-2-by-time', 'incremental-unmanaged'] as const)(
    'a part of %s that is restated is all of it',
    (kind) => {
      const restated = ranges('2024-03-03/2024-03-04');
      const filled = ranges('2024-03-01/2024-03-03', '2024-03-04/2024-03-09');
      expect(missing({ schedule: march, kind, filled, restated })).toEqual(all);
    },
  );

  test('nothing is begun as long as what is there could not be made again', () => {
    const asked = {
      schedule: march,
      kind: 'incremental-by-unique-key',
      filled: [],
      restated: ranges('2024-03-01/2024-03-08'),
    } as const;
    expect(missing({ ...asked, blocked: ranges('2024-03-05/2024-03-06') })).toEqual([]);
    expect(missing({ ...asked, blocked: ranges('2024-03-08/2024-03-09') })).toEqual([
      '2024-03-01T00:00:00Z/2024-03-08T00:00:00Z',
    ]);
  });

  test('--start before what is there makes all of it anew; without it nothing older is slipped in', () => {
    const asked = {
      schedule: march,
      kind: 'incremental-by-unique-key',
      filled: ranges('2024-03-05/2024-03-10'),
    } as const;
    expect(missing(asked)).toEqual([]);
    expect(missing({ ...asked, bounds: { start: at('2024-03-03T00:00Z') } })).toEqual([
      '2024-03-03T00:00:00Z/2024-03-10T00:00:00Z',
    ]);
  });
});

describe('against counting unit by unit', () => {
  test('missing and filled together are what is due, no unit twice, lookback exact, in order', () => {
    fc.assert(
      fc.property(questions, (input) => {
        const { unit } = input.schedule;
        const found = missingIntervals(input);
        expect(found).toEqual(normalizeRanges(found));
        for (const { start, end } of found) {
          expect(floorToUnit(unit, start)).toBe(start);
          expect(floorToUnit(unit, end)).toBe(end);
        }
        expect(unitsIn(found, unit)).toEqual(countedMissing(input));
      }),
      { numRuns: 400 },
    );
  });

  test('nothing blocked is newly filled, and what is not blocked is not held up', () => {
    fc.assert(
      fc.property(questions, fc.array(rangeNear(at('2024-03-10T00:00Z'))), (asked, blocks) => {
        const blocked = normalizeRanges(blocks);
        // Also what is filled again by lookback is never blocked.
        expect(intersectRanges(missingIntervals({ ...asked, blocked }), blocked)).toEqual([]);
        const input = { ...asked, schedule: { ...asked.schedule, lookback: 0 } };
        const all = missingIntervals(input);
        const allowed = missingIntervals({ ...input, blocked });
        const { unit } = input.schedule;
        expect(subtractRanges(allowed, all)).toEqual([]);
        for (const start of unitsIn(subtractRanges(all, allowed), unit))
          expect(intersectRanges([{ start, end: nextUnit(unit, start) }], blocked)).not.toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** The same answer the slow way: one unit after the other. */
function countedMissing(input: MissingInput): readonly number[] {
  const { schedule: s, filled, executionTime, bounds, startFallback } = input;
  const cron = cronOf(s);
  const first = Math.min(startFallback, filled[0]?.start ?? startFallback);
  const begin = floorToUnit(s.unit, first);
  const isInside = (start: number, end: number): boolean =>
    bounds === undefined || (end > bounds.start! && start < bounds.end!);
  const wanted: number[] = [];
  const fresh = new Set<number>();
  for (let start = begin; start < executionTime; start = nextUnit(s.unit, start)) {
    const end = nextUnit(s.unit, start);
    if (nextTick(cron, end - 1) > executionTime || !isInside(start, end)) continue;
    wanted.push(start);
    if (!containsRange(filled, { start, end })) fresh.add(start);
  }
  return wanted.filter((_, i) => wanted.slice(i, i + s.lookback + 1).some((start) => fresh.has(start)));
}

function unitsIn(set: RangeSet, unit: IntervalUnit): readonly number[] {
  const found: number[] = [];
  for (const { start, end } of set) for (let at = start; at < end; at = nextUnit(unit, at)) found.push(at);
  return found;
}

const SCHEDULES: readonly (readonly [cron: string, zone: string, unit: IntervalUnit])[] = [
  ['*/5 * * * *', 'UTC', 'five-minute'],
  ['*/15 * * * *', 'Asia/Kolkata', 'quarter-hour'],
  ['0 * * * *', 'Europe/Berlin', 'hour'],
  ['30 2 * * *', 'America/New_York', 'day'],
  ['0 0 * * *', 'Europe/Berlin', 'hour'],
  ['@daily', 'UTC', 'day'],
  ['0 0 * * *', 'Australia/Lord_Howe', 'day'],
  ['@weekly', 'UTC', 'day'],
  ['0 5 1 * *', 'Europe/Berlin', 'month'],
  ['@monthly', 'UTC', 'day'],
  ['@yearly', 'UTC', 'year'],
];

const MOMENTS = [
  '2024-03-10T07:30Z',
  '2024-03-31T01:00Z',
  '2024-10-27T01:30Z',
  '2024-02-29T12:00Z',
  '2024-12-31T23:59Z',
  '2023-03-01T00:00Z',
];

/** Questions whose time lies in some sixty units before a moment that is hard: nights of clock changes, ends of months. */
const questions: fc.Arbitrary<MissingInput> = fc
  .record({
    kind: fc.constantFrom(...SCHEDULES),
    moment: fc.constantFrom(...MOMENTS),
    later: fc.integer({ min: 0, max: 5000 }),
    back: fc.integer({ min: 0, max: 60 }),
    lookback: fc.integer({ min: 0, max: 4 }),
    filled: fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 0, max: 2 }),
      ),
      { maxLength: 6 },
    ),
    bounds: fc.option(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 60 }))),
  })
  .map(({ kind: [cron, cronTz, unit], moment, later, back, lookback, filled, bounds }) => {
    const executionTime = at(moment) + later * 60_000;
    const border = (units: number): number => addUnits(unit, executionTime, units - 60);
    const startFallback = border(60 - back);
    return {
      schedule: schedule({ cron, cronTz, unit, lookback }),
      kind: 'incremental-by-time-range',
      executionTime,
      startFallback,
      // Some ranges end inside a unit, as those of partial fills do.
      filled: normalizeRanges(
        filled.map(([from, length, odd]) => ({
          start: border(from),
          end: border(from + length) - odd * 30_000,
        })),
      ),
      ...(bounds === null
        ? {}
        : { bounds: { start: border(bounds[0]) + 1, end: border(bounds[0] + bounds[1]) - 1 } }),
    };
  });

function rangeNear(middle: number): fc.Arbitrary<TimeRange> {
  return fc
    .tuple(fc.integer({ min: -40_000, max: 40_000 }), fc.integer({ min: 1, max: 3000 }))
    .map(([from, length]) => ({ start: middle + from * 60_000, end: middle + (from + length) * 60_000 }));
}

function schedule(own: Partial<Schedule>): Schedule {
  return {
    cron: '@daily',
    cronTz: 'UTC',
    unit: 'day',
    lookback: 0,
    allowPartials: false,
    batchConcurrency: 1,
    disableRestatement: false,
    signals: [],
    ...own,
  };
}

function question(own: Partial<MissingInput>): MissingInput {
  return {
    schedule: schedule({}),
    kind: 'incremental-by-time-range',
    filled: [],
    executionTime: NOON,
    startFallback: at('2024-03-01T00:00Z'),
    ...own,
  };
}

function missing(own: Partial<MissingInput>): readonly string[] {
  return missingIntervals(question(own)).map(
    ({ start, end }) => `${isoInstantShort(start)}/${isoInstantShort(end)}`,
  );
}

function ranges(...texts: readonly string[]): RangeSet {
  return normalizeRanges(
    texts.map((text) => {
      const [start, end] = text.split('/');
      return { start: at(start!), end: at(end!) };
    }),
  );
}

function at(text: string): number {
  return Date.parse(text);
}
