import type { AnswerColumn } from '../../domain/engine.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { isNumeric } from '../../foundation/sql/types/sql-type.ts';
import { parseType } from '../../foundation/sql/types/type-names.ts';
import type { CheckedTable } from './check-plan.ts';

/** What can be measured of values of a type. `binary` has no text that a rule could mean. */
export type Family = 'number' | 'text' | 'time' | 'boolean' | 'binary' | 'other';

export function familyOf(type: string, dialect: Dialect): Family {
  const read = parseType(type, dialect);
  if (isNumeric(read) || read.text === 'BIGNUM') return 'number';
  if (read.kind === 'enum') return 'text';
  if (/^(VARCHAR|CHAR|TEXT|STRING|BPCHAR)/.test(read.text)) return 'text';
  if (/^(DATE|TIMESTAMP)/.test(read.text)) return 'time';
  if (read.text === 'BOOLEAN') return 'boolean';
  return /^(BLOB|BIT|BYTEA)/.test(read.text) ? 'binary' : 'other';
}

/** Whether values of the type can be NaN or infinite. */
export function isFloating(type: string, dialect: Dialect): boolean {
  return /^(FLOAT|DOUBLE|REAL)/.test(parseType(type, dialect).text);
}

/** The column with that name, whatever its case; an exact match wins. */
export function columnNamed(table: CheckedTable, name: string): AnswerColumn | undefined {
  const folded = name.toLowerCase();
  return (
    table.columns.find((each) => each.name === name) ??
    table.columns.find((each) => each.name.toLowerCase() === folded)
  );
}
