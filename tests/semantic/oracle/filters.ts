/* Filters of the rules page, of one value at a time. */
import type { QueryFilter, QueryValue } from '../../../src/domain/semantic-query.ts';
import { instantOf, isInRange, point, readRange, type WallRange } from './calendar.ts';
import { parseRational } from './rational.ts';
import { type ColumnType, compareValues, isMoment, keyOf, type Value } from './value.ts';

export type Leaf = Extract<QueryFilter, { kind: 'member' }>;

export interface Clock {
  readonly zone: string;
  readonly now: number;
}

/** What a written value means for a member of a type; undefined when it does not fit. Times are local unless they say how far from UTC. */
function typed(value: QueryValue, type: ColumnType, zone: string): Value | undefined {
  if (value === null) return null;
  if (type === 'text') return `${value}`;
  if (type === 'boolean') return `${value}` === 'true' ? true : `${value}` === 'false' ? false : undefined;
  if (type === 'int' || type === 'decimal')
    return typeof value === 'boolean' ? undefined : parseRational(`${value}`);
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(value))
    return undefined;
  if (Number.isNaN(Date.parse(value.length === 10 ? value : `${value.replace(' ', 'T').replace('Z', '')}Z`)))
    return undefined;
  if (type === 'date') return value.length === 10 ? { kind: type, ms: point(value).start } : undefined;
  const wall = point(value.replace('Z', '')).start;
  return { kind: type, ms: value.endsWith('Z') ? wall : instantOf(zone, wall) };
}

const ONE = new Set(['gt', 'gte', 'lt', 'lte']);
const LISTS = new Set(['equals', 'notEquals', 'in', 'notIn', ...ONE]);

/** Codes for values that a filter cannot have. */
export function valueProblems({ operator, values }: Leaf, type: ColumnType, zone: string): readonly string[] {
  if (!LISTS.has(operator)) return [];
  const isOne = ONE.has(operator);
  if (isOne ? values.length !== 1 || values[0] === null : values.length === 0)
    return ['semantic.filter-values'];
  return values.some((value) => typed(value, type, zone) === undefined) ? ['semantic.filter-value'] : [];
}

/** Whether a filter is true of a value; unknown is not true. */
export function holdsOf(leaf: Leaf, value: Value, type: ColumnType, clock: Clock): boolean {
  const { operator } = leaf;
  const given = leaf.values.map((each) =>
    operator.endsWith('Date') || operator.includes('DateRange') ? null : typed(each, type, clock.zone),
  );
  const isAmong = (): boolean =>
    value !== null &&
    given.some((each) => each !== undefined && each !== null && keyOf(each) === keyOf(value));
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
