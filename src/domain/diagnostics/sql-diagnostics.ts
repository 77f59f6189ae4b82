import type { Catalog } from '../../foundation/diagnostics/catalog.ts';

/** Why a piece of SQL cannot be read. */
export const sqlDiagnostics = {
  'sql.lexical': {
    severity: 'error',
    message: 'The SQL cannot be cut into words: {problem}.',
    explain:
      'A quote or comment is not closed, or a character has no meaning in this dialect. Nothing after it can be read.',
  },
  'sql.syntax': {
    severity: 'error',
    message: 'The SQL cannot be read here: {problem}.',
    explain:
      'The text does not follow the grammar of its dialect. The dialect of a model is set by dialect in its block or by model_defaults.',
  },
  'sql.too-deep': {
    severity: 'error',
    message: 'The SQL is nested too deeply: {problem}.',
    hint: 'move inner queries into common table expressions or models of their own',
    explain:
      'Nesting is limited so that a hostile or generated query cannot exhaust the memory of the compiler.',
  },
  'sql.too-long': {
    severity: 'error',
    message: 'The SQL is too long: {problem}.',
    hint: 'move data into a seed, or split the model',
    explain: 'The length of a query is limited so that it can be read in bounded time and memory.',
  },
  'sql.timeout': {
    severity: 'error',
    message: 'The SQL could not be read in time: {problem}.',
    hint: 'simplify the query, or split the model',
    explain: 'Reading a query is stopped after a fixed time, so that one query cannot hold up the project.',
  },
  'sql.unsupported': {
    severity: 'error',
    message: 'The SQL uses something that is not supported: {problem}.',
    explain: 'The text may be valid in its dialect, but this construct cannot be understood yet.',
  },
} as const satisfies Catalog;
