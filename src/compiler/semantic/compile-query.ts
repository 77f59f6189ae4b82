import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Project } from '../../domain/project.ts';
import { relationSql, viewRelation } from '../../domain/relation.ts';
import type { Measure, SemanticModel } from '../../domain/semantic-model.ts';
import type { SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { didYouMean } from '../../foundation/diagnostics/nearest.ts';
import { quoteName } from '../../foundation/sql/quote.ts';

export type CompiledQuery =
  | { readonly ok: true; readonly sql: string }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Semantic query → SQL over the views of an environment. Walking skeleton: one semantic model, plain aggregates, no joins; issue 5 builds the compiler. */
export function compileQuery(project: Project, query: SemanticQuery, environment: string): CompiledQuery {
  const members = [...query.dimensions, ...query.measures];
  const [name = ''] = (members[0] ?? '').split('.');
  const semantic = project.semanticModels.find((candidate) => candidate.name.value === name);
  const known = semantic === undefined ? [] : knownMembers(project, semantic);
  const unknown = members.filter((member) => !known.includes(member));
  if (semantic === undefined || unknown.length > 0)
    return {
      ok: false,
      diagnostics: unknown.map((member) =>
        diagnostic('semantic.unknown-member', { member, model: name }, { hint: didYouMean(member, known) }),
      ),
    };
  const short = (member: string): string => member.slice(name.length + 1);
  const columns = [
    ...query.dimensions.map((member) => quoteName(short(member), 'duckdb')),
    ...query.measures.map(
      (member) =>
        `${aggregate(semantic.measures.find((m) => m.name.value === short(member)))} AS ${quoteName(short(member), 'duckdb')}`,
    ),
  ];
  const grouped =
    query.dimensions.length === 0
      ? ''
      : ` GROUP BY ${query.dimensions.map((_, i) => i + 1).join(', ')} ORDER BY ALL`;
  const view = viewRelation(semantic.model.value, { environment, suffixTarget: 'schema' });
  return { ok: true, sql: `SELECT ${columns.join(', ')} FROM ${relationSql(view, 'duckdb')}${grouped}` };
}

function knownMembers(project: Project, semantic: SemanticModel): readonly string[] {
  const columns = project.models.find((model) => model.name === semantic.model.value)?.columns ?? [];
  const dimensions =
    semantic.dimensions?.filter((d) => d.expression === undefined).map((d) => d.name.value) ??
    columns.map((c) => c.name);
  const measures = semantic.measures
    .filter((m) => m.type === 'sum' || m.type === 'count')
    .map((m) => m.name.value);
  return [...dimensions, ...measures, 'count'].map((member) => `${semantic.name.value}.${member}`);
}

function aggregate(measure: Measure | undefined): string {
  if (measure === undefined || measure.type === 'count') return 'COUNT(*)';
  return `SUM(${(measure.expression?.value ?? '').replace(/\{(\w+)\}/g, (_, column: string) => quoteName(column, 'duckdb'))})`;
}
