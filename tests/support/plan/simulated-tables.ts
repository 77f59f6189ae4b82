/*
 * Tables that are filled in memory by the stages of real runs, one value a day, so that what planning decides can be compared
 * with what the rows ought to be:
 *
 *   range    a day's value is made of its source, of that day above it                    own    … and of its own day before
 *   key      the same, merged in order        append   the same, added: twice is wrong    full   all days at once
 */

import { makeRun } from '../../../src/compiler/plan/make-run.ts';
import { planRestatements } from '../../../src/compiler/plan/plan-restatements.ts';
import type { BackfillMember } from '../../../src/domain/plan.ts';
import { tableKey } from '../../../src/domain/relation.ts';
import type { Snapshot } from '../../../src/domain/snapshot.ts';
import { hash128 } from '../../../src/foundation/hash128.ts';
import { DAY_MS } from '../../../src/foundation/time/civil.ts';
import {
  intersectRanges,
  normalizeRanges,
  type RangeSet,
  subtractRanges,
  unionRanges,
} from '../../../src/foundation/time/ranges.ts';
import { byFingerprint, environment, model, schedule } from './applied.ts';
import { PLAIN } from './plan-world.ts';

export type TableKind = 'range' | 'own' | 'key' | 'append' | 'full' | 'view';

export interface TableSpec {
  readonly kind: TableKind;
  /** Places of earlier tables. */
  readonly reads: readonly number[];
  readonly lookback: number;
  readonly isSignalled: boolean;
}

const FIRST = Date.parse('2024-03-01');
const KINDS = {
  range: 'incremental-by-time-range',
  own: 'incremental-by-time-range',
  key: 'incremental-by-unique-key',
  append: 'incremental-unmanaged',
  full: 'full',
  view: 'view',
} as const satisfies Record<TableKind, Snapshot['kind']>;

export const daysIn = (ranges: RangeSet): readonly number[] =>
  ranges.flatMap(({ start, end }) =>
    Array.from(
      { length: Math.round((end - start) / DAY_MS) },
      (_, i) => Math.round((start - FIRST) / DAY_MS) + i,
    ),
  );
export const rangesOf = (days: readonly number[]): RangeSet =>
  normalizeRanges(days.map((day) => ({ start: FIRST + day * DAY_MS, end: FIRST + (day + 1) * DAY_MS })));

export interface SimulatedRun {
  /** Places of models that are selected; all when absent. */
  readonly selected?: ReadonlySet<number>;
  /** Days that signals let through. */
  readonly ready: (day: number) => boolean;
  /** The day whose batch fails in a table, if any. */
  readonly fails: (table: number) => number | undefined;
}

export class SimulatedTables {
  readonly #specs: readonly TableSpec[];
  readonly #snapshots: readonly Snapshot[];
  /** What each table's source says of a day: how often it changed. */
  readonly #sources: number[][];
  readonly #rows: Map<number, string[]>[];
  #filled = new Map<string, RangeSet>();
  readonly #pending = new Map<string, RangeSet>();
  /** How many days are over. */
  days = 4;
  readonly problems: string[] = [];

