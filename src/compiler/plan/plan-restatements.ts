import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { EnvironmentEntry } from '../../domain/environment.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { reachable } from '../../foundation/graph.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { unionRanges } from '../../foundation/time/ranges.ts';
import { restatementRanges } from './intervals/restatement-ranges.ts';
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
  /** Models whose forward-only change reaches prod by this plan. */
  readonly forwardOnly: readonly Snapshot[];
  /** Models whose tables hold rows that no longer are what they should be. */
  readonly stale: readonly string[];
}

export interface PlannedRestatements {
  /** By `tableKey`. */
  readonly ranges: ReadonlyMap<string, RangeSet>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Rows of these kinds do not say which interval they came from. */
const MADE_WHOLE: ReadonlySet<Snapshot['kind']> = new Set([
  'incremental-unmanaged',
  'scd-type-2-by-time',
  'scd-type-2-by-column',
]);

/**
 * What is filled again: the models that are named and every table below them. A model that forbids it is left out, but
 * not what reads it. Views have nothing to fill; what they show is restated by itself.
 */
export function planRestatements(input: RestateInput): PlannedRestatements {
  const { options, models, bounds } = input;
  const diagnostics: Diagnostic[] = [];
  const ranges = new Map<string, RangeSet>();
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
    const key = tableKey({ model, version: entry.version! });
    const again = restatementRanges({ kind, schedule, filled: input.filled.get(key) ?? [] }, asked);
    if (again.length === 0) return;
    if (MADE_WHOLE.has(kind)) diagnostics.push(diagnostic('plan.restates-whole', { model, kind }));
    ranges.set(key, unionRanges(ranges.get(key) ?? [], again));
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
  const children = childrenOf(models.map(({ snapshot }) => snapshot));
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
  return { ranges, diagnostics };
}

function refused(model: string, reason: string): Diagnostic {
  return diagnostic('plan.cannot-restate', { model, reason });
}

/** Readers of each model. */
export function childrenOf(
  models: readonly Pick<Snapshot, 'model' | 'parents'>[],
): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const { model, parents } of models)
    for (const parent of parents) {
      const list = children.get(parent);
      if (list === undefined) children.set(parent, [model]);
      else list.push(model);
    }
  return children;
}
