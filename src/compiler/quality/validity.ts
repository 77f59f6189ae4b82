/*
 * Every value of a column is one of three:
 *
 *   missing   NULL, or what `missing_values` and `missing_regex` name
 *   invalid   not missing, and some option of validity does not hold
 *   valid     the rest
 */
import type { DqValidity } from '../../domain/dq-pack.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { type Family, familyOf, isFloating } from './column-family.ts';
import { formatPattern } from './format-pattern.ts';
import { literalEndings } from './literal-endings.ts';
import { castTo, NotExpressible, spelled } from './spelled.ts';

/** A value of a column in SQL: the column itself, or one of its counted values. */
export interface ValueSql {
  readonly sql: string;
  readonly column: AnswerColumn;
  readonly dialect: Dialect;
}

/** Conditions that are never NULL. */
export interface ValueConditions {
  readonly missing: string;
  readonly valid: string;
  readonly invalid: string;
  /** Whether they look into texts: regular expressions cost more than everything else, lists and lengths of texts still much. */
  readonly isCostly: boolean;
}

/** Throws `NotExpressible` when an option does not fit the type of the column. */
export function conditionsOf(value: ValueSql, validity: DqValidity): ValueConditions {
  const missing = missingOf(value, validity);
  const tests = validityTests(value, validity);
  const all = tests.length === 0 ? 'TRUE' : tests.join(' AND ');
  return {
    missing,
    valid: `(NOT (${missing}) AND (${all}))`,
    invalid: `(NOT (${missing}) AND NOT (${all}))`,
    isCostly: costsOf(validity, familyIn(value)).some((each) => each !== undefined),
  };
}

function costsOf(validity: DqValidity, family: Family): readonly unknown[] {
  const { format, regex, invalidFormat, invalidRegex, missingRegex } = validity;
  const expressions = [format, regex, invalidFormat, invalidRegex, missingRegex];
  if (family !== 'text') return expressions;
  const { values, invalidValues, missingValues, length, minLength, maxLength } = validity;
  return [...expressions, values, invalidValues, missingValues, length, minLength, maxLength];
}

