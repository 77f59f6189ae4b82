/*
 * One filter on a value as a condition. Values become literals of the member's type, never text pieces, and fit it or are refused.
 */
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { FilterOperator } from '../../domain/semantic-model.ts';
import type { QueryValue } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { parseWrittenTime } from '../../foundation/time/relative-date.ts';
import { firstUtcOfWall } from '../../foundation/time/time-zone.ts';
import { unreachable } from '../../foundation/unreachable.ts';
import { type DateContext, dateCondition } from './time/date-conditions.ts';
import { type TimeType, timeTypeOf } from './time/granularity.ts';
import { timeConstant } from './time/time-nodes.ts';
import {
  allOf,
  anyOf,
  binary,
  booleanLiteral,
  cast,
  isNull,
  NOWHERE,
  numberLiteral,
  textLiteral,
} from './tree-nodes.ts';

/** A filter's left side. */
export interface FilteredValue {
  /** As the query names it, for messages. */
  readonly member: string;
  readonly value: Expression;
  readonly type: string;
}

/** What a filter asks of it. */
export interface FilterCondition extends DateContext {
  readonly operator: Exclude<FilterOperator, 'measureFilter'>;
  readonly values: readonly QueryValue[];
}

export function bindFilter(filtered: FilteredValue, condition: FilterCondition): Expression | Diagnostic {
  const { value } = filtered;
  const { operator } = condition;
  switch (operator) {
    case 'set':
      return isNull(value, true);
    case 'notSet':
      return isNull(value);
    case 'equals':
    case 'in':
      return membership(filtered, condition, false);
    case 'notEquals':
    case 'notIn':
      return membership(filtered, condition, true);
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'notContains':
    case 'notStartsWith':
    case 'notEndsWith':
      return matching(filtered, condition, operator);
    case 'gt':
      return comparison(filtered, condition, '>');
    case 'gte':
      return comparison(filtered, condition, '>=');
    case 'lt':
      return comparison(filtered, condition, '<');
    case 'lte':
      return comparison(filtered, condition, '<=');
    case 'inDateRange':
    case 'notInDateRange':
    case 'onTheDate':
    case 'beforeDate':
    case 'beforeOrOnDate':
    case 'afterDate':
    case 'afterOrOnDate':
      return dates(filtered, condition, operator);
    default:
      return unreachable(operator);
  }
}

function membership(
  filtered: FilteredValue,
  condition: FilterCondition,
  negated: boolean,
): Expression | Diagnostic {
  const { value } = filtered;
  if (condition.values.length === 0) return wrongCount(filtered, condition, 'at least one value');
  const items: Expression[] = [];
  for (const each of condition.values) {
    if (each === null) continue;
    const item = literalFor(filtered, each, condition);
    if ('code' in item) return item;
    items.push(item);
  }
  const hasNull = items.length < condition.values.length;
  if (items.length === 0) return isNull(value, negated);
  const [only] = items;
  const found: Expression =
    items.length === 1 && only !== undefined
      ? binary(negated ? '<>' : '=', value, only)
      : { kind: 'in', negated, operand: value, set: { kind: 'list', items }, span: NOWHERE };
  if (hasNull !== negated) return binary('OR', found, isNull(value));
  // Comparisons with NULL are not true, which is what a null among excluded values asks for. Of a bucket it is said: an optimiser
  // may take `date_trunc('month', NULL) <> DATE '2024-01-02'` for true, because no bucket begins on that day.
  return negated && value.kind !== 'column' ? binary('AND', isNull(value, true), found) : found;
}

function comparison(
  filtered: FilteredValue,
  condition: FilterCondition,
  operator: string,
): Expression | Diagnostic {
  const [value = null] = condition.values;
  if (condition.values.length !== 1 || value === null) return wrongCount(filtered, condition, 'one value');
  const literal = literalFor(filtered, value, condition);
  return 'code' in literal ? literal : binary(operator, filtered.value, literal);
}

