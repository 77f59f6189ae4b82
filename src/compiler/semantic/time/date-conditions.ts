/*
 * Date ranges and date operators as conditions on the raw column, so that an engine can use its statistics:
 *
 *   'last month' ── the caller's zone ──▶ [2024-02-29 23:00Z, 2024-03-31 22:00Z) ──▶ c >= TIMESTAMP '…' AND c < TIMESTAMP '…'
 *
 * A DATE has no zone: its ranges are read on the wall clock, and only "today" depends on where the wall is.
 */
import type { FilterOperator } from '../../../domain/semantic-model.ts';
import type { DateRange } from '../../../domain/semantic-query.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { DAY_MS } from '../../../foundation/time/civil.ts';
import { parseDateRange } from '../../../foundation/time/date-range.ts';
import type { TimeProblem } from '../../../foundation/time/time-problem.ts';
import { utcToWall } from '../../../foundation/time/time-zone.ts';
import type { TimeBounds } from '../logical-query.ts';
import { binary, NOWHERE } from '../tree-nodes.ts';
import type { TimeType } from './granularity.ts';
import { timeConstant } from './time-nodes.ts';

/** Where and when a date is read. */
export interface DateContext {
  /** An IANA name that was checked. */
  readonly timezone: string;
  readonly now: number;
}

/** A range that was read, as the column counts: instants in UTC, for a DATE midnights in UTC. */
export interface ReadRange {
  readonly kind: 'range';
  readonly start: number;
  readonly end: number;
}

/** Reads a range for a column of a type. */
export function readRange(
  range: DateRange,
  type: TimeType,
  { timezone, now }: DateContext,
): ReadRange | TimeProblem {
  const context = type === 'DATE' ? { zone: 'UTC', now: utcToWall(timezone, now) } : { zone: timezone, now };
  const read = parseDateRange(range, context);
  if (read.kind === 'problem') return read;
  return type === 'DATE'
    ? { kind: 'range', start: midnightFrom(read.start), end: midnightFrom(read.end) }
    : { kind: 'range', start: read.start, end: read.end };
}

/** The first midnight at or after: a DATE is its midnight. */
export function midnightFrom(at: number): number {
  return Math.ceil(at / DAY_MS) * DAY_MS;
}

/** The conditions of a half-open range, each on the raw column; none for a range without ends. */
export function boundsConditions(
  column: Expression,
  type: TimeType,
  { start, end }: TimeBounds,
): readonly Expression[] {
  return [
    ...(start === undefined ? [] : [binary('>=', column, timeConstant(start, type))]),
    ...(end === undefined ? [] : [binary('<', column, timeConstant(end, type))]),
  ];
}

/** The operators that take dates. */
export type DateOperator = Extract<
  FilterOperator,
  | 'inDateRange'
  | 'notInDateRange'
  | 'onTheDate'
  | 'beforeDate'
  | 'beforeOrOnDate'
  | 'afterDate'
  | 'afterOrOnDate'
>;

/** The condition of a date operator; `value` is a range or a single date. */
export function dateCondition(
  column: Expression,
  type: TimeType,
  condition: { readonly operator: DateOperator; readonly value: DateRange } & DateContext,
): Expression | TimeProblem {
  const range = readRange(condition.value, type, condition);
  if (range.kind === 'problem') return range;
  const { start, end } = range;
  switch (condition.operator) {
    case 'inDateRange':
    case 'onTheDate':
      return binary(
        'AND',
        binary('>=', column, timeConstant(start, type)),
        binary('<', column, timeConstant(end, type)),
      );
    case 'notInDateRange':
      return binary(
        'OR',
        binary(
          'OR',
          binary('<', column, timeConstant(start, type)),
          binary('>=', column, timeConstant(end, type)),
        ),
        { kind: 'is', negated: false, operand: column, test: 'NULL', span: NOWHERE },
      );
    case 'beforeDate':
      return binary('<', column, timeConstant(start, type));
    case 'beforeOrOnDate':
      return binary('<', column, timeConstant(end, type));
    case 'afterDate':
      return binary('>=', column, timeConstant(end, type));
    case 'afterOrOnDate':
      return binary('>=', column, timeConstant(start, type));
  }
}

/** The half-open range in which the operator is true. */
export function operatorBounds(
  operator: Exclude<DateOperator, 'notInDateRange'>,
  { start, end }: ReadRange,
): TimeBounds {
  switch (operator) {
    case 'inDateRange':
    case 'onTheDate':
      return { start, end };
    case 'beforeDate':
      return { end: start };
    case 'beforeOrOnDate':
      return { end };
    case 'afterDate':
      return { start: end };
    case 'afterOrOnDate':
      return { start };
  }
}
