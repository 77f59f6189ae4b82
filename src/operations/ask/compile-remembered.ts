import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import { relationsOf, type SemanticRequest } from '../../compiler/semantic/compile-semantic.ts';
import type { CompileResult } from '../../compiler/semantic/compiled-query.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { ViewNaming } from '../../domain/relation.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { ProductCaches } from '../product-caches.ts';

/** Longer questions are not remembered. */
const KEY_MAX = 10_000;

/**
 * As `compileSemantic` without rollups, and at once when a caller in the same groups asked the same before.
 * What looked at the present on its way (a relative range, a policy with one) is compiled each time.
 */
export function compileRemembered(
  { semantics, compiled }: { readonly semantics: Semantics } & Pick<ProductCaches, 'compiled'>,
  { query, caller, now, isUnlimited = false }: SemanticRequest,
  { naming, dialect }: { readonly naming: ViewNaming; readonly dialect: Dialect },
): CompileResult {
  // Models that are opened to a caller count where another environment's policies hold.
  const opened = semantics.guards === undefined ? [] : [...(caller.models ?? [])];
  const who = [caller.isUnrestricted, caller.groups, opened];
  const key = JSON.stringify([query, who, isUnlimited, naming, dialect]);
  const before = compiled.get(key, (each) => each.semantics === semantics);
  if (before !== undefined) return before.result;
  let hasLooked = false;
  const result = compileQuery(indexOf(semantics), query, {
    dialect,
    relationOf: relationsOf(semantics, naming),
    caller,
    get now() {
      hasLooked = true;
      return now;
    },
    ...(isUnlimited ? { isUnlimited } : {}),
  });
  if (hasLooked || !result.ok || key.length > KEY_MAX) return result;
  compiled.set(key, { semantics, result });
  return result;
}
