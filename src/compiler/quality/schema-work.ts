import type { Dialect } from '../../foundation/sql/dialect.ts';
import { canonicalType, parseType } from '../../foundation/sql/types/type-names.ts';
import type { CheckedTable, CheckWork } from './check-plan.ts';
import { columnNamed } from './column-family.ts';
import { outcomeOf } from './comparison.ts';
import { NONE } from './count-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';

type SchemaAssertion = CheckAssertion & { readonly kind: 'schema' };

/** `schema: {required_columns, forbidden_columns, types}` against the columns that the engine says the table has; the value is the number of violations. */
export function schemaWork(
  check: PlannedCheck,
  assertion: SchemaAssertion,
  table: CheckedTable,
  dialect: Dialect,
): CheckWork {
  const violations = violationsOf(assertion, table, dialect);
  return {
    check,
    expected: expectedOf(assertion),
    measures: [],
    queries: [],
    decide: () => ({
      outcome: outcomeOf(violations.length, NONE, check.definition),
      value: violations.length,
      ...(violations.length === 0 ? {} : { reason: violations.join('; ') }),
    }),
  };
}

function violationsOf(
  { requiredColumns, forbiddenColumns, types }: SchemaAssertion,
  table: CheckedTable,
  engine: Dialect,
): readonly string[] {
  const has = (name: string): boolean => columnNamed(table, name) !== undefined;
  return [
    ...requiredColumns.filter(({ value }) => !has(value)).map(({ value }) => `${value} is missing`),
    ...forbiddenColumns.filter(({ value }) => has(value)).map(({ value }) => `${value} is there`),
    ...types.flatMap(({ column, type }) => {
      const found = columnNamed(table, column.value);
      if (found === undefined) return [`${column.value} is missing`];
      return isOfType(found.type, type.value, { written: table.dialect, engine })
        ? []
        : [`${found.name} is ${found.type}, not ${type.value}`];
    }),
  ];
}

/** A type without parameters (`decimal`) means all of them. */
function isOfType(
  found: string,
  wanted: string,
  { written, engine }: { readonly written: Dialect; readonly engine: Dialect },
): boolean {
  const expected = canonicalType(wanted, written);
  if (canonicalType(found, engine) === expected || found.toUpperCase() === wanted.trim().toUpperCase())
    return true;
  return (
    !wanted.includes('(') &&
    parseType(found, engine).kind === 'decimal' &&
    parseType(wanted, written).kind === 'decimal'
  );
}

function expectedOf({ requiredColumns, forbiddenColumns, types }: SchemaAssertion): string {
  const parts = [
    requiredColumns.length === 0 ? '' : `has ${requiredColumns.map(({ value }) => value).join(', ')}`,
    forbiddenColumns.length === 0 ? '' : `has no ${forbiddenColumns.map(({ value }) => value).join(', ')}`,
    ...types.map(({ column, type }) => `${column.value} is ${type.value}`),
  ];
  return parts.filter((part) => part !== '').join('; ');
}
