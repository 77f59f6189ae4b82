import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import {
  type IndexedSemantics,
  type SemanticIndex,
  semanticIndex,
} from '../../compiler/semantic/semantic-index.ts';
import type { Answer, Engine } from '../../domain/engine.ts';
import type { Project } from '../../domain/project.ts';
import { viewRelation } from '../../domain/relation.ts';
import type { SemanticQuery } from '../../domain/semantic-query.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';

export type QueryAnswer =
  | ({ readonly ok: true; readonly sql: string } & Answer)
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** What questions are compiled from: of a project folder, or as an environment was applied with. */
export type Semantics = IndexedSemantics;

const indexes = new WeakMap<Semantics, SemanticIndex>();

/** The semantics, looked up once for all queries of one load. */
export function indexOf(project: Semantics): SemanticIndex {
  let index = indexes.get(project);
  if (index === undefined) {
    index = semanticIndex(project);
    indexes.set(project, index);
  }
  return index;
}

/** Asks the semantics of a project on behalf of its owner and answers with rows. No statement in between yet. */
export async function query(
  project: Project,
  engine: Engine,
  asked: SemanticQuery,
  environment: string,
): Promise<QueryAnswer> {
  const result = compileQuery(indexOf(project), asked, {
    dialect: 'duckdb',
    relationOf: (model) => viewRelation(model, { environment, suffixTarget: 'schema' }),
    caller: { groups: [], isUnrestricted: true },
    now: Date.now(),
  });
  if (!result.ok) return result;
  const { sql } = result.compiled;
  return { ok: true, sql, ...(await engine.query(sql)) };
}
