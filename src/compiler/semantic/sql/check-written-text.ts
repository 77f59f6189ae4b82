/*
 * Some rare parts of SQL are kept in the tree as they were written: samples, versions of tables, separators, parameters of types.
 * Their parts are not analysed, so in questions only their plain forms are accepted.
 */
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Span, TypeName } from '../../../foundation/sql/tree.ts';
import { UNKNOWN } from '../../../foundation/sql/types/sql-type.ts';
import { typeOf } from '../../../foundation/sql/types/type-names.ts';
import type { SqlNode } from '../../../foundation/sql/walk.ts';
import { type Problems, positionOf } from './problems.ts';

const METHOD = '(?:reservoir|bernoulli|system)';
const SIZE = '\\d+(?:\\.\\d+)?\\s*(?:%|percent|rows)?';
const SAMPLE = new RegExp(
  `^(?:tablesample|using\\s+sample)?\\s*(?:${METHOD}\\s*\\(\\s*${SIZE}\\s*\\)|\\(?\\s*${SIZE}\\s*\\)?(?:\\s*\\(\\s*${METHOD}(?:\\s*,\\s*\\d+)?\\s*\\))?)(?:\\s*repeatable\\s*\\(\\s*\\d+\\s*\\))?$`,
  'i',
);
const MODIFIER = /^(?:leading|trailing|both|separator\s+'[^']*')$/i;

/** Reports what is written in a way that could hide functions or tables. */
export function checkWrittenText(node: SqlNode, problems: Problems): void {
  const refuse = (what: string, span: Span, hint: string): void =>
    problems.add(() => diagnostic('semantic.sql-unsupported', { what }, { at: positionOf(span), hint }));
  const sample = node.kind === 'select' ? node.sample : 'suffix' in node ? node.suffix : undefined;
  if (sample !== undefined && !SAMPLE.test(sample.trim()))
    refuse('this sample or version of a table', node.span, 'write a sample as TABLESAMPLE 10 PERCENT');
  if (node.kind === 'call' && node.modifier !== undefined && !MODIFIER.test(node.modifier))
    refuse(node.modifier, node.span, 'write a text for the separator');
  if (node.kind === 'cast' && !isPlain(node.type))
    refuse(`the type ${node.type.name}`, node.type.span, 'cast to a type of the engine itself');
}

/** A type that every reader knows, with numbers in its brackets. */
function isPlain(type: TypeName): boolean {
  return (
    typeOf(type) !== UNKNOWN &&
    type.parameters.every((parameter) => /^\d+$/.test(parameter)) &&
    type.fields.every((field) => isPlain(field.type))
  );
}
