import { estimatesOf } from '../../compiler/plan/estimates.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import { NOTHING_PLANNED, type PlannedWork } from '../../domain/planned-work.ts';
import { hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import { recoverState } from '../../runtime/execute/recover.ts';
import { environmentOf, type OpenedWorld } from '../open-world.ts';
import { lint } from '../project/lint.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import { rememberEnvironment } from '../project/remembered-names.ts';
import type { Workspace } from '../workspace.ts';
import { draftPlan } from './draft-plan.ts';
import { explainPlan } from './explain-plan.ts';
import { impactOfPlan } from './impact-of-plan.ts';
import { lostWarnings, viewsToMakeAgain } from './lost-warnings.ts';
import { questionDraft } from './question-draft.ts';
import { storePlan } from './store-plan.ts';

export interface PlanRequest {
  /** Being opened while the project loads. */
  readonly world: Promise<OpenedWorld>;
  /** As written; the project's default when absent. */
  readonly environment: string | undefined;
  readonly options: PlanOptions;
  readonly skipTests?: boolean;
}

const RUNS_LOOKED_AT = 30;

/** What would change in an environment: lint → recover → compare → plan → ask the engine about changed queries, run the tests touched → store. Changes nothing in it. */
export async function plan(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  request: PlanRequest,
): Promise<PlannedWork> {
  const { skipTests = false } = request;
  const nothing = { ...NOTHING_PLANNED, sources: loaded.sources };
  if (hasErrors(loaded.diagnostics)) return { ...nothing, diagnostics: loaded.diagnostics };
  const linted = await lint(workspace, loaded);
  const found = sortDiagnostics([...linted.loading, ...linted.diagnostics]);
  if (hasErrors(found)) return { ...nothing, diagnostics: found };
  const world = await request.world;
  const environment = environmentOf(world.config, request.environment);
  const drafted = { world, environment, options: request.options };
  // The warehouse may take a second to open: meanwhile the plan is drafted from what state says, and again if that was not true. Both end before a failure of one is thrown.
  const recovering = recoverState(world, world.naming(environment));
  const drafting = draftPlan(workspace, loaded, drafted);
  await Promise.allSettled([recovering, drafting]);
  const recovery = await recovering;
  const draft = await drafting;
  const again = await viewsToMakeAgain(world, environment, recovery);
  const isTrue = !recovery.hasChangedState && again.lostViews.length === 0;
  const outcome = isTrue ? draft : await draftPlan(workspace, loaded, { ...drafted, ...again });
  const asked = hasErrors(outcome.diagnostics)
    ? { tests: [], diagnostics: [] }
    : await questionDraft(workspace, loaded, { world, plan: outcome.plan, skipTests });
  const { tests } = asked;
  const diagnostics = [
    ...found,
    ...lostWarnings(world, environment, recovery),
    ...outcome.diagnostics,
    ...asked.diagnostics,
  ];
  if (hasErrors(diagnostics)) return { ...nothing, tests, recovered: recovery.events, diagnostics };
  const [impact, made, runs] = await Promise.all([
    impactOfPlan(world, loaded.project, { ...request.options, plan: outcome.plan }),
    storePlan(world, outcome.plan, workspace.who),
    outcome.plan.missing.length > 0 ? world.state.journal.runs({ limit: RUNS_LOOKED_AT }) : [],
    rememberEnvironment(workspace, environment),
  ]);
  return {
    ...nothing,
    tests,
    plan: made,
    explained: explainPlan(made),
    impact,
    estimates: estimatesOf(runs, made.missing),
    diagnostics,
    recovered: recovery.events,
  };
}
