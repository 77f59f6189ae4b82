import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addMonthsToDays,
  civilFromDays,
  DAY_MS,
  daysFromCivil,
  daysFromMonthIndex,
  daysInMonth,
  isLeapYear,
  modulo,
  monthIndexOfDays,
  weekdayOfDays,
} from './civil.ts';

const dayArbitrary = fc.integer({ min: -800_000, max: 3_000_000 });

test('days become the dates and weekdays that JavaScript gives, and back', () => {
  fc.assert(
    fc.property(dayArbitrary, (days) => {
      const date = new Date(days * DAY_MS);
      const civil = civilFromDays(days);
      expect(civil).toEqual({
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
      });
      expect(daysFromCivil(civil.year, civil.month, civil.day)).toBe(days);
      expect(weekdayOfDays(days)).toBe(date.getUTCDay());
    }),
    { numRuns: 3000 },
  );
});

test('every day of four centuries follows the one before', () => {
  let { year, month, day } = civilFromDays(daysFromCivil(1799, 12, 31));
  for (let days = daysFromCivil(1800, 1, 1); days < daysFromCivil(2201, 1, 1); days++) {
    day += 1;
    if (day > daysInMonth(year, month)) [month, day] = [month + 1, 1];
    if (month > 12) [year, month] = [year + 1, 1];
    const found = civilFromDays(days);
    if (found.year !== year || found.month !== month || found.day !== day) {
      expect(found).toEqual({ year, month, day });
    }
  }
});

test('adding months keeps the day of the month or takes the last one', () => {
  const at = (text: string): number => Date.parse(`${text}T00:00:00Z`) / DAY_MS;
  const cases = [
    ['2024-01-31', 1, '2024-02-29'],
    ['2023-01-31', 1, '2023-02-28'],
    ['2024-03-31', -1, '2024-02-29'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', -48, '2020-02-29'],
    ['2024-12-15', 1, '2025-01-15'],
    ['1970-01-01', -1, '1969-12-01'],
  ] as const;
  for (const [from, months, to] of cases)
    expect([from, addMonthsToDays(at(from), months)]).toEqual([from, at(to)]);
});

test('month numbers and first days are inverse', () => {
  fc.assert(
    fc.property(fc.integer({ min: -20_000, max: 90_000 }), (index) => {
      expect(monthIndexOfDays(daysFromMonthIndex(index))).toBe(index);
      expect(monthIndexOfDays(daysFromMonthIndex(index + 1) - 1)).toBe(index);
    }),
  );
});

test('centuries are leap years only every fourth time', () => {
  expect([1900, 2000, 2023, 2024, 2100].map(isLeapYear)).toEqual([false, true, false, true, false]);
});

test('the remainder is never negative nor minus zero', () => {
  expect(modulo(-1, 7)).toBe(6);
  expect(Object.is(modulo(-7, 7), 0)).toBe(true);
});
