/** The tiny algebra that queries of the campaign are written in: as SQL for the product, as types and as rows for the oracle. */
import type { Cell, Columns, Row, Type } from './values.ts';
import { SQL_TYPES } from './values.ts';

type Side = 'a' | 'b';

export type Scalar =
  | { readonly kind: 'column'; readonly side: Side; readonly name: string }
  | { readonly kind: 'plus' | 'times'; readonly of: Scalar; readonly by: number }
  | { readonly kind: 'cast'; readonly of: Scalar; readonly to: Type };

/** One column of a query; those without an aggregate are the keys when it is grouped. */
export interface Output {
  readonly name: string;
  readonly aggregate?: 'sum' | 'count' | 'min' | 'max';
  /** Absent for `count`. */
  readonly of?: Scalar;
}

export interface Condition {
  readonly column: string;
  readonly is: '<' | '>' | '<>';
  readonly value: number;
}

export interface Query {
  readonly from: string;
  readonly join?: {
    readonly table: string;
    /** Column of both sides. */
    readonly on: string;
    readonly isInner: boolean;
  };
  readonly where: readonly Condition[];
  /** The column of the left side that is limited to the days of the batch. */
  readonly interval?: string;
  readonly isGrouped: boolean;
  readonly outputs: readonly Output[];
  /**
   * What it reads of its own table: `total` adds the last total before the batch to each day's sum, `unseen` leaves out keys that are
   * there, `ever` keeps the greatest value of each key that was ever there.
   */
  readonly past?: 'total' | 'unseen' | 'ever';
  /** How it is spelled: 0 plainly, 1 in other letters and order, 2 with a common table. None of them changes a row. */
  readonly style: 0 | 1 | 2;
}

export const column = (name: string, side: Side = 'a'): Scalar => ({ kind: 'column', side, name });

/** Tables that a query names, its own not. */
export function tablesOf({ from, join }: Query): readonly string[] {
  return join === undefined ? [from] : [from, join.table];
}

/** Columns that a query reads of one of its tables; keys and times included. */
export function columnsRead(query: Query, table: string): ReadonlySet<string> {
  const read = new Set<string>();
  const sides: readonly Side[] = [
    ...(query.from === table ? ['a' as const] : []),
    ...(query.join?.table === table ? ['b' as const] : []),
  ];
  const visit = (scalar: Scalar): void => {
    if (scalar.kind !== 'column') visit(scalar.of);
    else if (sides.includes(scalar.side)) read.add(scalar.name);
  };
  for (const { of } of query.outputs) if (of !== undefined) visit(of);
  if (sides.includes('a')) {
    for (const { column: name } of query.where) read.add(name);
    if (query.interval !== undefined) read.add(query.interval);
    if (query.past === 'unseen') read.add('k');
  }
  if (query.join !== undefined) read.add(query.join.on);
  return read;
}

/** SQL of a query; `types` are those of the columns it reads. */
export function querySql(query: Query, self: string, types: QueryTypes): string {
  const { from, join, where, interval, isGrouped, outputs, past, style } = query;
  const conditions = [
    ...where.map(({ column: name, is, value }) => `a.${name} ${is} ${value}`),
    ...(interval === undefined ? [] : [`a.${interval} BETWEEN @start_date AND @end_date`]),
    ...(past === 'unseen' ? [`NOT EXISTS (SELECT 1 FROM ${self} AS p WHERE p.k = a.k)`] : []),
  ];
  const keys = outputs.filter(({ aggregate }) => aggregate === undefined);
  const table = style === 2 ? 'src' : from;
  const parts = [
    style === 2 ? `WITH src AS (SELECT * FROM ${from})` : '',
    `SELECT ${outputs.map((output) => `${outputSql(output, types, { self, past })} AS ${output.name}`).join(', ')}`,
    past === 'ever'
      ? `FROM (SELECT k, v FROM ${table} UNION ALL SELECT k, v FROM ${self}) AS a`
      : `FROM ${table} AS a`,
    join === undefined
      ? ''
      : `${join.isInner ? 'JOIN' : 'LEFT JOIN'} ${join.table} AS b ON a.${join.on} = b.${join.on}`,
    conditions.length === 0
      ? ''
      : `WHERE ${(style === 1 ? conditions.toReversed() : conditions).join(' AND ')}`,
    isGrouped && keys.length > 0 ? `GROUP BY ${keys.map(({ of }) => scalarSql(of)).join(', ')}` : '',
  ].filter((part) => part !== '');
  const text = parts.join(style === 1 ? '\n  ' : '\n');
  return style === 1 ? `/* ${self} */ ${text.replace(/\b(?:SELECT|FROM|AS|GROUP BY)\b/g, lower)}` : text;
}

const lower = (word: string): string => word.toLowerCase();

function outputSql(
  { name, aggregate, of }: Output,
  types: QueryTypes,
  { self, past }: { readonly self: string; readonly past: Query['past'] },
): string {
  if (aggregate === 'count') return 'COUNT(*)';
  const value = scalarSql(of);
  if (aggregate === undefined) return value;
  if (aggregate !== 'sum') return `${aggregate.toUpperCase()}(${value})`;
  const sum = typeOf(of, types) === 'float' ? `SUM(${value})` : `CAST(SUM(${value}) AS BIGINT)`;
  return past === 'total' && name === 'total'
    ? `${sum} + COALESCE((SELECT MAX_BY(p.total, p.day) FROM ${self} AS p WHERE p.day < @start_date), 0)`
    : sum;
}

