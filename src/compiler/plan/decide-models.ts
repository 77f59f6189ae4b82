import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { chosenFills } from './chosen-fills.ts';
import { type CategoryDecision, decideCategories } from './decide-categories.ts';
import { planBounds, resolvedOptions } from './plan-bounds.ts';
import type { PlanInput } from './plan-input.ts';
import { planMigrations } from './plan-migrations.ts';
import type { Unsettled } from './prepare-plan.ts';
import type { BuiltModel } from './stage-input.ts';
import { targetEntries } from './target-entries.ts';
import { unbuiltModels } from './unbuilt-models.ts';
import { withPending } from './with-pending.ts';

/** What the environment will show, before it is known what has to be filled for it. */
export interface DecidedModels extends Omit<ReturnType<typeof planBounds>, 'diagnostics'> {
  /** With the options that follow from others. */
  readonly input: PlanInput;
  readonly world: PlanWorld;
  readonly decisions: readonly CategoryDecision[];
  /** Snapshots of the state and of the project, by fingerprint. */
  readonly known: ReadonlyMap<string, Snapshot>;
  readonly migration: ReturnType<typeof planMigrations>;
  readonly built: readonly BuiltModel[];
  /** Models that are filled; absent: all. */
  readonly chosen: ReadonlySet<string> | undefined;
  readonly unsettled: Unsettled | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Categories and versions of what changed, the entries that follow, and how tables are brought to other columns. */
export function decideModels(given: PlanInput): DecidedModels {
  const diagnostics: Diagnostic[] = [...given.prepared.diagnostics, ...refusedKinds(given)];
  const { options, diagnostics: ofOptions } = resolvedOptions(given);
  const input: PlanInput = { ...given, options };
  const { bounds, effectiveFrom, diagnostics: ofBounds } = planBounds(input);
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
  const built = wanted.map((each) => withoutColumns(each, migration.left.get(each.entry.model)));
  const { chosen, diagnostics: ofChoice } = chosenFills(options, selectableModels(built, world));
  const unsettled = unsettledOf(input, decisions, { models: built, chosen });
  diagnostics.push(...ofOptions, ...ofBounds, ...ofCategories, ...migration.diagnostics, ...ofChoice);
  return {
    input,
    bounds,
    effectiveFrom,
    world,
    decisions,
    known,
    migration,
    built,
    chosen,
    unsettled,
    diagnostics,
  };
}

/** What cannot be as it was prepared: tables that are not built and must not be now, rows that would get others beside them. */
function unsettledOf(
  { prepared, environments, intervals }: PlanInput,
  decisions: readonly CategoryDecision[],
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

/** What is looked up by name again and again. */
export interface PlanWorld {
  readonly models: ReadonlyMap<string, Model>;
  readonly base: ReadonlyMap<string, EnvironmentEntry>;
  readonly present: ReadonlyMap<string, EnvironmentEntry>;
  readonly prod: Environment | undefined;
}

function worldOf({ project, prepared, environments }: PlanInput): PlanWorld {
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
    readonly decisions: readonly CategoryDecision[];
    readonly known: ReadonlyMap<string, Snapshot>;
    readonly world: PlanWorld;
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

/** Models as selections name them. */
export const selectableModels = (built: readonly BuiltModel[], { models }: PlanWorld) =>
  built.map(({ snapshot }) => selectableOf(snapshot, models));

function selectableOf({ model, parents }: Snapshot, models: PlanWorld['models']) {
  const found = models.get(model);
  return {
    name: model,
    parents,
    tags: found?.tags ?? [],
    ...(found === undefined ? {} : { file: found.file }),
  };
}
