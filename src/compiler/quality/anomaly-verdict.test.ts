import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMethods, total } from '../../../scripts/anomaly-comparison.ts';
import type { MeasuredValue } from '../../domain/quality-store.ts';
import type { AnomalyOptions } from './anomaly-options.ts';
import { anomalyVerdict, backtest } from './anomaly-verdict.ts';

const DAY = 86_400_000;
const START = Date.UTC(2024, 0, 1, 2);
const OPTIONS: AnomalyOptions = { method: 'robust_z', sensitivity: 3, training: 14, season: 'none' };

const daily = (values: readonly (number | null)[]): readonly MeasuredValue[] =>
  values.map((value, i) => ({ at: START + i * DAY, value, outcome: 'pass', dataVersion: String(i) }));
const flagged = (values: readonly number[], options: AnomalyOptions = OPTIONS): readonly number[] =>
  backtest(daily(values), options).flatMap(({ verdict }, i) =>
    verdict.kind === 'decided' && verdict.isAnomaly ? [i] : [],
  );
/** 100 with a little noise that is always the same. */
const calm = (length: number, level = 100): readonly number[] =>
  Array.from({ length }, (_, i) => level + ((i * 7) % 5) - 2);

const options = fc.record({
  method: fc.constantFrom('robust_z', 'z', 'iqr'),
  sensitivity: fc.constantFrom(1, 2, 3, 4.5),
  training: fc.integer({ min: 3, max: 20 }),
  season: fc.constantFrom('none', 'weekly', 'daily'),
}) satisfies fc.Arbitrary<AnomalyOptions>;
/** Whole numbers, with shifts and spikes now and then. */
const values = fc
  .array(fc.record({ noise: fc.integer({ min: -8, max: 8 }), odd: fc.integer({ min: 0, max: 30 }) }), {
    minLength: 20,
    maxLength: 60,
  })
  .map((drawn) => {
    let level = 1000;
    return drawn.map(({ noise, odd }) => {
      if (odd === 0) level += 200;
      return level + noise + (odd === 1 ? 400 : 0);
    });
  });

