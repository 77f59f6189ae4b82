/*
 * What a plan would be, before the engine is asked about it: nothing is stored, and nothing changes.
 *
 *   state ─▶ environments, snapshots, intervals ─┐
 *   project ─────────────────────────────────────┴▶ preparePlan ─▶ makePlan ─▶ signals and columns are asked ─▶ makePlan again
 */
import { makePlan } from '../../compiler/plan/make-plan.ts';
import type { PlanInput, PlanOutcome } from '../../compiler/plan/plan-input.ts';
import { baseOf, type PreparedPlan, preparePlan } from '../../compiler/plan/prepare-plan.ts';
import { settledPlan } from '../../compiler/plan/settled-plan.ts';
import { type StandaloneAudit, standaloneAudit } from '../../compiler/plan/standalone-audits.ts';
import { snapshotContent } from '../../compiler/render/snapshot-content.ts';
import type { Environment } from '../../domain/environment.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { Snapshot, SnapshotContent } from '../../domain/snapshot.ts';
import { standaloneModels } from '../../domain/standalone-models.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { type RangeSet, subtractRanges } from '../../foundation/time/ranges.ts';
import { semanticsToCompare } from '../applied-semantics.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import type { Workspace } from '../workspace.ts';
import { askSignals } from './ask-signals.ts';
import { environmentHooks } from './environment-hooks.ts';
import { keptColumns } from './kept-columns.ts';
import { projectContents } from './project-contents.ts';

export interface DraftRequest {
  readonly world: OpenedWorld;
  readonly environment: string;
  readonly options: PlanOptions;
  /** Models whose views are to be made again. */
  readonly lostViews?: readonly string[];
  /** What the warehouse shows instead of what the state says. */
  readonly shown?: Environment;
}

/** The plan alone: pure but for what it reads of state. */
export async function draftPlan(
  workspace: Workspace,
  loaded: LoadedWorkspace,
  request: DraftRequest,
): Promise<PlanOutcome> {
  const { world, environment, options } = request;
  const { known, ...common } = await readInput(workspace, loaded, request);
  const { project, environments } = common;
  const changedFiles = (ref: string): readonly string[] => workspace.changedFiles(ref);
  const inputOf = async (prepared: PreparedPlan): Promise<PlanInput> => ({
    ...common,
    prepared,
    contents: await contentsFor(loaded, prepared, world),
  });
  const { prepared, outcome: draft } = await settledPlan(
    (unsettled) =>
      preparePlan({ environment, project, environments, known, options, changedFiles, unsettled }),
    async (each) => makePlan(await inputOf(each)),
  );
  const input = await inputOf(prepared);
  const asked = await keptColumns(world, draft, input.contents);
  const complete = { ...input, kept: asked.kept };
  const outcome = asked.kept.size === 0 ? draft : makePlan(complete);
  const { blocked, diagnostics } = await heldBack(world, outcome, prepared);
  const final = blocked.size === 0 ? outcome : makePlan({ ...complete, blocked });
  return { plan: final.plan, diagnostics: [...final.diagnostics, ...asked.diagnostics, ...diagnostics] };
}

/** All that the plan is made of but for models, with the snapshots that state knows. */
async function readInput(
  { executionTime }: Workspace,
  loaded: LoadedWorkspace,
  { world, environment, options, lostViews = [], shown }: DraftRequest,
): Promise<Omit<PlanInput, 'prepared' | 'contents'> & { readonly known: readonly Snapshot[] }> {
  const { snapshots, journal } = world.state;
  const [environments, known, intervals, pending, hooks] = await Promise.all([
    snapshots.environments(),
    snapshots.snapshots(),
    journal.intervals(),
    journal.restatements(),
    environmentHooks(world, loaded, { environment, executionTime }),
  ]);
  const { beforeAll = [], afterAll = [] } = hooks ?? {};
  const project: Project = {
    ...loaded.project,
    models: [...loaded.project.models, ...loaded.rollups],
    config: { ...loaded.project.config, beforeAll, afterAll, run: world.config.run },
  };
  const createdAt = world.clock.now();
  if (options.createFrom !== undefined) await appliedEnvironment(world, options.createFrom);
  const base = environments.find(({ name }) => name === environment) ?? baseOf({ environments, options });
  const appliedSemantics = await semanticsToCompare(world, project, base);
  const id = newId('p', createdAt);
  return {
    known,
    id,
    promotionId: newId('v', createdAt),
    createdAt,
    executionTime,
    project,
    environments,
    intervals,
    pending,
    options,
    gateway: world.gateway.name,
    ...(hooks === undefined ? {} : { hooks }),
    standalone: await standaloneOf(loaded, project, id),
    ...(appliedSemantics === undefined ? {} : { appliedSemantics }),
    naming: (name) => world.naming(name),
    lostViews: new Set(lostViews),
    ...(shown === undefined ? {} : { shown }),
  };
}

