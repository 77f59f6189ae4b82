/**
 * Whether two ways to make a table mean the same rows. What a table was made of is kept with each of its days:
 *
 *   made = definition + what each name meant: a table (by its key), a view or EMBEDDED model (by what it was made of), an external table
 *
 * Two of them are the same when nobody can tell them apart: both are evaluated over the same made-up rows. Sums of DOUBLE depend on
 * the order of rows, and a table that is built anew has another order, so each table sees its rows in an order of its own.
 */
import { type Definition, dataPart, isHistory, isIncremental } from './definition.ts';
import { write } from './kinds.ts';
import { evaluate, outputTypes } from './query.ts';
import {
  type Cell,
  type Chance,
  type Columns,
  chanceOf,
  dayText,
  msOf,
  type Row,
  rowTexts,
  type Type,
  timeText,
} from './values.ts';

export type Source =
  | { readonly kind: 'table'; readonly key: string }
  | { readonly kind: 'through'; readonly made: Made }
  | {
      readonly kind: 'external';
      readonly name: string;
      readonly columns: readonly (readonly [name: string, type: Type])[];
    };

export interface Made {
  readonly definition: Definition;
  /** By the name that the query uses. */
  readonly reads: Readonly<Record<string, Source>>;
}

/** The same text for the same way. */
export function madeKey({ definition, reads }: Made): string {
  return JSON.stringify([
    dataPart(definition),
    Object.entries(reads).map(([name, source]) => [name, sourceKey(source)]),
  ]);
}

function sourceKey(source: Source): string {
  if (source.kind === 'through') return madeKey(source.made);
  return source.kind === 'table' ? source.key : JSON.stringify(source);
}

/** Tables whose rows a query sees, through views and EMBEDDED models. */
export function tablesBelow(reads: Made['reads']): readonly string[] {
  const found = Object.values(reads).flatMap((source) =>
    source.kind === 'table' ? [source.key] : source.kind === 'through' ? tablesBelow(source.made.reads) : [],
  );
  return [...new Set(found)];
}

/** How a table is made at present. */
export type MadeOf = (key: string) => Made | undefined;

const TRIALS = 4;
const DAYS = 4;

/** Why the rows of two ways differ, in words; undefined when they are the same as far as anybody can tell. */
export function meaningDifference(one: Made, other: Made, madeOf: MadeOf): string | undefined {
  const [before, after] = [columnsOfMade(one, madeOf), columnsOfMade(other, madeOf)];
  for (const [name, type] of after)
    if (before.get(name) !== type) return `${name} is ${type} and was ${before.get(name) ?? 'not there'}`;
  const names = [...after.keys()];
  for (let trial = 0; trial < TRIALS; trial++) {
    const [left, right] = [one, other].map((made) =>
      rowTexts(new MadeUpRows(trial, madeOf).rowsOf(made, undefined), names),
    );
    if (JSON.stringify(left) !== JSON.stringify(right)) return `its rows differ (trial ${trial})`;
  }
  return undefined;
}

function columnsOfMade({ definition, reads }: Made, madeOf: MadeOf): Columns {
  const { query, seed, kind } = definition;
  if (seed !== undefined) return new Map(seed.columns);
  if (query === undefined) throw new Error(`${definition.name} has no query`);
  const side = (name: string | undefined): Columns => {
    const source = name === undefined ? undefined : reads[name];
    if (source === undefined) return new Map();
    if (source.kind === 'external') return new Map(source.columns);
    const made = source.kind === 'table' ? madeOf(source.key) : source.made;
    return made === undefined ? new Map() : columnsOfMade(made, madeOf);
  };
  const columns = outputTypes(query, { a: side(query.from), b: side(query.join?.table) });
  return isHistory(kind) ? new Map([...columns, ['valid_from', 'time'], ['valid_to', 'time']]) : columns;
}

