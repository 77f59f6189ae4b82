import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDateRange } from './date-range.ts';
import { isoInstantShort } from './iso.ts';
import { floorInZone } from './time-zone.ts';

/** A Sunday, and in Berlin the day of the spring change: 12:20 on the wall. */
const NOW = Date.parse('2024-03-31T10:20:30Z');

function read(input: string | readonly string[], zone = 'UTC', now = NOW): string {
  const range = parseDateRange(input, { now, zone });
  if (range.kind === 'problem') return `${range.reason}: ${range.message}`;
  return `${isoInstantShort(range.start)} ${isoInstantShort(range.end)}`.replaceAll('T00:00:00Z', '');
}

describe('date ranges', () => {
  test.each([
    ['today', '2024-03-31 2024-04-01'],
    ['Yesterday', '2024-03-30 2024-03-31'],
    ['tomorrow', '2024-04-01 2024-04-02'],
    ['this week', '2024-03-25 2024-04-01'],
    ['last week', '2024-03-18 2024-03-25'],
    ['next week', '2024-04-01 2024-04-08'],
    ['this month', '2024-03-01 2024-04-01'],
    ['last month', '2024-02-01 2024-03-01'],
    ['next month', '2024-04-01 2024-05-01'],
    ['this quarter', '2024-01-01 2024-04-01'],
    ['last quarter', '2023-10-01 2024-01-01'],
    ['next quarter', '2024-04-01 2024-07-01'],
    ['this year', '2024-01-01 2025-01-01'],
    ['last year', '2023-01-01 2024-01-01'],
    ['next year', '2025-01-01 2026-01-01'],
    ['last 7 days', '2024-03-24 2024-03-31'],
    ['last 1 day', '2024-03-30 2024-03-31'],
    ['last 2 weeks', '2024-03-11 2024-03-25'],
    ['last 13 months', '2023-02-01 2024-03-01'],
    ['last 5 quarters', '2022-10-01 2024-01-01'],
    ['next 2 days', '2024-04-01 2024-04-03'],
    ['last 2 hours', '2024-03-31T08:00:00Z 2024-03-31T10:00:00Z'],
    ['this hour', '2024-03-31T10:00:00Z 2024-03-31T11:00:00Z'],
    ['2024-02-29', '2024-02-29 2024-03-01'],
    ['from 2024-01-01 to 2024-01-31', '2024-01-01 2024-02-01'],
    ['from 7 days ago to yesterday', '2024-03-24 2024-03-31'],
    ['from 1 month ago to now', '2024-02-29 2024-03-31T10:20:30Z'],
    ['from 3 hours ago to now', '2024-03-31T07:20:30Z 2024-03-31T10:20:30Z'],
    ['from 2024-01-01T00:00:00.000 to 2024-01-31T23:59:59.999', '2024-01-01 2024-02-01'],
  ])('%s is [%s) in UTC', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ['Europe/Berlin', 'today', '2024-03-30T23:00:00Z 2024-03-31T22:00:00Z'],
    ['Europe/Berlin', 'last 1 day', '2024-03-29T23:00:00Z 2024-03-30T23:00:00Z'],
    ['Europe/Berlin', 'this month', '2024-02-29T23:00:00Z 2024-03-31T22:00:00Z'],
    ['Europe/Berlin', 'this week', '2024-03-24T23:00:00Z 2024-03-31T22:00:00Z'],
    ['Europe/Berlin', '2024-10-27', '2024-10-26T22:00:00Z 2024-10-27T23:00:00Z'],
    ['Europe/Berlin', 'from 1 day ago to today', '2024-03-29T23:00:00Z 2024-03-31T22:00:00Z'],
    ['America/New_York', 'today', '2024-03-31T04:00:00Z 2024-04-01T04:00:00Z'],
    ['Asia/Kolkata', 'this year', '2023-12-31T18:30:00Z 2024-12-31T18:30:00Z'],
    ['Australia/Lord_Howe', '2024-04-07', '2024-04-06T13:00:00Z 2024-04-07T13:30:00Z'],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z 2018-11-05T02:00:00Z'],
  ])('in %s, %s is [%s)', (zone, text, expected) => {
    expect(read(text, zone)).toBe(expected);
  });

  test('in the night of a skipped midnight the days around it are whole', () => {
    const now = Date.parse('2018-11-04T12:00:00Z');
    expect(read('today', 'America/Sao_Paulo', now)).toBe('2018-11-04T03:00:00Z 2018-11-05T02:00:00Z');
    expect(read('yesterday', 'America/Sao_Paulo', now)).toBe('2018-11-03T03:00:00Z 2018-11-04T03:00:00Z');
    expect(read('last 1 day', 'America/Sao_Paulo', now)).toBe('2018-11-03T03:00:00Z 2018-11-04T03:00:00Z');
    expect(read('next 1 day', 'America/Sao_Paulo', now)).toBe('2018-11-05T02:00:00Z 2018-11-06T02:00:00Z');
  });

  test('a list has one date or two, and the second is included', () => {
    expect(read(['2024-01-01', '2024-01-31'])).toBe('2024-01-01 2024-02-01');
    expect(read(['2024-01-01'])).toBe('2024-01-01 2024-01-02');
    expect(read(['last month'])).toBe('2024-02-01 2024-03-01');
    expect(read(['2024-01-01T10:00:00+02:00', '2024-01-01T12:00:00Z'])).toBe(
      '2024-01-01T08:00:00Z 2024-01-01T12:00:00.001Z',
    );
  });

  test.each([
    ['', /not a date range/],
    ['now', /a moment, not a range/],
    ['last 0 days', /has the count 0/],
    ['last 999999999999 days', /has the count/],
    ['last 100000 years', /leaves the years/],
    ['this 2 weeks', /not a date range/],
    ['last fortnight', /not a date range/],
    ['2024-02-30', /February 2024 has 29 days/],
    ['from 2024-02-01 to 2024-01-01', /ends before it starts/],
    ['from 2024-01-01', /not a date range/],
    ['from 99999 years ago to now', /longer than 10,000 years/],
    [[], /has 0 dates/],
    [['2024-01-01', '2024-01-02', '2024-01-03'], /has 3 dates/],
  ])('%j is refused', (input, message) => {
    for (const zone of ['UTC', 'Europe/Berlin']) {
      const problem = parseDateRange(input, { now: NOW, zone });
      expect(problem).toMatchObject({ kind: 'problem', reason: 'bad-date-range' });
      if (problem.kind === 'problem') expect(problem.message).toMatch(message);
    }
  });

  test('last, this and next of a unit lie side by side in every zone', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'America/Havana',
    );
    const units = fc.constantFrom('day', 'week', 'month', 'quarter', 'year');
    const times = fc.integer({
      min: Date.parse('1990-01-01T00:00:00Z'),
      max: Date.parse('2035-01-01T00:00:00Z'),
    });
    fc.assert(
      fc.property(zones, units, times, fc.integer({ min: 1, max: 30 }), (zone, unit, now, count) => {
        const [last, current, next] = [
          `last ${count} ${unit}s`,
          `this ${unit}`,
          `next ${count} ${unit}s`,
        ].map((text) => {
          const range = parseDateRange(text, { now, zone });
          if (range.kind === 'problem') throw new Error(range.message);
          return range;
        });
        expect(last!.end).toBe(current!.start);
        expect(current!.end).toBe(next!.start);
        expect(current!.start).toBeLessThanOrEqual(now);
        expect(current!.end).toBeGreaterThan(now);
        for (const border of [last!.start, current!.end, next!.end])
          expect(floorInZone(zone, border, 'day')).toBe(border);
      }),
      { numRuns: 200 },
    );
  });

  test('no text makes it throw', () => {
    const piece = fc.constantFrom(
      'from ',
      ' to ',
      'last ',
      '9999',
      '12',
      ' days',
      ' years',
      ' ago',
      'now',
      '0001-01-01',
      '9999-12-31',
      'this ',
      'in ',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia'),
        (pieces, zone) => {
          const range = parseDateRange(pieces.join(''), { now: NOW, zone });
          if (range.kind === 'date-range') expect(range.start).toBeLessThan(range.end);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
