import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDuration, parseDuration } from './duration.ts';
import { isoInstantShort } from './iso.ts';
import { exclusiveEnd, isDateOnly, parseTime } from './relative-date.ts';

const NOW = Date.parse('2024-03-31T10:20:30Z');

function read(text: string | number): string {
  const time = parseTime(text, NOW);
  return time.kind === 'problem' ? `${time.reason}: ${time.message}` : isoInstantShort(time.at);
}

describe('points in time', () => {
  // Observed with SQLMesh 0.236.4 for the same "now".
  test.each([
    ['today', '2024-03-31T00:00:00Z'],
    ['now', '2024-03-31T10:20:30Z'],
    ['yesterday', '2024-03-30T00:00:00Z'],
    ['tomorrow', '2024-04-01T00:00:00Z'],
    ['  Today ', '2024-03-31T00:00:00Z'],
    ['1 day ago', '2024-03-30T00:00:00Z'],
    ['1 DAY AGO', '2024-03-30T00:00:00Z'],
    ['7 days ago', '2024-03-24T00:00:00Z'],
    ['1 week ago', '2024-03-24T00:00:00Z'],
    ['2 months ago', '2024-01-31T00:00:00Z'],
    ['1 month ago', '2024-02-29T00:00:00Z'],
    ['1 year ago', '2023-03-31T00:00:00Z'],
    ['1 decade ago', '2014-03-31T00:00:00Z'],
    ['1.5 days ago', '2024-03-29T12:00:00Z'],
    ['1 week 2 days ago', '2024-03-22T00:00:00Z'],
    ['in 3 days', '2024-04-03T00:00:00Z'],
    ['in 1 month', '2024-04-30T00:00:00Z'],
    ['in 2 hours', '2024-03-31T12:20:30Z'],
    ['3 hours ago', '2024-03-31T07:20:30Z'],
    ['30 minutes ago', '2024-03-31T09:50:30Z'],
    ['45 seconds ago', '2024-03-31T10:19:45Z'],
    ['-2 hours', '2024-03-31T08:20:30Z'],
    ['-1 week', '2024-03-24T00:00:00Z'],
    ['2 weeks', '2024-03-17T00:00:00Z'],
    ['1 month', '2024-02-29T00:00:00Z'],
    ['-1d', '2024-03-30T10:20:30Z'],
    ['1d', '2024-03-30T10:20:30Z'],
    ['26h', '2024-03-30T08:20:30Z'],
    ['10m', '2024-03-31T10:10:30Z'],
    ['a week ago', '2024-03-24T10:20:30Z'],
    ['an hour ago', '2024-03-31T09:20:30Z'],
    ['last week', '2024-03-24T10:20:30Z'],
    ['next month', '2024-04-30T10:20:30Z'],
    ['20240101', '2024-01-01T00:00:00Z'],
    ['2024-1-5', '2024-01-05T00:00:00Z'],
    ['2024/01/05', '2024-01-05T00:00:00Z'],
    ['2024-01-01T00:00:00', '2024-01-01T00:00:00Z'],
    ['2024-01-01 10:00', '2024-01-01T10:00:00Z'],
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
    ['2024-01-01T00:00:00+02:00', '2023-12-31T22:00:00Z'],
    ['1704067200000', '2024-01-01T00:00:00Z'],
  ])('%j is %s, as in SQLMesh', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['2024-01-01 00:00:00.123456', '2024-01-01T00:00:00.123Z'],
    ['2024-01-01T10:00-0530', '2024-01-01T15:30:00Z'],
    ['2024-01-01 10:00 +01', '2024-01-01T09:00:00Z'],
    ['2024-01-01 10:00 utc', '2024-01-01T10:00:00Z'],
    ['1 quarter ago', '2023-12-31T00:00:00Z'],
    ['3 days from now', '2024-04-03T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['9999-12-31', '9999-12-31T00:00:00Z'],
    ['-86400000000', '1967-04-07T00:00:00Z'],
    [0, '1970-01-01T00:00:00Z'],
  ])('%j is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['2024-02-30', /February 2024 has 29 days/],
    ['2023-02-29', /February 2023 has 28 days/],
    ['2024-04-31', /April 2024 has 30 days/],
    ['2024-13-01', /has the month 13/],
    ['2024-00-10', /has the month 00/],
    ['20241301', /has the month 13/],
    ['99999-01-01', /has the year 99999/],
    ['0000-01-01', /has the year 0000/],
    ['2024-01-01T24:00:00', /no valid time of day/],
    ['2024-01-01 10:60', /no valid time of day/],
    ['2024-01-01 10:00+99:00', /no valid time of day/],
    ['2024-01-01 10:00 Europe/Berlin', /no valid time of day/],
    ['1704067200', /too small for epoch milliseconds/],
    ['2024', /too small for epoch milliseconds/],
    ['99999999999999999', /outside the years/],
    ['20000 years ago', /longer than 10,000 years/],
    ['9000 years ago', /outside the years/],
    ['1.5 months ago', /fraction of a month/],
    ['2024-01', /not a point in time/],
    ['', /not a point in time/],
    ['3 fortnights ago', /not a point in time/],
    ['last monday', /not a point in time/],
    [Number.NaN, /outside the years/],
    [1e300, /outside the years/],
  ])('%j is refused', (text, message) => {
    const problem = parseTime(text, NOW);
    expect(problem).toMatchObject({ kind: 'problem', reason: 'bad-time', text: String(text) });
    if (problem.kind === 'problem') expect(problem.message).toMatch(message);
  });

  test('only a bare date is date-only, and as an end it includes its day', () => {
    const cases = [
      ['2024-01-31', true, '2024-02-01T00:00:00Z'],
      ['20240131', true, '2024-02-01T00:00:00Z'],
      ['2024-1-5', true, '2024-01-06T00:00:00Z'],
      ['2024-01-31 00:00', false, '2024-01-31T00:00:00Z'],
      ['yesterday', false, '2024-03-30T00:00:00Z'],
      ['1704067200000', false, '2024-01-01T00:00:00Z'],
    ] as const;
    for (const [text, expected, end] of cases) {
      const time = parseTime(text, NOW);
      if (time.kind === 'problem') throw new Error(time.message);
      expect([text, time.isDateOnly, isDateOnly(text), isoInstantShort(exclusiveEnd(time))]).toEqual([
        text,
        expected,
        expected,
        end,
      ]);
    }
    expect(isDateOnly('2024-02-30')).toBe(false);
  });

  test('every valid instant survives being written and read', () => {
    const years = { min: Date.parse('0001-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') };
    fc.assert(
      fc.property(fc.integer(years), (at) => {
        expect(parseTime(new Date(at).toISOString(), NOW)).toMatchObject({ at });
      }),
    );
  });

  test('no text makes it throw or leave the calendar', () => {
    const piece = fc.constantFrom(
      '1',
      '9999',
      '99999999',
      '-',
      ' ',
      'ago',
      'in',
      'day',
      'months',
      'T',
      ':',
      '.',
      'last',
      'and',
      '/',
      '+',
      'Z',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        ),
        (text) => {
          const time = parseTime(text, NOW);
          if (time.kind === 'time') expect(Math.abs(time.at)).toBeLessThan(3e14);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('durations', () => {
  test.each([
    ['26h', 0, 26 * 3_600_000],
    ['10m', 0, 600_000],
    ['1 week', 0, 7 * 86_400_000],
    ['7 days', 0, 7 * 86_400_000],
    ['1 month', 1, 0],
    ['in 1 week', 0, 7 * 86_400_000],
    ['1 year 6 months', 18, 0],
    ['1 year, 2 days and 3 hours', 12, 2 * 86_400_000 + 3 * 3_600_000],
    ['1h30m', 0, 5_400_000],
    ['1.5 hours', 0, 5_400_000],
    ['90 sec', 0, 90_000],
    ['500ms', 0, 500],
    ['2 quarters', 6, 0],
    ['3mo', 3, 0],
    ['2 yrs', 24, 0],
    ['an hour', 0, 3_600_000],
  ])('%j is %i months and %i ms', (text, months, ms) => {
    expect(parseDuration(text)).toEqual({ kind: 'duration', months, ms });
  });

  test.each([
    '',
    '5',
    'week',
    '1 fortnight',
    '-1 day',
    '1.5 months',
    '99999 years',
    '1 day ago',
    '1e3 days',
    `${'1 day '.repeat(50)}`,
  ])('%j is refused', (text) => {
    expect(parseDuration(text)).toMatchObject({ kind: 'problem', reason: 'bad-duration', text });
  });

  test('adding months takes the last day of a shorter month and keeps the clock', () => {
    const month = { kind: 'duration', months: 1, ms: 0 } as const;
    expect(isoInstantShort(addDuration(Date.parse('2024-01-31T10:00:00Z'), month))).toBe(
      '2024-02-29T10:00:00Z',
    );
    expect(isoInstantShort(addDuration(Date.parse('2024-03-31T10:00:00Z'), month, -1))).toBe(
      '2024-02-29T10:00:00Z',
    );
  });
});
