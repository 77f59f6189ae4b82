/*
 * Which rows belong to a period [s, e) under a window or a shift: those with a time in [from, to). The same few steps compute it of
 * constants and as SQL, so they are written once, over an algebra of times.
 *
 *   shift by p           where s − p is a beginning: the period that begins there
 *                        else: the rows move by p, and [s, e) stays
 *   trailing w           [e − w, e)         to_date g             [beginning of g at s, e)
 */
import { GRANULARITIES, type RollingWindow } from '../../../domain/semantic-model.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { addDuration, type Duration, parseDuration } from '../../../foundation/time/duration.ts';
import { unreachable } from '../../../foundation/unreachable.ts';
import type { Variant } from '../logical-query.ts';
import { binary } from '../tree-nodes.ts';
import { bucketOfWall, unitOf } from './bucket-of.ts';
import { bucketStart, granularityOf, moveBuckets, type TimeGranularity } from './granularity.ts';
import { interval } from './time-nodes.ts';

/** What can be done with local times of some representation. */
export interface TimeAlgebra<Time> {
  readonly plus: (at: Time, duration: Duration, sign: 1 | -1) => Time;
  readonly bucket: (at: Time, granularity: TimeGranularity) => Time;
  /** The end of a bucket that begins there. */
  readonly next: (start: Time, granularity: TimeGranularity) => Time;
}

/** A period, or the range that stands for one; its ends may be open. */
export interface Stretch<Time> {
  readonly start?: Time | undefined;
  readonly end?: Time | undefined;
}

type Shift = Extract<Variant, { readonly kind: 'shift' }>;

/** How the shifted value itself is computed. */
export function leafOf(variant: Variant): Variant {
  return variant.kind === 'shift' ? leafOf(variant.of) : variant;
}

/** All shifts of a variant, the outermost first. */
export function shiftsOf(variant: Variant): readonly Shift[] {
  return variant.kind === 'shift' ? [variant, ...shiftsOf(variant.of)] : [];
}

/** The time that a shifted value is taken from. */
export function before<Time>(variant: Variant, at: Time, { plus }: Pick<TimeAlgebra<Time>, 'plus'>): Time {
  return shiftsOf(variant).reduce(
    (time, { by, direction }) => plus(time, durationOf(by), direction === 'prior' ? -1 : 1),
    at,
  );
}

/** The time at which a shifted row counts: the innermost shift moves it first. */
export function after<Time>(variant: Variant, at: Time, { plus }: Pick<TimeAlgebra<Time>, 'plus'>): Time {
  return shiftsOf(variant).reduceRight(
    (time, { by, direction }) => plus(time, durationOf(by), direction === 'prior' ? 1 : -1),
    at,
  );
}

/** The times a rolling window covers. */
export function windowStretch<Time>(
  window: RollingWindow,
  { start, end }: Stretch<Time>,
  algebra: TimeAlgebra<Time>,
): Stretch<Time> {
  switch (window.kind) {
    case 'to-date':
      return {
        start: start === undefined ? undefined : algebra.bucket(start, calendar(window.toDate.value)),
        end,
      };
    case 'trailing': {
      const anchor = window.offset === 'end' ? end : start;
      return {
        start: moved(anchor, window.trailing?.value, -1, algebra),
        end: moved(anchor, window.leading?.value, 1, algebra),
      };
    }
    default:
      return unreachable(window);
  }
}

function moved<Time>(
  anchor: Time | undefined,
  by: string | undefined,
  sign: 1 | -1,
  algebra: TimeAlgebra<Time>,
): Time | undefined {
  if (anchor === undefined || by === 'unbounded') return undefined;
  return by === undefined ? anchor : algebra.plus(anchor, durationOf(by), sign);
}

/** Durations and periods were checked when the project was loaded. */
export function durationOf(text: string): Duration {
  const duration = parseDuration(text);
  if (duration.kind === 'problem') throw new Error(`unchecked duration: ${duration.message}`);
  return duration;
}

function calendar(name: string): TimeGranularity {
  const unit = GRANULARITIES.find((each) => each === name);
  const found = unit && granularityOf({ kind: 'calendar', unit });
  if (found === undefined) throw new Error(`unchecked period ${name}`);
  return found;
}

/** Wall times in milliseconds. */
export const CONSTANT_TIMES: TimeAlgebra<number> = {
  plus: addDuration,
  bucket: (at, { step }) => bucketStart(step, at),
  next: (start, { step }) => moveBuckets(step, start, 1),
};

/** A local time in SQL and what is added to it, in order: months (whole numbers) or milliseconds. */
export interface SqlTime {
  readonly base: Expression;
  readonly terms: readonly { readonly unit: 'months' | 'ms'; readonly amount: number }[];
}

/** Local times as SQL of a type; `steady` says that no base is past the 28th, so that months add up. */
export function sqlTimes(type: 'DATE' | 'TIMESTAMP', isSteady: boolean): TimeAlgebra<SqlTime> {
  const add = (at: SqlTime, unit: 'months' | 'ms', amount: number): SqlTime => {
    if (amount === 0) return at;
    const last = at.terms.at(-1);
    if (last?.unit !== unit || (unit === 'months' && !isSteady))
      return { ...at, terms: [...at.terms, { unit, amount }] };
    const sum = last.amount + amount;
    return { ...at, terms: [...at.terms.slice(0, -1), ...(sum === 0 ? [] : [{ unit, amount: sum }])] };
  };
  return {
    plus: (at, { months, ms }, sign) => add(add(at, 'months', sign * months), 'ms', sign * ms),
    bucket: (at, granularity) => ({ base: bucketOfWall(timeSql(at), type, granularity), terms: [] }),
    next: (start, { step }) =>
      step.kind === 'fixed' ? add(start, 'ms', step.ms) : add(start, 'months', step.count),
  };
}

/** The expression of a local time. */
export function timeSql({ base, terms }: SqlTime): Expression {
  return terms.reduce<Expression>((at, { unit, amount }) => {
    const [word, size] = unit === 'months' ? (['month', 1] as const) : unitOf(amount);
    return binary(amount < 0 ? '-' : '+', at, interval(Math.abs(amount) / size, word));
  }, base);
}
