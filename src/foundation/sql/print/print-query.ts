/**
 * Our tree back to text.
 *
 *   Query ── printQuery ──▶ text in the dialect it was written in: nothing renamed, parentheses where needed
 *     └──── translateQuery ─▶ text in any dialect, or what that dialect cannot say
 *
 * One table per dialect (`dialects/`); functions and types meet in DuckDB's vocabulary.
 */
import type { Dialect } from '../dialect.ts';
import type { SqlResult } from '../sql-error.ts';
import type { Expression, Query } from '../tree.ts';
import { writeExpression } from './print-expression.ts';
import { writeQuery } from './print-select.ts';
import { createPrinter, type Printer } from './printer.ts';

/** Pretty puts clauses, projections and conditions on lines of their own. */
export interface PrintOptions {
  readonly pretty?: boolean;
}

const PARTS: Pick<Printer, 'expression' | 'query'> = { expression: writeExpression, query: writeQuery };

/** The text of a query in the dialect its tree was read from, or was built for. */
export function printQuery(query: Query, dialect: Dialect, options: PrintOptions = {}): string {
  const printer = createPrinter({ from: dialect, to: dialect, isPretty: options.pretty ?? false }, PARTS);
  writeQuery(printer, query);
  return printer.out;
}

/** The text of an expression in the dialect its tree was read from. */
export function printExpression(expression: Expression, dialect: Dialect): string {
  const printer = createPrinter({ from: dialect, to: dialect, isPretty: false }, PARTS);
  writeExpression(printer, expression);
  return printer.out;
}

/** Between which dialects a tree is moved. */
export interface TranslateOptions extends PrintOptions {
  readonly from: Dialect;
  readonly to: Dialect;
}

/** The text of a query in a dialect; where it is another one, an error of kind 'unsupported' names the first thing that it, or our table of it, has no words for. */
export function translateQuery(query: Query, { from, to, pretty }: TranslateOptions): SqlResult<string> {
  const printer = createPrinter({ from, to, isPretty: pretty ?? false }, PARTS);
  writeQuery(printer, query);
  return result(printer);
}

function result(printer: Printer): SqlResult<string> {
  const error = printer.isTranslating ? printer.problems[0] : undefined;
  return error === undefined ? { ok: true, value: printer.out } : { ok: false, error };
}