  constructor(specs: readonly TableSpec[]) {
    this.#specs = specs;
    this.#snapshots = specs.map(({ kind, reads, lookback, isSignalled }, i) => ({
      ...model(nameOf(i), KINDS[kind], [...new Set(reads)].sort().map(nameOf), {
        schedule: schedule({
          lookback: kind === 'range' || kind === 'own' ? lookback : 0,
          batchSize: 1,
          signals: isSignalled && kind !== 'view' ? [{ name: 'ready', arguments: {} }] : [],
        }),
      }),
      ...(kind === 'own' ? { readsItself: true as const } : {}),
    }));
    this.#sources = specs.map(() => []);
    this.#rows = specs.map(() => new Map());
  }

  /** Changes the sources of a table for some days and asks for them to be filled again, there and below. */
  restate(table: number, from: number, to: number): void {
    for (let day = from; day < to; day++) this.#sources[table]![day] = (this.#sources[table]![day] ?? 0) + 1;
    const { ranges } = planRestatements({
      environment: 'prod',
      models: this.#prod().entries.map((entry, i) => ({ entry, snapshot: this.#snapshots[i]! })),
      selectable: this.#snapshots.map(({ model: name, parents }) => ({ name, parents, tags: [] })),
      filled: new Map(
        [...this.#filled].map(([key, set]) => [key, unionRanges(set, this.#pending.get(key) ?? [])]),
      ),
      options: { ...PLAIN, restateModels: [nameOf(table)] },
      bounds: { start: FIRST + from * DAY_MS, end: FIRST + to * DAY_MS },
      effective: new Map(),
      environments: [this.#prod()],
      snapshots: byFingerprint(this.#snapshots),
      held: new Map(),
      leftBehind: new Map(),
    });
    for (const [key, again] of ranges) {
      this.#pending.set(key, unionRanges(this.#pending.get(key) ?? [], again));
      this.#filled.set(key, subtractRanges(this.#filled.get(key) ?? [], again));
    }
  }

  /** One run; answers with whether it had anything to do. */
  run({ selected, ready, fails }: SimulatedRun): boolean {
    const prod = this.#prod();
    const all = rangesOf(Array.from({ length: this.days }, (_, day) => day).filter(ready));
    const { stages, missing } = makeRun({
      environment: prod,
      environments: [prod],
      snapshots: byFingerprint(this.#snapshots),
      intervals: this.#filled,
      restatements: [...this.#pending].map(([key, ranges]) => ({
        table: { model: key.slice(0, key.indexOf('__')), version: key.slice(key.indexOf('__') + 2) },
        ranges,
      })),
      executionTime: FIRST + this.days * DAY_MS + DAY_MS / 2,
      ...(selected === undefined ? {} : { selected: new Set([...selected].map(nameOf)) }),
      ready: new Map(this.#snapshots.map(({ model: name }) => [name, all])),
      beforeAll: [],
      afterAll: [],
      naming: (name) => ({ environment: name, suffixTarget: 'schema' }),
      concurrency: 4,
    });
    const failed = new Set<string>();
    for (const stage of stages) {
      if (stage.needs.some((id) => failed.has(id))) failed.add(stage.id);
      else if (stage.kind === 'backfill')
        for (const member of stage.members)
          if (!this.#write(member, fails(placeOf(member.model)))) failed.add(stage.id);
    }
    return missing.length > 0;
  }

  /** Tables whose rows are not what they ought to be. */
  wrong(): readonly string[] {
    return this.#specs.flatMap(({ kind }, table) => {
      if (kind === 'view') return [];
      const days = Array.from({ length: this.days }, (_, day) => day);
      const bad = days.filter(
        (day) => (this.#rows[table]!.get(day) ?? []).join() !== this.#truth(table, day),
      );
      return bad.length === 0 ? [] : [`${nameOf(table)} (${kind}): days ${bad.join(' ')}`];
    });
  }

  #prod() {
    return environment('prod', this.#snapshots);
  }

  /** False when a batch failed: those that stand beside it are written, those behind it where order matters are not. */
  #write(member: BackfillMember, failing: number | undefined): boolean {
    const table = placeOf(member.model);
    const { kind } = this.#specs[table]!;
    const days = kind === 'full' || kind === 'view' ? [] : daysIn(member.ranges);
    const isFailing = failing !== undefined && (days.includes(failing) || kind === 'full');
    const isWhole = kind === 'full' || kind === 'view' || member.isTogether === true;
    if (isFailing && isWhole) return false;
    const written = !isFailing
      ? days
      : days.filter((day) => (kind === 'range' ? day !== failing : day < failing));
    if (kind === 'full') {
      const rows = new Map(Array.from({ length: this.days }, (_, day) => [day, [this.#value(table, day)]]));
      this.#rows[table] = rows;
    } else if (kind !== 'view') {
      if (member.isAnew === true) this.#rows[table] = new Map();
      for (const day of written) this.#writeDay(table, day);
    }
    const done = kind === 'full' || kind === 'view' ? member.ranges : rangesOf(written);
    const key = tableKey(member.table);
    this.#filled.set(key, unionRanges(this.#filled.get(key) ?? [], done));
    this.#pending.set(key, subtractRanges(this.#pending.get(key) ?? [], done));
    return !isFailing;
  }

  #writeDay(table: number, day: number): void {
    const { kind } = this.#specs[table]!;
    const rows = this.#rows[table]!;
    const told = (problem: string): void =>
      void this.problems.push(`${nameOf(table)} (${kind}) day ${day}: ${problem}`);
    if (kind === 'own' && day > 0 && !rows.has(day - 1)) told('nothing is there before it');
    if (kind === 'key' && [...rows.keys()].some((other) => other >= day))
      told('newer rows are there already');
    const value = this.#value(table, day);
    rows.set(day, kind === 'append' ? [...(rows.get(day) ?? []), value] : [value]);
  }

  #value(table: number, day: number): string {
    return this.#made(table, day, (other, at) => (this.#rows[other]!.get(at) ?? ['-']).join('+'));
  }

  #truth(table: number, day: number): string {
    return this.#made(table, day, (other, at) => (at < 0 ? '-' : this.#truth(other, at)));
  }

  #made(table: number, day: number, read: (table: number, day: number) => string): string {
    const { kind, reads } = this.#specs[table]!;
    const through = (other: number): string =>
      this.#specs[other]!.kind === 'view' ? this.#made(other, day, read) : read(other, day);
    const above = [...new Set(reads)].sort().map(through);
    const own = kind === 'own' ? [read(table, day - 1)] : [];
    return hash128(
      String(table),
      String(day),
      String(this.#sources[table]![day] ?? 0),
      ...above,
      ...own,
    ).slice(0, 8);
  }

  /** What the ledger would say of a table, for messages. */
  filledDays(table: number): readonly number[] {
    const key = tableKey({ model: nameOf(table), version: `v_${nameOf(table)}` });
    return daysIn(
      intersectRanges(
        this.#filled.get(key) ?? [],
        rangesOf(Array.from({ length: this.days }, (_, day) => day)),
      ),
    );
  }
}

const nameOf = (place: number): string => `s.m${place}`;
const placeOf = (name: string): number => Number(name.slice('s.m'.length));