describe('anomalyVerdict', () => {
  test('is in training until it has as many values as asked for', () => {
    expect(anomalyVerdict(daily(calm(13)), 1e6, START + 13 * DAY, OPTIONS)).toEqual({
      kind: 'training',
      points: 13,
      needed: 14,
    });
    expect(anomalyVerdict(daily(calm(14)), 1e6, START + 14 * DAY, OPTIONS)).toMatchObject({
      isAnomaly: true,
    });
    expect(anomalyVerdict(daily(calm(14)), 101, START + 14 * DAY, OPTIONS)).toMatchObject({
      isAnomaly: false,
    });
  });

  test('does not learn a spike', () => {
    expect(flagged([...calm(30), 500, ...calm(5), 500, ...calm(5), 500, ...calm(5)])).toEqual([30, 36, 42]);
  });

  test('takes a shift for normal after half the training', () => {
    expect(flagged([...calm(30), ...calm(30, 500)])).toEqual([30, 31, 32, 33, 34, 35, 36]);
  });

  test('flags a return to the level before like any other shift', () => {
    expect(flagged([...calm(30), ...calm(30, 500), ...calm(10)])).toEqual([
      ...[30, 31, 32, 33, 34, 35, 36],
      ...[60, 61, 62, 63, 64, 65, 66],
    ]);
  });

  test('does not take values for a new level that are nowhere near each other', () => {
    const wild = Array.from({ length: 12 }, (_, i) => 500 * (i + 1));
    expect(flagged([...calm(30), ...wild])).toHaveLength(12);
  });

  test('forgets a spike of the training', () => {
    const training = [...calm(7), 900, ...calm(20)];
    expect(flagged([...training, 140])).toEqual([28]);
  });

  test('knows the week', () => {
    const weeks = calm(63).map((value, i) => value + (i % 7 === 5 ? 60 : 0));
    expect(flagged(weeks, { ...OPTIONS, season: 'weekly' })).toEqual([]);
    const quietSaturday = weeks.map((value, i) => (i === 54 ? value - 60 : value));
    expect(flagged(quietSaturday, { ...OPTIONS, season: 'weekly' })).toEqual([54]);
    expect(flagged(quietSaturday)).not.toContain(54);
  });

  test('flags any other value after a constant', () => {
    const constant = Array.from({ length: 20 }, () => 8);
    for (const method of ['robust_z', 'z', 'iqr'] as const) {
      expect(flagged([...constant, 8], { ...OPTIONS, method })).toEqual([]);
      expect(flagged([...constant, 9], { ...OPTIONS, method })).toEqual([20]);
    }
    expect(flagged([...constant.map(() => 0), 1])).toEqual([20]);
  });

  test('passes over values that are null, and does not look into the future', () => {
    const history = daily([...calm(20), null, null]);
    const later = { ...(history[0] as MeasuredValue), at: START + 1000 * DAY, value: 1e9 };
    const at = START + 30 * DAY;
    expect(anomalyVerdict([later, ...history].reverse(), 104, at, OPTIONS)).toEqual(
      anomalyVerdict(daily(calm(20)), 104, at, OPTIONS),
    );
  });

  test('says in advance what the backtest says afterwards', () => {
    fc.assert(
      fc.property(values, options, (series, chosen) => {
        const points = daily(series);
        for (const [index, { at, value, verdict }] of backtest(points, chosen).entries())
          expect(anomalyVerdict(points.slice(0, index), value, at, chosen)).toEqual(verdict);
      }),
      { numRuns: 30 },
    );
  });

  test('agrees with the formula as the page words it', () => {
    fc.assert(
      fc.property(values, options, (series, chosen) => {
        const expected = byThePage(series, chosen);
        backtest(daily(series), chosen).forEach(({ value, verdict }, index) => {
          const wanted = expected[index];
          if (wanted === undefined) expect(verdict.kind, `at ${index}`).toBe('training');
          else {
            if (verdict.kind !== 'decided') throw new Error(`training at ${index}`);
            expect(verdict.low, `low at ${index}`).toBeCloseTo(wanted[0], 6);
            expect(verdict.high, `high at ${index}`).toBeCloseTo(wanted[1], 6);
            expect(verdict.isAnomaly).toBe(!(value >= verdict.low && value <= verdict.high));
            expect(Math.abs(verdict.score) > chosen.sensitivity + 1e-9).toBe(verdict.isAnomaly);
          }
        });
      }),
      { numRuns: 200 },
    );
  });

  test('finds at least as much as plain 3-sigma rules at half their false alarms, with seeds that the page does not show', () => {
    const scores = compareMethods(9000, 6);
    const of = (method: string) => total([...scores.values()].map((byMethod) => byMethod.get(method)!));
    const [ours, plain] = [of('robust_z'), of('plain 3-sigma')];
    expect(ours.found).toBeGreaterThanOrEqual(plain.found);
    expect(ours.falseAlarms).toBeLessThanOrEqual(plain.falseAlarms / 2);
    for (const [story, byMethod] of scores)
      if (story.includes('season') || story === 'trend')
        expect(byMethod.get('robust_z')!.found, story).toBeGreaterThan(byMethod.get('plain 3-sigma')!.found);
  });
});

const middle = (list: readonly number[]): number => {
  const sorted = list.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!;
};

