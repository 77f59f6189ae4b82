import type { CompileResult } from '../compiler/semantic/compiled-query.ts';
import { compileSemanticSql } from '../compiler/semantic/sql/compile-semantic-sql.ts';
import type { ViewNaming } from '../domain/relation.ts';
import type { Caller } from '../domain/semantic-query.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import { parseModelledQuery } from '../foundation/sql/parse/parse-query.ts';
import { tableUses } from '../foundation/sql/table-uses.ts';
import { indexOf, type Semantics } from './query.ts';
import { relationsOf } from './query-semantic.ts';

/** SQL whose tables are semantic models and metrics, and perhaps models beside them. */
export interface SqlQuestion {
  readonly sql: string;
  readonly caller: Caller;
  readonly now: number;
  /** At most so many rows, around whatever the text says. */
  readonly limit?: number;
  /** Models that may be read as tables. */
  readonly models: readonly string[];
}

/** The file that places in a question's diagnostics are in. */
export const QUESTION_FILE = '<query>';

/** Names of one part that a query reads; those may be semantic models. Empty for SQL that only the engine understands. */
export function bareTables(sql: string): readonly string[] {
  const parsed = parseModelledQuery(sql, 'duckdb');
  if (!parsed.ok) return [];
  return tableUses(parsed.value)
    .filter(({ parts, isFile }) => parts.length === 1 && !isFile)
    .map(({ parts }) => parts[0]?.name ?? '');
}

/** Whether one of the names is a semantic model or a metric. */
export function hasSemanticTable(semantics: Semantics, names: readonly string[]): boolean {
  const { models, metrics } = indexOf(semantics);
  return names.some((name) => models.has(name.toLowerCase()) || metrics.has(name.toLowerCase()));
}

/** Semantic SQL as SQL of a dialect over the views of an environment. */
export function compileSqlQuestion(
  semantics: Semantics,
  { sql, caller, now, limit, models: readable }: SqlQuestion,
  { naming, dialect }: { readonly naming: ViewNaming; readonly dialect: Dialect },
): CompileResult {
  const result = compileSemanticSql(indexOf(semantics), sql, {
    dialect,
    relationOf: relationsOf(semantics, naming),
    caller,
    now,
    isUnlimited: true,
    models: new Set(readable),
  });
  if (!result.ok) return result;
  const { columns, reads, models, notes, explanation } = result;
  const limited =
    limit === undefined ? result.sql : `SELECT * FROM (\n${result.sql}\n) AS asked LIMIT ${limit}`;
  return {
    ok: true,
    compiled: { sql: limited, columns, reads: [...new Set([...reads, ...models])], notes, explanation },
  };
}
