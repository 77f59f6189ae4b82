import type { Model } from '../../domain/model.ts';
import { type Relation, type ViewNaming, viewRelation } from '../../domain/relation.ts';
import type { Caller, SemanticQuery } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { compileQuery } from './compile-query.ts';
import type { CompileResult } from './compiled-query.ts';
import type { RollupTables } from './rollups/choose-rollup.ts';
import { indexOf } from './semantic-index.ts';

/** A question, its caller and its time. */
export interface SemanticRequest {
  readonly query: SemanticQuery;
  readonly caller: Caller;
  /** What relative dates count from. */
  readonly now: number;
  /** Formats that are files have no limit but the query's own. */
  readonly isUnlimited?: boolean;
}

/** A question as SQL over the views of an environment, of which nothing but its name need be known. */
export function compileSemantic(
  semantics: Semantics,
  { query, caller, now, isUnlimited }: SemanticRequest,
  {
    naming,
    dialect,
    rollups,
  }: { readonly naming: ViewNaming; readonly dialect: Dialect; readonly rollups?: RollupTables },
): CompileResult {
  return compileQuery(indexOf(semantics), query, {
    dialect,
    relationOf: relationsOf(semantics, naming),
    caller,
    now,
    ...(isUnlimited === true ? { isUnlimited } : {}),
    ...(rollups === undefined ? {} : { rollups }),
  });
}

/** Where the rows of models are: views of the environment; tables of others keep their name in every one. */
export function relationsOf(semantics: Semantics, naming: ViewNaming): (model: string) => Relation {
  const kinds = kindsOf(semantics);
  return (model) =>
    viewRelation(
      model,
      kinds.get(model) === 'external' ? { environment: 'prod', suffixTarget: 'schema' } : naming,
    );
}

type Kinds = ReadonlyMap<string, Model['kind']['kind']>;

const knownKinds = new WeakMap<Semantics['models'], Kinds>();

/** Counted out once: there may be thousands of models, and few of them in a question. */
export function kindsOf({ models }: Semantics): Kinds {
  const known = knownKinds.get(models) ?? new Map(models.map(({ name, kind }) => [name, kind.kind]));
  knownKinds.set(models, known);
  return known;
}