/** Tables as they would be, over rows that are made up by a seed. */
class MadeUpRows {
  readonly #trial: number;
  readonly #madeOf: MadeOf;
  readonly #tables = new Map<string, readonly Row[]>();

  constructor(trial: number, madeOf: MadeOf) {
    this.#trial = trial;
    this.#madeOf = madeOf;
  }

  /** `order` shuffles what is read; without one it is sorted. */
  rowsOf({ definition, reads }: Made, order: Chance | undefined): readonly Row[] {
    const { query, seed, kind } = definition;
    if (seed !== undefined) return seedRows(seed.columns, seed.rows);
    if (query === undefined) return [];
    const read = new Map(
      Object.entries(reads).map(([name, source]) => [name, arranged(this.#source(source), order)]),
    );
    const batch = (first: number, last: number, own: readonly Row[]): readonly Row[] =>
      evaluate(query, {
        rowsOf: (name) => read.get(name) ?? [],
        own,
        first: dayText(first),
        last: dayText(last),
      });
    if (!isIncremental(kind)) return batch(0, DAYS - 1, []);
    let rows: readonly Row[] = [];
    for (let day = 0; day < DAYS; day++) {
      const written = write(definition, rows, batch(day, day, rows), {
        first: dayText(day),
        last: dayText(day),
        now: msOf(DAYS + day),
        isAnew: day === 0,
      });
      if (written.isRefused) return [{ refused: day }];
      rows = written.rows;
    }
    return rows;
  }

  #source(source: Source): readonly Row[] {
    if (source.kind === 'external') return madeUp(source.name, source.columns, this.#trial);
    if (source.kind === 'through') return this.rowsOf(source.made, undefined);
    const known = this.#tables.get(source.key);
    if (known !== undefined) return known;
    const made = this.#madeOf(source.key);
    const rows = made === undefined ? [] : this.rowsOf(made, chanceOf(hash(source.key) + this.#trial));
    this.#tables.set(source.key, rows);
    return rows;
  }
}

export function seedRows(
  columns: readonly (readonly [name: string, type: Type])[],
  rows: readonly (readonly Cell[])[],
): readonly Row[] {
  return rows.map((row) => Object.fromEntries(columns.map(([name], i) => [name, row[i] ?? null])));
}

function arranged(rows: readonly Row[], order: Chance | undefined): readonly Row[] {
  const sorted = rows
    .map((row) => [JSON.stringify(row), row] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
  return order === undefined ? sorted : order.shuffled(sorted);
}

/** Rows that show differences: few keys, values around zero, floats whose sum depends on their order. */
function madeUp(
  name: string,
  columns: readonly (readonly [name: string, type: Type])[],
  trial: number,
): readonly Row[] {
  const isKeyed = name.endsWith('state');
  // Each cell by itself, so that a column more changes no other.
  return Array.from({ length: isKeyed ? 5 : 24 }, (_, i) =>
    Object.fromEntries(
      columns.map(([column, type]) => [
        column,
        column === 'k' && isKeyed
          ? i
          : madeUpCell(column, type, chanceOf(hash(`${name} ${column} ${trial} ${i}`))),
      ]),
    ),
  );
}

function madeUpCell(column: string, type: Type, chance: Chance): Cell {
  switch (type) {
    case 'int':
    case 'big':
      return column === 'k' ? chance.below(5) : chance.below(12) - 1;
    case 'float':
      return chance.pick([0.1, 0.2, 0.7, 1e16, -1e16, 3.3]);
    case 'date':
      return chance.oneIn(20) ? null : dayText(chance.below(DAYS));
    case 'time':
      return chance.oneIn(6) ? null : timeText(msOf(chance.below(DAYS)));
    case 'text':
      return chance.pick(['x', 'y', 'z']);
  }
}

function hash(text: string): number {
  let value = 17;
  for (const letter of text) value = (Math.imul(value, 31) + letter.charCodeAt(0)) >>> 0;
  return value;
}
