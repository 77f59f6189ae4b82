/*
 * What each model of an environment has to fill now, upstream first, because a unit may only be filled when the tables
 * it is made from have that time or get it in the same run:
 *
 *   daily parent   [────────────)  midnight
 *   hourly child   [────────────)──|──|  ← these hours wait until tomorrow
 *
 * A table that is made whole (FULL) is recorded only until where everything above it has its rows: when the rest comes,
 * it is due again.
 */
import type { EnvironmentEntry } from '../../../domain/environment.ts';
import { tableKey } from '../../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../../domain/snapshot.ts';
import type { Restatement } from '../../../domain/state-store.ts';
import { orderByDependencies } from '../../../foundation/graph.ts';
import { floorToUnit, type IntervalUnit } from '../../../foundation/time/interval-unit.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import {
  hullOfRanges,
  intersectRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../../foundation/time/ranges.ts';
import { expandToUnits } from '../../../foundation/time/unit-ranges.ts';
import { dueEnd, nextDue } from '../due.ts';
import { lackingAfter, type MissingInput, missingIntervals } from '../missing-intervals.ts';
import { autoRestatement } from './auto-restatement.ts';
import { isIncremental, isRepeatable } from './kind-traits.ts';
import { startsOf } from './starts.ts';

/** An environment as it is (run) or will be (plan), what is filled, and how it was asked for. */
export interface DueInput {
  readonly entries: readonly EnvironmentEntry[];
  /** Snapshots of the entries, by fingerprint. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** `intervals()` of state; a plan takes off what it restates itself. */
  readonly intervals: ReadonlyMap<string, RangeSet>;
  /** What was filled once and must be filled again: pending in state, and what a plan restates itself. */
  readonly restatements: readonly Pick<Restatement, 'table' | 'ranges'>[];
  readonly executionTime: number;
  readonly bounds?: { readonly start?: number; readonly end?: number };
  readonly ignoreCron?: boolean;
  /** Tables, by `tableKey`, that only go on from what is there; older time that was never filled stays empty. */
  readonly isContinuing?: (key: string) => boolean;
  /** Tables that another environment fills, by `tableKey`, with its name (`heldTables`). */
  readonly held?: ReadonlyMap<string, string>;
  /** Models that may be filled; all when absent. */
  readonly selected?: ReadonlySet<string>;
  /** What the signals of each model let through. Absent: nobody was asked yet, signals hold nothing back. */
  readonly ready?: ReadonlyMap<string, RangeSet>;
  /** Execution time of the last run that succeeded; until there is one, that of the plan. Absent: no automatic restatement. */
  readonly lastRunAt?: number;
}

/** Time that is due but cannot be filled yet. */
export interface Waiting {
  readonly kind: 'upstream' | 'signal' | 'owner';
  readonly model: string;
  readonly ranges: RangeSet;
  /** The upstream model that lacks it. */
  readonly on?: string;
  /** Why, as a sentence for people. */
  readonly reason: string;
}

export interface DueIntervals {
  /** Only models that lack something, upstream first. */
  readonly missing: ReadonlyMap<string, RangeSet>;
  readonly waiting: readonly Waiting[];
  /** By `tableKey`, less what is filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly restated: ReadonlyMap<string, RangeSet>;
}

/** What a child asks of the tables above it. */
interface Upstream {
  readonly model: string;
  readonly snapshot: Snapshot;
  /** Time the table should have and will not have after this run. */
  readonly lacking: RangeSet;
  /** Until when it has its rows after this run, if that is less than what is due. */
  readonly lag: number;
}

/** What every model has to fill, after upstreams and signals had their say. */
export function dueIntervals(input: DueInput): DueIntervals {
  return new IntervalWalk(input).walk();
}

class IntervalWalk {
  readonly #input: DueInput;
  readonly #entries: ReadonlyMap<string, EnvironmentEntry>;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #starts: ReadonlyMap<string, number>;
  readonly #pending = new Map<string, RangeSet>();
  /** Nearest tables above, by model; a view or EMBEDDED model passes on what it reads. */
  readonly #upstreams = new Map<string, ReadonlyMap<string, Upstream>>();
  readonly #automatic = new Map<string, RangeSet>();
  readonly #missing = new Map<string, RangeSet>();
  readonly #waiting: Waiting[] = [];
  readonly #filled: Map<string, RangeSet>;
  readonly #restated = new Map<string, RangeSet>();

