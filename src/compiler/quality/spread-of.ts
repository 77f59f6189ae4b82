import { ascending, median, quantileOfSorted } from './order-statistics.ts';

/** 1 / Φ⁻¹(0.75): makes a median absolute deviation comparable to a standard deviation. */
const MAD_TO_SIGMA = 1.482602218505602;
/** √(π / 2): the same for a mean absolute deviation. */
const MEAN_TO_SIGMA = 1.2533141373155003;

/** Median, robust standard deviation and greatest distance of errors from their median. */
export function spreadOf(errors: readonly number[]): {
  readonly shift: number;
  readonly scale: number;
  readonly farthest: number;
} {
  const shift = median(errors);
  const distances = errors.map((error) => Math.abs(error - shift)).sort(ascending);
  const typical = quantileOfSorted(distances, 0.5);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  return {
    shift,
    scale: typical > 0 ? MAD_TO_SIGMA * typical : MEAN_TO_SIGMA * mean,
    farthest: distances.at(-1) ?? 0,
  };
}
