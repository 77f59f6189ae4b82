import type { EnvironmentEntry } from '../../domain/environment.ts';
import { tableKey } from '../../domain/relation.ts';
import { isBuilt, isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { floorToUnit } from '../../foundation/time/interval-unit.ts';
import { hullOfRanges, type RangeSet, unionRanges } from '../../foundation/time/ranges.ts';
import { dueEnd } from './due.ts';
import { isIncremental } from './intervals/kind-traits.ts';
import { startsOf } from './intervals/starts.ts';
import { lackingAfter, type MissingInput, missingIntervals } from './missing-intervals.ts';

/*
 * What a plan fills. A table that is new to the environment is filled up to what is due; one that stands is left to
 * `plinth run`, except for holes in what it has. A new table never runs ahead of a standing one that it reads:
 *
 *   parent (stands)   [────────────────)            due ──▶ |
 *   child (new)       [────────────────)   and not until due, or its last days would be empty for ever
 *
 * The same holds for any time that a table above will lack, such as today's hours below a table that is filled by days.
 */

export interface PlanMissingInput {
  readonly environment: string;
  /** Dependencies first, with what the environment will show. */
  readonly models: readonly { readonly snapshot: Snapshot; readonly entry: EnvironmentEntry }[];
  /** Entries as the environment shows them now, by model. */
  readonly present: ReadonlyMap<string, EnvironmentEntry>;
  /** By `tableKey`, less what is to be filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  /** What must be filled again, by `tableKey`. */
  readonly restated: ReadonlyMap<string, RangeSet>;
  readonly executionTime: number;
  readonly bounds: { readonly start?: number; readonly end?: number };
  /** Also what cron has made due of tables that stand. */
  readonly withRun: boolean;
  /** Where a table of a forward-only change begins outside prod, by model. */
  readonly devStarts: ReadonlyMap<string, number>;
  /** Tables that another environment fills, by `tableKey`. */
  readonly held?: ReadonlyMap<string, string>;
  /** Time that signals hold back, by model. */
  readonly blocked?: ReadonlyMap<string, RangeSet>;
}

/** Ranges to fill by model; an empty set for a table that must only be made. Models with nothing to do are absent. */
export function planMissing(input: PlanMissingInput): ReadonlyMap<string, RangeSet> {
  const snapshots = input.models.map(({ snapshot }) => snapshot);
  const starts = startsOf(snapshots, input.executionTime);
  const missing = new Map<string, RangeSet>();
  const lags = new Map<string, number>();
  // Where tables that another environment fills have their first hole: what is made whole from them ends there.
  const holes = new Map<string, number>();
  const begins = new Map<string, number>();
  const lacking = new Map<string, RangeSet>();
  for (const { snapshot, entry } of input.models) {
    const { model, kind, parents } = snapshot;
    const hole = earliest(parents, holes);
    const lag = Math.min(earliest(parents, lags), kind === 'full' ? hole : Number.POSITIVE_INFINITY);
    const begin = Math.min(
      starts.get(model) ?? input.executionTime,
      ...(snapshot.schedule.start === undefined ? parents.flatMap((parent) => begins.get(parent) ?? []) : []),
    );
    begins.set(model, begin);
    const lackingAbove = parents.reduce<RangeSet>(
      (all, parent) => unionRanges(all, lacking.get(parent) ?? []),
      [],
    );
    if (!isBuilt(kind) || entry.version === undefined) {
      lags.set(model, lag);
      holes.set(model, hole);
      lacking.set(model, lackingAbove);
      continue;
    }
    const key = tableKey({ model, version: entry.version });
    const filled = input.filled.get(key) ?? [];
    const restated = input.restated.get(key) ?? [];
    const isHeld = input.held?.has(key) === true;
    const stands = input.present.get(model)?.version === entry.version;
    const asked: MissingInput = {
      schedule: snapshot.schedule,
      kind,
      filled,
      restated,
      executionTime: input.executionTime,
      bounds: boundsOf(input, snapshot, { lag, stands, had: unionRanges(filled, restated) }),
      startFallback: begin,
      isContinuing: stands && input.environment !== 'prod' && filled.length > 0,
      blocked: unionRanges(input.blocked?.get(model) ?? [], isIncremental(kind) ? lackingAbove : []),
    };
    const due = missingIntervals(asked);
    const found = isHeld ? [] : due;
    // Without a start of its own a model reaches back as far as what it reads, which may have been filled long ago.
    if (kind !== 'seed' && kind !== 'view' && filled[0] !== undefined)
      begins.set(model, Math.min(begin, filled[0].start));
    if (found.length > 0 || (!stands && !isHeld && filled.length === 0)) missing.set(model, found);
    lacking.set(model, isWritten(kind) ? lackingAfter(asked, found) : lackingAbove);
    lags.set(model, isWritten(kind) ? lagOf(snapshot, { input, filled, found, isHeld }) : lag);
    if (!isWritten(kind)) holes.set(model, hole);
    else if (isHeld && due[0] !== undefined) holes.set(model, due[0].start);
  }
  return missing;
}

function earliest(parents: readonly string[], times: ReadonlyMap<string, number>): number {
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...parents.map((parent) => times.get(parent) ?? Number.POSITIVE_INFINITY),
  );
}

function boundsOf(
  input: PlanMissingInput,
  { model, kind, schedule }: Snapshot,
  { lag, stands, had }: { readonly lag: number; readonly stands: boolean; readonly had: RangeSet },
): { readonly start?: number; readonly end?: number } {
  const { bounds, withRun, devStarts } = input;
  const hull = hullOfRanges(had);
  const last = hull?.end;
  const begin = devStarts.get(model) ?? bounds.start;
  // No range makes less of what is there: a table is not made whole for a part, nor gets a gap that what reads it would not see.
  const latest = kind === 'full' ? hull?.start : last;
  const start = begin === undefined || latest === undefined ? begin : Math.min(begin, latest);
  const own = stands && !withRun && last !== undefined ? last : Number.POSITIVE_INFINITY;
  const asked = Math.max(
    bounds.end ?? Number.POSITIVE_INFINITY,
    (kind === 'full' ? last : undefined) ?? Number.NEGATIVE_INFINITY,
  );
  // Nothing at all above: nothing to fill.
  const behind = Number.isFinite(lag) ? floorToUnit(schedule.unit, lag) : Math.max(lag, 0);
  const end = Math.min(own, asked, behind);
  return { ...(start === undefined ? {} : { start }), ...(Number.isFinite(end) ? { end } : {}) };
}

/** Until when a table has its rows after this plan, if that is less than what is due; what reads it stops there. */
function lagOf(
  { kind, schedule }: Snapshot,
  {
    input,
    filled,
    found,
    isHeld,
  }: {
    readonly input: PlanMissingInput;
    readonly filled: RangeSet;
    readonly found: RangeSet;
    readonly isHeld: boolean;
  },
): number {
  if (!isIncremental(kind) && kind !== 'full') return Number.POSITIVE_INFINITY;
  const due = dueEnd(schedule, kind, input);
  const end = hullOfRanges(unionRanges(filled, found))?.end;
  if (end === undefined) return isHeld ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return end < due ? end : Number.POSITIVE_INFINITY;
}
