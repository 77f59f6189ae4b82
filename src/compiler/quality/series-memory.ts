/*
 * What was learned from a series so far.
 *
 *   value = level + effect of its part of the season + error
 *
 * A *regime* is a stretch between two shifts of the level. The level comes from the newest values of the regime; effects and errors
 * are kept when a regime ends.
 */
import type { AnomalyOptions } from './anomaly-options.ts';
import { median } from './order-statistics.ts';
import { PERIOD_MS, seasonSlot } from './season-slot.ts';
import { spreadOf } from './spread-of.ts';

/** Values that the level is the median of. */
const LEVEL_POINTS = 10;
/** Errors that the band is made of. */
const ERRORS_MAX = 100;
/** Deviations of a part of the season that its effect is the median of. */
const EFFECT_POINTS = 8;
/** A training of fewer values is not enough, whatever the options say. */
const TRAINING_MIN = 3;
/** A band of fewer errors is chance. */
const ERRORS_MIN = 2;
/** Values that a part of the season must have before it is decided about. */
const SLOT_MIN = 2;
/** Values measured at about the same time of a period: runs do not begin to the second. */
const PERIOD_SLACK = 1 / 48;
/** Errors of the training beyond this many robust standard deviations are left out. */
const TRAINING_CUT = 6;

/** How far to the edge of the band an anomaly is taken for when the band learns from it: where tails are heavy, it widens. */
const TAMED = 0.9;

interface Point {
  readonly at: number;
  readonly value: number;
}

/** Of the band that a value was compared with. */
interface Edges {
  readonly low: number;
  readonly high: number;
}

export type Expected =
  | {
      readonly kind: 'expected';
      readonly level: number;
      readonly errors: readonly number[];
      readonly points: number;
    }
  | { readonly kind: 'training'; readonly points: number; readonly needed: number };

export class SeriesMemory {
  readonly #options: AnomalyOptions;
  #regime: Point[] = [];
  /** Values of the regime whose deviation is in the effects already. */
  #measured = 0;
  #deviations = new Map<number, readonly number[]>();
  /** Medians of the deviations. */
  #effects = new Map<number, number>();
  #errors: number[] = [];
  #heldBack: Point[] = [];
  #points = 0;

  constructor(options: AnomalyOptions) {
    this.#options = options;
  }

  get #needed(): number {
    return Math.max(TRAINING_MIN, this.#options.training);
  }

  /** What a value at this time should be, or what is missing to say it. */
  expected(at: number): Expected {
    if (this.#points < this.#needed || this.#errors.length < ERRORS_MIN)
      return { kind: 'training', points: this.#points, needed: Math.max(this.#needed, this.#points + 1) };
    const slot = this.#slot(at);
    const known = this.#deviations.get(slot)?.length ?? 0;
    if (this.#options.season !== 'none' && known < SLOT_MIN)
      return { kind: 'training', points: known, needed: SLOT_MIN };
    const level = this.#level(this.#regime) + this.#effect(slot);
    return { kind: 'expected', level, errors: this.#errors, points: this.#points };
  }

  /** Learns from a normal value. */
  accept(point: Point): void {
    const expected = this.expected(point.at);
    this.#heldBack = [];
    this.#regime.push(point);
    this.#points++;
    this.#measureEffects();
    if (expected.kind === 'expected') this.#learnError(point.value - expected.level);
    else if (this.#errors.length === 0 && this.#points >= this.#needed) this.#trainErrors();
  }

  /** Takes note of an anomaly; when as many came in a row, all within the width of the band of each other, they are the new regime. */
  holdBack(point: Point, band: Edges): void {
    if (this.#heldBack.length === 0) this.#learnError(this.#tamed(point, band));
    this.#heldBack.push(point);
    const persists = Math.max(3, Math.ceil(this.#options.training / 2));
    const newest = this.#heldBack.slice(-persists);
    const plain = newest.map(({ at, value }) => value - this.#effect(this.#slot(at)));
    if (newest.length < persists || Math.max(...plain) - Math.min(...plain) > band.high - band.low) return;
    this.#regime = newest;
    this.#points += newest.length;
    this.#measured = 0;
    this.#heldBack = [];
  }

  #learnError(error: number): void {
    this.#errors.push(error);
    if (this.#errors.length > ERRORS_MAX) this.#errors.shift();
  }

  /** What is learned from the first anomaly of a row: its side, at nine tenths of the way to the edge of the band. */
  #tamed({ at, value }: Point, { low, high }: Edges): number {
    const center = (low + high) / 2;
    const edge = center + TAMED * (value < low ? low - center : high - center);
    return edge - this.#level(this.#regime) - this.#effect(this.#slot(at));
  }

  #slot(at: number): number {
    return seasonSlot(at, this.#options.season);
  }

  #effect(slot: number): number {
    return this.#effects.get(slot) ?? 0;
  }

  #level(points: readonly Point[]): number {
    const newest = points.slice(-LEVEL_POINTS);
    return median(newest.map(({ at, value }) => value - this.#effect(this.#slot(at))));
  }

  /** Deviations from the median of a period: of the one that ends with the value, for the values of the first period of that one. */
  #measureEffects(): void {
    const { season } = this.#options;
    const [first] = this.#regime;
    if (season === 'none' || first === undefined) return;
    const length = PERIOD_MS[season] * (1 - PERIOD_SLACK);
    while (this.#measured < this.#regime.length) {
      const point = this.#regime[this.#measured] as Point;
      const isFirst = point.at < first.at + length;
      if (isFirst && (this.#regime.at(-1) as Point).at < first.at + length) return;
      const from = isFirst ? first.at : point.at - length;
      const to = isFirst ? first.at + length : point.at + 1;
      const period = this.#regime.filter(({ at }) => at >= from && at < to).map(({ value }) => value);
      const slot = this.#slot(point.at);
      const known = this.#deviations.get(slot) ?? [];
      const deviations = [...known, point.value - median(period)].slice(-EFFECT_POINTS);
      this.#deviations.set(slot, deviations);
      this.#effects.set(slot, median(deviations));
      this.#measured++;
    }
  }

  /** Errors of the training: each value against what the others say. Values far outside are forgotten again. */
  #trainErrors(): void {
    const bySlot = Map.groupBy(this.#regime, ({ at }) => this.#slot(at));
    const plain = this.#regime.map(({ at, value }) => value - this.#effect(this.#slot(at)));
    const errors = this.#regime.flatMap((point, index) => {
      const level = median(plain.filter((_, other) => other !== index));
      const slot = this.#slot(point.at);
      const deviations = this.#deviations.get(slot) ?? [];
      const own = (bySlot.get(slot) ?? []).indexOf(point);
      if (this.#options.season !== 'none' && deviations.length < SLOT_MIN) return [];
      const others = deviations.filter((_, other) => other !== own);
      return [point.value - level - (others.length === 0 ? 0 : median(others))];
    });
    if (errors.length < ERRORS_MIN) return;
    const { shift, scale } = spreadOf(errors);
    const kept = errors.filter((error) => Math.abs(error - shift) <= TRAINING_CUT * scale);
    this.#errors = kept.slice(-ERRORS_MAX);
  }
}
