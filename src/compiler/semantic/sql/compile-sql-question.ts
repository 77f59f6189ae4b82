import type { ViewNaming } from '../../../domain/relation.ts';
import type { Caller } from '../../../domain/semantic-query.ts';
import type { Semantics } from '../../../domain/semantics.ts';
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import { parseModelledQuery } from '../../../foundation/sql/parse/parse-query.ts';
import { tableUses } from '../../../foundation/sql/table-uses.ts';
import { columnsRead } from '../access/columns-read.ts';
import { visibilityOf } from '../access/visibility.ts';
import { relationsOf } from '../compile-semantic.ts';
import type { CompileResult } from '../compiled-query.ts';
import { indexOf } from '../semantic-index.ts';
import { ASKED_DIALECT } from './asked-dialect.ts';
import { compileSemanticSql, type ModelTables, tableIn } from './compile-semantic-sql.ts';

/** SQL whose tables are semantic models and metrics, and perhaps models beside them. */
export interface SqlQuestion {
  readonly sql: string;
  readonly caller: Caller;
  readonly now: number;
  /** Models that may be named as tables. */
  readonly models: readonly string[];
  readonly tables: ModelTables;
}

/** Names of one part that a query reads; those may be semantic models. Empty for SQL that only the engine understands. */
export function bareTables(sql: string): readonly string[] {
  const parsed = parseModelledQuery(sql, ASKED_DIALECT);
  if (!parsed.ok) return [];
  return tableUses(parsed.value)
    .filter(({ parts, isFile }) => parts.length === 1 && !isFile)
    .map(({ parts }) => parts[0]?.name ?? '');
}

/** Whether one of the names is a semantic model or a metric that the caller may know. */
export function hasSemanticTable(semantics: Semantics, caller: Caller, names: readonly string[]): boolean {
  const { models, metrics } = indexOf(semantics);
  const visibility = visibilityOf(indexOf(semantics), caller);
  return names.some((name) => {
    const key = name.toLowerCase();
    return (models.has(key) || metrics.has(key)) && visibility.knows(key);
  });
}

/** The columns that a text reads of each model; all of them where it cannot be read. */
export function columnsOfText(
  sql: string,
  {
    semantics,
    caller,
    models,
    tables,
  }: {
    readonly semantics: Semantics;
    readonly caller: Caller;
    readonly models: ReadonlySet<string>;
    readonly tables: ModelTables;
  },
): (model: string) => 'all' | ReadonlySet<string> {
  const parsed = parseModelledQuery(sql, ASKED_DIALECT);
  if (!parsed.ok) return () => 'all';
  const visibility = visibilityOf(indexOf(semantics), caller);
  return columnsRead(parsed.value, (parts) => tableIn(parts, { visibility, models, tables }));
}

/** A bare name without a table for the caller, where it must not be distinguishable from one that is hidden from them. */
export function hiddenTable(
  { semantics, isUnreadable = false }: { readonly semantics: Semantics; readonly isUnreadable?: boolean },
  caller: Caller,
  names: readonly string[],
): string | undefined {
  const visibility = visibilityOf(indexOf(semantics), caller);
  const hides = visibility.hidesModels || (isUnreadable && !caller.isUnrestricted);
  return hides ? names.find((name) => !visibility.knows(name)) : undefined;
}

/** With the models that the text reads as tables. */
export type SqlCompiled =
  | (Extract<CompileResult, { readonly ok: true }> & { readonly models: readonly string[] })
  | Extract<CompileResult, { readonly ok: false }>;

/** Semantic SQL as SQL of a dialect over the views of an environment. */
export function compileSqlQuestion(
  semantics: Semantics,
  { sql, caller, now, models: readable, tables }: SqlQuestion,
  { naming, dialect }: { readonly naming: ViewNaming; readonly dialect: Dialect },
): SqlCompiled {
  const result = compileSemanticSql(indexOf(semantics), sql, {
    dialect,
    relationOf: relationsOf(semantics, naming),
    caller,
    now,
    isUnlimited: true,
    models: new Set(readable),
    tables,
  });
  if (!result.ok) return result;
  const { columns, reads, models, semantics: asked, members, notes, explanation } = result;
  return {
    ok: true,
    compiled: {
      sql: result.sql,
      columns,
      reads: [...new Set([...reads, ...models])],
      semantics: asked,
      members,
      notes,
      explanation,
    },
    models,
  };
}
