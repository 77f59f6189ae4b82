import { isWritten, type Snapshot } from '../../domain/snapshot.ts';
import { floorToUnit } from '../../foundation/time/interval-unit.ts';
import type { RangeSet } from '../../foundation/time/ranges.ts';
import { fillsAnyTime } from './intervals/kind-traits.ts';
import { startsOf } from './intervals/starts.ts';

/*
 * From when on each table has its rows, and whether prod could take over a table that a plan makes elsewhere. With
 * `--start` a table begins late; prod fills the rest when it takes the table over, but only where that can be done:
 *
 *   by time or partition   ░░░░[────)   prod fills ░, unless rows here were made of tables that begin later still
 *   by key, appending, SCD 2   ✗        newer rows are there already: nothing older can be slipped in below them
 *   FULL                       ✗        its rows were made of less than everything, whatever time is recorded
 *
 * What cannot be taken over, and everything below it, gets a table that only environments other than prod share.
 */

export interface BeginningsInput {
  /** Dependencies first. */
  readonly snapshots: readonly Snapshot[];
  readonly executionTime: number;
  /** `--start` as an instant. */
  readonly start?: number;
  /** `--empty-backfill`: time is recorded as filled that has no rows. */
  readonly isEmpty: boolean;
  /** By `tableKey`, with what waits to be filled again. */
  readonly filled: ReadonlyMap<string, RangeSet>;
}

/** Asked table by table, dependencies first. */
export class TableBeginnings {
  readonly #input: BeginningsInput;
  readonly #starts: ReadonlyMap<string, number>;
  readonly #begins = new Map<string, number>();
  /** First rows of what begins late, by model; a view or EMBEDDED model passes on the latest of what it reads. */
  readonly #late = new Map<string, number>();

  constructor(input: BeginningsInput) {
    this.#input = input;
    this.#starts = startsOf(input.snapshots, input.executionTime);
  }

  /** Whether a table that is new to prod may become prod's with the rows this plan gives it. */
  isDeployable(snapshot: Snapshot, key: string): boolean {
    const { kind } = snapshot;
    if (this.#input.isEmpty) return false;
    if (kind === 'seed') return true;
    const begin = this.#begin(snapshot);
    const from = this.#from(snapshot, { key, stands: false });
    const above = this.#lateAbove(snapshot);
    if (kind === 'full') return from <= begin && above === undefined;
    const isAfterAbove = above === undefined || from >= above;
    return isAfterAbove && (fillsAnyTime(kind) || from <= begin);
  }

  /** Takes note of the table a model stands for; `stands` when the environment shows it already. */
  note(snapshot: Snapshot, table?: { readonly key: string; readonly stands: boolean }): void {
    const { model, kind } = snapshot;
    const begin = this.#begin(snapshot);
    this.#begins.set(model, begin);
    if (table === undefined || !isWritten(kind)) {
      const above = this.#lateAbove(snapshot);
      if (above !== undefined) this.#late.set(model, above);
      return;
    }
    if (kind === 'seed') return;
    const from = this.#from(snapshot, table);
    this.#begins.set(model, Math.min(begin, from));
    if (from > begin) this.#late.set(model, from);
  }

  /** Where a model's time begins, on its grid. */
  #begin({ model, parents, schedule }: Snapshot): number {
    const { executionTime } = this.#input;
    const own = this.#starts.get(model) ?? executionTime;
    const above = schedule.start === undefined ? parents.flatMap((name) => this.#begins.get(name) ?? []) : [];
    return floorToUnit(schedule.unit, Math.min(own, ...above));
  }

  /** The first time a table has rows of once the plan is done. */
  #from(snapshot: Snapshot, { key, stands }: { readonly key: string; readonly stands: boolean }): number {
    const { kind, schedule } = snapshot;
    const { start, filled } = this.#input;
    const begin = this.#begin(snapshot);
    const asked = start === undefined ? begin : Math.max(begin, floorToUnit(schedule.unit, start));
    const first = filled.get(key)?.[0]?.start;
    if (first === undefined) return asked;
    return stands || !(fillsAnyTime(kind) || kind === 'full') ? first : Math.min(first, asked);
  }

  #lateAbove({ parents }: Snapshot): number | undefined {
    const late = parents.flatMap((parent) => this.#late.get(parent) ?? []);
    return late.length === 0 ? undefined : Math.max(...late);
  }
}