function scalarSql(scalar: Scalar | undefined): string {
  if (scalar === undefined) throw new Error('an output without a value');
  switch (scalar.kind) {
    case 'column':
      return `${scalar.side}.${scalar.name}`;
    case 'plus':
      return `(${scalarSql(scalar.of)} + ${scalar.by})`;
    case 'times':
      return `(${scalarSql(scalar.of)} * ${scalar.by})`;
    case 'cast':
      return `CAST(${scalarSql(scalar.of)} AS ${SQL_TYPES[scalar.to]})`;
  }
}

/** Types of the columns of both sides. */
export interface QueryTypes {
  readonly a: Columns;
  readonly b: Columns;
}

function typeOf(scalar: Scalar | undefined, types: QueryTypes): Type {
  if (scalar === undefined) return 'big';
  switch (scalar.kind) {
    case 'column': {
      const type = types[scalar.side].get(scalar.name);
      if (type === undefined) throw new Error(`nothing is known of column ${scalar.name}`);
      return type;
    }
    case 'cast':
      return scalar.to;
    default:
      return typeOf(scalar.of, types);
  }
}

/** The columns of a query's rows. */
export function outputTypes({ outputs }: Query, types: QueryTypes): Columns {
  return new Map(
    outputs.map(({ name, aggregate, of }) => {
      const type = typeOf(of, types);
      return [name, aggregate === 'count' || (aggregate === 'sum' && type === 'int') ? 'big' : type];
    }),
  );
}

/** What a query is evaluated over. */
export interface Evaluation {
  rowsOf(table: string): readonly Row[];
  /** Its own table as it is. */
  readonly own: readonly Row[];
  /** The days of the batch, both included. */
  readonly first: string;
  readonly last: string;
}

type Pair = Readonly<Record<Side, Row>>;
const NO_ROW: Row = {};

/** The rows of a query. NULL is less than nothing, equal to nothing, and left out by aggregates, as in SQL. */
export function evaluate(query: Query, evaluation: Evaluation): readonly Row[] {
  const { outputs, isGrouped } = query;
  const pairs = pairsOf(query, evaluation).filter(({ a }) => isTaken(query, a, evaluation));
  if (!isGrouped)
    return pairs.map((pair) =>
      Object.fromEntries(outputs.map(({ name, of }) => [name, scalarValue(of, pair)])),
    );
  const keys = outputs.filter(({ aggregate }) => aggregate === undefined);
  const groups = Map.groupBy(pairs, (pair) => JSON.stringify(keys.map(({ of }) => scalarValue(of, pair))));
  return [...groups.values()].map((group) =>
    Object.fromEntries(
      outputs.map((output) => [
        output.name,
        output.aggregate === undefined
          ? scalarValue(output.of, group[0] ?? { a: NO_ROW, b: NO_ROW })
          : withPast(aggregated(output, group), output, { query, evaluation }),
      ]),
    ),
  );
}

function pairsOf({ from, join, past }: Query, { rowsOf, own }: Evaluation): readonly Pair[] {
  const left = past === 'ever' ? [...rowsOf(from), ...own] : rowsOf(from);
  if (join === undefined) return left.map((a) => ({ a, b: NO_ROW }));
  const right = rowsOf(join.table);
  return left.flatMap((a) => {
    const key = a[join.on] ?? null;
    const matches = key === null ? [] : right.filter((b) => b[join.on] === key);
    if (matches.length === 0) return join.isInner ? [] : [{ a, b: NO_ROW }];
    return matches.map((b) => ({ a, b }));
  });
}

function isTaken({ where, interval, past }: Query, row: Row, { own, first, last }: Evaluation): boolean {
  if (interval !== undefined) {
    const day = row[interval] ?? null;
    if (day === null || day < first || day > last) return false;
  }
  if (past === 'unseen' && own.some((seen) => seen['k'] === row['k'] && row['k'] !== null)) return false;
  return where.every((condition) => holds(row, condition));
}

/** Whether a condition is true of a row; of NULL nothing is. */
export function holds(row: Row, { column: name, is, value }: Condition): boolean {
  const cell = row[name] ?? null;
  if (typeof cell !== 'number') return false;
  return is === '<' ? cell < value : is === '>' ? cell > value : cell !== value;
}

function scalarValue(scalar: Scalar | undefined, pair: Pair): Cell {
  if (scalar === undefined) return null;
  if (scalar.kind === 'column') return pair[scalar.side][scalar.name] ?? null;
  const cell = scalarValue(scalar.of, pair);
  if (scalar.kind === 'cast' || typeof cell !== 'number') return cell;
  return scalar.kind === 'plus' ? cell + scalar.by : cell * scalar.by;
}

function aggregated({ aggregate, of }: Output, group: readonly Pair[]): Cell {
  if (aggregate === 'count') return group.length;
  const cells = group.map((pair) => scalarValue(of, pair)).filter((cell) => cell !== null);
  if (cells.length === 0) return null;
  if (aggregate === 'sum') return cells.reduce<number>((sum, cell) => sum + Number(cell), 0);
  return cells.reduce((best, cell) => ((aggregate === 'min' ? cell < best : cell > best) ? cell : best));
}

function withPast(
  cell: Cell,
  { name }: Output,
  { query, evaluation }: { readonly query: Query; readonly evaluation: Evaluation },
): Cell {
  return name === 'total' && typeof cell === 'number' ? cell + lastTotal(query, evaluation) : cell;
}

/** The total of the last day before the batch. */
function lastTotal({ past }: Query, { own, first }: Evaluation): number {
  if (past !== 'total') return 0;
  const before = own.filter(({ day }) => typeof day === 'string' && day < first);
  const latest = before.reduce<Row | undefined>(
    (best, row) => (best === undefined || String(row['day']) > String(best['day']) ? row : best),
    undefined,
  );
  return Number(latest?.['total'] ?? 0);
}
