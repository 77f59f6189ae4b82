import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BinShare,
  categoryShares,
  distance,
  edgesOf,
  equiDepthEdges,
  numericBins,
  numericShares,
} from './distribution.ts';

const edges = fc
  .array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 9 })
  .map((list) => equiDepthEdges(list.map((edge) => (edge === 0 ? 0 : edge))));

/** Shares of up to eight categories, summing up to 1. */
const shares = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 8, maxLength: 8 }).map((rows) => {
  const all = rows.reduce((a, b) => a + b, 0);
  return rows.map((count, i): BinShare => ({ bin: `b${i}`, share: all === 0 ? 1 / 8 : count / all }));
});
const METHODS = ['psi', 'chi_square', 'ks'] as const;

describe('bins', () => {
  test('names of numeric bins say their edges', () => {
    expect(numericBins([1, 2.5, 10])).toEqual(['< 1', '1 to 2.5', '2.5 to 10', '>= 10']);
    expect(numericBins([])).toEqual(['all']);
    fc.assert(
      fc.property(edges, (list) => {
        expect(edgesOf(numericShares(list, []))).toEqual(list);
      }),
    );
  });

  test('equal edges are one', () => {
    expect(equiDepthEdges([5, 0, 0, 0, 5, 7])).toEqual([0, 5, 7]);
  });

  test('the most frequent values have bins, the rest is in other', () => {
    const counts = Array.from({ length: 30 }, (_, i) => ({ value: `v${i}`, rows: 100 - i }));
    const rows = counts.reduce((sum, count) => sum + count.rows, 0);
    const now = categoryShares(counts, rows);
    expect(now).toHaveLength(21);
    expect(now[0]).toEqual({ bin: '"v0"', share: 100 / rows });
    expect(now.at(-1)?.share).toBeCloseTo(
      counts.slice(20).reduce((sum, count) => sum + count.rows, 0) / rows,
      12,
    );
  });

  test('later values go into the bins of the baseline; a value called other is not the rest', () => {
    const before = categoryShares(
      [
        { value: 'a', rows: 3 },
        { value: 'other', rows: 1 },
      ],
      4,
    );
    expect(before.map(({ bin }) => bin)).toEqual(['"a"', '"other"', 'other']);
    expect(
      categoryShares(
        [
          { value: 'a', rows: 1 },
          { value: 'new', rows: 1 },
        ],
        2,
        before,
      ),
    ).toEqual([
      { bin: '"a"', share: 0.5 },
      { bin: '"other"', share: 0 },
      { bin: 'other', share: 0.5 },
    ]);
    expect(edgesOf(before)).toBeUndefined();
  });

  test('nothing has shares of 0', () => {
    expect(categoryShares([], 0)).toEqual([{ bin: 'other', share: 0 }]);
    expect(numericShares([1], [0, 0]).map(({ share }) => share)).toEqual([0, 0]);
  });
});

describe('distance', () => {
  test.each([
    // By hand: (0.25 − 0.5) ln 0.5 + (0.75 − 0.5) ln 1.5.
    ['psi', 0.27465],
    // 0.25² / 0.5 twice.
    ['chi_square', 0.25],
    ['ks', 0.25],
  ] as const)('%s of an example', (method, expected) => {
    const half = [
      { bin: 'a', share: 0.5 },
      { bin: 'b', share: 0.5 },
    ];
    const other = [
      { bin: 'b', share: 0.75 },
      { bin: 'a', share: 0.25 },
    ];
    expect(distance(method, half, other)).toBeCloseTo(expected, 5);
  });

  test('is 0 between equal shares, never negative, and finite where a bin is empty', () => {
    fc.assert(
      fc.property(shares, shares, fc.constantFrom(...METHODS), (a, b, method) => {
        expect(distance(method, a, a)).toBe(0);
        const apart = distance(method, a, b);
        expect(apart).toBeGreaterThanOrEqual(0);
        expect(Number.isFinite(apart)).toBe(true);
        if (method !== 'chi_square') expect(distance(method, b, a)).toBeCloseTo(apart, 9);
      }),
    );
    expect(distance('psi', [{ bin: 'a', share: 1 }], [{ bin: 'b', share: 1 }])).toBeGreaterThan(10);
  });

  test('of bins, the greatest difference of the cumulated shares is what rows would say at the edges', () => {
    const rows = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(rows, rows, (before, now) => {
        const cuts = [4, 9, 15];
        const share = (list: readonly number[]) =>
          numericShares(
            cuts,
            [Number.NEGATIVE_INFINITY, ...cuts].map(
              (low, i) => list.filter((x) => x >= low && x < (cuts[i] ?? Number.POSITIVE_INFINITY)).length,
            ),
          );
        const below = (list: readonly number[], cut: number) =>
          list.filter((x) => x < cut).length / list.length;
        const expected = Math.max(...cuts.map((cut) => Math.abs(below(before, cut) - below(now, cut))));
        expect(distance('ks', share(before), share(now))).toBeCloseTo(expected, 9);
      }),
    );
  });
});
