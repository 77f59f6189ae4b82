import type { BrokenPerspective } from '../../compiler/semantic/perspectives/broken-perspectives.ts';
import { LOCAL_ADMIN } from '../../domain/local-admin.ts';
import { maySee, type PerspectiveViewer } from '../../domain/perspective.ts';
import type { Plan } from '../../domain/plan.ts';
import { perspectivesBroken } from '../../runtime/execute/perspectives-broken.ts';
import { homeEnvironment } from '../ask/read-context.ts';
import type { OpenedWorldReader } from '../open-world.ts';

export type { BrokenPerspective };

/** What a plan would break of the perspectives that a viewer may see. A new environment is compared with the default one. */
export async function brokenByPlan(
  world: OpenedWorldReader,
  plan: Plan,
  viewer: PerspectiveViewer,
): Promise<readonly BrokenPerspective[]> {
  const { snapshots } = world.state;
  const before =
    (await snapshots.environment(plan.environment)) ?? (await homeEnvironment(world, plan.environment));
  if (before === undefined) return [];
  const broken = await perspectivesBroken(world, { before, target: plan.target, plan });
  return broken.filter(({ perspective }) => maySee(perspective, viewer));
}

/** For the owner of the folder: the private ones of users are not named; their owners find them in the log. */
export const brokenForOwner = (
  world: OpenedWorldReader,
  plan: Plan,
): Promise<readonly BrokenPerspective[]> => {
  const { principalId } = LOCAL_ADMIN;
  return brokenByPlan(world, plan, { principalId, shareKeys: [`user:${principalId}`], isAdmin: true });
};
