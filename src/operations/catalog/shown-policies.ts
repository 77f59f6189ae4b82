import { accessOf } from '../../compiler/semantic/policies.ts';
import { indexOf } from '../../compiler/semantic/semantic-index.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Policy } from '../../domain/semantic-model.ts';
import { callerOf, permittedEnvironment } from '../access/callers.ts';
import { currentContext } from '../ask/statement-contexts.ts';
import type { ProductReader } from '../product-reader.ts';

/** What the policies of a semantic model take from one caller. */
export interface ShownPolicies {
  /** Whether rows are left out. */
  readonly hidesRows: boolean;
  /** Lower-case names of members whose values are withheld: in every row, or in some. */
  readonly masked: ReadonlyMap<string, 'every-row' | 'some-rows'>;
  /** As they are written: for those who administer the product and whom no policy restricts, since filters quote values. */
  readonly policies?: readonly Policy[];
}

/** By lower-case name of the semantic model; one that is hidden as a whole has no entry. */
export async function shownPolicies(
  product: ProductReader,
  asker: Identity,
  environment: string | undefined,
): Promise<ReadonlyMap<string, ShownPolicies>> {
  const { semantics } = await currentContext(product, permittedEnvironment(product, asker, environment));
  const caller = callerOf(product, asker);
  const seesPolicies = caller.isUnrestricted && permits(asker, 'admin', product);
  const shown = new Map<string, ShownPolicies>();
  for (const [name, model] of indexOf(semantics).models) {
    const { isDenied, rows, masks } = accessOf(model, caller);
    if (isDenied) continue;
    const masked = [...masks].map(
      ([member, mask]) => [member, mask === 'always' ? 'every-row' : 'some-rows'] as const,
    );
    shown.set(name, {
      hidesRows: rows !== undefined,
      masked: new Map(masked),
      ...(seesPolicies ? { policies: model.semantic.policies } : {}),
    });
  }
  return shown;
}
