import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { Model } from '../../domain/model.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { orderByDependencies, reachable } from '../../foundation/graph.ts';
import { type DraftSnapshot, dataIdOf, draftSnapshots } from './draft-snapshots.ts';
import { type SelectableModel, selectModels } from './select-models.ts';
import { asShown, TakenTables } from './taken-tables.ts';

/*
 * The first half of a plan: what is compared with what, and which texts the second half needs.
 *
 *   project ─ selection ─▶ drafts ─┐
 *   environment (or prod) ─────────┴▶ diffs ─▶ contents to make, contents to read from state ─▶ makePlan
 */

export interface PrepareInput {
  readonly environment: string;
  readonly project: Project;
  /** All environments of the state. */
  readonly environments: readonly Environment[];
  /** All snapshots of the state. */
  readonly known: readonly Snapshot[];
  readonly options: Pick<PlanOptions, 'selection' | 'createFrom'>;
  /** Paths that differ from a git ref, for `git:` in a selection. */
  readonly changedFiles?: (ref: string) => readonly string[];
  readonly unsettled?: Unsettled;
}

/** What was found out by making the plan and changes what is compared (`settledPlan`). */
export interface Unsettled {
  /** Models that cannot be shown as the project has them, because their tables are not built (`--skip-backfill`), with why. */
  readonly unbuilt: ReadonlyMap<string, string>;
  /** Models that were not selected and whose rows stay those of an earlier state of what they read. */
  readonly behind: ReadonlySet<string>;
}

/** One model of the project (or kept from the environment) beside what the environment has under its name. */
export interface ModelDiff {
  readonly draft: DraftSnapshot;
  readonly previous?: Snapshot;
  readonly change: 'added' | 'direct' | 'indirect' | 'metadata' | 'same';
  /** The snapshot as an environment has shown it before: its category and version are fixed. */
  readonly known?: Snapshot;
  /** Shown before, but its table has become something else since: its category is decided again. */
  readonly isReturn?: true;
  /** The table that the environment shows it from has become something else: it is rebuilt, whatever changed. */
  readonly isTaken?: true;
  /** It was not selected: its own text stays, over what it reads as it is now. */
  readonly isKept?: true;
}

