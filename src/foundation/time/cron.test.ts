import { Cron as OtherCron } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import { civilFromDays, DAY_MS, MINUTE_MS, modulo } from './civil.ts';
import { type Cron, floorTick, nextTick, parseCron, previousTick, ticksBetween } from './cron.ts';
import { type CronFields, matchesDay, parseCronFields } from './cron-fields.ts';
import { isoInstantShort } from './iso.ts';
import { utcToWall, wallToUtc, zoneOffset } from './time-zone.ts';

const at = (text: string): number => Date.parse(text);

function cronOf(text: string, zone = 'UTC'): Cron {
  const cron = parseCron(text, zone);
  if (cron.kind === 'problem') throw new Error(`${cron.message} expected ${cron.expected}`);
  return cron;
}

function fieldsOf(text: string): CronFields {
  const parsed = parseCronFields(text);
  if (parsed.kind === 'problem') throw new Error(parsed.message);
  return parsed.fields;
}

function ticks(cron: Cron, from: string, until: string): string[] {
  return [...ticksBetween(cron, at(from), at(until))].map(isoInstantShort);
}

describe('reading', () => {
  // Units and meanings as SQLMesh 0.236.4 and its cron library give them.
  test.each([
    ['@hourly', '0 * * * *', 'hour'],
    ['@daily', '0 0 * * *', 'day'],
    ['@midnight', '0 0 * * *', 'day'],
    ['@Weekly', '0 0 * * 0', 'day'],
    ['@monthly', '0 0 1 * *', 'month'],
    ['@yearly', '0 0 1 1 *', 'year'],
    ['@annually', '0 0 1 1 *', 'year'],
    ['*/5 * * * *', '0,5,10,15,20,25,30,35,40,45,50,55 * * * *', 'five-minute'],
    ['*/10 * * * *', '0,10,20,30,40,50 * * * *', 'five-minute'],
    ['0/15 * * * *', '0,15,30,45 * * * *', 'quarter-hour'],
    ['*/20 * * * *', '0,20,40 * * * *', 'quarter-hour'],
    ['10/20 * * * *', '10,30,50 * * * *', 'quarter-hour'],
    ['5,35 * * * *', '5,35 * * * *', 'half-hour'],
    ['0 */6 * * *', '0 0,6,12,18 * * *', 'hour'],
    ['0 9,17 * * *', '0 9,17 * * *', 'hour'],
    ['0 22-2 * * *', '0 0,1,2,22,23 * * *', 'hour'],
    ['0 9 * * mon-FRI', '0 9 * * 1,2,3,4,5', 'day'],
    ['0 0 * * FRI-MON', '0 0 * * 0,1,5,6', 'day'],
    ['0 0 * * 7-2', '0 0 * * 0,1,2', 'day'],
    ['0 0 * * 6-7', '0 0 * * 0,6', 'day'],
    ['0 0 ? * 0-7', '0 0 * * *', 'day'],
    ['0 0 * JAN-MAR/2 *', '0 0 * 1,3 *', 'day'],
    ['0 0 L,15 * *', '0 0 15,L * *', 'day'],
    ['0 0 1 * MON', '0 0 1 * 1', 'day'],
    ['0 0 1-31 * MON', '0 0 * * *', 'day'],
    ['0 0 1 * 0-6', '0 0 * * *', 'day'],
    ['0 0 1 * */1', '0 0 * * *', 'day'],
    ['0 0 L * *', '0 0 L * *', 'month'],
    ['0 0 * * MON#2', '0 0 * * 1#2', 'month'],
    ['0 0 * * L5', '0 0 * * 5L', 'month'],
    ['0 0 15W * *', '0 0 15W * *', 'month'],
    ['0 0 1 */3 *', '0 0 1 1,4,7,10 *', 'month'],
    ['30 0 29 2 *', '30 0 29 2 *', 'year'],
    ['  0   0 * * *  ', '0 0 * * *', 'day'],
  ])('%s is %s and fills units of a %s', (text, pattern, unit) => {
    expect(parseCron(text)).toMatchObject({ kind: 'cron', text, pattern, unit, zone: 'UTC' });
  });

  test.each([
    ['', '', /0 fields/, /five fields/],
    ['* * *', '* * *', /3 fields/, /five fields/],
    ['0 0 * * * *', '0 0 * * * *', /6 fields/, /five fields/],
    ['@every 5m', '@every 5m', /'@every 5m' is not a known cron alias/, /@daily/],
    ['60 * * * *', '60', /'60' is not valid as minute/, /0-59/],
    ['0 24 * * *', '24', /'24' is not valid as hour/, /0-23/],
    ['0 0 0 * *', '0', /'0' is not valid as day of month/, /1-31/],
    ['0 0 * 13 *', '13', /month/, /1-12 or JAN-DEC/],
    ['0 0 * * 8', '8', /day of week/, /0-7 or SUN-SAT/],
    ['0 0 * * FRU', 'FRU', /'FRU'/, /SUN-SAT/],
    ['0 0 1,,2 * *', '', /An empty value/, /list/],
    ['*/0 * * * *', '*/0', /minute/, /step/],
    ['*/x * * * *', '*/x', /minute/, /step/],
    ['1-2-3 * * * *', '1-2-3', /minute/, /range/],
    ['0 0 * * MON#6', 'MON#6', /day of week/, /MON#2/],
    ['0 0 LW * *', 'LW', /day of month/, /15W/],
    ['0 ? * * *', '?', /hour/, /0-23/],
    ['2024-01-01T00:00:00', '2024-01-01T00:00:00', /1 field\./, /five fields/],
    ['-1 * * * *', '-1', /minute/, /0-59/],
    ['1e1 * * * *', '1e1', /minute/, /0-59/],
  ])('%j is refused at %j', (text, part, message, expected) => {
    const problem = parseCron(text);
    if (problem.kind !== 'problem') throw new Error('accepted');
    expect(problem.reason).toBe('bad-cron');
    expect(problem.message).toMatch(message);
    expect(problem.expected).toMatch(expected);
    expect(text.slice(problem.offset, problem.offset + problem.length)).toBe(part);
  });

  test('ticks closer than five minutes are refused with their own reason', () => {
    for (const text of ['* * * * *', '*/3 * * * *', '*/7 * * * *', '0,1 0 1 1 *', '58,2 * * * *']) {
      expect([text, parseCron(text)]).toMatchObject([text, { reason: 'cron-too-frequent' }]);
    }
    expect(parseCron('*/7 * * * *')).toMatchObject({
      message: "'*/7 * * * *' is due twice within 4 minutes.",
    });
    expect(parseCron('58 23 * * *')).toMatchObject({ kind: 'cron' });
  });

  test('a day that never comes is refused at once', () => {
    for (const text of ['0 0 31 2 *', '0 0 30 FEB *', '0 0 31 4,6,9,11 *']) {
      expect(parseCron(text)).toMatchObject({ reason: 'cron-never-due' });
    }
  });

  test('an unknown zone is refused', () => {
    expect(parseCron('@daily', 'Europe/Berln')).toMatchObject({
      reason: 'unknown-time-zone',
      text: 'Europe/Berln',
    });
  });

  test('no text makes it throw', () => {
    const piece = fc.constantFrom(
      '*',
      '/',
      '-',
      ',',
      '#',
      'L',
      'W',
      '?',
      'MON',
      'JAN',
      '0',
      '5',
      '31',
      '99',
      ' ',
      ' ',
      '@',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 25 }).map((all) => all.join('')),
        ),
        (text) => {
          const cron = parseCron(text);
          if (cron.kind === 'cron') expect(nextTick(cron, 0)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('ticks', () => {
  test('next is strictly after, previous strictly before, floor at or before', () => {
    const cron = cronOf('0 3 * * *');
    const tick = at('2024-01-02T03:00:00Z');
    expect(nextTick(cron, tick - 1)).toBe(tick);
    expect(nextTick(cron, tick)).toBe(tick + DAY_MS);
    expect(previousTick(cron, tick)).toBe(tick - DAY_MS);
    expect(previousTick(cron, tick + 1)).toBe(tick);
    expect(floorTick(cron, tick)).toBe(tick);
    expect(floorTick(cron, tick - 1)).toBe(tick - DAY_MS);
    expect(floorTick(cron, tick + DAY_MS - 1)).toBe(tick);
  });

  test('are found in any year', () => {
    const cron = cronOf('@daily');
    expect(isoInstantShort(nextTick(cron, at('5000-01-01T00:00:00Z')))).toBe('5000-01-02T00:00:00Z');
    expect(isoInstantShort(floorTick(cron, at('9999-06-01T10:00:00Z')))).toBe('9999-06-01T00:00:00Z');
    expect(isoInstantShort(floorTick(cron, -1))).toBe('1969-12-31T00:00:00Z');
    expect(isoInstantShort(nextTick(cronOf('0 0 29 2 *'), at('2096-03-01T00:00:00Z')))).toBe(
      '2104-02-29T00:00:00Z',
    );
  });

  test('noon in Berlin is not due at ten', () => {
    const cron = cronOf('0 12 * * *', 'Europe/Berlin');
    expect(isoInstantShort(floorTick(cron, at('2024-07-10T09:59:00Z')))).toBe('2024-07-09T10:00:00Z');
    expect(isoInstantShort(floorTick(cron, at('2024-07-10T10:00:00Z')))).toBe('2024-07-10T10:00:00Z');
  });

  test.each([
    [
      'spring gap: a fixed time is due when the gap ends',
      '30 2 * * *',
      'Europe/Berlin',
      '2024-03-30T00:00:00Z',
      '2024-04-02T00:00:00Z',
      ['2024-03-30T01:30:00Z', '2024-03-31T01:00:00Z', '2024-04-01T00:30:00Z'],
    ],
    [
      'autumn overlap: a fixed time is due once',
      '30 2 * * *',
      'Europe/Berlin',
      '2024-10-26T00:00:00Z',
      '2024-10-29T00:00:00Z',
      ['2024-10-26T00:30:00Z', '2024-10-27T00:30:00Z', '2024-10-28T01:30:00Z'],
    ],
    [
      'hours go on through the gap',
      '0 * * * *',
      'Europe/Berlin',
      '2024-03-31T00:00:00Z',
      '2024-03-31T03:00:00Z',
      ['2024-03-31T00:00:00Z', '2024-03-31T01:00:00Z', '2024-03-31T02:00:00Z'],
    ],
    [
      'hours go on through the overlap',
      '0 * * * *',
      'Europe/Berlin',
      '2024-10-27T00:00:00Z',
      '2024-10-27T03:00:00Z',
      ['2024-10-27T00:00:00Z', '2024-10-27T01:00:00Z', '2024-10-27T02:00:00Z'],
    ],
    [
      'two fixed times in the gap are due together when it ends',
      '0,30 2 * * *',
      'Europe/Berlin',
      '2024-03-30T12:00:00Z',
      '2024-04-01T12:00:00Z',
      ['2024-03-31T01:00:00Z', '2024-04-01T00:00:00Z', '2024-04-01T00:30:00Z'],
    ],
    [
      'two fixed times in the overlap are due once each',
      '30 1,2 * * *',
      'Europe/Berlin',
      '2024-10-26T12:00:00Z',
      '2024-10-28T12:00:00Z',
      ['2024-10-26T23:30:00Z', '2024-10-27T00:30:00Z', '2024-10-28T00:30:00Z', '2024-10-28T01:30:00Z'],
    ],
    [
      'a clock set back over midnight mixes two days',
      '0,30 * * * *',
      'America/St_Johns',
      '2010-11-07T01:30:00Z',
      '2010-11-07T04:30:00Z',
      [
        '2010-11-07T01:30:00Z',
        '2010-11-07T02:00:00Z',
        '2010-11-07T02:30:00Z',
        '2010-11-07T03:00:00Z',
        '2010-11-07T03:30:00Z',
        '2010-11-07T04:00:00Z',
      ],
    ],
    [
      'New York in spring',
      '30 2 * * *',
      'America/New_York',
      '2024-03-09T00:00:00Z',
      '2024-03-12T00:00:00Z',
      ['2024-03-09T07:30:00Z', '2024-03-10T07:00:00Z', '2024-03-11T06:30:00Z'],
    ],
    [
      'New York in autumn',
      '30 1 * * *',
      'America/New_York',
      '2024-11-02T00:00:00Z',
      '2024-11-05T00:00:00Z',
      ['2024-11-02T05:30:00Z', '2024-11-03T05:30:00Z', '2024-11-04T06:30:00Z'],
    ],
    [
      'Kolkata has half an hour and no summer',
      '0 0 * * *',
      'Asia/Kolkata',
      '2024-03-30T00:00:00Z',
      '2024-04-01T00:00:00Z',
      ['2024-03-30T18:30:00Z', '2024-03-31T18:30:00Z'],
    ],
    [
      'Lord Howe loses half an hour in spring',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2024-10-04T00:00:00Z',
      '2024-10-07T00:00:00Z',
      ['2024-10-04T15:45:00Z', '2024-10-05T15:30:00Z', '2024-10-06T15:15:00Z'],
    ],
    [
      'Lord Howe gains half an hour in autumn',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2024-04-05T00:00:00Z',
      '2024-04-08T00:00:00Z',
      ['2024-04-05T14:45:00Z', '2024-04-06T14:45:00Z', '2024-04-07T15:15:00Z'],
    ],
    [
      'a midnight that is skipped is due at one',
      '0 0 * * *',
      'America/Sao_Paulo',
      '2018-11-03T00:00:00Z',
      '2018-11-06T00:00:00Z',
      ['2018-11-03T03:00:00Z', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    ],
    [
      'the last day of each month, leap year',
      '0 0 L * *',
      'UTC',
      '2024-01-01T00:00:00Z',
      '2024-05-01T00:00:00Z',
      ['2024-01-31T00:00:00Z', '2024-02-29T00:00:00Z', '2024-03-31T00:00:00Z', '2024-04-30T00:00:00Z'],
    ],
  ])('%s', (_name, text, zone, from, until, expected) => {
    const cron = cronOf(text, zone);
    expect(ticks(cron, from, until)).toEqual(expected);
    const backwards: string[] = [];
    for (let tick = previousTick(cron, at(until)); tick >= at(from); tick = previousTick(cron, tick)) {
      backwards.unshift(isoInstantShort(tick));
    }
    expect(backwards).toEqual(expected);
  });

  test('agree with an independent library where clocks do not change', () => {
    const list = (min: number, max: number): fc.Arbitrary<string> =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: 1, max: 7 }).map((step) => `*/${step}`),
        fc
          .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 })
          .map((values) => values.join(',')),
      );
    const weekday = fc.oneof(
      list(0, 7),
      fc.constantFrom('MON-FRI', 'TUE#1', '5L', '1#5', 'SUN', 'MON#2,FRI#4'),
    );
    const monthDay = fc.oneof(list(1, 31), fc.constantFrom('L', '15W', '1W,L', '30W'));
    const text = fc
      .tuple(list(0, 59), list(0, 23), monthDay, list(1, 12), weekday)
      .map((parts) => parts.join(' '));
    const time = fc.integer({ min: at('1990-01-01T00:00:00Z'), max: at('2060-01-01T00:00:00Z') });
    fc.assert(
      fc.property(text, time, (pattern, from) => {
        const cron = parseCron(pattern);
        if (cron.kind === 'problem') return;
        const library = new OtherCron(pattern, { timezone: 'UTC', mode: '5-part' });
        const expected = library.nextRuns(3, new Date(from)).map(Number);
        const found: number[] = [];
        for (let tick = nextTick(cron, from); found.length < 3; tick = nextTick(cron, tick)) found.push(tick);
        expect([pattern, found]).toEqual([pattern, expected]);
        expect(previousTick(cron, found[2]!)).toBe(found[1]);
      }),
      { numRuns: 300 },
    );
  });

  test('around every clock change are those that someone watching the wall clock would see', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Havana',
      'America/Sao_Paulo',
      'Pacific/Apia',
    ];
    const changes = zones.flatMap((zone) =>
      [2011, 2018, 2024].flatMap((year) =>
        Array.from({ length: 365 }, (_, i) => ({ zone, day: Date.UTC(year, 0, 1 + i) })).filter(
          ({ day }) => zoneOffset(zone, day) !== zoneOffset(zone, day + DAY_MS),
        ),
      ),
    );
    expect(changes.length).toBeGreaterThan(25);
    const everyHour = ['*/5 * * * *', '0 * * * *', '15,45 * * * SUN', '30 * L * *'];
    const namedHours = [
      '0,30 2 * * *',
      '30 0-3 * * *',
      '0 */2 * * *',
      '*/15 1,2 * * SUN',
      '45 23 * * *',
      '0 0 * * *',
      '10 0,12 29-31 * *',
    ];
    for (const { zone, day } of changes) {
      for (const text of [...everyHour, ...namedHours]) {
        const fields = fieldsOf(text);
        const isDue = (wall: number): boolean => {
          const minute = Math.floor(modulo(wall, DAY_MS) / MINUTE_MS);
          const isTime =
            fields.hours.includes(Math.floor(minute / 60)) && fields.minutes.includes(minute % 60);
          return isTime && matchesDay(fields, Math.floor(wall / DAY_MS));
        };
        const [from, until, step] = [day - DAY_MS, day + 2 * DAY_MS, 5 * MINUTE_MS];
        const expected: number[] = [];
        let latest = utcToWall(zone, from - step);
        for (let instant = from; instant < until; instant += step) {
          const wall = utcToWall(zone, instant);
          let isSeen = everyHour.includes(text) && isDue(wall);
          // With named hours a time counts when the clock reaches or passes it for the first time.
          for (; latest < wall; latest += step) isSeen ||= namedHours.includes(text) && isDue(latest + step);
          if (isSeen) expected.push(instant);
        }
        expect([zone, text, [...ticksBetween(cronOf(text, zone), from, until)]]).toEqual([
          zone,
          text,
          expected,
        ]);
      }
    }
  });

  test('a daily schedule is due exactly once on every local day of a year, whatever the clocks do', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Havana',
      'Africa/Casablanca',
    ];
    for (const zone of zones) {
      for (const [hour, minute] of [
        [0, 0],
        [1, 45],
        [2, 15],
        [2, 30],
      ] as const) {
        const cron = cronOf(`${minute} ${hour} * * *`, zone);
        const start = wallToUtc(zone, Date.UTC(2024, 0, 1)).at;
        const end = wallToUtc(zone, Date.UTC(2025, 0, 1)).at;
        const days = [...ticksBetween(cron, start, end)].map((tick) =>
          Math.floor(utcToWall(zone, tick) / DAY_MS),
        );
        expect(days).toEqual(Array.from({ length: 366 }, (_, i) => Date.UTC(2024, 0, 1) / DAY_MS + i));
      }
    }
  });

  test('a schedule every half hour is due every half hour of elapsed time, whatever the clocks do', () => {
    for (const zone of ['Europe/Berlin', 'Australia/Lord_Howe']) {
      const found = [
        ...ticksBetween(cronOf('*/30 * * * *', zone), at('2024-01-01T00:00:00Z'), at('2025-01-01T00:00:00Z')),
      ];
      expect(found).toEqual(
        Array.from({ length: 366 * 48 }, (_, i) => at('2024-01-01T00:00:00Z') + i * 30 * MINUTE_MS),
      );
    }
  });

  test('the floor of many instants agrees with the search it remembers', () => {
    const cron = cronOf('17 3 * * MON', 'Europe/Berlin');
    fc.assert(
      fc.property(
        fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') }),
        fc.nat(DAY_MS * 9),
        (instant, later) => {
          for (const moment of [instant, instant + later, instant]) {
            const floor = floorTick(cron, moment);
            expect(floor).toBe(previousTick(cron, moment + 1));
            expect(nextTick(cron, floor)).toBeGreaterThan(moment);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test('the same schedule at the same instant costs next to nothing for ten thousand tables', () => {
    const before = cpuMs();
    for (let table = 0; table < 10_000; table++)
      floorTick(cronOf('0 3 * * *', 'Europe/Berlin'), at('2024-06-01T12:00:00Z') + table);
    expect(cpuMs() - before).toBeLessThan(1000);
  });
});

test('days match as the calendar says', () => {
  const days = (text: string, year: number, month: number): number[] => {
    const found: number[] = [];
    for (let day = Date.UTC(year, month - 1, 1) / DAY_MS; civilFromDays(day).month === month; day++) {
      if (matchesDay(fieldsOf(text), day)) found.push(civilFromDays(day).day);
    }
    return found;
  };
  expect(days('0 0 * * MON#2', 2024, 1)).toEqual([8]);
  expect(days('0 0 * * 5L', 2024, 2)).toEqual([23]);
  expect(days('0 0 1W * *', 2024, 6)).toEqual([3]);
  expect(days('0 0 15W * *', 2024, 6)).toEqual([14]);
  expect(days('0 0 30W * *', 2024, 6)).toEqual([28]);
  expect(days('0 0 31W * *', 2024, 6)).toEqual([]);
  expect(days('0 0 13 * FRI', 2024, 9)).toEqual([6, 13, 20, 27]);
});
