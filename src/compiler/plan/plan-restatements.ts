import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { normalizeRanges, type RangeSet, unionRanges } from '../../foundation/time/ranges.ts';
import type { ShownEntries } from './held-tables.ts';
import { isIncremental, refillOf } from './intervals/kind-traits.ts';
import { restatedBelow, restatementRanges } from './intervals/restatement-ranges.ts';
import { restateElsewhere } from './restate-elsewhere.ts';
import { type SelectableModel, selectModels } from './select-models.ts';

export interface RestateInput {
  readonly environment: string;
  /** Dependencies first. */
  readonly models: readonly { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry }[];
  readonly selectable: readonly SelectableModel[];
  /** By `tableKey`. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly options: PlanOptions;
  readonly bounds: { readonly start?: number; readonly end?: number };
  /** From when on forward-only changes count that reach prod by this plan, by model. */
  readonly effective: ReadonlyMap<string, number>;
  /** All environments, the planned one as it will be. */
  readonly environments: readonly ShownEntries[];
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Tables that another environment owns, by `tableKey`: they are left alone. */
  readonly held: ReadonlyMap<string, string>;
  /** Models whose rows were made of something else than is shown: they are left alone, too. */
  readonly leftBehind: ReadonlyMap<string, readonly string[]>;
}

export interface PlannedRestatements {
  /** By `tableKey`. */
  readonly ranges: ReadonlyMap<string, RangeSet>;
  /** The tables of `ranges`; some may be those of other environments only, whose runs fill them. */
  readonly tables: readonly TableId[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What is filled again: the models that are named and every table below them, in every environment. A model that forbids it is left out, but
 * not what reads it. Views have nothing to fill; what they show is restated by itself.
 */
export function planRestatements(input: RestateInput): PlannedRestatements {
  const diagnostics: Diagnostic[] = [];
  const ranges = new Map<string, RangeSet>();
  const tables = new Map<string, TableId>();
  const askedFor = new Map<string, RangeSet>();
  const fillAgain = (table: TableId, snapshot: Snapshot, wanted: RangeSet): void => {
    const key = tableKey(table);
    const again = restatementRanges({ ...snapshot, filled: input.filled.get(key) ?? [] }, wanted);
    if (again.length === 0) return;
    if (isMadeAnew(snapshot)) diagnostics.push(wholeRestatement(snapshot));
    ranges.set(key, unionRanges(ranges.get(key) ?? [], again));
    askedFor.set(key, unionRanges(askedFor.get(key) ?? [], wanted));
    tables.set(key, table);
  };
  const { requested: wanted, named, diagnostics: ofNames } = requestedRanges(input);
  diagnostics.push(...ofNames);
  for (const { snapshot, entry } of input.models) {
    const { model, kind, schedule } = snapshot;
    const own = wanted.get(model) ?? [];
    if (own.length === 0) continue;
    if (!isWritten(kind)) {
      if (named.has(model))
        diagnostics.push(refused(model, `it is of kind ${kind} and has no rows of its own`));
    } else if (schedule.disableRestatement)
      diagnostics.push(
        refused(
          model,
          'it has disable_restatement',
          `set disable_restatement false in its kind${isMadeAnew(snapshot) ? '; it is then rebuilt as a whole' : ''}`,
        ),
      );
    else fillAgain({ model, version: entry.version! }, snapshot, own);
  }
  for (const below of restateElsewhere(askedFor, input))
    fillAgain(below.table, below.snapshot, below.requested);
  return { ranges, tables: [...tables.values()], diagnostics };
}

/** The time that is to be filled again, by model, from what is named down to everything that is made of it. */
function requestedRanges({
  environment,
  options,
  models,
  filled,
  bounds,
  selectable,
  held,
  leftBehind,
  effective,
}: RestateInput): {
  readonly requested: ReadonlyMap<string, RangeSet>;
  readonly named: ReadonlySet<string>;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  const named = new Set<string>();
  for (const expression of options.restateModels) {
    const selected = selectModels(expression, { models: selectable }, '--restate-model');
    diagnostics.push(...selected.diagnostics);
    for (const name of selected.names) named.add(name);
  }
  const range = {
    start: bounds.start ?? Number.NEGATIVE_INFINITY,
    end: bounds.end ?? Number.POSITIVE_INFINITY,
  };
  const wanted = new Map<string, RangeSet>();
  const below = new Map<string, RangeSet>();
  for (const { snapshot, entry } of models) {
    const { model, parents, schedule } = snapshot;
    const from = effective.get(model);
    const key = tableKey({ model, version: entry.version ?? '' });
    const owner = held.get(key);
    if (owner !== undefined) {
      const isBelow = parents.some((parent) => below.has(parent));
      if (named.has(model) || isBelow)
        diagnostics.push(leftToOwner({ environment, models: model, owner }, isBelow));
      continue;
    }
    const behind = leftBehind.get(model);
    if (behind !== undefined) {
      const reason = `its rows were made from an earlier ${behind.join(', ')}`;
      if (named.has(model)) diagnostics.push(refused(model, reason, 'plan without --select: it is rebuilt'));
      continue;
    }
    let own = normalizeRanges([
      ...(named.has(model) ? [range] : []),
      ...(from === undefined ? [] : [{ start: from, end: Number.POSITIVE_INFINITY }]),
    ]);
    for (const parent of parents) own = unionRanges(own, below.get(parent) ?? []);
    if (own.length === 0) continue;
    wanted.set(model, own);
    const table = { ...snapshot, filled: filled.get(key) ?? [] };
    below.set(model, schedule.disableRestatement ? own : restatedBelow(table, own));
  }
  return { requested: wanted, named, diagnostics };
}

/** A table of another environment that is named, or that reads what is restated here: its rows are those of the owner's tables. */
function leftToOwner(
  words: { readonly environment: string; readonly models: string; readonly owner: string },
  isBelow: boolean,
): Diagnostic {
  const later = `once what is restated here reaches ${words.owner}, plan ${words.owner} --restate-model ${words.models}`;
  const hint = isBelow ? later : undefined;
  return diagnostic('plan.shared-table', { ...words, verb: 'restate' }, { hint });
}

/** Whether rows of the table do not say which interval they came from. */
function isMadeAnew(snapshot: Snapshot): boolean {
  if (snapshot.kind === 'full') return snapshot.readsItself === true;
  return isIncremental(snapshot.kind) && refillOf(snapshot) === 'whole';
}

function wholeRestatement({ model, kind, readsItself }: Snapshot): Diagnostic {
  const what = readsItself === true ? `${kind}, made of its own rows` : kind;
  return diagnostic('plan.restates-whole', { model, kind: what });
}

function refused(model: string, reason: string, hint?: string): Diagnostic {
  return diagnostic('plan.cannot-restate', { model, reason }, { hint });
}
