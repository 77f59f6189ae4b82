import type { AppliedSemantics, Plan } from '../../domain/plan.ts';
import type { AuditEntry } from '../../domain/principal.ts';
import { canonicalContent } from '../../foundation/yaml/canonical-content.ts';
import { semanticsOf } from '../applied-semantics.ts';
import type { OpenedWorld } from '../open-world.ts';

const TARGET_MAX = 2000;

/** Notes each policy that a plan adds, changes or removes in its environment. */
export async function auditPolicies(
  world: OpenedWorld,
  plan: Plan,
  { who, at }: { readonly who: string; readonly at: number },
): Promise<void> {
  const present = await world.state.snapshots.environment(plan.environment);
  if (present?.semantics === plan.target.semantics) return;
  const before = policiesOf(present && (await semanticsOf(world, present)));
  const after = policiesOf(await semanticsOf(world, plan.target));
  const entries = [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((policy): AuditEntry[] => {
    if (before.get(policy) === after.get(policy)) return [];
    const what = before.has(policy) ? (after.has(policy) ? 'change' : 'remove') : 'add';
    return [
      {
        at,
        tenant: world.config.tenant,
        actor: who,
        action: `policy.${what}`,
        target: `${policy} in ${plan.environment}, by plan ${plan.id}`.slice(0, TARGET_MAX),
        outcome: 'done',
      },
    ];
  });
  if (entries.length > 0) await world.state.principals.appendAudit(entries);
}

/** By `semantic model for group`; what each says, as text that is equal when it means the same. */
function policiesOf(semantics: AppliedSemantics | undefined): ReadonlyMap<string, string> {
  return new Map(
    (semantics?.semanticModels ?? []).flatMap(({ name, policies }) =>
      policies.map(
        (policy) => [`${name.value} for ${policy.group.value}`, canonicalContent(policy)] as const,
      ),
    ),
  );
}