export interface PreparedPlan {
  readonly environment: string;
  /** The environment as it is; undefined when the plan makes it. */
  readonly present?: Environment;
  /** What the project is compared with: the environment, or prod when the environment is new. */
  readonly base?: Environment;
  /** Every model that the environment will have, dependencies first. */
  readonly diffs: readonly ModelDiff[];
  /** Entries that stay as they are because their models were not selected, by model. */
  readonly kept: ReadonlyMap<string, EnvironmentEntry>;
  readonly removed: readonly Snapshot[];
  /** Models that are not shown as the project has them, because their tables are not built. */
  readonly unbuilt: ReadonlySet<string>;
  /** Older snapshots that are left behind: from now on they have to say what they were made of. */
  readonly silent: readonly Snapshot[];
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Models whose content the caller makes (`snapshotContent`). */
  readonly contentsToMake: readonly { readonly fingerprint: string; readonly model: Model }[];
  /** Fingerprints whose content the caller reads from state. */
  readonly contentsToRead: readonly string[];
  /** Contents that are those of another fingerprint: the same text over other tables. */
  readonly contentsToCopy: readonly { readonly from: string; readonly to: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What a new environment begins from: that which `--create-from` names, else prod. */
export const baseOf = ({
  environments,
  options,
}: Pick<PrepareInput, 'environments' | 'options'>): Environment | undefined =>
  environments.find(({ name }) => name === (options.createFrom ?? 'prod'));

/** Compares a project with an environment by fingerprints alone; texts are needed only for what differs. */
export function preparePlan(input: PrepareInput): PreparedPlan {
  const { project, environments, environment } = input;
  const present = environments.find(({ name }) => name === environment);
  const base = present ?? baseOf(input);
  const snapshots = new Map(input.known.map((snapshot) => [snapshot.fingerprint, snapshot]));
  const entries = new Map((base?.entries ?? []).map((entry) => [entry.model, entry]));
  const previousOf = (model: string): Snapshot | undefined => {
    const entry = entries.get(model);
    return entry && asShown(withInputs(snapshotOf(entry, snapshots), entries, snapshots), entry);
  };
  const chosen = choose(input, entries, { snapshots, isNew: present === undefined });
  const shown = new Map([...entries].map(([model, entry]) => [model, snapshotOf(entry, snapshots)]));
  const drafts = inOrder(
    draftSnapshots(project, {
      chosen: new Set(chosen.models.map(({ name }) => name)),
      kept: new Map([...chosen.kept.keys()].map((model) => [model, previousOf(model)!])),
      ...(input.unsettled === undefined ? {} : { stays: input.unsettled.behind }),
      shown,
    }),
  );
  const diffs = modelDiffs(drafts, {
    environment,
    environments,
    entries,
    snapshots,
    previousOf,
    kept: chosen.kept,
  });
  const silent = diffs.flatMap(({ draft, previous, isKept }) =>
    isKept === true &&
    input.unsettled?.behind.has(draft.model) === true &&
    shown.get(draft.model)?.inputs === undefined
      ? (previous ?? [])
      : [],
  );
  const there = new Set(drafts.map(({ model }) => model));
  const removed = [...entries.keys()]
    .filter((model) => !there.has(model) && !chosen.left.has(model))
    .map((model) => previousOf(model)!);
  return {
    environment,
    ...(present === undefined ? {} : { present }),
    ...(base === undefined ? {} : { base }),
    diffs,
    kept: chosen.kept,
    removed,
    unbuilt: new Set(input.unsettled?.unbuilt.keys()),
    snapshots,
    ...contentsOf(diffs, project, silent),
    silent,
    diagnostics: [
      ...chosen.diagnostics,
      ...checkReferences(drafts, chosen, { removed, environment, project }),
    ],
  };
}

/** What each model is beside what the environment shows under its name; dependencies first. */
function modelDiffs(
  drafts: readonly DraftSnapshot[],
  {
    environment,
    environments,
    entries,
    snapshots,
    previousOf,
    kept,
  }: Pick<PrepareInput, 'environment' | 'environments'> &
    Pick<PreparedPlan, 'kept' | 'snapshots'> & {
      /** Those of the environment, or of the one that it begins from. */
      readonly entries: ReadonlyMap<string, EnvironmentEntry>;
      readonly previousOf: (model: string) => Snapshot | undefined;
    },
): readonly ModelDiff[] {
  const taken = new TakenTables(snapshots, environments);
  const prod = new Map(
    environments.find(({ name }) => name === 'prod')?.entries.map((entry) => [entry.model, entry]),
  );
  // Models that are rebuilt though their definitions may be the same, and what reads them.
  const again = new Set<string>();
  return drafts.map((draft): ModelDiff => {
    const { model } = draft;
    const previous = previousOf(model);
    const stored = snapshots.get(draft.fingerprint);
    const differs = changeOf(draft, previous);
    const entry = entries.get(model);
    const isTaken = entry !== undefined && !kept.has(model) && taken.isTaken(entry, environment);
    const isBelow = !kept.has(model) && draft.parents.some((parent) => again.has(parent));
    const isAgain = differs === 'same' && (isTaken || isBelow);
    if (isTaken || isAgain) again.add(model);
    const change = isAgain ? (isBelow ? 'indirect' : 'direct') : differs;
    const isBack =
      stored !== undefined &&
      stored.isTried !== true &&
      differs !== 'same' &&
      taken.isReturn(stored, environment, entries.get(model));
    const isReturn = isAgain || isBack;
    // What plans only tried is decided again.
    const known = stored?.isTried === true || isReturn ? undefined : stored;
    const inProd = prod.get(model);
    return {
      draft,
      ...(previous === undefined ? {} : { previous }),
      change,
      ...(known === undefined
        ? {}
        : { known: inProd?.fingerprint === known.fingerprint ? asShown(known, inProd) : known }),
      ...(isReturn ? { isReturn: true } : {}),
      ...(isTaken ? { isTaken } : {}),
      ...(kept.has(model) ? { isKept: true } : {}),
    };
  });
}

/** An entry's snapshot; state never has the one without the other. */
function snapshotOf(entry: EnvironmentEntry, snapshots: ReadonlyMap<string, Snapshot>): Snapshot {
  const snapshot = snapshots.get(entry.fingerprint);
  if (snapshot === undefined)
    throw new Error(
      `state has no snapshot ${entry.fingerprint}, which an environment shows as ${entry.model}`,
    );
  return snapshot;
}

function changeOf(draft: DraftSnapshot, previous: Snapshot | undefined): ModelDiff['change'] {
  if (previous === undefined) return 'added';
  if (previous.fingerprint === draft.fingerprint) return 'same';
  if (previous.dataHash !== draft.dataHash) return 'direct';
  return previous.parentsHash === draft.parentsHash ? 'metadata' : 'indirect';
}

/** Older snapshots do not say what they were made of: it is assumed to be what the environment shows. */
function withInputs(
  snapshot: Snapshot,
  entries: ReadonlyMap<string, EnvironmentEntry>,
  snapshots: ReadonlyMap<string, Snapshot>,
): Snapshot {
  if (snapshot.inputs !== undefined) return snapshot;
  const inputs = snapshot.parents.flatMap((name) => {
    const parent = snapshots.get(entries.get(name)?.fingerprint ?? '');
    return parent === undefined || parent.kind === 'external' ? [] : [[name, dataIdOf(parent)] as const];
  });
  return { ...snapshot, inputs: Object.fromEntries(inputs) };
}

interface Chosen {
  readonly models: readonly Model[];
  readonly kept: ReadonlyMap<string, EnvironmentEntry>;
  /** Models that this plan leaves out. */
  readonly left: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Without a selection everything is the project's; with one, the rest stays as the environment (or prod) has it. */
function choose(
  input: PrepareInput,
  entries: ReadonlyMap<string, EnvironmentEntry>,
  context: { readonly snapshots: ReadonlyMap<string, Snapshot>; readonly isNew: boolean },
): Chosen {
  const { project, environment, unsettled } = input;
  const { models, kept, diagnostics } = select(input, entries, context.snapshots);
  const unbuilt = unsettled?.unbuilt ?? new Map<string, string>();
  const isThere = (name: string): boolean => !context.isNew && entries.has(name);
  const left = new Set([...unbuilt.keys()].filter((name) => !isThere(name)));
  return {
    models: models.filter(({ name }) => !left.has(name)),
    kept: new Map([...kept, ...[...entries].filter(([name]) => unbuilt.has(name) && isThere(name))]),
    left,
    diagnostics: [
      ...diagnostics,
      ...project.models.flatMap(({ name }) => {
        const reason = unbuilt.get(name);
        return reason === undefined
          ? []
          : [diagnostic('plan.not-shown', { model: name, environment, reason })];
      }),
    ],
  };
}

function select(
  { project, options, changedFiles }: PrepareInput,
  entries: ReadonlyMap<string, EnvironmentEntry>,
  snapshots: ReadonlyMap<string, Snapshot>,
): Omit<Chosen, 'left'> {
  if (options.selection === undefined) return { models: project.models, kept: new Map(), diagnostics: [] };
  const names = new Set(project.models.map(({ name }) => name));
  const gone = [...entries.values()].filter(({ model }) => !names.has(model));
  const { names: selected, diagnostics } = selectModels(options.selection, {
    models: [
      ...project.models.map(selectable),
      ...gone.map((entry) => ({
        name: entry.model,
        tags: [],
        parents: snapshotOf(entry, snapshots).parents,
      })),
    ],
    ...(changedFiles === undefined ? {} : { changedFiles }),
  });
  return {
    models: project.models.filter(({ name }) => selected.has(name)),
    kept: new Map([...entries].filter(([model]) => !selected.has(model))),
    diagnostics,
  };
}

/** What a selection can see of a model of the project. */
export function selectable({ name, tags, file, dependencies }: Model): SelectableModel {
  return { name, tags, file, parents: dependencies };
}

function inOrder(drafts: readonly DraftSnapshot[]): readonly DraftSnapshot[] {
  const byName = new Map(drafts.map((draft) => [draft.model, draft]));
  const { order } = orderByDependencies(new Map(drafts.map(({ model, parents }) => [model, parents])));
  return order.map((name) => byName.get(name)!);
}

function checkReferences(
  drafts: readonly DraftSnapshot[],
  { models, kept, left }: Chosen,
  {
    removed,
    environment,
    project,
  }: {
    readonly removed: readonly Snapshot[];
    readonly environment: string;
    readonly project: Project;
  },
): readonly Diagnostic[] {
  const defined = new Set(project.models.map(({ name }) => name));
  const there = new Set(drafts.map(({ model }) => model));
  const gone = new Set(removed.map(({ model }) => model));
  const found: Diagnostic[] = [];
  const readers = new Map<string, string[]>();
  for (const { name, dependencies, ranges } of models) {
    if (kept.has(name)) continue;
    for (const table of dependencies) {
      if (there.has(table) || left.has(table)) continue;
      if (gone.has(table)) readers.set(table, [...(readers.get(table) ?? []), name]);
      // A model of the project that a selection left out; any other table is one of the warehouse.
      else if (defined.has(table))
        found.push(
          diagnostic(
            'plan.unselected-parent',
            { model: name, parent: table, environment },
            { at: ranges['query'] ?? ranges['name'] },
          ),
        );
    }
  }
  for (const [table, names] of readers)
    found.push(diagnostic('plan.broken-reference', { readers: names.join(', '), table, environment }));
  for (const { model, parents } of drafts.filter(({ model }) => kept.has(model)))
    for (const parent of parents)
      if (gone.has(parent)) found.push(diagnostic('plan.kept-reader', { model, parent, environment }));
  return found;
}

/** Texts are needed of what is new, of what changed directly and of what lies between a change and something new; and of all they are compared with. */
function contentsOf(
  diffs: readonly ModelDiff[],
  project: Project,
  silent: readonly Snapshot[],
): Pick<PreparedPlan, 'contentsToMake' | 'contentsToRead' | 'contentsToCopy'> {
  const changed = diffs.filter(({ change }) => change !== 'same');
  const byName = new Map(changed.map((diff) => [diff.draft.model, diff]));
  const fresh = changed.filter(({ known }) => known === undefined).map(({ draft }) => draft.model);
  const above = reachable(
    fresh,
    (name) => byName.get(name)?.draft.parents.filter((it) => byName.has(it)) ?? [],
  );
  const models = new Map(project.models.map((model) => [model.name, model]));
  const contentsToMake = changed
    .filter((diff) => diff.known === undefined || diff.change === 'direct' || above.has(diff.draft.model))
    .flatMap(({ draft }) => {
      const model = models.get(draft.model);
      return model === undefined ? [] : [{ fingerprint: draft.fingerprint, model }];
    });
  const contentsToRead = [
    ...changed.flatMap(({ previous }) => previous?.fingerprint ?? []),
    ...silent.map(({ fingerprint }) => fingerprint),
  ];
  const contentsToCopy = changed.flatMap(({ isKept, draft, previous }) =>
    isKept === true && previous !== undefined ? [{ from: previous.fingerprint, to: draft.fingerprint }] : [],
  );
  return { contentsToMake, contentsToRead, contentsToCopy };
}
