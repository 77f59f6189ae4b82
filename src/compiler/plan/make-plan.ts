import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { MissingIntervals, Plan } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isBuilt, type Snapshot } from '../../domain/snapshot.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { type RangeSet, subtractRanges, unionRanges } from '../../foundation/time/ranges.ts';
import { buildStages } from './build-stages.ts';
import { chosenFills } from './chosen-fills.ts';
import { type Decision, decideCategories } from './decide-categories.ts';
import { heldTables } from './held-tables.ts';
import { leftBehind } from './left-behind.ts';
import { planBounds, resolvedOptions } from './plan-bounds.ts';
import { changesOf, semanticsOf } from './plan-changes.ts';
import { planFills } from './plan-fills.ts';
import type { PlanInput, PlanOutcome } from './plan-input.ts';
import { planMigrations } from './plan-migrations.ts';
import { changedHooks, hasSameAccess, promotionBetween, targetOf } from './plan-promotion.ts';
import { type PlannedRestatements, planRestatements } from './plan-restatements.ts';
import type { Unsettled } from './prepare-plan.ts';
import type { BuiltModel } from './stage-input.ts';
import { effectiveFroms, targetEntries } from './target-entries.ts';
import { unbuiltModels } from './unbuilt-models.ts';

/*
 * The second half of a plan:
 *
 *   diffs ─▶ categories, versions ─▶ entries ─▶ migrations, restatements ─▶ missing intervals ─▶ stages
 */

