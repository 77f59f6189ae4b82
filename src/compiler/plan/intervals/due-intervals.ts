/*
 * What each model of an environment has to fill now, upstream first, because a unit may only be filled when the tables
 * it is made from have that time or get it in the same plan or run:
 *
 *   daily parent   [────────────)  midnight
 *   hourly child   [────────────)──|──|  ← these hours wait until tomorrow
 *
 * A table that is made whole (FULL) is recorded only until where everything above it has its rows: when the rest comes,
 * it is due again, and so it is when something above it is filled back to before it began. Plans and runs walk alike; how far a plan fills a table is said by its bounds.
 */
import type { EnvironmentEntry } from '../../../domain/environment.ts';
import { tableKey } from '../../../domain/relation.ts';
import { isWritten, type Snapshot } from '../../../domain/snapshot.ts';
import type { Restatement } from '../../../domain/state-store.ts';
import { orderByDependencies } from '../../../foundation/graph.ts';
import { floorToUnit } from '../../../foundation/time/interval-unit.ts';
import { isoInstantShort } from '../../../foundation/time/iso.ts';
import {
  clipRanges,
  intersectRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../../foundation/time/ranges.ts';
import { expandToUnits } from '../../../foundation/time/unit-ranges.ts';
import { dueEnd, nextDue } from '../due.ts';
import { type MissingInput, missingIntervals } from '../missing-intervals.ts';
import { autoRestatement } from './auto-restatement.ts';
import { isIncremental, isRepeatable } from './kind-traits.ts';
import { startsOf } from './starts.ts';
import { latestStart, type Upstream, upstreamOf } from './upstream.ts';

/** `--start` and `--end` as instants. */
export interface Bounds {
  readonly start?: number;
  readonly end?: number;
}

/** A table about to be asked what it lacks. */
export interface TableToFill {
  readonly snapshot: Snapshot;
  readonly key: string;
  /** What is filled, and what was and must be filled again. */
  readonly had: RangeSet;
}

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
  /** Absent: from the model's start to what is due. */
  readonly boundsOf?: (table: TableToFill) => Bounds;
  readonly ignoreCron?: boolean;
  /** Tables that only go on from what is there; older time that was never filled stays empty. */
  readonly isContinuing?: (table: TableToFill) => boolean;
  /** Models of which only the last interval is made, as long as their table is empty. */
  readonly previews?: ReadonlySet<string>;
  /** Tables that another environment fills, by `tableKey`, with its name (`heldTables`). */
  readonly held?: ReadonlyMap<string, string>;
  /** Models whose rows were made of tables that the environment no longer shows, with those. They wait for a plan. */
  readonly leftBehind?: ReadonlyMap<string, readonly string[]>;
  /** Models whose table another definition has filled. They wait for a plan, too. */
  readonly taken?: ReadonlySet<string>;
  /** Models that may be filled; all when absent. */
  readonly selected?: ReadonlySet<string>;
  /** What the signals of each model let through. Absent: no signal was asked yet, and none holds anything back. */
  readonly ready?: ReadonlyMap<string, RangeSet>;
  /** Time that the signals of each model hold back. */
  readonly blocked?: ReadonlyMap<string, RangeSet>;
  /** Execution time of the last run that succeeded; until there is one, that of the plan. Absent: no automatic restatement. */
  readonly lastRunAt?: number;
}

/** Time that is due but cannot be filled yet. */
export interface WaitingRanges {
  readonly kind: 'upstream' | 'signal' | 'owner' | 'plan';
  readonly model: string;
  readonly ranges: RangeSet;
  /** The upstream model that lacks it, or the environment that fills it. */
  readonly on?: string;
  /** Why, as a sentence. */
  readonly reason: string;
}

