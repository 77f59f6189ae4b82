/* Filters of the rules page, of one value at a time. */
import type { QueryFilter, QueryValue } from '../../../src/domain/semantic-query.ts';
import { instantOf, isInRange, point, readRange, type WallRange } from './calendar.ts';
import { parseRational } from './rational.ts';
import { Refused } from './refused.ts';
import { type ColumnType, compareValues, isMoment, keyOf, type Value } from './value.ts';

export type Leaf = Extract<QueryFilter, { kind: 'member' }>;

export interface Clock {
  readonly zone: string;
  readonly now: number;
}

/** What a written value means for a member of a type. */
function typed(value: QueryValue, type: ColumnType): Value {
  if (value === null) return null;
  if (type === 'text') return `${value}`;
  if (type === 'boolean') {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw new Refused(['semantic.filter-value']);
  }
  if (type === 'int' || type === 'decimal') {
    const number = typeof value === 'boolean' ? undefined : parseRational(`${value}`);
    if (number === undefined) throw new Refused(['semantic.filter-value']);
    return number;
  }
  return { kind: type, ms: point(`${value}`).start };
}

/** Whether a filter is true of a value; unknown is not true. */
export function holdsOf(leaf: Leaf, value: Value, type: ColumnType, clock: Clock): boolean {
  const { operator } = leaf;
  const given = leaf.values.map((each) =>
    operator.endsWith('Date') || operator.includes('DateRange') ? null : typed(each, type),
  );
  const isAmong = (): boolean =>
    value !== null && given.some((each) => each !== null && keyOf(each) === keyOf(value));
  const hasNull = leaf.values.includes(null);
  switch (operator) {
    case 'equals':
    case 'in':
      return isAmong() || (value === null && hasNull);
    case 'notEquals':
    case 'notIn':
      return value === null ? !hasNull : !isAmong();
    case 'set':
      return value !== null;
    case 'notSet':
      return value === null;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const [first = null] = given;
      if (value === null || first === null) return false;
      const order = compareValues(value, first);
      if (order === 0) return operator === 'gte' || operator === 'lte';
      return order > 0 === operator.startsWith('g');
    }
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return value !== null && leaf.values.some((each) => textHolds(operator, value as string, `${each}`));
    case 'notContains':
    case 'notStartsWith':
    case 'notEndsWith': {
      const positive =
        operator === 'notContains' ? 'contains' : operator === 'notStartsWith' ? 'startsWith' : 'endsWith';
      return value === null || !leaf.values.some((each) => textHolds(positive, value as string, `${each}`));
    }
    case 'measureFilter':
      throw new Error('decided where the row is known');
    default:
      return dateHolds(leaf, value, clock);
  }
}

function textHolds(operator: 'contains' | 'startsWith' | 'endsWith', value: string, part: string): boolean {
  const [whole, piece] = [value.toLowerCase(), part.toLowerCase()];
  if (operator === 'contains') return whole.includes(piece);
  return operator === 'startsWith' ? whole.startsWith(piece) : whole.endsWith(piece);
}

function dateHolds(leaf: Leaf, value: Value, clock: Clock): boolean {
  const { operator } = leaf;
  if (value === null) return operator === 'notInDateRange';
  if (!isMoment(value)) throw new Error('a date operator on something else');
  const range = filterRange(leaf, clock);
  const at = (wall: number): number => (value.kind === 'date' ? wall : instantOf(clock.zone, wall));
  switch (operator) {
    case 'inDateRange':
    case 'onTheDate':
      return isInRange(value, range, clock.zone);
    case 'notInDateRange':
      return !isInRange(value, range, clock.zone);
    case 'beforeDate':
      return value.ms < at(range.start);
    case 'beforeOrOnDate':
      return value.ms < at(range.end);
    case 'afterDate':
      return value.ms >= at(range.end);
    case 'afterOrOnDate':
      return value.ms >= at(range.start);
    default:
      throw new Error(`${operator} is no date operator`);
  }
}

export function filterRange({ values }: Leaf, { zone, now }: Clock): WallRange {
  const [first, second] = values.map((each) => `${each}`);
  if (first === undefined) throw new Error('a date is missing');
  return readRange(second === undefined ? first : [first, second], zone, now);
}
