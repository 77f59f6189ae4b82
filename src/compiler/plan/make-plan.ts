import type { Environment } from '../../domain/environment.ts';
import type { MissingIntervals, Plan } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isBuilt, type Snapshot } from '../../domain/snapshot.ts';
import { hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { buildStages } from './build-stages.ts';
import type { CategoryDecision } from './decide-categories.ts';
import { type DecidedModels, decideModels } from './decide-models.ts';
import { type FilledModels, fillModels } from './fill-models.ts';
import { changesOf, dqPacksOf, semanticsOf } from './plan-changes.ts';
import type { PlanInput, PlanOutcome } from './plan-input.ts';
import { changedHooks, hasSameAccess, promotionBetween, targetOf } from './plan-promotion.ts';
import type { PlannedRestatements } from './plan-restatements.ts';
import type { BuiltModel } from './stage-input.ts';

/*
 * The second half of a plan:
 *
 *   diffs ─▶ categories, versions ─▶ entries ─▶ migrations ─▶ restatements, missing intervals ─▶ stages
 *            └──────────── decide-models.ts ────────────┘     └────── fill-models.ts ───────┘
 */

/** What brings an environment to the project. Pure: nothing is read, and nothing is written until the plan is applied. */
export function makePlan(given: PlanInput): PlanOutcome {
  const decided = decideModels(given);
  const { input, decisions, built, migration, unsettled } = decided;
  const fills = fillModels(decided);
  const diagnostics = [...decided.diagnostics, ...fills.diagnostics];
  for (const [name, lost] of migration.whenFilled) if (fills.missing.has(name)) diagnostics.push(lost);

  const target = targetOf(input, built);
  const hasFailed = hasErrors(diagnostics);
  const plan: Plan = {
    id: input.id,
    environment: target.name,
    ...(input.prepared.present === undefined ? {} : { basePromotionId: input.prepared.present.promotionId }),
    createdAt: input.createdAt,
    executionTime: input.executionTime,
    changes: changesOf(input, decisions, target),
    ...statementsOf(input, target),
    ...otherAccess(input, target),
    ...storedSemantics(input, target),
    ...storedPacks(input, target),
    missing: hasFailed ? [] : listMissing(built, fills.missing),
    snapshots: newSnapshots(decided, target),
    target,
    restatements: hasFailed ? [] : listRestatements(fills.restatement),
    stages: hasFailed ? [] : stagesOf(decided, fills, target),
  };
  return {
    plan,
    diagnostics,
    unknown: migration.unknown,
    ...(unsettled === undefined ? {} : { unsettled }),
  };
}

function stagesOf(
  { input, decisions, built, known, migration }: DecidedModels,
  { missing, filled, restated }: FilledModels,
  target: Environment,
): Plan['stages'] {
  const promote = promotionBetween(input.prepared.present, target, {
    withStatements: withStatements(input, decisions),
    lost: input.lostViews,
    shown: input.shown,
  });
  return buildStages({
    environment: target.name,
    models: built,
    missing,
    filled,
    restated,
    isEmpty: input.options.emptyBackfill,
    environments: input.environments,
    snapshots: known,
    migrations: migration.migrations,
    ...(promote === undefined ? {} : { promote }),
    ...(target.audits === undefined ? {} : { standalone: target.audits }),
    beforeAll: input.project.config.beforeAll,
    afterAll: input.project.config.afterAll,
    naming: input.naming,
    concurrency: input.project.config.run.maxParallel,
  });
}

/** Those that state does not know yet, with what they are made of. */
function newSnapshots({ input, decisions }: DecidedModels, target: Environment): Plan['snapshots'] {
  const found = [
    ...decisions.filter(({ isNew }) => isNew).map(({ snapshot }) => snapshot),
    ...input.prepared.silent,
  ];
  return [
    ...found.map((snapshot) => ({ snapshot, content: contentOf(snapshot, input) })),
    ...newAudits(input, target),
  ];
}

/** Standalone audits that state does not know yet. */
function newAudits(
  { standalone = [], prepared }: PlanInput,
  { audits = [] }: Environment,
): Plan['snapshots'] {
  const taken = new Set(audits.map(({ fingerprint }) => fingerprint));
  return standalone.filter(
    ({ snapshot: { fingerprint } }) => taken.has(fingerprint) && !prepared.snapshots.has(fingerprint),
  );
}

/** Models whose statements run when their view is made again. */
function withStatements({ project }: PlanInput, decisions: readonly CategoryDecision[]): readonly string[] {
  const names = new Set(
    project.models.filter(({ virtualUpdateHash }) => virtualUpdateHash !== undefined).map(({ name }) => name),
  );
  return decisions.map(({ snapshot }) => snapshot.model).filter((model) => names.has(model));
}

/** Kept with the plan that brings them: a later one that changes none names this one. */
function storedSemantics(input: PlanInput, { definitions }: Environment): Pick<Plan, 'semantics'> {
  const { content } = semanticsOf(input, definitions);
  return content === undefined ? {} : { semantics: content };
}

function storedPacks(input: PlanInput, { definitions }: Environment): Pick<Plan, 'dqPacks'> {
  const { content } = dqPacksOf(input, definitions);
  return content === undefined ? {} : { dqPacks: content };
}

/** Against the environment itself: in one that the plan makes, everything is new. */
function statementsOf({ prepared }: PlanInput, target: Environment): Pick<Plan, 'statements'> {
  if (prepared.present === undefined) return {};
  const statements = changedHooks(prepared.present.hooks, target.hooks);
  return statements.length === 0 ? {} : { statements };
}

function otherAccess(
  { prepared: { present } }: PlanInput,
  target: Environment,
): Pick<Plan, 'hasOtherAccess'> {
  return present?.access === undefined || hasSameAccess(present, target) ? {} : { hasOtherAccess: true };
}

function listMissing(
  all: readonly BuiltModel[],
  missing: ReadonlyMap<string, RangeSet>,
): readonly MissingIntervals[] {
  return all.flatMap(({ entry, snapshot }) => {
    const ranges = missing.get(entry.model);
    if (ranges === undefined || ranges.length === 0 || entry.version === undefined) return [];
    return snapshot.kind === 'view' || !isBuilt(snapshot.kind)
      ? []
      : [{ model: entry.model, version: entry.version, ranges }];
  });
}

function listRestatements({ tables, ranges }: PlannedRestatements): Plan['restatements'] {
  return tables.map((table) => ({ table, ranges: ranges.get(tableKey(table)) ?? [] }));
}

function contentOf({ fingerprint, model }: Snapshot, { contents }: PlanInput) {
  const content = contents.get(fingerprint);
  if (content === undefined) throw new Error(`the content of ${model} was not handed to makePlan`);
  return content;
}
