/** How often methods find planted anomalies, and how often they cry without reason. */

import type { AnomalyOptions } from '../src/compiler/quality/anomaly-options.ts';
import { backtest } from '../src/compiler/quality/anomaly-verdict.ts';
import { NOISES, STORIES, type Story, type SyntheticSeries, syntheticSeries } from './synthetic-series.ts';

export const SEEDS = 15;
export const TRAINING = 14;
/** What the rules that we compare with look at. */
const WINDOW = 28;

export interface Score {
  readonly planted: number;
  readonly found: number;
  readonly clean: number;
  readonly falseAlarms: number;
}

type Method = (sample: SyntheticSeries, story: Story) => readonly boolean[];

const ours =
  (method: AnomalyOptions['method']): Method =>
  ({ series }, story) =>
    backtest(series, {
      method,
      sensitivity: 3,
      training: TRAINING,
      season: story.includes('season') ? 'weekly' : 'none',
    }).map(({ verdict }) => verdict.kind === 'decided' && verdict.isAnomaly);

/** Mean ± 3 standard deviations of the values before: all of them, or the newest. */
const plainSigma =
  (window: number): Method =>
  ({ series }) =>
    series.map(({ value }, index) => {
      if (index < TRAINING) return false;
      const before = series.slice(Math.max(0, index - window), index).map((point) => point.value);
      const mean = before.reduce((sum, each) => sum + each, 0) / before.length;
      const variance = before.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (before.length - 1);
      return Math.abs(value - mean) > 3 * Math.sqrt(variance);
    });

export const METHODS: Readonly<Record<string, Method>> = {
  'plain 3-sigma': plainSigma(Number.POSITIVE_INFINITY),
  [`3-sigma of the newest ${WINDOW}`]: plainSigma(WINDOW),
  robust_z: ours('robust_z'),
  z: ours('z'),
  iqr: ours('iqr'),
};

/** Scores by story, then by method. */
export function compareMethods(
  firstSeed: number,
  seeds: number,
): ReadonlyMap<Story, ReadonlyMap<string, Score>> {
  return new Map(
    STORIES.map((story) => {
      const samples = NOISES.flatMap((noise) =>
        Array.from({ length: seeds }, (_, i) => syntheticSeries(story, noise, firstSeed + i)),
      );
      return [
        story,
        new Map(
          Object.entries(METHODS).map(([name, method]) => [
            name,
            total(samples.map((sample) => scoreOf(sample, method(sample, story)))),
          ]),
        ),
      ];
    }),
  );
}

function scoreOf({ labels, planted }: SyntheticSeries, alarms: readonly boolean[]): Score {
  const clean = labels.flatMap((label, index) => (label === 'clean' && index >= TRAINING ? [index] : []));
  return {
    planted: planted.length,
    found: planted.filter((places) => places.some((index) => alarms[index])).length,
    clean: clean.length,
    falseAlarms: clean.filter((index) => alarms[index]).length,
  };
}

export function total(scores: readonly Score[]): Score {
  return {
    planted: scores.reduce((sum, { planted }) => sum + planted, 0),
    found: scores.reduce((sum, { found }) => sum + found, 0),
    clean: scores.reduce((sum, { clean }) => sum + clean, 0),
    falseAlarms: scores.reduce((sum, { falseAlarms }) => sum + falseAlarms, 0),
  };
}