  constructor(input: DueInput) {
    this.#input = input;
    const { entries, snapshots, executionTime, restatements, intervals } = input;
    this.#entries = new Map(entries.map((entry) => [entry.model, entry]));
    for (const { model, fingerprint } of entries) {
      const snapshot = snapshots.get(fingerprint);
      if (snapshot !== undefined) this.#snapshots.set(model, snapshot);
    }
    this.#starts = startsOf([...this.#snapshots.values()], executionTime);
    for (const { table, ranges } of restatements) {
      const key = tableKey(table);
      this.#pending.set(key, unionRanges(this.#pending.get(key) ?? [], ranges));
    }
    this.#filled = new Map(intervals);
  }

  walk(): DueIntervals {
    const parents = new Map([...this.#snapshots].map(([model, snapshot]) => [model, snapshot.parents]));
    for (const model of orderByDependencies(parents).order) this.#visit(model);
    return {
      missing: this.#missing,
      waiting: this.#waiting,
      filled: this.#filled,
      restated: this.#restated,
    };
  }

  #visit(model: string): void {
    const snapshot = this.#snapshots.get(model)!;
    const entry = this.#entries.get(model)!;
    const above = this.#above(snapshot);
    if (entry.version === undefined || snapshot.kind === 'embedded' || snapshot.kind === 'external') {
      this.#upstreams.set(model, above);
      this.#automatic.set(model, this.#automaticAbove(snapshot));
      return;
    }
    const key = keyOf(entry);
    const ever = this.#filled.get(key) ?? [];
    const automatic = this.#automaticOf(snapshot, ever);
    const pending = this.#pending.get(key) ?? [];
    const owner = this.#input.held?.get(key);
    // What another environment fills is restated by its own runs.
    const filled = owner === undefined ? subtractRanges(ever, automatic) : ever;
    this.#automatic.set(model, isWritten(snapshot.kind) ? automatic : this.#automaticAbove(snapshot));
    const restated = owner === undefined ? unionRanges(pending, automatic) : pending;
    if (automatic.length > 0) this.#filled.set(key, filled);
    if (restated.length > 0) this.#restated.set(key, restated);
    const asked = this.#question(snapshot, { filled, restated, key, above });
    const isChosen = this.#input.selected?.has(model) ?? true;
    if (isChosen && owner !== undefined) this.#tellOfOwner(model, asked, owner);
    else if (isChosen) this.#tellOfLag(snapshot, asked, above);
    const missing = isChosen && owner === undefined ? this.#ask(model, asked, above) : [];
    if (missing.length > 0) this.#missing.set(model, missing);
    this.#upstreams.set(
      model,
      isWritten(snapshot.kind)
        ? new Map([[model, { model, snapshot, ...this.#after(asked, missing, isChosen) }]])
        : above,
    );
  }

  /** What the table will lack once `missing` is filled. */
  #after(asked: MissingInput, missing: RangeSet, isChosen: boolean): Pick<Upstream, 'lacking' | 'lag'> {
    const lacking = lackingAfter(asked, missing);
    if (asked.kind === 'seed') return { lacking, lag: Number.POSITIVE_INFINITY };
    const due = dueEnd(asked.schedule, asked.kind, asked);
    const end = hullOfRanges(unionRanges(asked.filled, missing))?.end ?? Number.NEGATIVE_INFINITY;
    // Held in the middle of what is there: by a signal, or because nobody chose it.
    const held = isChosen ? subtractRanges(missingIntervals(asked), missing)[0]?.start : undefined;
    return {
      lacking,
      lag: Math.min(end < due ? end : Number.POSITIVE_INFINITY, held ?? Number.POSITIVE_INFINITY),
    };
  }

  #tellOfOwner(model: string, asked: MissingInput, owner: string): void {
    const ranges = missingIntervals(asked);
    const reason = `${owner} has this table and fills it from its own tables.`;
    if (ranges.length > 0) this.#waiting.push({ kind: 'owner', model, ranges, reason });
  }

  /** What is missing, and a word about what has to wait. */
  #ask(model: string, asked: MissingInput, above: ReadonlyMap<string, Upstream>): RangeSet {
    const due = missingIntervals(asked);
    if (due.length === 0) return due;
    const { ready, executionTime } = this.#input;
    const { signals } = asked.schedule;
    let blocked: RangeSet = [];
    if (isIncremental(asked.kind))
      for (const { model: on, snapshot, lacking } of above.values()) {
        const ranges = intersectRanges(due, lacking);
        if (ranges.length === 0) continue;
        blocked = unionRanges(blocked, lacking);
        const reason = `${on} does not have this time yet; it is next due at ${isoInstantShort(nextDue(snapshot.schedule, executionTime))}.`;
        this.#waiting.push({ kind: 'upstream', model, on, ranges, reason });
      }
    if (signals.length > 0 && ready !== undefined) {
      const held = subtractRanges(due, ready.get(model) ?? []);
      const names = signals.map(({ name }) => name).join(', ');
      const reason = `${signals.length === 1 ? 'Its signal' : 'Its signals'} ${names} did not let it through.`;
      if (held.length > 0) this.#waiting.push({ kind: 'signal', model, ranges: held, reason });
      blocked = unionRanges(blocked, held);
    }
    return blocked.length === 0 ? due : missingIntervals({ ...asked, blocked });
  }

  #question(
    { model, kind, schedule }: Snapshot,
    state: {
      readonly filled: RangeSet;
      readonly restated: RangeSet;
      readonly key: string;
      readonly above: ReadonlyMap<string, Upstream>;
    },
  ): MissingInput {
    const { executionTime, ignoreCron = false, isContinuing } = this.#input;
    const bounds = this.#bounds(kind, schedule.unit, state.above);
    return {
      schedule,
      kind,
      filled: state.filled,
      restated: state.restated,
      executionTime,
      ...(bounds === undefined ? {} : { bounds }),
      startFallback: this.#starts.get(model)!,
      ignoreCron,
      isContinuing: isContinuing?.(state.key) ?? false,
    };
  }

