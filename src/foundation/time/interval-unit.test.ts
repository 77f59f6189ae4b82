import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addUnits,
  ceilToUnit,
  floorToUnit,
  INTERVAL_UNITS,
  isFinerUnit,
  nextUnit,
  parseIntervalUnit,
  previousUnit,
  unitForSpacing,
  unitIndex,
  unitStart,
} from './interval-unit.ts';

const utc = Date.UTC;
const HOUR = 3_600_000;
const unitArbitrary = fc.constantFrom(...INTERVAL_UNITS);
const timeArbitrary = fc.integer({ min: utc(1900, 0, 1), max: utc(2200, 0, 1) });

describe('cells', () => {
  test('of every unit begin where JavaScript dates say', () => {
    fc.assert(
      fc.property(timeArbitrary, (at) => {
        const date = new Date(at);
        const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
        const [h, min] = [date.getUTCHours(), date.getUTCMinutes()];
        expect(floorToUnit('year', at)).toBe(utc(y, 0));
        expect(floorToUnit('month', at)).toBe(utc(y, m));
        expect(floorToUnit('day', at)).toBe(utc(y, m, d));
        expect(floorToUnit('hour', at)).toBe(utc(y, m, d, h));
        expect(floorToUnit('half-hour', at)).toBe(utc(y, m, d, h, min - (min % 30)));
        expect(floorToUnit('quarter-hour', at)).toBe(utc(y, m, d, h, min - (min % 15)));
        expect(floorToUnit('five-minute', at)).toBe(utc(y, m, d, h, min - (min % 5)));
        expect(nextUnit('month', at)).toBe(utc(y, m + 1));
        expect(nextUnit('year', at)).toBe(utc(y + 1, 0));
      }),
      { numRuns: 500 },
    );
  });

  test('floor, ceil, next and previous fit together', () => {
    fc.assert(
      fc.property(unitArbitrary, timeArbitrary, fc.integer({ min: -50, max: 50 }), (unit, at, count) => {
        const floor = floorToUnit(unit, at);
        expect(floor).toBeLessThanOrEqual(at);
        expect(nextUnit(unit, at)).toBeGreaterThan(at);
        expect(previousUnit(unit, at)).toBeLessThan(at);
        expect(previousUnit(unit, nextUnit(unit, at))).toBe(floor);
        expect(ceilToUnit(unit, floor)).toBe(floor);
        expect(ceilToUnit(unit, floor + 1)).toBe(nextUnit(unit, at));
        expect(unitStart(unit, unitIndex(unit, at))).toBe(floor);
        expect(addUnits(unit, addUnits(unit, at, count), -count)).toBe(floor);
      }),
      { numRuns: 500 },
    );
  });
});

test('February ends on the 29th in leap years only', () => {
  expect(nextUnit('month', utc(2024, 1, 29))).toBe(utc(2024, 2, 1));
  expect(nextUnit('day', utc(2024, 1, 28))).toBe(utc(2024, 1, 29));
  expect(nextUnit('day', utc(2023, 1, 28))).toBe(utc(2023, 2, 1));
  expect(nextUnit('day', utc(1900, 1, 28))).toBe(utc(1900, 2, 1));
});

test('users may write a unit with underscore, dash or space and in any case', () => {
  for (const text of ['half_hour', 'HALF-HOUR', ' half hour ']) {
    expect(parseIntervalUnit(text)).toEqual({ kind: 'interval-unit', unit: 'half-hour' });
  }
  expect(parseIntervalUnit('week')).toMatchObject({
    kind: 'problem',
    reason: 'unknown-interval-unit',
    expected: 'one of year, month, day, hour, half_hour, quarter_hour, five_minute',
  });
});

test('the unit for a spacing is the largest that is not longer', () => {
  const cases = [
    [366 * 24 * HOUR, 'year'],
    [364 * 24 * HOUR, 'month'],
    [28 * 24 * HOUR, 'month'],
    [7 * 24 * HOUR, 'day'],
    [23 * HOUR, 'hour'],
    [HOUR - 1, 'half-hour'],
    [20 * 60_000, 'quarter-hour'],
    [5 * 60_000, 'five-minute'],
    [5 * 60_000 - 1, undefined],
  ] as const;
  for (const [spacing, unit] of cases) expect(unitForSpacing(spacing)).toBe(unit);
  expect(isFinerUnit('hour', 'day')).toBe(true);
  expect(isFinerUnit('day', 'day')).toBe(false);
});
