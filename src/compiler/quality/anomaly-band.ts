import type { AnomalyOptions } from './anomaly-options.ts';
import { ascending, quantileOfSorted } from './order-statistics.ts';
import type { Expected } from './series-memory.ts';
import { spreadOf } from './spread-of.ts';

/** Where values are normal: [low, high]. */
export interface Band {
  readonly low: number;
  readonly center: number;
  readonly high: number;
}

/** With the usual sensitivity of 3, a value must be 1.25 times as far off as the farthest normal one. */
const SENSITIVITY_OF_FARTHEST = 2.4;
/** Differences that small are rounding. */
const ROUNDING = 1e-9;

/** The band around an expected value, by the errors of the expectations before. */
export function bandOf(
  { level, errors }: Extract<Expected, { readonly kind: 'expected' }>,
  { method, sensitivity }: AnomalyOptions,
): Band {
  const floor = ROUNDING * Math.max(Math.abs(level), Number.MIN_VALUE);
  if (method === 'z') {
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const variance = errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / (errors.length - 1);
    return around(level + mean, Math.max(sensitivity * Math.sqrt(variance), floor));
  }
  if (method === 'iqr') {
    const sorted = [...errors].sort(ascending);
    const [q1, q3] = [quantileOfSorted(sorted, 0.25), quantileOfSorted(sorted, 0.75)];
    const reach = Math.max((sensitivity / 2) * (q3 - q1), floor);
    return {
      low: level + q1 - reach,
      center: level + quantileOfSorted(sorted, 0.5),
      high: level + q3 + reach,
    };
  }
  const { shift, scale, farthest } = spreadOf(errors);
  const reach = Math.max(
    sensitivity * scale * (1 + 4 / errors.length),
    (sensitivity / SENSITIVITY_OF_FARTHEST) * farthest,
    floor,
  );
  return around(level + shift, reach);
}

const around = (center: number, reach: number): Band => ({
  low: center - reach,
  center,
  high: center + reach,
});