  /** `--start` and `--end`, and for a table that is made whole the end of what is above it. */
  #bounds(
    kind: Snapshot['kind'],
    unit: IntervalUnit,
    above: ReadonlyMap<string, Upstream>,
  ): DueInput['bounds'] {
    const { bounds } = this.#input;
    let lag = Number.POSITIVE_INFINITY;
    for (const upstream of above.values())
      if (kind === 'full' || upstream.snapshot.kind === 'full') lag = Math.min(lag, upstream.lag);
    if (lag === Number.POSITIVE_INFINITY) return bounds;
    return {
      ...bounds,
      end: Math.min(bounds?.end ?? lag, Number.isFinite(lag) ? floorToUnit(unit, lag) : 0),
    };
  }

  /** A table that is made whole until where those above it are says for which of them it waits. */
  #tellOfLag(
    { model, kind, schedule }: Snapshot,
    asked: MissingInput,
    above: ReadonlyMap<string, Upstream>,
  ): void {
    if (kind !== 'full') return;
    const end = dueEnd(schedule, kind, asked);
    for (const { model: on, lag } of above.values()) {
      if (lag >= end || !Number.isFinite(lag)) continue;
      const reason = `${on} has its rows until ${isoInstantShort(lag)} only; this is made again when the rest is there.`;
      this.#waiting.push({ kind: 'upstream', model, on, ranges: [{ start: lag, end }], reason });
    }
  }

  #above({ parents }: Snapshot): ReadonlyMap<string, Upstream> {
    const first = this.#upstreams.get(parents[0] ?? '');
    // Most models have one parent: what it passes on is shared, not copied.
    if (parents.length === 1 && first !== undefined) return first;
    const above = new Map<string, Upstream>();
    for (const parent of parents)
      for (const [model, upstream] of this.#upstreams.get(parent) ?? []) above.set(model, upstream);
    return above;
  }

  /** Its own automatic restatement, and that of the tables above, whose changed rows it shows. */
  #automaticOf(snapshot: Snapshot, filled: RangeSet): RangeSet {
    const { kind, schedule } = snapshot;
    const { executionTime, lastRunAt: since } = this.#input;
    const own = autoRestatement(snapshot, filled, { executionTime, since });
    const passed = this.#automaticAbove(snapshot);
    if (passed.length === 0 || schedule.disableRestatement) return own;
    if (kind === 'full') return filled;
    if (!isRepeatable(kind)) return own;
    return unionRanges(own, intersectRanges(filled, expandToUnits(passed, schedule.unit)));
  }

  #automaticAbove({ parents }: Snapshot): RangeSet {
    let above: RangeSet = [];
    for (const parent of parents) above = unionRanges(above, this.#automatic.get(parent) ?? []);
    return above;
  }
}

function keyOf({ model, version }: EnvironmentEntry): string {
  return tableKey({ model, version: version ?? '' });
}