function matching(
  filtered: FilteredValue,
  condition: FilterCondition,
  operator: 'contains' | 'startsWith' | 'endsWith' | 'notContains' | 'notStartsWith' | 'notEndsWith',
): Expression | Diagnostic {
  const { values } = condition;
  if (values.length === 0) return wrongCount(filtered, condition, 'at least one value');
  const negated = operator.startsWith('not');
  const before = operator.endsWith('tartsWith') ? '' : '%';
  const after = operator.endsWith('ndsWith') ? '' : '%';
  const isText = filtered.type === 'VARCHAR' || filtered.type === 'UNKNOWN';
  const operand = isText ? filtered.value : cast(filtered.value, 'VARCHAR');
  const tests: Expression[] = [];
  for (const value of values) {
    if (value === null) return misfit(filtered, value, 'text');
    const text = String(value);
    const isEscaped = /[%_!\\]/.test(text);
    tests.push({
      kind: 'like',
      operator: 'ILIKE',
      negated,
      operand,
      pattern: textLiteral(`${before}${text.replace(/[%_!]/g, '!$&')}${after}`),
      ...(isEscaped ? { escape: textLiteral('!') } : {}),
      span: NOWHERE,
    });
  }
  return negated ? binary('OR', allOf(tests) as Expression, isNull(filtered.value)) : anyOf(tests);
}

function dates(
  filtered: FilteredValue,
  condition: FilterCondition,
  operator: Parameters<typeof dateCondition>[2]['operator'],
): Expression | Diagnostic {
  const { member, value, type } = filtered;
  if (!isTime(type) && type !== 'UNKNOWN')
    return diagnostic('semantic.not-time', { name: member, found: type });
  const isRange = operator === 'inDateRange' || operator === 'notInDateRange';
  const [from, to, ...more] = condition.values;
  if (
    typeof from !== 'string' ||
    more.length > 0 ||
    (to !== undefined && (!isRange || typeof to !== 'string'))
  )
    return wrongCount(filtered, condition, isRange ? 'one range or two dates' : 'one date');
  const { timezone, now } = condition;
  const range = typeof to === 'string' ? ([from, to] as const) : from;
  const bound = dateCondition(value, timeTypeOf(type), { operator, value: range, timezone, now });
  return bound.kind === 'problem'
    ? diagnostic('semantic.bad-date-range', { member, detail: bound.message })
    : bound;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;
const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|DECIMAL|FLOAT|DOUBLE|BIGNUM)/;
const DIGITS_MAX = 100;

/** Whether values of a type are points in time. */
export function isTime(type: string): boolean {
  return type === 'DATE' || type.startsWith('TIMESTAMP');
}

function literalFor(
  filtered: FilteredValue,
  value: Exclude<QueryValue, null>,
  { timezone }: DateContext,
): Expression | Diagnostic {
  const { type } = filtered;
  if (NUMERIC.test(type) || (type === 'UNKNOWN' && typeof value === 'number')) {
    const text = String(value).trim();
    if (typeof value === 'boolean' || !NUMBER.test(text) || text.length > DIGITS_MAX)
      return misfit(filtered, value, 'a number');
    return signedNumber(text);
  }
  if (type === 'BOOLEAN' || (type === 'UNKNOWN' && typeof value === 'boolean')) {
    const text = String(value).toLowerCase();
    return text === 'true' || text === 'false'
      ? booleanLiteral(text === 'true')
      : misfit(filtered, value, 'true or false');
  }
  if (isTime(type)) {
    const at = instantOf(value, timeTypeOf(type), timezone);
    if (at !== undefined) return timeConstant(at, timeTypeOf(type));
    const isWritten = typeof value === 'string' && parseWrittenTime(value)?.kind === 'written';
    return misfit(filtered, value, isWritten ? 'a date' : 'a date or a time');
  }
  return textLiteral(String(value));
}

/** The time that a value means for a column of the type, as the column counts; undefined when it does not fit. */
export function instantOf(value: QueryValue, type: TimeType, timezone: string): number | undefined {
  const written = typeof value === 'string' ? parseWrittenTime(value) : undefined;
  if (written === undefined || written.kind === 'problem') return undefined;
  const at = written.offset === undefined ? undefined : written.wall - written.offset;
  if (type === 'DATE') return at === undefined && written.isDateOnly ? written.wall : undefined;
  return at ?? firstUtcOfWall(timezone, written.wall);
}

function signedNumber(text: string): Expression {
  const digits = numberLiteral(text.replace(/^[+-]/, ''));
  return text.startsWith('-') ? { kind: 'unary', operator: '-', operand: digits, span: NOWHERE } : digits;
}

function misfit({ member, type }: FilteredValue, value: QueryValue, expected: string): Diagnostic {
  return diagnostic('semantic.filter-value', { member, type, value: shown(value), expected });
}

function wrongCount(
  { member }: FilteredValue,
  { operator, values }: FilterCondition,
  expected: string,
): Diagnostic {
  return diagnostic('semantic.filter-values', { member, operator, count: String(values.length), expected });
}

function shown(value: QueryValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
