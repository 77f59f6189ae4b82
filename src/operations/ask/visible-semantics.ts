/*
 * The semantics of an environment as one caller may know them: members with their types, joins as a tree from each semantic
 * model, metrics. What a policy denies is absent; masked members are there. Doors that describe themselves are made from it.
 */
import { SemanticView } from '../../compiler/semantic/access/semantic-view.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Caller } from '../../domain/semantic-query.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { VisibleSemantics } from '../../domain/visible-semantics.ts';
import { callerOf, permittedEnvironment } from '../access/callers.ts';
import type { ProductReader } from '../product-reader.ts';
import { currentContext } from './statement-contexts.ts';

/** What the caller may know of an environment as it is now; `environment.unknown` when there is none. */
export async function visibleSemantics(
  product: ProductReader,
  asker: Identity,
  environment?: string,
): Promise<VisibleSemantics> {
  const context = await currentContext(product, permittedEnvironment(product, asker, environment));
  const { semantics } = context;
  const { views } = product.caches;
  const caller = callerOf(product, asker);
  const key = `${context.environment.name} ${viewKey(semantics, caller)}`;
  const before = views.get(key, (each) => each.semantics === semantics);
  if (before !== undefined) return before.view;
  const { clock, engine } = product.world;
  const place = { naming: context.naming, dialect: engine.dialect, now: clock.now() };
  const view = new SemanticView(semantics, caller, place).whole(context.environment);
  views.set(key, { semantics, view });
  return view;
}

/** Groups that no policy names make no difference; models that are opened do where another environment's policies hold. */
function viewKey(semantics: Semantics, { groups, isUnrestricted, models = new Set() }: Caller): string {
  if (isUnrestricted) return 'all';
  const indexed = [...indexOf(semantics).models.values()];
  if (indexed.some(({ isClosedTo }) => isClosedTo !== undefined))
    return JSON.stringify([[...groups].sort(), [...models].sort()]);
  const named = new Set(
    indexed.flatMap(({ policySets }) => policySets.flat().map(({ group }) => group.value)),
  );
  return JSON.stringify([...new Set(groups)].filter((group) => named.has(group)).sort());
}
