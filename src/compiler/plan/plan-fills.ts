import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import { isoInstantShort } from '../../foundation/time/iso.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { dataGaps } from './intervals/data-gaps.ts';
import type { Bounds, WaitingRanges } from './intervals/due-intervals.ts';
import type { PlanInput } from './plan-input.ts';
import { planMissing } from './plan-missing.ts';
import type { BuiltModel } from './stage-input.ts';
import { forwardOnlyOutside } from './target-entries.ts';

/** The models of a plan and what is filled of their tables once its restatements are pending. */
export interface FillContext {
  readonly all: readonly BuiltModel[];
  /** By `tableKey`. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly restated: ReadonlyMap<string, RangeSet>;
  readonly held: ReadonlyMap<string, string>;
  readonly leftBehind: ReadonlyMap<string, readonly string[]>;
  readonly present: ReadonlyMap<string, EnvironmentEntry>;
  readonly prod: Environment | undefined;
  readonly known: ReadonlyMap<string, Snapshot>;
  readonly bounds: Bounds;
  /** `--effective-from` as an instant. */
  readonly effectiveFrom: number | undefined;
  /** Models that may be filled; absent: all. */
  readonly chosen?: ReadonlySet<string> | undefined;
}

export interface PlanFills {
  /** Ranges by model; an empty set for a table that must only be made. */
  readonly missing: ReadonlyMap<string, RangeSet>;
  readonly diagnostics: readonly Diagnostic[];
}

/** What a plan fills, what it leaves to others, and with `--no-gaps` what it would lose. */
export function planFills(input: PlanInput, context: FillContext): PlanFills {
  const { options, prepared, executionTime } = input;
  const isProd = prepared.environment === 'prod';
  const forward = isProd ? [] : forwardOnly(context);
  const { missing: due, waiting } = planMissing({
    environment: prepared.environment,
    models: context.all,
    present: context.present,
    filled: context.filled,
    restated: context.restated,
    held: context.held,
    leftBehind: context.leftBehind,
    executionTime,
    // In prod the range is that of what is restated, not of what is missing.
    bounds: isProd ? {} : context.bounds,
    isExtending: options.restateModels.length === 0,
    withRun: options.withRun,
    ignoreCron: options.ignoreCron ?? false,
    devStarts: new Map(
      forward.flatMap(({ model, effectiveFrom }) =>
        effectiveFrom === undefined ? [] : [[model, effectiveFrom]],
      ),
    ),
    previews: new Set(
      context.bounds.start === undefined
        ? forward.filter(({ effectiveFrom }) => effectiveFrom === undefined).map(({ model }) => model)
        : [],
    ),
    ...(input.blocked === undefined ? {} : { blocked: input.blocked }),
  });
  const isView = new Set(
    context.all.flatMap(({ snapshot }) => (snapshot.kind === 'view' ? snapshot.model : [])),
  );
  const { chosen } = context;
  const missing =
    chosen === undefined
      ? due
      : new Map([...due].filter(([model]) => isView.has(model) || chosen.has(model)));
  return {
    missing,
    diagnostics: [
      ...(options.skipBackfill ? [] : sharedTables(prepared.environment, waiting)),
      ...(options.noGaps ? gaps(input, context, missing) : []),
    ],
  };
}

/** Forward-only changes that have tables of their own here: they are looked at, not computed for all of history. */
function forwardOnly({ all, prod, known, effectiveFrom: asked }: FillContext): readonly Snapshot[] {
  const inProd = new Set((prod?.entries ?? []).map(({ fingerprint }) => fingerprint));
  // Models on tables of their own here, and views over them.
  const onDev = new Set<string>();
  return all.flatMap(({ snapshot, entry }) => {
    const isBelow = snapshot.parents.some((parent) => onDev.has(parent));
    const isOn = entry.version?.endsWith('__dev') === true;
    if (isOn || (isBelow && !isWritten(snapshot.kind))) onDev.add(entry.model);
    const change = isOn ? forwardOnlyOutside(snapshot, inProd, known) : undefined;
    // What only goes on over such a table is filled as far as that is.
    if (change === undefined || (isBelow && change.category !== 'forward-only')) return [];
    const effectiveFrom = asked ?? change.effectiveFrom;
    return [{ ...snapshot, ...(effectiveFrom === undefined ? {} : { effectiveFrom }) }];
  });
}

/** Tables that lack something and belong to others, a word for each owner. */
function sharedTables(environment: string, waiting: readonly WaitingRanges[]): readonly Diagnostic[] {
  const owned = waiting.filter(({ kind }) => kind === 'owner');
  return [...Map.groupBy(owned, ({ on }) => on ?? '')].map(([owner, tables]) => {
    const names = tables.map(({ model }) => model);
    const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : '';
    const models = `${names.slice(0, NAMED_MAX).join(', ')}${more}`;
    return diagnostic('plan.shared-table', { environment, verb: 'fill', models, owner });
  });
}

const NAMED_MAX = 5;

function gaps(
  { prepared, intervals }: PlanInput,
  { all, filled, present }: FillContext,
  missing: ReadonlyMap<string, RangeSet>,
): readonly Diagnostic[] {
  return all.flatMap(({ snapshot, entry }) => {
    const before = present.get(entry.model);
    const previous = before && prepared.snapshots.get(before.fingerprint);
    if (before?.version === undefined || entry.version === undefined || previous === undefined) return [];
    if (before.version === entry.version || snapshot.kind === 'view' || snapshot.kind === 'seed') return [];
    const found = dataGaps(
      {
        schedule: previous.schedule,
        filled: intervals.get(tableKey({ ...before, version: before.version })) ?? [],
      },
      {
        filled: filled.get(tableKey({ ...entry, version: entry.version })) ?? [],
        missing: missing.get(entry.model) ?? [],
      },
    );
    const first = found[0];
    if (first === undefined) return [];
    const detail = `${isoInstantShort(first.start)} to ${isoInstantShort(first.end)}${found.length > 1 ? ' and more' : ''}`;
    return [diagnostic('plan.gaps', { model: entry.model, detail })];
  });
}
