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
import type { WiderAccess } from '../../domain/wider-access.ts';
import { hash128 } from '../../foundation/hash128.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';

const TARGET_MAX = 2000;

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
