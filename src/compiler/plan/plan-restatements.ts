import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { unionRanges } from '../../foundation/time/ranges.ts';
import { childrenOf } from './children-of.ts';
import { restatementRanges } from './intervals/restatement-ranges.ts';
import { restateElsewhere } from './restate-elsewhere.ts';
import { type SelectableModel, selectModels } from './select-models.ts';
import type { ShownEntries } from './table-owners.ts';

export interface RestateInput {
  readonly environment: string;
  /** Dependencies first. */
  readonly models: readonly { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry }[];
  readonly selectable: readonly SelectableModel[];
  /** By `tableKey`. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly options: PlanOptions;
  readonly bounds: { readonly start?: number; readonly end?: number };
  /** Models whose forward-only change reaches prod by this plan. */
  readonly forwardOnly: readonly Snapshot[];
  /** Models whose tables hold rows that no longer are what they should be. */
  readonly stale: readonly string[];
  /** All environments, the planned one as it will be. */
  readonly environments: readonly ShownEntries[];
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** Tables that another environment fills, by `tableKey`: what is named is left to it, the rest is not made of what is restated here. */
  readonly held: ReadonlyMap<string, string>;
}

export interface PlannedRestatements {
  /** By `tableKey`. */
  readonly ranges: ReadonlyMap<string, RangeSet>;
  /** The tables of `ranges`; some may be those of other environments only, whose runs fill them. */
  readonly tables: readonly TableId[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Rows of these kinds do not say which interval they came from. */
const MADE_WHOLE: ReadonlySet<Snapshot['kind']> = new Set([
  'incremental-unmanaged',
  'scd-type-2-by-time',
  'scd-type-2-by-column',
]);

/**
 * What is filled again: the models that are named and every table below them, in every environment. A model that forbids it is left out, but
 * not what reads it. Views have nothing to fill; what they show is restated by itself.
 */
export function planRestatements(input: RestateInput): PlannedRestatements {
  const { options, models, bounds } = input;
  const diagnostics: Diagnostic[] = [];
  const ranges = new Map<string, RangeSet>();
  const tables = new Map<string, TableId>();
  const askedFor = new Map<string, RangeSet>();
  const byName = new Map(models.map((model) => [model.snapshot.model, model]));
  const add = (model: string, asked: RangeSet, isNamed: boolean): void => {
    const found = byName.get(model);
    if (found === undefined) return;
    const { snapshot, entry } = found;
    const { kind, schedule } = snapshot;
    if (!isWritten(kind)) {
      if (isNamed) diagnostics.push(refused(model, `it is of kind ${kind} and has no rows of its own`));
      return;
    }
    if (schedule.disableRestatement) {
      diagnostics.push(refused(model, 'it has disable_restatement'));
      return;
    }
    fillAgain({ model, version: entry.version! }, snapshot, asked);
  };
  const fillAgain = (table: TableId, { model, kind, schedule }: Snapshot, asked: RangeSet): void => {
    const key = tableKey(table);
    const again = restatementRanges({ kind, schedule, filled: input.filled.get(key) ?? [] }, asked);
    if (again.length === 0) return;
    if (MADE_WHOLE.has(kind)) diagnostics.push(diagnostic('plan.restates-whole', { model, kind }));
    ranges.set(key, unionRanges(ranges.get(key) ?? [], again));
    askedFor.set(key, unionRanges(askedFor.get(key) ?? [], asked));
    tables.set(key, table);
  };

  const range = {
    start: bounds.start ?? Number.NEGATIVE_INFINITY,
    end: bounds.end ?? Number.POSITIVE_INFINITY,
  };
  const named = new Set<string>();
  for (const expression of options.restateModels) {
    const { names, diagnostics: found } = selectModels(
      expression,
      { models: input.selectable },
      '--restate-model',
    );
    diagnostics.push(...found);
    for (const name of names) named.add(name);
  }
  for (const name of named) add(name, [range], true);
  const children = childrenOf(
    models
      .filter(({ entry: { model, version } }) => !input.held.has(tableKey({ model, version: version ?? '' })))
      .map(({ snapshot }) => snapshot),
  );
  for (const name of reachable(named, (parent) => children.get(parent) ?? []))
    if (!named.has(name)) add(name, [range], false);

  const always = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
  for (const model of input.stale) add(model, [always], false);
  for (const { model, effectiveFrom } of input.forwardOnly)
    if (effectiveFrom !== undefined) {
      add(model, [{ start: effectiveFrom, end: Number.POSITIVE_INFINITY }], true);
      for (const name of reachable([model], (parent) => children.get(parent) ?? []))
        add(name, [{ start: effectiveFrom, end: Number.POSITIVE_INFINITY }], false);
    }
  for (const { table, snapshot, asked } of restateElsewhere(askedFor, input.environments, input.snapshots))
    fillAgain(table, snapshot, asked);
  return { ranges, tables: [...tables.values()], diagnostics };
}

function refused(model: string, reason: string): Diagnostic {
  return diagnostic('plan.cannot-restate', { model, reason });
}
