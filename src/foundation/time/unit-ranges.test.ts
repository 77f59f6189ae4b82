import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import { ceilToUnit, floorToUnit, INTERVAL_UNITS, type IntervalUnit, nextUnit } from './interval-unit.ts';
import { normalizeRanges, type RangeSet, subtractRanges, totalLength, unionRanges } from './ranges.ts';
import {
  batchesOfUnits,
  countBatches,
  countUnits,
  expandToUnits,
  shrinkToUnits,
  withLookback,
} from './unit-ranges.ts';

const DAY = 86_400_000;
const utc = Date.UTC;
const day = (n: number): number => utc(2024, 0, n);
const days = (...numbers: number[]): RangeSet =>
  normalizeRanges(numbers.map((n) => ({ start: day(n), end: day(n + 1) })));
const dayNumbers = (set: RangeSet): number[] =>
  [...batchesOfUnits(set, 'day', 1)].map(({ start }) => (start - day(1)) / DAY + 1);

/** Up to a few hundred cells of the unit around 2024, with borders on and off the grid. */
const unitAndSet = fc.constantFrom<IntervalUnit[]>(...INTERVAL_UNITS).chain((unit) => {
  const span = { year: 400 * DAY, month: 40 * DAY, day: 1.3 * DAY }[unit as string] ?? DAY / 10;
  const base = utc(2024, 1, 27);
  const point = fc.oneof(
    fc.integer({ min: 0, max: 20 }).map((n) => floorToUnit(unit, base + n * span)),
    fc.integer({ min: 0, max: Math.floor(20 * span) }).map((n) => base + n),
  );
  return fc
    .array(fc.tuple(point, point), { maxLength: 6 })
    .map((pairs) => ({ unit, set: normalizeRanges(pairs.map(([start, end]) => ({ start, end }))) }));
});

/** The oracle: the start of every cell that some range touches. */
function touchedCells(set: RangeSet, unit: IntervalUnit): Set<number> {
  const cells = new Set<number>();
  for (const { start, end } of set) {
    for (let cell = floorToUnit(unit, start); cell < end; cell = nextUnit(unit, cell)) cells.add(cell);
  }
  return cells;
}

describe('on the grid of a unit', () => {
  test('shrinking keeps exactly the whole cells and expanding adds exactly the touched ones', () => {
    fc.assert(
      fc.property(unitAndSet, ({ unit, set }) => {
        const touched = touchedCells(set, unit);
        expect(touchedCells(expandToUnits(set, unit), unit)).toEqual(touched);
        const whole = [...touched].filter(
          (cell) => subtractRanges([{ start: cell, end: nextUnit(unit, cell) }], set).length === 0,
        );
        expect([...touchedCells(shrinkToUnits(set, unit), unit)]).toEqual(whole);
        for (const { start, end } of [...expandToUnits(set, unit), ...shrinkToUnits(set, unit)]) {
          expect([floorToUnit(unit, start), ceilToUnit(unit, end)]).toEqual([start, end]);
        }
        expect(countUnits(set, unit)).toBe(touched.size);
      }),
      { numRuns: 300 },
    );
  });

  test('batches cover the set exactly, in order, and none has more cells than asked', () => {
    fc.assert(
      fc.property(unitAndSet, fc.integer({ min: 1, max: 7 }), ({ unit, set }, unitsMax) => {
        const batches = [...batchesOfUnits(set, unit, unitsMax)];
        expect(normalizeRanges(batches)).toEqual(set);
        expect(totalLength(batches)).toBe(totalLength(set));
        expect(batches).toHaveLength(countBatches(set, unit, unitsMax));
        for (const batch of batches) expect(countUnits([batch], unit)).toBeLessThanOrEqual(unitsMax);
      }),
      { numRuns: 300 },
    );
  });

  test('lookback re-fills exactly the cells before each missing one, down to the start bound', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 5, max: 40 }), { maxLength: 10 }),
        fc.nat(5),
        fc.integer({ min: 1, max: 5 }),
        (missing, lookback, firstDay) => {
          const expected = new Set<number>();
          for (const n of missing)
            for (let k = 0; k <= lookback; k++) if (n - k >= firstDay) expected.add(n - k);
          const set = withLookback(days(...missing), { unit: 'day', lookback, startBound: day(firstDay) });
          expect(dayNumbers(set)).toEqual([...expected].sort((a, b) => a - b));
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('a hole in the middle re-fills both days before it and nothing at the tail', () => {
  const missing = subtractRanges(days(1, 2, 3, 4, 5, 6, 7, 8, 9, 10), days(1, 2, 3, 4, 6, 7, 8, 9, 10));
  expect(dayNumbers(withLookback(missing, { unit: 'day', lookback: 2, startBound: day(1) }))).toEqual([
    3, 4, 5,
  ]);
});

test('lookback over months follows the calendar', () => {
  const march = [{ start: utc(2024, 2, 1), end: utc(2024, 3, 1) }];
  expect(withLookback(march, { unit: 'month', lookback: 2, startBound: utc(2020, 0, 1) })).toEqual([
    { start: utc(2024, 0, 1), end: utc(2024, 3, 1) },
  ]);
});

test('nothing missing means nothing to look back to', () => {
  expect(withLookback([], { unit: 'day', lookback: 7, startBound: 0 })).toEqual([]);
});

test('a batch of no units is a bug and crashes', () => {
  expect(() => [...batchesOfUnits(days(1), 'day', 0)]).toThrow(RangeError);
});

test('five years of five-minute cells for a hundred tables plan in milliseconds', () => {
  const wanted = [{ start: utc(2020, 0, 1), end: utc(2025, 0, 1) }];
  const done = shrinkToUnits(
    Array.from({ length: 60 }, (_, i) => ({ start: utc(2020, i, 3), end: utc(2020, i, 27) })),
    'five-minute',
  );
  const before = cpuMs();
  let units = 0;
  for (let table = 0; table < 100; table++) {
    const missing = subtractRanges(wanted, done);
    const withLate = withLookback(missing, {
      unit: 'five-minute',
      lookback: 12,
      startBound: utc(2020, 0, 1),
    });
    units += countUnits(unionRanges(missing, withLate), 'five-minute');
    expect(batchesOfUnits(withLate, 'five-minute', 1).next().value).toEqual({
      start: utc(2020, 0, 1),
      end: utc(2020, 0, 1, 0, 5),
    });
  }
  expect(units).toBeGreaterThan(1_000_000);
  expect(cpuMs() - before).toBeLessThan(500);
});
