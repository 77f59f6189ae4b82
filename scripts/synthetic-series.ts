/** Series with known anomalies, the same for the same seed: daily values, a year or less. */
import { seededNumbers } from '../tests/support/seeded-bits.ts';

export const NOISES = ['gaussian', 'heavy tail', 'counts'] as const;
export const STORIES = [
  'spikes',
  'level shift',
  'weekly season',
  'trend',
  'season, trend, shift, spikes',
  'nothing planted',
] as const;

export type Noise = (typeof NOISES)[number];
export type Story = (typeof STORIES)[number];

/** `clean`: any alarm is false. `anomaly`: an alarm is wanted. `either`: the week after a shift, where alarms are neither. */
export type Label = 'clean' | 'anomaly' | 'either';

export interface SyntheticSeries {
  readonly series: readonly { readonly at: number; readonly value: number }[];
  readonly labels: readonly Label[];
  /** Where each planted anomaly may be noticed, by index: a spike at its place, a shift in its first three values. */
  readonly planted: readonly (readonly number[])[];
}

const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 1, 2);
const LENGTH = 210;
/** Anomalies are planted after this many values. */
const QUIET = 42;
/** Alarms in so many values after a shift are not counted as false. */
const SHIFT_DAYS = 7;
const SHIFT_SEEN_IN = 3;
const WEEK = [0, 1, 0.5, 1.5, 3, 9, -5];

export function syntheticSeries(story: Story, noise: Noise, seed: number): SyntheticSeries {
  const random = seededNumbers(seed * 7919 + STORIES.indexOf(story) * 101 + NOISES.indexOf(noise));
  const has = (word: string): boolean => story.includes(word);
  const spikeAt = new Map<number, number>();
  const side = (): number => (random() < 0.5 ? -1 : 1);
  if (has('spike') || has('week') || has('trend'))
    for (let i = 0; i < 4; i++)
      spikeAt.set(QUIET + Math.floor(random() * (LENGTH - QUIET)), side() * (8 + 8 * random()));
  const shiftAt = has('shift') ? QUIET + 20 + Math.floor(random() * (LENGTH - QUIET - 60)) : LENGTH;
  const shiftBy = side() * (8 + 8 * random());
  const slope = has('trend') ? side() * 0.05 : 0;
  for (const at of spikeAt.keys()) if (at >= shiftAt - 2 && at < shiftAt + 2 * SHIFT_DAYS) spikeAt.delete(at);
  const sigma = noise === 'counts' ? 20 : 2;
  const series = Array.from({ length: LENGTH }, (_, i) => {
    const season = has('season') ? (WEEK[i % 7] ?? 0) : 0;
    const offset = season + slope * i + (i >= shiftAt ? shiftBy : 0) + (spikeAt.get(i) ?? 0);
    const mean = (noise === 'counts' ? 400 : 100) + sigma * offset;
    return { at: START + i * DAY + Math.floor(random() * 600_000), value: drawn(noise, mean, sigma, random) };
  });
  const labels = series.map((_, i): Label => {
    if (spikeAt.has(i)) return 'anomaly';
    if (i < shiftAt || i >= shiftAt + SHIFT_DAYS) return 'clean';
    return i < shiftAt + SHIFT_SEEN_IN ? 'anomaly' : 'either';
  });
  const shift = shiftAt < LENGTH ? [Array.from({ length: SHIFT_SEEN_IN }, (_, i) => shiftAt + i)] : [];
  return { series, labels, planted: [...[...spikeAt.keys()].map((at) => [at]), ...shift] };
}

function drawn(noise: Noise, mean: number, sigma: number, random: () => number): number {
  switch (noise) {
    case 'gaussian':
      return mean + sigma * gaussian(random);
    case 'heavy tail': {
      // Student's t with three degrees of freedom.
      const chi = gaussian(random) ** 2 + gaussian(random) ** 2 + gaussian(random) ** 2;
      return mean + (sigma * gaussian(random)) / Math.sqrt(chi / 3);
    }
    case 'counts':
      return Math.max(0, Math.round(mean + Math.sqrt(Math.max(mean, 0)) * gaussian(random)));
  }
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
