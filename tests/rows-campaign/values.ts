/** Cells, rows and days as the oracle has them: plain values, days counted from 2025-01-01, times as the engine prints them. */
import { seededBits } from '../support/seeded-bits.ts';

export type Type = 'int' | 'big' | 'float' | 'text' | 'date' | 'time';
/** Dates are `2025-01-01`, times `2025-01-01 00:00:00`; both sort as texts. */
export type Cell = number | string | null;
export type Row = Readonly<Record<string, Cell>>;
/** Columns by name, in order. */
export type Columns = ReadonlyMap<string, Type>;

export const SQL_TYPES: Readonly<Record<Type, string>> = {
  int: 'INTEGER',
  big: 'BIGINT',
  float: 'DOUBLE',
  text: 'VARCHAR',
  date: 'DATE',
  time: 'TIMESTAMP',
};

const DAY_MS = 86_400_000;
const DAY_ZERO = Date.UTC(2025, 0, 1);

export const dayText = (day: number): string => instantOf(day).toISOString().slice(0, 10);
/** Midnight at the beginning of a day. */
const instantOf = (day: number): Date => new Date(DAY_ZERO + day * DAY_MS);
/** An instant given in days, as milliseconds. */
export const msOf = (days: number): number => DAY_ZERO + Math.round(days * DAY_MS);
export const daysOf = (ms: number): number => (ms - DAY_ZERO) / DAY_MS;
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
export const EPOCH = '1970-01-01 00:00:00';

export function literal(cell: Cell, type: Type): string {
  if (cell === null) return `CAST(NULL AS ${SQL_TYPES[type]})`;
  if (typeof cell === 'number') return type === 'float' ? `${cell}::DOUBLE` : String(cell);
  return type === 'text' ? `'${cell}'` : `${SQL_TYPES[type]} '${cell}'`;
}

/** A cell of an answer of the engine, as the oracle would have it. */
export function cellOf(value: unknown, type: Type): Cell {
  if (value === null || value === undefined) return null;
  if (type === 'int' || type === 'big' || type === 'float') return Number(value);
  const text = String(value).replace('T', ' ');
  return type === 'time' ? text.slice(0, 19) : type === 'date' ? text.slice(0, 10) : text;
}

/** Rows as sorted texts, so that two lists of them are equal when they have the same rows equally often. */
export function rowTexts(rows: readonly Row[], columns: readonly string[]): readonly string[] {
  return rows.map((row) => JSON.stringify(columns.map((name) => row[name] ?? null))).sort();
}

/** How two sorted lists of texts differ, in words; undefined when they do not. */
export function difference(expected: readonly string[], found: readonly string[]): string | undefined {
  const left = counted(expected);
  const right = counted(found);
  const missing = [...left].filter(([text, n]) => n > (right.get(text) ?? 0)).map(([text]) => text);
  const extra = [...right].filter(([text, n]) => n > (left.get(text) ?? 0)).map(([text]) => text);
  if (missing.length === 0 && extra.length === 0) return undefined;
  const shown = (texts: readonly string[]): string =>
    `${texts.slice(0, 3).join(' ')}${texts.length > 3 ? ` and ${texts.length - 3} more` : ''}`;
  return [
    `expected ${expected.length} rows, found ${found.length}`,
    ...(missing.length === 0 ? [] : [`missing ${shown(missing)}`]),
    ...(extra.length === 0 ? [] : [`not expected ${shown(extra)}`]),
  ].join('; ');
}

function counted(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/** Seeded choices. */
export interface Chance {
  /** A whole number in `[0, below)`. */
  below(below: number): number;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** By weight; an item of weight 0 is never taken. */
  weighted<Item>(items: readonly (readonly [Item, number])[]): Item;
  shuffled<Item>(items: readonly Item[]): readonly Item[];
}

export function chanceOf(seed: number): Chance {
  const bits = seededBits(seed);
  const below = (limit: number): number => bits() % limit;
  const chance: Chance = {
    below,
    oneIn: (times) => below(times) === 0,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[below(items.length)] as Item;
    },
    weighted(items) {
      let at = below(items.reduce((sum, [, weight]) => sum + weight, 0));
      for (const [item, weight] of items) {
        if (at < weight) return item;
        at -= weight;
      }
      throw new Error('no item has a weight');
    },
    shuffled(items) {
      const list = [...items];
      for (let i = list.length - 1; i > 0; i--) {
        const j = below(i + 1);
        const [a, b] = [list[i], list[j]] as [(typeof list)[number], (typeof list)[number]];
        list[i] = b;
        list[j] = a;
      }
      return list;
    },
  };
  return chance;
}
