import type { Caller } from '../../../domain/semantic-query.ts';
import type { Expression } from '../../../foundation/sql/tree.ts';
import { Conditions, queryFilter, withModel } from '../conditions.ts';
import type { IndexedModel } from '../indexed-model.ts';
import { MemberLookup } from '../member-lookup.ts';
import { MemberReader } from '../member-reader.ts';
import { PartBuilder } from '../part-builder.ts';
import { accessOf } from '../policies.ts';
import type { QuestionContext } from '../question-context.ts';
import type { SemanticIndex } from '../semantic-index.ts';
import { allOf, anyOf } from '../tree-nodes.ts';
import { aliasPaths } from './canonical-expression.ts';

/** What a caller's policies demand of the rows of a fact, over aliases of a tree of its own. */
export interface PolicyConditions {
  readonly conditions: readonly Expression[];
  /** See `aliasPaths`. */
  readonly paths: ReadonlyMap<string, string>;
}

/** Policies see all rows of what they name, and no masks; undefined when they lie where one row meets many, or cannot be said. */
export function policyConditions(
  index: SemanticIndex,
  fact: IndexedModel,
  { caller, now }: { readonly caller: Caller; readonly now: number },
): PolicyConditions | undefined {
  const { rows } = accessOf(fact, caller);
  if (rows === undefined) return { conditions: [], paths: new Map() };
  const reader = new MemberReader(index, new Map());
  const context: QuestionContext = { index, reader, hints: [], zone: 'UTC', now, report: () => undefined };
  const part = new PartBuilder(context, fact, fact.name);
  const conditions = new Conditions(context, new MemberLookup(index));
  const choices: Expression[] = [];
  for (const filters of rows) {
    const bound = filters.map((each) => conditions.filter(part, withModel(queryFilter(each), fact.name)));
    const said = bound.flatMap((each) => ('code' in each ? [] : [each]));
    const all = allOf(said);
    if (said.length < bound.length || all === undefined) return undefined;
    choices.push(all);
  }
  if (part.tree.isFannedOut) return undefined;
  return { conditions: [anyOf(choices)], paths: aliasPaths(part.tree.nodes) };
}
