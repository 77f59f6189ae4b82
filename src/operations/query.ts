import { compileQuery } from '../compiler/semantic/compile-query.ts';
import type { Answer, Engine } from '../domain/engine.ts';
import type { Project } from '../domain/project.ts';
import type { SemanticQuery } from '../domain/semantic-query.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';

export type QueryAnswer =
  | ({ readonly ok: true; readonly sql: string } & Answer)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Asks the semantics of a project and answers with rows. Walking skeleton: no statement in between yet. */
export async function query(
  project: Project,
  engine: Engine,
  asked: SemanticQuery,
  environment: string,
): Promise<QueryAnswer> {
  const compiled = compileQuery(project, asked, environment);
  if (!compiled.ok) return compiled;
  return { ok: true, sql: compiled.sql, ...(await engine.query(compiled.sql)) };
}
