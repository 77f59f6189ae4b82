import { impactOf } from '../../compiler/catalog/impact.ts';
import { estimatesOf } from '../../compiler/plan/estimates.ts';
import type { Impact } from '../../domain/impact.ts';
import { notRunByPlan } from '../../domain/not-run.ts';
import type { Estimate, Plan, PlanOptions } from '../../domain/plan.ts';
import { planCreated } from '../../domain/plan-created.ts';
import type { RunEvent } from '../../domain/run.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../foundation/diagnostics/diagnostic.ts';
import { recoverState } from '../../runtime/execute/recover.ts';
import { widerAccessOf } from '../access/wider-access.ts';
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

export interface PlanRequest {
  /** Being opened while the project loads. */
  readonly world: Promise<OpenedWorld>;
  /** As written; the project's default when absent. */
  readonly environment: string | undefined;
  readonly options: PlanOptions;
}

/** A plan with everything a door shows of it; without `plan` the diagnostics say why. */
export interface PlannedWork {
  readonly plan?: Plan;
  /** Each stage in words. */
  readonly explained: readonly string[];
  readonly impact: readonly Impact[];
  readonly estimates: ReadonlyMap<string, Estimate>;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
  /** What a crash had left behind, and what was done about it. */
  readonly recovered: readonly RunEvent[];
}

const RUNS_LOOKED_AT = 30;

/** What would change in an environment: lint → recover → compare → plan → ask the engine about changed queries → store. Changes nothing in it. */
export async function plan(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  request: PlanRequest,
): Promise<PlannedWork> {
  const { sources } = loaded;
  const nothing = { explained: [], impact: [], estimates: new Map(), recovered: [], sources };
  if (hasErrors(loaded.diagnostics)) return { ...nothing, diagnostics: loaded.diagnostics };
  const linted = await lint(workspace, loaded);
  const found = sortDiagnostics([...linted.loading, ...linted.diagnostics]);
  if (hasErrors(found)) return { ...nothing, diagnostics: found };
  const world = await request.world;
  const environment = environmentOf(world.config, request.environment);
  const drafted = { world, environment, options: request.options };
  // The warehouse may take a second to open: meanwhile the plan is drafted from what state says, and again if that was not true.
  const [recovery, draft] = await bothOf(
    recoverState(world, world.naming(environment)),
    draftPlan(workspace, loaded, drafted),
  );
  const { events: recovered } = recovery;
  const again = await viewsToMakeAgain(world, environment, recovery);
  const isTrue = !recovery.hasChangedState && again.lostViews.length === 0;
  const outcome = isTrue ? draft : await draftPlan(workspace, loaded, { ...drafted, ...again });
  const isPlanned = !hasErrors(outcome.diagnostics);
  const [refused, taken] = isPlanned
    ? await Promise.all([explainQueries(world, outcome.plan), namesTaken(world, outcome.plan)])
    : [[], []];
  const lost = lostWarnings(world, environment, recovery);
  const diagnostics = [
    ...found,
    ...notRunByPlan(loaded.project),
    ...lost,
    ...outcome.diagnostics,
    ...taken,
    ...refused,
  ];
  if (hasErrors(diagnostics)) return { ...nothing, recovered, diagnostics };
  const wider = await widerAccessOf(world, outcome.plan);
  const made: Plan = { ...outcome.plan, ...(wider.length === 0 ? {} : { widerAccess: wider }) };
  const hasWork = made.missing.length > 0;
  const [runs] = await Promise.all([
    hasWork ? world.state.journal.runs({ limit: RUNS_LOOKED_AT }) : [],
    world.state.snapshots.savePlan(made, workspace.who, [planCreated(made, workspace.who)]),
    rememberEnvironment(workspace, environment),
  ]);
  return {
    plan: made,
    explained: explainPlan(made),
    impact: impactOf(loaded.project, made.changes),
    estimates: estimatesOf(runs, made.missing),
    diagnostics,
    sources,
    recovered,
  };
}

/** Waits for both, also when one fails; then the first failure counts. */
async function bothOf<First, Second>(
  first: Promise<First>,
  second: Promise<Second>,
): Promise<readonly [First, Second]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