/** Time that the plan would fill and the signals of its models do not let through yet. */
async function heldBack(
  world: OpenedWorld,
  { plan: drafted }: PlanOutcome,
  { snapshots }: ReturnType<typeof preparePlan>,
): Promise<{ readonly blocked: ReadonlyMap<string, RangeSet>; readonly diagnostics: readonly Diagnostic[] }> {
  const fresh = new Map(drafted.snapshots.map((each) => [each.snapshot.fingerprint, each]));
  const fingerprints = new Map(drafted.target.entries.map(({ model, fingerprint }) => [model, fingerprint]));
  const asked = drafted.missing.flatMap(({ model, ranges }) => {
    const fingerprint = fingerprints.get(model) ?? '';
    const snapshot = fresh.get(fingerprint)?.snapshot ?? snapshots.get(fingerprint);
    const signals = snapshot?.schedule.signals ?? [];
    return signals.length === 0 ? [] : [{ model, ranges, signals, fingerprint }];
  });
  if (asked.length === 0) return { blocked: new Map(), diagnostics: [] };
  const known = asked.filter(({ fingerprint }) => !fresh.has(fingerprint));
  const stored = await world.state.snapshots.contents(known.map(({ fingerprint }) => fingerprint));
  const questions = asked.map(({ fingerprint, ...question }) => ({
    ...question,
    files: (fresh.get(fingerprint)?.content ?? stored.get(fingerprint))?.signalFiles,
  }));
  const { ready, diagnostics } = await askSignals(world, drafted.environment, questions);
  const blocked = questions
    .map(({ model, ranges }) => [model, subtractRanges(ranges, ready.get(model) ?? [])] as const)
    .filter(([, ranges]) => ranges.length > 0);
  return { blocked: new Map(blocked), diagnostics };
}

/** Standalone audits with all that macros can see of the project. */
async function standaloneOf(
  loaded: LoadedWorkspace,
  project: Project,
  planId: string,
): Promise<readonly StandaloneAudit[]> {
  const macroFiles = Object.fromEntries([...loaded.sources].filter(([path]) => path.startsWith('macros/')));
  const models = standaloneModels(project.audits);
  const contents = await Promise.all(models.map((model) => snapshotContent(model, loaded, macroFiles)));
  return contents.map((content) => standaloneAudit(content, project, planId));
}

/** What is new is made of the project, what is old is read from state. */
async function contentsFor(
  loaded: LoadedWorkspace,
  prepared: ReturnType<typeof preparePlan>,
  { state, userCode }: OpenedWorld,
): Promise<ReadonlyMap<string, SnapshotContent>> {
  const contentOf = projectContents(loaded, userCode);
  const read =
    prepared.contentsToRead.length === 0
      ? new Map<string, SnapshotContent>()
      : await state.snapshots.contents(prepared.contentsToRead);
  const made = await Promise.all(
    prepared.contentsToMake.map(
      async ({ fingerprint, model }) => [fingerprint, await contentOf(model)] as const,
    ),
  );
  const copied = prepared.contentsToCopy.flatMap(({ from, to }) => {
    const content = read.get(from);
    return content === undefined ? [] : [[to, content] as const];
  });
  return new Map([...read, ...copied, ...made]);
}
