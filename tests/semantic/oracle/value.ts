import { compareRationals, decimalText, type Rational } from './rational.ts';

export type ColumnType = 'int' | 'decimal' | 'text' | 'boolean' | 'date' | 'timestamp';

/** A point of the calendar: a DATE or TIMESTAMP, as milliseconds of its own clock since 1970. */
export interface Moment {
  readonly kind: 'date' | 'timestamp';
  readonly ms: number;
}

/** One cell. Numbers are exact, whatever their type in the database. */
export type Value = null | Rational | string | boolean | Moment;

export type Row = Readonly<Record<string, Value>>;

export const isRational = (value: Value): value is Rational =>
  typeof value === 'object' && value !== null && 'n' in value;
export const isMoment = (value: Value): value is Moment =>
  typeof value === 'object' && value !== null && 'ms' in value;

/** One text per different value, for sets and groups; NULL has its own. */
export function keyOf(value: Value): string {
  if (value === null) return '∅';
  if (isRational(value)) return `#${value.n}/${value.d}`;
  if (isMoment(value)) return `@${value.ms}`;
  return typeof value === 'string' ? `'${value}` : `?${value}`;
}

/** Order of two non-NULL values of one type: numbers by size, text by its bytes, false before true. */
export function compareValues(a: Value, b: Value): number {
  if (a === null || b === null) throw new Error('NULL has no order of its own');
  if (isRational(a) && isRational(b)) return compareRationals(a, b);
  if (isMoment(a) && isMoment(b)) return Math.sign(a.ms - b.ms);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  throw new Error(`${keyOf(a)} and ${keyOf(b)} cannot be compared`);
}

export function momentText({ kind, ms }: Moment): string {
  const iso = new Date(ms).toISOString();
  return kind === 'date' ? iso.slice(0, 10) : iso.slice(0, 23).replace('T', ' ');
}

/** A value as people read it, for printed cases. */
export function showValue(value: Value): string {
  if (value === null) return 'NULL';
  if (isRational(value)) {
    for (let scale = 0; scale <= 6; scale++)
      if (10n ** BigInt(scale) % value.d === 0n) return decimalText(value, scale);
    return `${value.n}/${value.d}`;
  }
  return isMoment(value) ? momentText(value) : typeof value === 'string' ? JSON.stringify(value) : `${value}`;
}

/** A value as an SQL literal of DuckDB, for tables and closed forms. */
export function literalSql(value: Value, type: ColumnType): string {
  if (value === null) return 'NULL';
  if (isRational(value)) return decimalText(value, type === 'decimal' ? 2 : 0);
  if (isMoment(value)) return `${value.kind === 'date' ? 'DATE' : 'TIMESTAMP'} '${momentText(value)}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : value ? 'TRUE' : 'FALSE';
}
