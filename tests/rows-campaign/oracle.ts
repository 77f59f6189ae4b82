/**
 * What every table and every environment must have, from what the product says it did:
 *
 *   entries of environments   which definition and which table each name stands for (a decision of the product, verified by `verify-work.ts`)
 *   rows of the ledger        which days of which table were written in a step
 *
 * The rows themselves are the oracle's own: each batch is evaluated in memory and put into the table as its kind says. Nothing here
 * looks at a row of the product.
 */
import {
  type Definition,
  isHistory,
  isIncremental,
  isRebuiltWhole,
  isWritten,
  readsOf,
} from './definition.ts';
import { write } from './kinds.ts';
import { type Made, madeKey, type Source, seedRows } from './meaning.ts';
import { evaluate } from './query.ts';
import { dayText, type Row, type Type } from './values.ts';

/** How a day of a table was made. */
export interface Fill {
  readonly made: Made;
  readonly key: string;
  /** The running day, filled up to the execution time. */
  readonly isPartial: boolean;
}

export interface OracleTable {
  readonly key: string;
  readonly model: string;
  rows: readonly Row[];
  /** Of kinds that are filled by days. */
  readonly days: Map<number, Fill>;
  /** Of kinds that are made whole: how, and until which day (excluded) it counts as filled. */
  whole?: (Fill & { readonly end: number }) | undefined;
  /** Ways to make a day that stay although the definition went on: forward-only changes, rollbacks. */
  readonly accepted: Set<string>;
  /** Days that wait to be filled again. */
  readonly pending: Set<number>;
  isWholePending: boolean;
  /** Whether something above was filled again in another environment: then this may be, too. */
  mayFollow: boolean;
  /** What it was last made as. */
  latest?: Made;
  /** What forward-only changes in prod have made of it, by `definitionKey`. */
  readonly takers: Set<string>;
}

/** One name of an environment. */
export interface Entry {
  readonly model: string;
  readonly definition: Definition;
  readonly fingerprint: string;
  readonly version?: string;
  readonly columns: readonly string[];
  /** Of a view or an EMBEDDED model: what the names in it mean. */
  readonly reads: Made['reads'];
}

export type Names = ReadonlyMap<string, Entry>;

/** An entry as the product has it. */
export interface SeenEntry {
  readonly model: string;
  readonly fingerprint: string;
  readonly version?: string;
  readonly columns: readonly string[];
}

/** One row of the ledger: whole days, of which the last may have begun only. */
export interface SeenWrite {
  readonly model: string;
  readonly version: string;
  readonly first: number;
  readonly end: number;
  readonly isPartial: boolean;
  readonly isWhole: boolean;
}

export interface Work {
  readonly names: Names;
  readonly writes: readonly SeenWrite[];
  /** Execution time in milliseconds. */
  readonly now: number;
}

/** Days that a step wrote into one table; none for a table that is made whole. */
export interface WrittenDays {
  /** Never filled before, or only in part. */
  readonly fresh: ReadonlySet<number>;
  /** Filled before, and nothing asked for them by name. */
  readonly again: ReadonlySet<number>;
  /** Filled before, and restated. */
  readonly restated: ReadonlySet<number>;
}

/** What a step wrote, by table. */
export type WrittenTables = ReadonlyMap<string, WrittenDays>;

export const tableKey = (model: string, version: string): string => `${model}@${version}`;
export const keyOf = ({ model, version }: Pick<Entry, 'model' | 'version'>): string | undefined =>
  version === undefined ? undefined : tableKey(model, version);

export interface ExternalTable {
  readonly columns: readonly (readonly [name: string, type: Type])[];
  readonly rows: readonly Row[];
}

export class Oracle {
  readonly externals = new Map<string, ExternalTable>();
  readonly tables = new Map<string, OracleTable>();
  readonly environments = new Map<string, Names>();
  readonly #definitions = new Map<string, Definition>();
  readonly #views = new Map<string, Made['reads']>();

  /** What names mean; definitions that were never seen are those of the project. */
  namesOf(seen: readonly SeenEntry[], project: readonly Definition[]): Names {
    const current = new Map(project.map((definition) => [definition.name, definition]));
    const known = new Map<string, { readonly entry: SeenEntry; readonly definition: Definition }>();
    for (const entry of seen) {
      const definition = this.#definitions.get(entry.fingerprint) ?? current.get(entry.model);
      // External tables have entries, too.
      if (definition === undefined) continue;
      this.#definitions.set(entry.fingerprint, definition);
      known.set(entry.model, { entry, definition });
    }
    const names = new Map<string, Entry>();
    for (const model of inOrder([...known.values()].map(({ definition }) => definition))) {
      const found = known.get(model.name);
      if (found === undefined) continue;
      names.set(model.name, {
        ...found.entry,
        definition: found.definition,
        reads: this.#readsOf(found, names),
      });
    }
    return names;
  }

