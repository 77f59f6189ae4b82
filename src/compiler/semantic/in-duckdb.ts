import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { parseQuery } from '../../foundation/sql/parse/parse-query.ts';
import { translateQuery } from '../../foundation/sql/print/print-query.ts';
import { selectOf } from '../load/yaml/check-expression.ts';
import { gatherReferences, type MemberExpression } from '../load/yaml/member-expression.ts';

/** The expression in DuckDB's words, in which all trees of a query meet; its references keep their names. */
export function inDuckdb(expression: MemberExpression, dialect: Dialect): MemberExpression | Diagnostic {
  if (dialect === 'duckdb' || dialect === 'generic' || expression.tree.kind === 'column') return expression;
  const text = translateQuery(selectOf(expression.tree), { from: dialect, to: 'duckdb' });
  if (!text.ok) return diagnostic('semantic.bad-expression', { detail: text.error.message });
  const parsed = parseQuery(text.value, 'duckdb');
  if (!parsed.ok) return diagnostic('semantic.bad-expression', { detail: parsed.error.message });
  const { body } = parsed.value;
  const tree = body.kind === 'select' ? body.projections[0]?.expression : undefined;
  if (tree === undefined) return diagnostic('semantic.bad-expression', { detail: 'it is not an expression' });
  return gatherReferences(tree, new Map(expression.references.map((each) => [each.placeholder, each])));
}
