import { impactOf } from '../../compiler/catalog/impact.ts';
import { estimatesOf } from '../../compiler/plan/estimates.ts';
import { notRunByPlan } from '../../domain/not-run.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { PlannedWork } from '../../domain/planned-work.ts';
import { hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import { recoverState } from '../../runtime/execute/recover.ts';
import { environmentOf, type OpenedWorld } from '../open-world.ts';
import { lint } from '../project/lint.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import { rememberEnvironment } from '../project/remembered-names.ts';
import type { Workspace } from '../workspace.ts';
import { draftPlan } from './draft-plan.ts';
import { explainPlan } from './explain-plan.ts';
import { explainQueries } from './explain-queries.ts';
import { lostWarnings, viewsToMakeAgain } from './lost-warnings.ts';
import { namesTaken } from './names-taken.ts';
import { storePlan } from './store-plan.ts';

export interface PlanRequest {
  /** Being opened while the project loads. */
  readonly world: Promise<OpenedWorld>;
  /** As written; the project's default when absent. */
  readonly environment: string | undefined;
  readonly options: PlanOptions;
}

const RUNS_LOOKED_AT = 30;

/** What would change in an environment: lint → recover → compare → plan → ask the engine about changed queries → store. Changes nothing in it. */
export async function plan(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  request: PlanRequest,
): Promise<PlannedWork> {
  const nothing = { explained: [], impact: [], estimates: new Map(), recovered: [], sources: loaded.sources };
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
  const isPlanned = !hasErrors(outcome.diagnostics);
  const [refused, taken] = isPlanned
    ? await Promise.all([explainQueries(world, outcome.plan), namesTaken(world, outcome.plan)])
    : [[], []];
  const diagnostics = [
    ...found,
    ...notRunByPlan(loaded.project),
    ...lostWarnings(world, environment, recovery),
    ...outcome.diagnostics,
    ...taken,
    ...refused,
  ];
  if (hasErrors(diagnostics)) return { ...nothing, recovered: recovery.events, diagnostics };
  const [made, runs] = await Promise.all([
    storePlan(world, outcome.plan, workspace.who),
    outcome.plan.missing.length > 0 ? world.state.journal.runs({ limit: RUNS_LOOKED_AT }) : [],
    rememberEnvironment(workspace, environment),
  ]);
  return {
    ...nothing,
    plan: made,
    explained: explainPlan(made),
    impact: impactOf(loaded.project, made.changes),
    estimates: estimatesOf(runs, made.missing),
    diagnostics,
    recovered: recovery.events,
  };
}
