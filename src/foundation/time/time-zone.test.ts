import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isoInstantShort } from './iso.ts';
import {
  addInZone,
  type CalendarUnit,
  firstUtcOfWall,
  floorInZone,
  parseTimeZone,
  utcToWall,
  wallToUtc,
  zoneOffset,
} from './time-zone.ts';

const at = (text: string): number => Date.parse(text);
/** A wall time is written without zone; as a number it is as if UTC. */
const wall = (text: string): number => Date.parse(`${text}Z`);
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'America/Havana',
  'Pacific/Apia',
  'Africa/Casablanca',
  'Asia/Kathmandu',
];
const timeArbitrary = fc.integer({ min: at('1971-01-01T00:00:00Z'), max: at('2037-01-01T00:00:00Z') });

/** The oracle reads all date parts from Intl, which the code under test never does. */
function wallByParts(zone: string, instant: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const [, d, m, y, clock] = /^(\d+)\/(\d+)\/(\d+), (.+)$/.exec(parts.format(instant))!;
  return `${y}-${m}-${d}T${clock}`;
}

describe('wall clock', () => {
  test('shows what Intl shows', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), timeArbitrary, (zone, instant) => {
        expect(new Date(utcToWall(zone, instant)).toISOString().slice(0, 19)).toBe(
          wallByParts(zone, instant),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('leads back to the instant it came from, alone or as one of two', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), timeArbitrary, (zone, instant) => {
        const meaning = wallToUtc(zone, utcToWall(zone, instant));
        expect(meaning.kind).not.toBe('gap');
        const instants = meaning.kind === 'overlap' ? [meaning.at, meaning.again] : [meaning.at];
        expect(instants).toContain(instant);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['Europe/Berlin', '2024-03-31T02:30:00', 'gap', '2024-03-31T01:00:00Z'],
    ['Europe/Berlin', '2024-03-31T03:00:00', 'unique', '2024-03-31T01:00:00Z'],
    ['Europe/Berlin', '2024-10-27T02:30:00', 'overlap', '2024-10-27T00:30:00Z'],
    ['Europe/Berlin', '2024-10-27T03:00:00', 'unique', '2024-10-27T02:00:00Z'],
    ['America/New_York', '2024-03-10T02:00:00', 'gap', '2024-03-10T07:00:00Z'],
    ['America/New_York', '2024-11-03T01:59:59', 'overlap', '2024-11-03T05:59:59Z'],
    ['Australia/Lord_Howe', '2024-10-06T02:15:00', 'gap', '2024-10-05T15:30:00Z'],
    ['Australia/Lord_Howe', '2024-04-07T01:45:00', 'overlap', '2024-04-06T14:45:00Z'],
    ['Australia/Lord_Howe', '2024-04-07T01:29:59', 'unique', '2024-04-06T14:29:59Z'],
    ['America/Sao_Paulo', '2018-11-04T00:00:00', 'gap', '2018-11-04T03:00:00Z'],
    ['Pacific/Apia', '2011-12-30T12:00:00', 'gap', '2011-12-30T10:00:00Z'],
    ['Asia/Kolkata', '2024-03-31T02:30:00', 'unique', '2024-03-30T21:00:00Z'],
  ])('in %s at %s is %s', (zone, text, kind, instant) => {
    const meaning = wallToUtc(zone, wall(text));
    expect([meaning.kind, isoInstantShort(meaning.at)]).toEqual([kind, instant]);
  });

  test('in an overlap the second instant follows by the size of the change', () => {
    const berlin = wallToUtc('Europe/Berlin', wall('2024-10-27T02:30:00'));
    expect(berlin).toMatchObject({ again: berlin.at + 3_600_000 });
    const lordHowe = wallToUtc('Australia/Lord_Howe', wall('2024-04-07T01:45:00'));
    expect(lordHowe).toMatchObject({ again: lordHowe.at + 1_800_000 });
  });

  test('keeps milliseconds, also before 1970 and with offsets of seconds', () => {
    expect(utcToWall('Europe/Berlin', -1)).toBe(3_599_999);
    expect(zoneOffset('Europe/Berlin', at('1880-01-01T00:00:00Z'))).toBe((53 * 60 + 28) * 1000);
    expect(zoneOffset('Asia/Kolkata', 0)).toBe(5.5 * 3_600_000);
  });
});

describe('calendar units in a zone', () => {
  test.each<[string, string, CalendarUnit, string]>([
    ['Europe/Berlin', '2024-03-31T12:00:00Z', 'day', '2024-03-30T23:00:00Z'],
    ['Europe/Berlin', '2024-04-01T12:00:00Z', 'day', '2024-03-31T22:00:00Z'],
    ['Europe/Berlin', '2024-03-31T21:59:59Z', 'week', '2024-03-24T23:00:00Z'],
    ['Europe/Berlin', '2024-03-31T22:00:00Z', 'week', '2024-03-31T22:00:00Z'],
    ['Europe/Berlin', '2024-05-31T21:59:59Z', 'month', '2024-04-30T22:00:00Z'],
    ['Europe/Berlin', '2024-05-31T22:00:00Z', 'quarter', '2024-03-31T22:00:00Z'],
    ['Europe/Berlin', '2024-12-31T23:00:00Z', 'year', '2024-12-31T23:00:00Z'],
    ['Europe/Berlin', '2024-10-27T01:30:00Z', 'hour', '2024-10-27T01:00:00Z'],
    ['Asia/Kolkata', '2024-01-01T00:00:00Z', 'hour', '2023-12-31T23:30:00Z'],
    ['America/Sao_Paulo', '2018-11-04T15:00:00Z', 'day', '2018-11-04T03:00:00Z'],
    ['America/Havana', '2024-11-03T12:00:00Z', 'day', '2024-11-03T04:00:00Z'],
    ['UTC', '2024-01-01T00:00:00Z', 'week', '2024-01-01T00:00:00Z'],
    ['UTC', '2023-12-31T23:59:59Z', 'week', '2023-12-25T00:00:00Z'],
  ])('in %s, %s lies in the %s that begins at %s', (zone, instant, unit, start) => {
    expect(isoInstantShort(floorInZone(zone, at(instant), unit))).toBe(start);
  });

  test('floors are idempotent and never later', () => {
    const units = fc.constantFrom<CalendarUnit[]>(
      'minute',
      'hour',
      'day',
      'week',
      'month',
      'quarter',
      'year',
    );
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), timeArbitrary, units, (zone, instant, unit) => {
        const floor = floorInZone(zone, instant, unit);
        expect(floor).toBeLessThanOrEqual(instant);
        if (unit !== 'hour') expect(floorInZone(zone, floor, unit)).toBe(floor);
      }),
      { numRuns: 400 },
    );
  });

  test('adding a day over a clock change keeps the wall clock', () => {
    const noon = at('2024-03-30T11:00:00Z');
    expect(isoInstantShort(addInZone('Europe/Berlin', noon, { count: 1, unit: 'day' }))).toBe(
      '2024-03-31T10:00:00Z',
    );
    expect(isoInstantShort(addInZone('Europe/Berlin', noon, { count: 24, unit: 'hour' }))).toBe(
      '2024-03-31T11:00:00Z',
    );
    const last = firstUtcOfWall('Europe/Berlin', wall('2024-01-31T00:00:00'));
    expect(isoInstantShort(addInZone('Europe/Berlin', last, { count: 1, unit: 'month' }))).toBe(
      '2024-02-28T23:00:00Z',
    );
    expect(isoInstantShort(addInZone('Europe/Berlin', last, { count: 1, unit: 'quarter' }))).toBe(
      '2024-04-29T22:00:00Z',
    );
  });
});

describe('zone names', () => {
  test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'EST5EDT'])(
    '%s is one',
    (name) => {
      expect(parseTimeZone(name)).toEqual({ kind: 'time-zone', name });
    },
  );

  test.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin; DROP', 'x'.repeat(1000)])('%j is none', (name) => {
    expect(parseTimeZone(name)).toMatchObject({ kind: 'problem', reason: 'unknown-time-zone', text: name });
  });
});
