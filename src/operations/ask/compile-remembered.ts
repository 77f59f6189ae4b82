import { compileQuery } from '../../compiler/semantic/compile-query.ts';
import { relationsOf, type SemanticRequest } from '../../compiler/semantic/compile-semantic.ts';
import type { CompileResult } from '../../compiler/semantic/compiled-query.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import type { ViewNaming } from '../../domain/relation.ts';
import type { Semantics } from '../../domain/semantics.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';

const KEPT_MAX = 500;
const KEY_MAX = 10_000;

const known = new WeakMap<Semantics, Map<string, CompileResult>>();

/**
 * As `compileSemantic` without rollups, and at once when a caller in the same groups asked the same before.
 * What looked at the present on its way (a relative range, a policy with one) is compiled each time.
 */
export function compileRemembered(
  semantics: Semantics,
  { query, caller, now, isUnlimited = false }: SemanticRequest,
  { naming, dialect }: { readonly naming: ViewNaming; readonly dialect: Dialect },
): CompileResult {
  // Models that are opened to a caller count where another environment's policies hold.
  const opened = semantics.guards === undefined ? [] : [...(caller.models ?? [])];
  const who = [caller.isUnrestricted, caller.groups, opened];
  const key = JSON.stringify([query, who, isUnlimited, naming, dialect]);
  const kept = known.get(semantics) ?? new Map<string, CompileResult>();
  known.set(semantics, kept);
  const before = kept.get(key);
  if (before !== undefined) return before;
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
  kept.set(key, result);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return result;
}
