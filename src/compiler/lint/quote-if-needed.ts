import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { quoteName } from '../../foundation/sql/quote.ts';

/** A column's name as it is written in a list: in quotes where it would be read as something else. */
export function quoteIfNeeded(name: string, dialect: Dialect): string {
  return isBare(name, dialect) ? name : quoteName(name, dialect);
}

function isBare(name: string, dialect: Dialect): boolean {
  if (!/^[a-z_][a-z0-9_]*$/.test(name)) return false;
  const read = parseQuery(`SELECT ${name}, ${name} FROM t`, dialect);
  if (!read.ok || read.value.body.kind !== 'select') return false;
  const { projections } = read.value.body;
  return projections.length === 2 && projections.every(({ expression: { kind } }) => kind === 'column');
}
