import type { Change, Plan, PlanOptions } from '../../domain/plan.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import type { Workspace } from '../workspace.ts';
import { draftPlan } from './draft-plan.ts';

/** Nothing said beside the environment's name. */
export const NO_OPTIONS: PlanOptions = {
  restateModels: [],
  isForwardOnly: false,
  skipBackfill: false,
  emptyBackfill: false,
  noGaps: false,
  allowDestructiveModels: [],
  categories: {},
  withRun: false,
  isShared: false,
};

/** How the project differs from an environment: the changes of a plan that is not kept. */
export async function diff(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  { world, environment }: { readonly world: OpenedWorld; readonly environment: string },
): Promise<{
  readonly changes: readonly Change[];
  readonly statements: NonNullable<Plan['statements']>;
  readonly diagnostics: readonly Diagnostic[];
}> {
  const { plan, diagnostics } = await draftPlan(workspace, loaded, {
    world,
    environment,
    options: NO_OPTIONS,
  });
  // Nothing is to be decided by looking.
  const reported = diagnostics.filter(({ code }) => code !== 'plan.category-needed');
  return { changes: plan.changes, statements: plan.statements ?? [], diagnostics: reported };
}