/** What brings an environment to the project. Pure: nothing is read, and nothing is written until the plan is applied. */
export function makePlan(given: PlanInput): PlanOutcome {
  const diagnostics: Diagnostic[] = [...given.prepared.diagnostics, ...refusedKinds(given)];
  const { options, diagnostics: ofOptions } = resolvedOptions(given);
  const input: PlanInput = { ...given, options };
  const { bounds, effectiveFrom, diagnostics: ofBounds } = planBounds(input);
  diagnostics.push(...ofOptions, ...ofBounds);

  const world = worldOf(input);
  const { decisions, diagnostics: ofCategories } = decideCategories({
    planId: input.id,
    diffs: input.prepared.diffs,
    models: world.models,
    contents: input.contents,
    baseEntries: world.base,
    snapshots: input.prepared.snapshots,
    options,
    settings: input.project.config.plan,
    effectiveFrom,
  });
  diagnostics.push(...ofCategories);
  const known = new Map(input.prepared.snapshots);
  for (const { snapshot } of [...decisions, ...(input.standalone ?? [])])
    known.set(snapshot.fingerprint, snapshot);

  const wanted = wantedModels(input, { decisions, known, world, start: bounds.start });
  const migration = planMigrations({
    decisions,
    entries: new Map(wanted.map(({ entry }) => [entry.model, entry])),
    models: world.models,
    contents: input.contents,
    prod: world.prod,
    options,
    ...(input.kept === undefined ? {} : { kept: input.kept }),
  });
  diagnostics.push(...migration.diagnostics);
  const all = wanted.map((built) => withoutColumns(built, migration.left.get(built.entry.model)));
  const { chosen, diagnostics: ofChoice } = chosenFills(
    options,
    all.map(({ snapshot }) => selectableOf(snapshot, world.models)),
  );
  diagnostics.push(...ofChoice);
  const unsettled = unsettledOf(input, decisions, { models: all, chosen });

  const isProd = input.prepared.environment === 'prod';
  const shown = { name: input.prepared.environment, entries: all.map(({ entry }) => entry) };
  // Rows that are left out on purpose are left out of own tables only.
  const isShared = options.isShared && !options.emptyBackfill;
  const held = heldTables(shown, input.environments, known, { isShared });
  const behind = leftBehind(shown.entries, known);
  diagnostics.push(...leftBehindDiagnostics(input, behind));
  const restatement = planRestatements({
    environment: input.prepared.environment,
    models: all,
    selectable: all.map(({ snapshot }) => selectableOf(snapshot, world.models)),
    filled: withPending(input),
    options,
    bounds,
    effective: isProd ? effectiveFroms(decisions, { prod: world.prod, known, effectiveFrom }) : new Map(),
    environments: [...input.environments.filter(({ name }) => name !== shown.name), shown],
    snapshots: known,
    held,
    leftBehind: behind,
  });
  diagnostics.push(...restatement.diagnostics);
  const { filled, restated } = afterRestating(input, restatement.ranges);
  // What is wrong already may be what makes the question meaningless.
  const { missing, diagnostics: ofFills } = hasErrors(diagnostics)
    ? { missing: new Map<string, RangeSet>(), diagnostics: [] }
    : planFills(input, {
        ...world,
        all,
        filled,
        restated,
        held,
        leftBehind: behind,
        known,
        bounds,
        effectiveFrom,
        chosen,
      });
  diagnostics.push(...ofFills);
  for (const [name, lost] of migration.whenFilled) if (missing.has(name)) diagnostics.push(lost);

  const target = targetOf(input, all);
  const promote = promotionBetween(input.prepared.present, target, {
    withStatements: withStatements(input, decisions),
    lost: input.lostViews,
    shown: input.shown,
  });
  const hasFailed = hasErrors(diagnostics);
  const stages = hasFailed
    ? []
    : buildStages({
        environment: target.name,
        models: all,
        missing,
        filled,
        restated,
        isEmpty: options.emptyBackfill,
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
    missing: hasFailed ? [] : listMissing(all, missing),
    snapshots: [
      ...[
        ...decisions.filter(({ isNew }) => isNew).map(({ snapshot }) => snapshot),
        ...input.prepared.silent,
      ].map((snapshot) => ({ snapshot, content: contentOf(snapshot, input) })),
      ...newAudits(input, target),
    ],
    target,
    restatements: hasFailed ? [] : listRestatements(restatement),
    stages,
  };
  return {
    plan,
    diagnostics,
    unknown: migration.unknown,
    ...(unsettled === undefined ? {} : { unsettled }),
  };
}

/** What cannot be as it was prepared: tables that are not built and must not be now, rows that would get others beside them. */
function unsettledOf(
  { prepared, environments, intervals }: PlanInput,
  decisions: readonly Decision[],
  {
    models,
    chosen,
  }: { readonly models: readonly BuiltModel[]; readonly chosen: ReadonlySet<string> | undefined },
): Unsettled | undefined {
  const unbuilt =
    chosen === undefined
      ? new Map<string, string>()
      : unbuiltModels(models, { diffs: prepared.diffs, environments, filled: intervals, chosen });
  const behind = new Set(
    decisions.filter(({ isBehind }) => isBehind === true).map(({ snapshot }) => snapshot.model),
  );
  return unbuilt.size + behind.size === 0 ? undefined : { unbuilt, behind };
}

/** Readers that a selection leaves to a later plan; those that are not shown as the project has them are reported. */
function leftBehindDiagnostics(
  { prepared: { environment, unbuilt } }: PlanInput,
  behind: ReadonlyMap<string, readonly string[]>,
): readonly Diagnostic[] {
  return [...behind].flatMap(([model, parents]) =>
    unbuilt.has(model)
      ? []
      : [diagnostic('plan.left-behind', { model, parents: parents.join(', '), environment })],
  );
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

/** What is looked up by name again and again. */
interface World {
  readonly models: ReadonlyMap<string, Model>;
  readonly base: ReadonlyMap<string, EnvironmentEntry>;
  readonly present: ReadonlyMap<string, EnvironmentEntry>;
  readonly prod: Environment | undefined;
}

function worldOf({ project, prepared, environments }: PlanInput): World {
  const byModel = (environment: Environment | undefined): ReadonlyMap<string, EnvironmentEntry> =>
    new Map((environment?.entries ?? []).map((entry) => [entry.model, entry]));
  return {
    // A model that was not selected is what the environment has, not what the project says.
    models: new Map(
      project.models.filter(({ name }) => !prepared.kept.has(name)).map((model) => [model.name, model]),
    ),
    base: byModel(prepared.base),
    present: byModel(prepared.present),
    prod: environments.find(({ name }) => name === 'prod'),
  };
}

function refusedKinds({ prepared, project }: PlanInput): readonly Diagnostic[] {
  return project.models
    .filter(
      ({ name, kind }) => (kind.kind === 'managed' || kind.kind === 'custom') && !prepared.kept.has(name),
    )
    .map(({ name, kind, ranges }) =>
      diagnostic(
        'plan.kind-not-yet',
        { model: name, kind: kind.kind.toUpperCase() },
        { at: ranges['kind'] ?? ranges['name'] },
      ),
    );
}

function wantedModels(
  input: PlanInput,
  {
    decisions,
    known,
    world,
    start,
  }: {
    readonly decisions: readonly Decision[];
    readonly known: ReadonlyMap<string, Snapshot>;
    readonly world: World;
    readonly start: number | undefined;
  },
): readonly BuiltModel[] {
  const { prepared, executionTime, createdAt, options } = input;
  const snapshots = decisions.map(({ snapshot }) => snapshot);
  const entries = targetEntries({
    environment: prepared.environment,
    snapshots,
    models: world.models,
    kept: prepared.kept,
    ...(prepared.present === undefined ? {} : { present: prepared.present }),
    ...(world.prod === undefined ? {} : { prod: world.prod }),
    known,
    executionTime,
    createdAt,
    ...(start === undefined ? {} : { start }),
    isEmpty: options.emptyBackfill,
    filled: withPending(input),
  });
  return entries.map((entry, i) => ({ entry, snapshot: snapshots[i] as Snapshot }));
}

function withoutColumns(built: BuiltModel, left: ReadonlySet<string> | undefined): BuiltModel {
  if (left === undefined) return built;
  const columns = built.entry.columns.filter((name) => !left.has(name.toLowerCase()));
  return { ...built, entry: { ...built.entry, columns } };
}

function selectableOf({ model, parents }: Snapshot, models: World['models']) {
  const found = models.get(model);
  return {
    name: model,
    parents,
    tags: found?.tags ?? [],
    ...(found === undefined ? {} : { file: found.file }),
  };
}

/** Filled intervals with those that wait to be filled again: what may be asked for once more. */
function withPending({ intervals, pending }: PlanInput): ReadonlyMap<string, RangeSet> {
  if (pending.length === 0) return intervals;
  const all = new Map(intervals);
  for (const { table, ranges } of pending) {
    const key = tableKey(table);
    all.set(key, unionRanges(all.get(key) ?? [], ranges));
  }
  return all;
}

/** What counts as filled once the plan's own restatements are pending, and everything that is. */
function afterRestating(
  { intervals, pending }: PlanInput,
  ranges: ReadonlyMap<string, RangeSet>,
): { readonly filled: ReadonlyMap<string, RangeSet>; readonly restated: ReadonlyMap<string, RangeSet> } {
  const filled = new Map(intervals);
  const restated = new Map(ranges);
  for (const [key, again] of ranges) filled.set(key, subtractRanges(filled.get(key) ?? [], again));
  for (const { table, ranges: waiting } of pending) {
    const key = tableKey(table);
    restated.set(key, unionRanges(restated.get(key) ?? [], subtractRanges(waiting, filled.get(key) ?? [])));
  }
  return { filled, restated };
}

/** Models whose statements run when their view is made again. */
function withStatements({ project }: PlanInput, decisions: readonly Decision[]): readonly string[] {
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

/** Against the environment itself: in one that the plan makes, everything is new. */
function statementsOf({ prepared }: PlanInput, target: Environment): Pick<Plan, 'statements'> {
  if (prepared.present === undefined) return {};
  const statements = changedHooks(prepared.present.around, target.around);
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