export interface DueIntervals {
  /** Only models that lack something, upstream first. */
  readonly missing: ReadonlyMap<string, RangeSet>;
  readonly waiting: readonly WaitingRanges[];
  /** By `tableKey`, less what is filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
  readonly restated: ReadonlyMap<string, RangeSet>;
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
  /** Where the time of each model begins; without a start of its own it reaches back as far as what it reads. */
  readonly #begins = new Map<string, number>();
  readonly #pending = new Map<string, RangeSet>();
  /** Nearest tables above, by model; a view or EMBEDDED model passes on what it reads. */
  readonly #upstreams = new Map<string, ReadonlyMap<string, Upstream>>();
  readonly #automatic = new Map<string, RangeSet>();
  readonly #missing = new Map<string, RangeSet>();
  readonly #waiting: WaitingRanges[] = [];
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
    const begin = this.#begin(snapshot);
    this.#begins.set(model, begin);
    if (entry.version === undefined || snapshot.kind === 'embedded' || snapshot.kind === 'external') {
      this.#upstreams.set(model, above);
      this.#automatic.set(model, this.#automaticAbove(snapshot));
      return;
    }
    const key = keyOf(entry);
    const ever = this.#filled.get(key) ?? [];
    const automatic = isOutgrown(snapshot, ever, above) ? ever : this.#automaticOf(snapshot, ever);
    const pending = this.#pending.get(key) ?? [];
    const owner = this.#input.held?.get(key);
    // What another environment fills is restated by its own runs.
    const filled = owner === undefined ? subtractRanges(ever, automatic) : ever;
    this.#automatic.set(model, isWritten(snapshot.kind) ? automatic : this.#automaticAbove(snapshot));
    const restated = owner === undefined ? unionRanges(pending, automatic) : pending;
    if (automatic.length > 0) this.#filled.set(key, filled);
    if (restated.length > 0) this.#restated.set(key, restated);
    if (snapshot.kind !== 'view' && snapshot.kind !== 'seed' && ever[0] !== undefined)
      this.#begins.set(model, Math.min(begin, ever[0].start));
    const asked = this.#question(snapshot, { filled, restated, key, above, begin });
    const missing = this.#fillable(snapshot, asked, above, owner);
    if (missing.length > 0) this.#missing.set(model, missing);
    const after = this.#isPreview(snapshot, asked) ? beginningWith(asked, missing) : asked;
    this.#upstreams.set(
      model,
      isWritten(snapshot.kind) ? new Map([[model, upstreamOf(snapshot, after, missing)]]) : above,
    );
  }

  #begin({ model, parents, schedule }: Snapshot): number {
    const own = this.#starts.get(model) ?? this.#input.executionTime;
    if (schedule.start !== undefined) return own;
    return Math.min(own, ...parents.flatMap((parent) => this.#begins.get(parent) ?? []));
  }

  /** What is filled now of a table that is the environment's own, that was chosen, and whose inputs are those it was made of. */
  #fillable(
    snapshot: Snapshot,
    input: MissingInput,
    above: ReadonlyMap<string, Upstream>,
    owner: string | undefined,
  ): RangeSet {
    const { model } = snapshot;
    const { selected, leftBehind, taken } = this.#input;
    if (selected !== undefined && !selected.has(model)) return [];
    const behind = leftBehind?.get(model);
    if (behind !== undefined) {
      this.#tellLeftBehind(model, input, behind);
      return [];
    }
    if (taken?.has(model) === true) {
      const reason = 'Another definition has filled its table; a plan rebuilds it.';
      this.#waiting.push({ kind: 'plan', model, ranges: missingIntervals(input), reason });
      return [];
    }
    if (owner !== undefined) {
      this.#tellOfOwner(model, input, owner);
      return [];
    }
    this.#tellOfLag(snapshot, input, above);
    const missing = this.#ask(model, input, above);
    if (!this.#isPreview(snapshot, input)) return missing;
    const end = missing.at(-1)?.end;
    return end === undefined
      ? missing
      : clipRanges(missing, { start: floorToUnit(snapshot.schedule.unit, end - 1), end });
  }

  #isPreview({ model, kind }: Snapshot, { filled, restated = [] }: MissingInput): boolean {
    const isWanted = this.#input.previews?.has(model) === true;
    return isWanted && isIncremental(kind) && filled.length + restated.length === 0;
  }

  #tellLeftBehind(model: string, input: MissingInput, behind: readonly string[]): void {
    const reason = `Its rows were made from an earlier ${behind.join(', ')}; a plan rebuilds it.`;
    this.#waiting.push({ kind: 'plan', model, ranges: missingIntervals(input), reason });
  }

  #tellOfOwner(model: string, input: MissingInput, owner: string): void {
    const ranges = missingIntervals(input);
    const reason = `${owner} has this table and fills it from its own tables.`;
    if (ranges.length > 0) this.#waiting.push({ kind: 'owner', model, on: owner, ranges, reason });
  }

  /** What is missing, and a word about what has to wait. */
  #ask(model: string, input: MissingInput, above: ReadonlyMap<string, Upstream>): RangeSet {
    const due = missingIntervals(input);
    if (due.length === 0) return due;
    const { ready, executionTime } = this.#input;
    const { signals } = input.schedule;
    let blocked: RangeSet = this.#input.blocked?.get(model) ?? [];
    if (isIncremental(input.kind))
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
    return blocked.length === 0 ? due : missingIntervals({ ...input, blocked });
  }

  #question(
    snapshot: Snapshot,
    state: {
      readonly filled: RangeSet;
      readonly restated: RangeSet;
      readonly key: string;
      readonly above: ReadonlyMap<string, Upstream>;
      readonly begin: number;
    },
  ): MissingInput {
    const { executionTime, ignoreCron = false, isContinuing } = this.#input;
    const { filled, restated, key, above, begin } = state;
    const table: TableToFill = { snapshot, key, had: unionRanges(filled, restated) };
    return {
      schedule: snapshot.schedule,
      kind: snapshot.kind,
      readsItself: snapshot.readsItself === true,
      filled,
      restated,
      executionTime,
      bounds: this.#bounds(table, above),
      startFallback: begin,
      ignoreCron,
      isContinuing: isContinuing?.(table) ?? false,
    };
  }

  /** `--start` and `--end`, and what is above: rows begin where it does, and a table that is made whole ends with it. */
  #bounds(table: TableToFill, above: ReadonlyMap<string, Upstream>): Bounds {
    const { kind, schedule } = table.snapshot;
    const given = this.#input.boundsOf?.(table) ?? {};
    let until = Number.POSITIVE_INFINITY;
    if (kind === 'full') for (const upstream of above.values()) until = Math.min(until, upstream.until);
    const end =
      until === Number.POSITIVE_INFINITY
        ? undefined
        : Number.isFinite(until)
          ? floorToUnit(schedule.unit, until)
          : 0;
    const late = isIncremental(kind) || kind === 'full' ? latestStart(above.values()) : undefined;
    const start = late === undefined ? given.start : Math.max(given.start ?? late, late);
    return {
      ...given,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end: Math.min(given.end ?? end, end) }),
    };
  }

  /** A table that is made whole until where those above it are says for which of them it waits. */
  #tellOfLag(
    { model, kind, schedule }: Snapshot,
    input: MissingInput,
    above: ReadonlyMap<string, Upstream>,
  ): void {
    if (kind !== 'full') return;
    const end = dueEnd(schedule, kind, input);
    for (const { model: on, until } of above.values()) {
      if (until >= end || !Number.isFinite(until)) continue;
      const reason = `${on} has its rows until ${isoInstantShort(until)} only; this is made again when the rest is there.`;
      this.#waiting.push({ kind: 'upstream', model, on, ranges: [{ start: until, end }], reason });
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

/** Whether a table that is made whole has rows of a time that something above it gets only now. */
function isOutgrown({ kind }: Snapshot, had: RangeSet, above: ReadonlyMap<string, Upstream>): boolean {
  if (kind !== 'full') return false;
  return [...above.values()].some(({ gained }) => intersectRanges(gained, had).length > 0);
}

/** What is made now is where the table begins. */
function beginningWith(input: MissingInput, missing: RangeSet): MissingInput {
  const start = missing[0]?.start;
  return start === undefined ? input : { ...input, bounds: { ...input.bounds, start } };
}