/** Bands by docs/reference/anomaly-detection.md, for one value a day: written from its words, slowly. */
function byThePage(
  series: readonly number[],
  { method, sensitivity: s, training, season }: AnomalyOptions,
): readonly (readonly [number, number] | undefined)[] {
  const needed = Math.max(3, training);
  const period = season === 'weekly' ? 7 : 1;
  const part = (day: number): number => (season === 'weekly' ? day % 7 : 0);
  const differences = new Map<number, { readonly day: number; readonly by: number }[]>();
  const effect = (day: number, without?: number): number => {
    const list = (differences.get(part(day)) ?? []).filter((each) => each.day !== without);
    return list.length === 0 ? 0 : middle(list.map(({ by }) => by));
  };
  let regime: number[] = [];
  let waiting: number[] = [];
  let row: number[] = [];
  let learned = 0;
  let errors: number[] = [];
  const bare = (day: number): number => series[day]! - effect(day);
  return series.map((value, day) => {
    const isReady =
      learned >= needed &&
      errors.length >= 2 &&
      (season === 'none' || (differences.get(part(day)) ?? []).length >= 2);
    const expected = isReady ? middle(regime.slice(-10).map(bare)) + effect(day) : undefined;
    const band = expected === undefined ? undefined : bandByThePage(expected, errors, method, s);
    if (band !== undefined && (value < band[0] || value > band[1])) {
      const center = (band[0] + band[1]) / 2;
      if (row.length === 0)
        errors = [
          ...errors,
          center + 0.9 * ((value < band[0] ? band[0] : band[1]) - center) - expected!,
        ].slice(-100);
      row = [...row, day];
      const last = row.slice(-Math.max(3, Math.ceil(training / 2)));
      const spread = Math.max(...last.map(bare)) - Math.min(...last.map(bare));
      if (last.length === Math.max(3, Math.ceil(training / 2)) && spread <= band[1] - band[0]) {
        [regime, waiting, row] = [last, [...last], []];
        learned += last.length;
      }
      return band;
    }
    row = [];
    regime = [...regime, day];
    waiting = [...waiting, day];
    learned++;
    if (season !== 'none' && day - regime[0]! >= period) {
      for (const each of waiting) {
        const from = each - regime[0]! < period ? regime[0]! : each - period + 1;
        const around = regime.filter((other) => other >= from && other < from + period);
        const list = differences.get(part(each)) ?? [];
        differences.set(
          part(each),
          [...list, { day: each, by: series[each]! - middle(around.map((d) => series[d]!)) }].slice(-8),
        );
      }
      waiting = [];
    }
    if (expected !== undefined) errors = [...errors, value - expected].slice(-100);
    else if (errors.length === 0 && learned >= needed) {
      const all = regime.flatMap((each) => {
        if (season !== 'none' && (differences.get(part(each)) ?? []).length < 2) return [];
        const others = middle(regime.filter((other) => other !== each).map(bare));
        return [series[each]! - (others + effect(each, each))];
      });
      if (all.length >= 2) {
        const center = middle(all);
        errors = all.filter((error) => Math.abs(error - center) <= 6 * scaleByThePage(all)).slice(-100);
      }
    }
    return band;
  });
}

function scaleByThePage(errors: readonly number[]): number {
  const distances = errors.map((error) => Math.abs(error - middle(errors)));
  const typical = middle(distances);
  if (typical > 0) return 1.482602218505602 * typical;
  return (Math.sqrt(Math.PI / 2) * distances.reduce((a, b) => a + b, 0)) / distances.length;
}

function bandByThePage(
  expected: number,
  errors: readonly number[],
  method: AnomalyOptions['method'],
  s: number,
): readonly [number, number] {
  const least = 1e-9 * Math.abs(expected);
  if (method === 'z') {
    const mean = errors.reduce((a, b) => a + b, 0) / errors.length;
    const sd = Math.sqrt(errors.reduce((a, b) => a + (b - mean) ** 2, 0) / (errors.length - 1));
    return [expected + mean - Math.max(s * sd, least), expected + mean + Math.max(s * sd, least)];
  }
  if (method === 'iqr') {
    const sorted = errors.toSorted((a, b) => a - b);
    const at = (p: number): number => {
      const place = p * (sorted.length - 1);
      const rest = place % 1;
      return sorted[Math.floor(place)]! * (1 - rest) + sorted[Math.ceil(place)]! * rest;
    };
    const reach = Math.max((s / 2) * (at(0.75) - at(0.25)), least);
    return [expected + at(0.25) - reach, expected + at(0.75) + reach];
  }
  const m = middle(errors);
  const farthest = Math.max(...errors.map((error) => Math.abs(error - m)));
  const reach = Math.max(s * scaleByThePage(errors) * (1 + 4 / errors.length), (s / 2.4) * farthest, least);
  return [expected + m - reach, expected + m + reach];
}
