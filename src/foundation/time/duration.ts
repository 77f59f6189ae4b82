/*
 * Lengths of time as users write them: `26h`, `1 week`, `10m`, `1 year 6 months`, `in 1 week`. Months have no fixed
 * length, so a duration has two parts that are never converted into each other.
 */
import { addMonthsToDays, DAY_MS, HOUR_MS, MINUTE_MS, modulo } from './civil.ts';
import { quoted, type TimeProblem, timeProblem } from './time-problem.ts';

/** Months are applied before milliseconds; both may not be negative. */
export interface Duration {
  readonly kind: 'duration';
  readonly months: number;
  readonly ms: number;
}

/** A unit of a duration, in the singular. */
export type DurationUnit =
  | 'millisecond'
  | 'second'
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year'
  | 'decade';

/** One `3 days` inside a longer text; `isAbbreviated` distinguishes `3d` from `3 days`. */
export interface DurationTerm {
  readonly count: number;
  readonly unit: DurationUnit;
  readonly isAbbreviated: boolean;
}

const FIXED_MS: ReadonlyMap<DurationUnit, number> = new Map([
  ['millisecond', 1],
  ['second', 1000],
  ['minute', MINUTE_MS],
  ['hour', HOUR_MS],
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
]);

const MONTHS: ReadonlyMap<DurationUnit, number> = new Map([
  ['month', 1],
  ['quarter', 3],
  ['year', 12],
  ['decade', 120],
]);

const ABBREVIATIONS: ReadonlyMap<string, DurationUnit> = new Map([
  ['ms', 'millisecond'],
  ['s', 'second'],
  ['sec', 'second'],
  ['m', 'minute'],
  ['min', 'minute'],
  ['h', 'hour'],
  ['hr', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
  ['wk', 'week'],
  ['mo', 'month'],
  ['q', 'quarter'],
  ['y', 'year'],
  ['yr', 'year'],
]);

const EXPECTED = "a number and a unit, such as '10m', '26h', '7 days', '1 week' or '1 month'";

/** Reads a duration; a leading `in`, which time-to-live settings carry, is allowed. */
export function parseDuration(text: string): Duration | TimeProblem {
  const bad = (message: string): TimeProblem =>
    timeProblem('bad-duration', text, { message, expected: EXPECTED });
  const terms = parseDurationTerms(text.trim().replace(/^in\s+/i, ''));
  if (terms === undefined) return bad(`${quoted(text)} is not a duration.`);
  const duration = durationOfTerms(terms);
  if (duration === undefined) return bad(`${quoted(text)} ${UNUSABLE_DURATION}.`);
  return duration;
}

/** Splits `1 week 2 days` into terms; `a` and `an` count as one. `undefined` when anything is left over. */
export function parseDurationTerms(text: string): readonly DurationTerm[] | undefined {
  if (text.length > 100) return undefined;
  const terms: DurationTerm[] = [];
  const pattern = /\s*(?:,\s*|and\s+)?(?:(\d{1,15}(?:\.\d{1,9})?)\s*|(an?)\s+)([a-z]+)\s*/iy;
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    const word = match[3]!.toLowerCase();
    const singular = (word.length > 2 ? word.replace(/s$/, '') : word) as DurationUnit;
    const isFull = FIXED_MS.has(singular) || MONTHS.has(singular);
    const unit = isFull ? singular : (ABBREVIATIONS.get(word) ?? ABBREVIATIONS.get(singular));
    if (unit === undefined) return undefined;
    terms.push({
      count: match[1] === undefined ? 1 : Number(match[1]),
      unit,
      isAbbreviated: !isFull || match[1] === undefined,
    });
  }
  return terms.length === 0 ? undefined : terms;
}

/** Why `durationOfTerms` refuses, as the end of a sentence. */
export const UNUSABLE_DURATION = 'is longer than 10,000 years or has a fraction of a month';

/** Adds terms up; `undefined` when a month or longer has a fraction, or the sum passes 10,000 years. */
export function durationOfTerms(terms: readonly DurationTerm[]): Duration | undefined {
  let months = 0;
  let ms = 0;
  for (const { count, unit } of terms) {
    const perMonth = MONTHS.get(unit);
    if (perMonth === undefined) ms += Math.round(count * FIXED_MS.get(unit)!);
    else months += count * perMonth;
  }
  if (!Number.isInteger(months) || months > 120_000 || ms > 3_652_500 * DAY_MS) return undefined;
  return { kind: 'duration', months, ms };
}

/** Moves an instant in UTC, forward with `sign` 1 and back with −1; 31 March minus a month is the last of February. */
export function addDuration(at: number, duration: Duration, sign: 1 | -1 = 1): number {
  const days = addMonthsToDays(Math.floor(at / DAY_MS), sign * duration.months);
  return days * DAY_MS + modulo(at, DAY_MS) + sign * duration.ms;
}