function missingOf(value: ValueSql, { missingValues, missingRegex }: DqValidity): string {
  const parts = [`${value.sql} IS NULL`];
  const listed = missingValues === undefined ? undefined : inList(value, missingValues);
  if (listed !== undefined) parts.push(listed);
  if (missingRegex !== undefined) parts.push(matches(value, missingRegex.value, 'missing_regex'));
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' OR ')})`;
}

/** What must hold of a value that is not NULL. */
function validityTests(value: ValueSql, validity: DqValidity): readonly string[] {
  const { format, regex, values, invalidFormat, invalidRegex, invalidValues, min, max } = validity;
  const tests: string[] = [];
  if (values !== undefined) tests.push(inList(value, values) ?? 'FALSE');
  if (invalidValues !== undefined) {
    const listed = inList(value, invalidValues);
    if (listed !== undefined) tests.push(`NOT (${listed})`);
  }
  if (min !== undefined) tests.push(bound(value, '>=', min, 'valid_min'));
  if (max !== undefined) tests.push(bound(value, '<=', max, 'valid_max'));
  tests.push(...lengthTests(value, validity));
  if (format !== undefined) tests.push(ofFormat(value, format.value, 'valid_format'));
  if (regex !== undefined) tests.push(matches(value, regex.value, 'valid_regex'));
  if (invalidFormat !== undefined)
    tests.push(`NOT (${ofFormat(value, invalidFormat.value, 'invalid_format')})`);
  if (invalidRegex !== undefined) tests.push(`NOT (${matches(value, invalidRegex.value, 'invalid_regex')})`);
  return tests;
}

function lengthTests(value: ValueSql, { length, minLength, maxLength }: DqValidity): readonly string[] {
  return [
    ...(length === undefined ? [] : [`${lengthOf(value, 'valid_length')} = ${length}`]),
    ...(minLength === undefined ? [] : [`${lengthOf(value, 'valid_min_length')} >= ${minLength}`]),
    ...(maxLength === undefined ? [] : [`${lengthOf(value, 'valid_max_length')} <= ${maxLength}`]),
  ];
}

/** Characters of the value's text. */
export function lengthOf(value: ValueSql, option: string): string {
  return spelled('length', [textOf(value, option)], value.dialect);
}

function ofFormat(value: ValueSql, name: string, option: string): string {
  const pattern = formatPattern(name);
  if (pattern !== undefined) return matches(value, pattern, option);
  if (name.toLowerCase() === 'json') return spelled('json_valid', [textOf(value, option)], value.dialect);
  throw new NotExpressible(`${option} ${name} is not known`);
}

/** Whether the expression is found anywhere in the text. Comparing endings takes half the time. */
function matches(value: ValueSql, pattern: string, option: string): string {
  const { dialect } = value;
  const text = textOf(value, option);
  const endings = literalEndings(pattern);
  if (endings === undefined) return spelled('regexp_matches', [text, quoteText(pattern, dialect)], dialect);
  const ends = endings.map((ending) => spelled('ends_with', [text, quoteText(ending, dialect)], dialect));
  return `(${ends.join(' OR ')})`;
}

/** The text of a value: itself, or as the engine writes it. */
function textOf(value: ValueSql, option: string): string {
  switch (familyIn(value)) {
    case 'text':
      return isEnum(value) ? castTo('VARCHAR', value.sql, value.dialect) : value.sql;
    case 'binary':
      throw wrongType(option, value.column, 'text');
    default:
      return castTo('VARCHAR', value.sql, value.dialect);
  }
}

const isEnum = ({ column: { type } }: ValueSql): boolean => /^ENUM/i.test(type);

/** NaN is neither above nor below anything. */
function bound(value: ValueSql, operator: string, limit: number, option: string): string {
  if (familyIn(value) !== 'number') throw wrongType(option, value.column, 'a number');
  const test = `${value.sql} ${operator} ${numberSql(limit)}`;
  return isFloating(value.column.type, value.dialect)
    ? `(${test} AND NOT ${spelled('isnan', [value.sql], value.dialect)})`
    : test;
}

/** `IN (…)` over the values that the type can have; undefined when it can have none of them. */
function inList(value: ValueSql, values: readonly (string | number | boolean)[]): string | undefined {
  const family = familyIn(value);
  if (family === 'binary') throw wrongType('a list of values', value.column, 'text or a number');
  const items = values
    .map((each) => itemSql(each, family, value.dialect))
    .filter((each) => each !== undefined);
  if (items.length === 0) return undefined;
  const subject =
    family === 'text' || family === 'number' || family === 'boolean'
      ? listed(value)
      : textOf(value, 'values');
  return `${subject} IN (${[...new Set(items)].join(', ')})`;
}

/** A value that the list of an ENUM lacks would be refused. */
const listed = (value: ValueSql): string =>
  isEnum(value) ? castTo('VARCHAR', value.sql, value.dialect) : value.sql;

function itemSql(item: string | number | boolean, family: Family, dialect: Dialect): string | undefined {
  const text = String(item);
  if (family === 'number') {
    if (typeof item === 'boolean') return undefined;
    return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(text.trim()) ? text.trim() : undefined;
  }
  if (family === 'boolean') return /^(true|false)$/i.test(text) ? text.toUpperCase() : undefined;
  return quoteText(text, dialect);
}

export const familyIn = ({ column, dialect }: ValueSql): Family => familyOf(column.type, dialect);

/** A finite number as SQL. */
export function numberSql(value: number): string {
  return String(value);
}

export function wrongType(what: string, column: AnswerColumn, expected: string): NotExpressible {
  return new NotExpressible(`${what} needs ${expected}, but ${column.name} is ${column.type}`);
}
