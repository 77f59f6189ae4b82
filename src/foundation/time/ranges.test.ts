import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../../../tests/support/cpu-time.ts';
import {
  clipRanges,
  containsRange,
  containsTime,
  hullOfRanges,
  intersectRanges,
  normalizeRanges,
  type RangeSet,
  subtractRanges,
  type TimeRange,
  totalLength,
  unionRanges,
} from './ranges.ts';

const SIZE = 40;
const rangesArbitrary = fc.array(
  fc.record({ start: fc.integer({ min: -5, max: SIZE }), end: fc.integer({ min: -5, max: SIZE }) }),
  { maxLength: 12 },
);
const setArbitrary = rangesArbitrary.map(normalizeRanges);

/** The oracle: the set of all whole instants covered. */
function instants(ranges: readonly TimeRange[]): Set<number> {
  const all = new Set<number>();
  for (const { start, end } of ranges) for (let at = start; at < end; at++) all.add(at);
  return all;
}

function common(left: Set<number>, right: Set<number>): Set<number> {
  return new Set([...left].filter((at) => right.has(at)));
}

function expectRangeSet(set: RangeSet): void {
  for (const [i, range] of set.entries()) {
    expect(range.start).toBeLessThan(range.end);
    if (i > 0) expect(set[i - 1]!.end).toBeLessThan(range.start);
  }
}

describe('range sets agree with sets of instants', () => {
  test('normalising keeps the instants and yields sorted ranges that do not touch', () => {
    fc.assert(
      fc.property(rangesArbitrary, (ranges) => {
        const set = normalizeRanges(ranges);
        expectRangeSet(set);
        expect(instants(set)).toEqual(instants(ranges));
      }),
      { numRuns: 300 },
    );
  });

  test('union, intersection and difference are those of the instants', () => {
    fc.assert(
      fc.property(setArbitrary, setArbitrary, (left, right) => {
        const [a, b] = [instants(left), instants(right)];
        const results = [
          [unionRanges(left, right), new Set([...a, ...b])],
          [intersectRanges(left, right), common(a, b)],
          [subtractRanges(left, right), new Set([...a].filter((at) => !b.has(at)))],
        ] as const;
        for (const [set, expected] of results) {
          expectRangeSet(set);
          expect(instants(set)).toEqual(expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('containment, length, hull and clipping are those of the instants', () => {
    fc.assert(
      fc.property(setArbitrary, fc.integer({ min: -6, max: SIZE }), fc.nat(10), (set, start, length) => {
        const all = instants(set);
        const range = { start, end: start + length };
        expect(containsRange(set, range)).toBe([...instants([range])].every((at) => all.has(at)));
        expect(containsTime(set, start)).toBe(all.has(start));
        expect(totalLength(set)).toBe(all.size);
        expect(instants(clipRanges(set, range))).toEqual(common(all, instants([range])));
        const hull = hullOfRanges(set);
        expect(hull).toEqual(
          all.size === 0 ? undefined : { start: Math.min(...all), end: Math.max(...all) + 1 },
        );
      }),
      { numRuns: 300 },
    );
  });
});

test('inputs are not changed', () => {
  const left = Object.freeze([Object.freeze({ start: 0, end: 5 }), Object.freeze({ start: 8, end: 9 })]);
  const right = Object.freeze([Object.freeze({ start: 4, end: 8 })]);
  expect(unionRanges(left, right)).toEqual([{ start: 0, end: 9 }]);
  expect(normalizeRanges(left)).toEqual(left);
  expect(subtractRanges(left, right)).toEqual([
    { start: 0, end: 4 },
    { start: 8, end: 9 },
  ]);
});

test('subtracting a hundred thousand holes takes one walk, not one per range', () => {
  const many = Array.from({ length: 100_000 }, (_, i) => ({ start: i * 10, end: i * 10 + 6 }));
  const holes = Array.from({ length: 100_000 }, (_, i) => ({ start: i * 10 + 2, end: i * 10 + 4 }));
  const before = cpuMs();
  expect(subtractRanges(many, holes)).toHaveLength(200_000);
  expect(unionRanges(many, holes)).toHaveLength(100_000);
  expect(intersectRanges(many, holes)).toHaveLength(100_000);
  expect(cpuMs() - before).toBeLessThan(1000);
});
