/*
 * How the values of a column are distributed, and how far two distributions are apart.
 *
 *   baseline ─▶ bins: between its quantiles for numbers, its most frequent values for anything else
 *   later    ─▶ the same bins ─▶ distance of the shares
 *
 * The names of bins say where their edges are, so that shares alone are enough to compare with them later.
 */
import type { DqAssertion } from '../../domain/dq-pack.ts';

/** The share of rows with a value (NULLs do not count) that fall into a bin. */
export interface BinShare {
  readonly bin: string;
  readonly share: number;
}

export type DistanceMethod = Extract<DqAssertion, { readonly kind: 'distribution' }>['method'];

/** Values that the baseline has few of, or none. A value is written as JSON, so it is never this. */
export const OTHER_BIN = 'other';

/** The most frequent values that have a bin of their own. */
export const BINS_MAX = 10;
export const CATEGORIES_MAX = 20;

/** A share of nothing would make PSI and chi-square infinite. */
const SHARE_MIN = 0.0001;

/** Inner edges of bins with about as many rows each, from the quantiles of the baseline at 1/n, 2/n, … (n − 1)/n: equal ones are one edge. */
export function equiDepthEdges(quantiles: readonly number[]): readonly number[] {
  return [...new Set(quantiles.filter(Number.isFinite))].sort((a, b) => a - b);
}

/** Names of the bins between edges, in order: a value equal to an edge is in the bin above it. */
export function numericBins(edges: readonly number[]): readonly string[] {
  const [first] = edges;
  if (first === undefined) return ['all'];
  return [
    `< ${first}`,
    ...edges.map((edge, i) => (i + 1 < edges.length ? `${edge} to ${edges[i + 1]}` : `>= ${edge}`)),
  ];
}

/** The inner edges that names of bins say; undefined when they are names of categories. */
export function edgesOf(shares: readonly BinShare[]): readonly number[] | undefined {
  if (shares.length === 1 && shares[0]?.bin === 'all') return [];
  const edges = shares.flatMap(({ bin }) => {
    const from = /^(?:>= (?<last>\S+)|(?<low>\S+) to \S+)$/.exec(bin)?.groups;
    return from === undefined ? [] : [Number(from.last ?? from.low)];
  });
  return edges.length > 0 && shares[0]?.bin.startsWith('< ') === true ? edges : undefined;
}

/** Shares of bins by their numbers of rows, in the order of `numericBins`. */
export function numericShares(edges: readonly number[], rows: readonly number[]): readonly BinShare[] {
  const all = rows.reduce((sum, count) => sum + count, 0);
  return numericBins(edges).map((bin, i) => ({ bin, share: all === 0 ? 0 : (rows[i] ?? 0) / all }));
}

/**
 * Shares of values by their numbers of rows. Without `known` the most frequent ones get bins (of equally frequent ones those first in the
 * alphabet), with it the values that have one there; all rows besides are in "other".
 */
export function categoryShares(
  counts: readonly { readonly value: string; readonly rows: number }[],
  rows: number,
  known?: readonly BinShare[],
): readonly BinShare[] {
  const sorted = [...counts].sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1));
  const bins =
    known?.map(({ bin }) => bin).filter((bin) => bin !== OTHER_BIN) ??
    sorted.slice(0, CATEGORIES_MAX).map(({ value }) => JSON.stringify(value));
  const rowsOf = new Map(sorted.map((count) => [JSON.stringify(count.value), count.rows]));
  const shares = bins.map((bin) => ({ bin, share: rows === 0 ? 0 : (rowsOf.get(bin) ?? 0) / rows }));
  const rest = 1 - shares.reduce((sum, { share }) => sum + share, 0);
  return [...shares, { bin: OTHER_BIN, share: rows === 0 ? 0 : Math.max(0, rest) }];
}

/**
 * How far `now` is from `before`; bins are matched by name, and a bin that is missing on one side has no rows there. 0: equal.
 * `psi`: Σ (q − p) · ln(q / p). `chi_square`: Σ (q − p)² / p, Pearson's statistic per row. `ks`: the greatest difference of the
 * cumulated shares, in the order of `before`. The first two take shares below 0.0001 for 0.0001.
 */
export function distance(
  method: DistanceMethod,
  before: readonly BinShare[],
  now: readonly BinShare[],
): number {
  const [old, later] = [
    new Map(before.map((b) => [b.bin, b.share])),
    new Map(now.map((b) => [b.bin, b.share])),
  ];
  const pairs = [...new Set([...old.keys(), ...later.keys()])].map(
    (bin) => [old.get(bin) ?? 0, later.get(bin) ?? 0] as const,
  );
  switch (method) {
    case 'psi':
      return sumOf(pairs, (p, q) => (q - p) * Math.log(q / p));
    case 'chi_square':
      return sumOf(pairs, (p, q) => (q - p) ** 2 / p);
    case 'ks': {
      let [difference, greatest] = [0, 0];
      for (const [p, q] of pairs) {
        difference += q - p;
        greatest = Math.max(greatest, Math.abs(difference));
      }
      return greatest;
    }
  }
}

function sumOf(
  pairs: readonly (readonly [number, number])[],
  term: (p: number, q: number) => number,
): number {
  return pairs.reduce((sum, [p, q]) => sum + term(Math.max(p, SHARE_MIN), Math.max(q, SHARE_MIN)), 0);
}
