import type { CompileResult } from '../compiler/semantic/compiled-query.ts';
import { failure } from '../domain/failure.ts';
import type { Project } from '../domain/project.ts';
import type { ViewNaming } from '../domain/relation.ts';
import type { Caller } from '../domain/semantic-query.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import { parseQuery } from '../foundation/sql/parse/parse-query.ts';
import { tableUses } from '../foundation/sql/table-uses.ts';
import { indexOf } from './query.ts';

/** SQL whose tables are semantic models and metrics. */
export interface SqlQuestion {
  readonly sql: string;
  readonly caller: Caller;
  readonly now: number;
  readonly isUnlimited?: boolean;
}

/** Names of one part that a query reads; those may be semantic models. Empty for SQL that only the engine understands. */
export function bareTables(sql: string): readonly string[] {
  const parsed = parseQuery(sql.trim().replace(/;\s*$/, ''));
  if (!parsed.ok) return [];
  return tableUses(parsed.value)
    .filter(({ parts, isFile }) => parts.length === 1 && !isFile)
    .map(({ parts }) => parts[0]?.name ?? '');
}

/** The first name that is a semantic model or a metric. */
export function semanticTable(project: Project, names: readonly string[]): string | undefined {
  const { models, metrics } = indexOf(project);
  return names.find((name) => models.has(name.toLowerCase()) || metrics.has(name.toLowerCase()));
}

/** Semantic SQL as SQL of a dialect. */
export async function compileSqlQuestion(
  project: Project,
  { sql }: SqlQuestion,
  _place: { readonly naming: ViewNaming; readonly dialect: Dialect },
): Promise<CompileResult> {
  const name = semanticTable(project, bareTables(sql)) ?? sql.trim().slice(0, 60);
  throw failure('query.no-semantic-sql', { name });
}
