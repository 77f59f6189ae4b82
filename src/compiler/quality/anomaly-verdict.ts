/*
 * Whether a measured value is an anomaly, from the values before it and nothing else: the same history gives the same answer.
 *
 *   history ─▶ for each value, in order of time: expected value and band ─▶ inside: learned │ outside: held back
 *                                                                            └ held back `persists` times: the new normal
 *
 * The formulas are in docs/reference/anomaly-detection.md.
 */
import type { MeasuredValue } from '../../domain/quality-store.ts';
import { type Band, bandOf } from './anomaly-band.ts';
import type { AnomalyOptions } from './anomaly-options.ts';
import { ascending } from './order-statistics.ts';
import { SeriesMemory } from './series-memory.ts';

export type AnomalyVerdict =
  | {
      readonly kind: 'decided';
      readonly isAnomaly: boolean;
      /** The band: values in [low, high] are normal. */
      readonly low: number;
      readonly high: number;
      /** How far from the expected value: beyond ± `sensitivity` is outside the band. */
      readonly score: number;
      /** Earlier values that were learned from. */
      readonly points: number;
    }
  /** Too few values to decide: `points` of the `needed` ones, of the same part of the season if there is one. */
  | { readonly kind: 'training'; readonly points: number; readonly needed: number };

/** A value of a series and what would have been said of it. */
export interface BacktestPoint {
  readonly at: number;
  readonly value: number;
  readonly verdict: AnomalyVerdict;
}

/** How many of the newest values of a history count; a caller need not read more. */
export const HISTORY_MAX = 400;

/** Whether `value`, measured at `at`, is an anomaly after `history` (in any order; values that are null or not finite are passed over). */
export function anomalyVerdict(
  history: readonly MeasuredValue[],
  value: number,
  at: number,
  options: AnomalyOptions,
): AnomalyVerdict {
  const known = numbersOf(history).filter((point) => point.at <= at);
  const memory = new SeriesMemory(options);
  for (const point of known.slice(-HISTORY_MAX)) step(memory, point, options);
  return verdictOf(memory, { at, value }, options);
}

/** What `anomalyVerdict` would have said of each value of a series when it was measured, with all values before it as history. */
export function backtest(
  series: readonly Pick<MeasuredValue, 'at' | 'value'>[],
  options: AnomalyOptions,
): readonly BacktestPoint[] {
  const points = numbersOf(series);
  let memory = new SeriesMemory(options);
  return points.map((point, index) => {
    const before = points.slice(Math.max(0, index - HISTORY_MAX), index);
    if (index > HISTORY_MAX) memory = memoryOf(before, options);
    return { ...point, verdict: step(memory, point, options) };
  });
}

interface Point {
  readonly at: number;
  readonly value: number;
}

function memoryOf(points: readonly Point[], options: AnomalyOptions): SeriesMemory {
  const memory = new SeriesMemory(options);
  for (const point of points) step(memory, point, options);
  return memory;
}

function numbersOf(series: readonly Pick<MeasuredValue, 'at' | 'value'>[]): readonly Point[] {
  return series
    .flatMap(({ at, value }) => (value !== null && Number.isFinite(value) ? [{ at, value }] : []))
    .sort((a, b) => ascending(a.at, b.at));
}

/** Decides about a value, then learns from it. */
function step(memory: SeriesMemory, point: Point, options: AnomalyOptions): AnomalyVerdict {
  const verdict = verdictOf(memory, point, options);
  if (verdict.kind === 'decided' && verdict.isAnomaly) memory.holdBack(point, verdict);
  else memory.accept(point);
  return verdict;
}

function verdictOf(memory: SeriesMemory, { at, value }: Point, options: AnomalyOptions): AnomalyVerdict {
  const expected = memory.expected(at);
  if (expected.kind === 'training') return expected;
  const band = bandOf(expected, options);
  const { low, high } = band;
  const isAnomaly = !(value >= low && value <= high);
  return {
    kind: 'decided',
    isAnomaly,
    low,
    high,
    score: scoreOf(value, band, options),
    points: expected.points,
  };
}

function scoreOf(value: number, { low, high, center }: Band, { sensitivity }: AnomalyOptions): number {
  const reach = value < center ? center - low : high - center;
  return reach > 0 ? ((value - center) / reach) * sensitivity : 0;
}