  #readsOf(
    { entry, definition }: { readonly entry: SeenEntry; readonly definition: Definition },
    names: Names,
  ): Made['reads'] {
    if (isWritten(definition)) return {};
    const key = keyOf(entry);
    // A view is an object of its own: which tables it reads was fixed when it was made.
    const made = key === undefined ? undefined : this.#views.get(key);
    const reads = made === undefined ? this.readsFor(definition, names) : this.#asExternalsAre(made);
    if (key !== undefined) this.#views.set(key, reads);
    return reads;
  }

  /** A view shows an external table as that is. */
  #asExternalsAre(reads: Made['reads']): Made['reads'] {
    return Object.fromEntries(
      Object.entries(reads).map(([name, source]): [string, Source] => {
        if (source.kind === 'external') return [name, this.#sourceOf(name, undefined)];
        if (source.kind === 'table') return [name, source];
        const { definition } = source.made;
        const made = { definition, reads: this.#asExternalsAre(source.made.reads) };
        return [name, { kind: 'through', made }];
      }),
    );
  }

  readsFor(definition: Definition, names: Names): Made['reads'] {
    return Object.fromEntries(
      readsOf(definition).map((name) => [name, this.#sourceOf(name, names.get(name))]),
    );
  }

  #sourceOf(name: string, entry: Entry | undefined): Source {
    if (entry === undefined)
      return { kind: 'external', name, columns: this.externals.get(name)?.columns ?? [] };
    const key = keyOf(entry);
    return isWritten(entry.definition) && key !== undefined
      ? { kind: 'table', key }
      : { kind: 'through', made: { definition: entry.definition, reads: entry.reads } };
  }

  /** The rows that a name stands for. */
  rowsOf(source: Source): readonly Row[] {
    switch (source.kind) {
      case 'external':
        return this.externals.get(source.name)?.rows ?? [];
      case 'table':
        return this.tables.get(source.key)?.rows ?? [];
      case 'through':
        return this.#evaluated(source.made, { first: 0, last: 0, own: [] });
    }
  }

  /** What an environment shows under a name. */
  shown(entry: Entry): readonly Row[] {
    return this.rowsOf(this.#sourceOf(entry.model, entry));
  }

  #evaluated(
    { definition, reads }: Made,
    { first, last, own }: { readonly first: number; readonly last: number; readonly own: readonly Row[] },
  ): readonly Row[] {
    const { query, seed } = definition;
    if (seed !== undefined) return seedRows(seed.columns, seed.rows);
    if (query === undefined) throw new Error(`${definition.name} has no query`);
    return evaluate(query, {
      rowsOf: (name) => {
        const source = reads[name];
        if (source === undefined) throw new Error(`${definition.name} reads ${name}, which nobody knows`);
        return this.rowsOf(source);
      },
      own,
      first: dayText(first),
      last: dayText(last),
    });
  }

  table(key: string): OracleTable {
    const known = this.tables.get(key);
    if (known !== undefined) return known;
    const made: OracleTable = {
      key,
      model: key.slice(0, key.indexOf('@')),
      rows: [],
      days: new Map(),
      accepted: new Set(),
      pending: new Set(),
      isWholePending: false,
      mayFollow: false,
      takers: new Set(),
    };
    this.tables.set(key, made);
    return made;
  }

  /** Writes what the ledger says was written, upstream first, and answers with the days. Views have nothing to write. */
  absorb({ names, writes, now }: Work): {
    readonly written: WrittenTables;
    readonly problems: readonly string[];
  } {
    const written = new Map<string, WrittenDays>();
    const problems: string[] = [];
    const byKey = Map.groupBy(writes, ({ model, version }) => tableKey(model, version));
    for (const entry of names.values()) {
      const key = keyOf(entry);
      const own = key === undefined ? undefined : byKey.get(key);
      if (key === undefined || own === undefined) continue;
      byKey.delete(key);
      if (!isWritten(entry.definition)) continue;
      const made = { definition: entry.definition, reads: this.readsFor(entry.definition, names) };
      const days = this.#write(this.table(key), made, { writes: own, now });
      if (days === undefined) problems.push(`${entry.model} was written though two rows have the same key`);
      else written.set(key, days);
    }
    for (const key of byKey.keys())
      problems.push(`${key} was written, and the work has nothing to do with that table`);
    return { written, problems };
  }

  #write(
    table: OracleTable,
    made: Made,
    { writes, now }: { readonly writes: readonly SeenWrite[]; readonly now: number },
  ): WrittenDays | undefined {
    const { definition } = made;
    const key = madeKey(made);
    const days = { fresh: new Set<number>(), again: new Set<number>(), restated: new Set<number>() };
    table.latest = made;
    table.mayFollow = false;
    if (!isIncremental(definition.kind)) {
      const last = writes.at(-1);
      const end = last === undefined || last.isWhole ? Number.POSITIVE_INFINITY : last.end;
      // What is restated is made without the rows of before.
      const isAnew = table.isWholePending;
      for (const _ of writes) this.#fill(table, made, { first: 0, last: 0, now, isAnew });
      table.whole = { made, key, isPartial: false, end };
      table.isWholePending = false;
      return days;
    }
    const ordered = writes.toSorted((one, other) => one.first - other.first);
    const before = new Map(table.days);
    let isAnew = before.size === 0 || this.#isRebuilt(table, key, { kind: definition.kind, ordered });
    for (const { first, end, isPartial } of ordered) {
      if (isAnew) table.days.clear();
      if (!this.#fill(table, made, { first, last: end - 1, now, isAnew })) return undefined;
      isAnew = false;
      for (let day = first; day < end; day++) {
        const isFresh = before.get(day)?.isPartial ?? true;
        (isFresh ? days.fresh : table.pending.has(day) ? days.restated : days.again).add(day);
        table.days.set(day, { made, key, isPartial: isPartial && day === end - 1 });
      }
    }
    for (const day of days.restated) table.pending.delete(day);
    return days;
  }

  /** Whether days that were filled are filled again as a whole: then nothing of the table before is left. */
  #isRebuilt(
    table: OracleTable,
    key: string,
    { kind, ordered }: { readonly kind: Definition['kind']; readonly ordered: readonly SeenWrite[] },
  ): boolean {
    if (!isRebuiltWhole(kind)) return false;
    const isAgain = ordered.some(({ first, end }) =>
      [...table.days.keys()].some((day) => day >= first && day < end),
    );
    if (!isAgain) return false;
    if (kind.kind === 'unmanaged' || isHistory(kind) || table.pending.size > 0) return true;
    const isCovered = [...table.days.keys()].every((day) =>
      ordered.some(({ first, end }) => day >= first && day < end),
    );
    if (!isCovered) return false;
    // Lookback merges days again, and always beside a new one.
    const hasNew = ordered.some(({ first, end }) =>
      Array.from({ length: end - first }, (_, i) => first + i).some((day) => !table.days.has(day)),
    );
    return !hasNew || [...table.days.values()].some((fill) => fill.key !== key);
  }

  #fill(
    table: OracleTable,
    made: Made,
    batch: { readonly first: number; readonly last: number; readonly now: number; readonly isAnew: boolean },
  ): boolean {
    const { first, last, now, isAnew } = batch;
    const own = isAnew ? [] : table.rows;
    const result = write(made.definition, table.rows, this.#evaluated(made, { first, last, own }), {
      first: dayText(first),
      last: dayText(last),
      now,
      isAnew,
    });
    if (result.isRefused) return false;
    table.rows = result.rows;
    return true;
  }

  /** A copy that can go on by itself; definitions and views are shared. */
  fork(): Oracle {
    const copy = new Oracle();
    for (const [name, external] of this.externals) copy.externals.set(name, external);
    for (const [key, table] of this.tables)
      copy.tables.set(key, {
        ...table,
        days: new Map(table.days),
        accepted: new Set(table.accepted),
        pending: new Set(table.pending),
        takers: new Set(table.takers),
      });
    for (const [name, names] of this.environments) copy.environments.set(name, names);
    return copy;
  }
}

/** Definitions, those that others read first. */
export function inOrder(definitions: readonly Definition[]): readonly Definition[] {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const done = new Set<string>();
  const ordered: Definition[] = [];
  const visit = (definition: Definition): void => {
    if (done.has(definition.name)) return;
    done.add(definition.name);
    for (const name of readsOf(definition)) {
      const above = byName.get(name);
      if (above !== undefined) visit(above);
    }
    ordered.push(definition);
  };
  for (const definition of definitions) visit(definition);
  return ordered;
}
