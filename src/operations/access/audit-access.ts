/*
 * What files say of who may see what, in the audit log: the rest of it is written by those who change it through the
 * command line or the API, files are changed by editors that know nothing of it.
 *
 *   policies of semantic models ─▶ when a plan that changes them is applied, before it does: what was tried is never missing
 *   access and groups of users  ─▶ when a server begins to count by them, where they differ from what was noted last;
 *                                  what no plan has shown yet is also said in the log of the server
 */
import { widerGrants } from '../../compiler/plan/access/wider-grants.ts';
import { configuredAccess } from '../../compiler/plan/plan-promotion.ts';
import type { AppliedSemantics, Plan } from '../../domain/plan.ts';
import type { AuditEntry } from '../../domain/principal.ts';
import type { WiderAccess } from '../../domain/wider-access.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { canonicalContent } from '../../foundation/yaml/canonical-content.ts';
import { semanticsOf } from '../applied-semantics.ts';
import { environmentOf, type OpenedWorld } from '../open-world.ts';
import type { Product } from '../platform.ts';

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

/** What config.yaml gives and did not give when the default environment was last applied: no plan has shown it. */
export async function unplannedAccess({ world }: Product): Promise<readonly WiderAccess[]> {
  const applied = await world.state.snapshots.environment(environmentOf(world.config, undefined));
  return applied?.access === undefined ? [] : widerGrants(applied.access, configuredAccess(world.config));
}

const CONFIGURED = 'access.configured';

/** Notes roles and groups of config.yaml, when they are not those that were noted last. */
export async function auditConfiguredAccess({ world, workspace, tenant, slug }: Product): Promise<void> {
  const { access, users } = world.config;
  const roles = access.flatMap(({ principal, role, models, environments, isExempt }) => [
    ...(role === undefined ? [] : [`${principal} is ${role}`]),
    ...(models.length === 0 ? [] : [`${principal} may read ${models.map(({ value }) => value).join(', ')}`]),
    ...(environments.length === 0 ? [] : [`${principal} may ask ${environments.join(', ')}`]),
    ...(isExempt ? [`policies do not apply to ${principal}`] : []),
  ]);
  const groups = users
    .filter((user) => user.groups.length > 0)
    .map(({ username, groups: own }) => `${username} belongs to ${[...own].sort().join(', ')}`);
  const said = [...roles, ...groups].sort().join('; ');
  const mark = `${slug} ${hash128(said).slice(0, 12)}`;
  const { principals } = world.state;
  const noted = await principals.auditLog({ tenant, action: CONFIGURED, limit: 100 });
  const last = noted.find(({ target }) => target.startsWith(`${slug} `));
  if (last === undefined ? said === '' : last.target.startsWith(`${mark}: `)) return;
  await principals.appendAudit([
    {
      at: world.clock.now(),
      tenant,
      actor: workspace.who,
      action: CONFIGURED,
      target: `${mark}: ${said === '' ? 'nothing' : said}`.slice(0, TARGET_MAX),
      outcome: 'done',
    },
  ]);
}
