/**
 * Types of values, as structure and as text.
 *
 *   'decimal(10, 2)[]' ──parseType──▶ { kind: 'list', element: { kind: 'decimal', width: 10, scale: 2 } } ──.text──▶ 'DECIMAL(10,2)[]'
 *
 * Types are interned: the same text gives the same object, so `===` compares them. The text is what DuckDB's DESCRIBE prints.
 * Two kinds exist only while an expression is being typed: literals take the type of their neighbour, as in DuckDB.
 */
import { quoteName } from './names.ts';

/** A field of a struct or union; its name is empty in the struct that `row(1, 'a')` makes. */
export interface StructField {
  readonly name: string;
  readonly type: SqlType;
}

/** A value's type; `text` is canonical. */
export type SqlType =
  | { readonly kind: 'scalar'; readonly text: string }
  | { readonly kind: 'decimal'; readonly text: string; readonly width: number; readonly scale: number }
  | { readonly kind: 'list'; readonly text: string; readonly element: SqlType }
  | { readonly kind: 'array'; readonly text: string; readonly element: SqlType; readonly size: number }
  | { readonly kind: 'struct' | 'union'; readonly text: string; readonly fields: readonly StructField[] }
  | { readonly kind: 'map'; readonly text: string; readonly key: SqlType; readonly value: SqlType }
  | { readonly kind: 'enum'; readonly text: string }
  | { readonly kind: 'integer-literal'; readonly text: string; readonly value: number; readonly own: SqlType }
  | { readonly kind: 'string-literal'; readonly text: string };

const scalars = new Map<string, SqlType>();
const composites = new Map<string, SqlType>();
/** Beyond this many distinct nested types the table is dropped: equal types are then equal by text only, which `sameType` allows for. */
const COMPOSITES_MAX = 20_000;
/** Types of structs that hold a struct twice, again and again, double each time; longer than this they are unknown. */
const TEXT_MAX = 100_000;

function scalar(text: string): SqlType {
  let type = scalars.get(text);
  if (type === undefined) {
    type = { kind: 'scalar', text };
    scalars.set(text, type);
  }
  return type;
}

function intern(type: SqlType): SqlType {
  const known = composites.get(type.text);
  if (known !== undefined) return known;
  if (composites.size >= COMPOSITES_MAX) composites.clear();
  composites.set(type.text, type);
  return type;
}

export const BOOLEAN = scalar('BOOLEAN');
export const TINYINT = scalar('TINYINT');
export const SMALLINT = scalar('SMALLINT');
export const INTEGER = scalar('INTEGER');
export const BIGINT = scalar('BIGINT');
export const HUGEINT = scalar('HUGEINT');
export const UTINYINT = scalar('UTINYINT');
export const USMALLINT = scalar('USMALLINT');
export const UINTEGER = scalar('UINTEGER');
export const UBIGINT = scalar('UBIGINT');
export const UHUGEINT = scalar('UHUGEINT');
export const FLOAT = scalar('FLOAT');
export const DOUBLE = scalar('DOUBLE');
export const VARCHAR = scalar('VARCHAR');
export const BLOB = scalar('BLOB');
export const BIT = scalar('BIT');
export const DATE = scalar('DATE');
export const TIME = scalar('TIME');
export const TIME_TZ = scalar('TIME WITH TIME ZONE');
export const TIMESTAMP = scalar('TIMESTAMP');
export const TIMESTAMP_TZ = scalar('TIMESTAMP WITH TIME ZONE');
export const TIMESTAMP_NS = scalar('TIMESTAMP_NS');
export const INTERVAL = scalar('INTERVAL');
export const JSON_TYPE = scalar('JSON');
export const VARIANT = scalar('VARIANT');
export const BIGNUM = scalar('BIGNUM');
/** The type of a bare NULL; DESCRIBE shows it as INTEGER. */
export const NULL = scalar('NULL');
/** Unknown: any operation on it that does not fix its own result stays unknown. */
export const UNKNOWN = scalar('UNKNOWN');
/** A string constant: becomes whatever type it meets. */
export const STRING_LITERAL: SqlType = { kind: 'string-literal', text: 'VARCHAR' };
for (const text of ['UUID', 'TIME_NS', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'GEOMETRY']) scalar(text);

const decimals: SqlType[] = [];

export function decimalType(width: number, scale: number): SqlType {
  const at = width * 64 + scale;
  let type = decimals[at];
  if (type === undefined) {
    type = { kind: 'decimal', text: `DECIMAL(${width},${scale})`, width, scale };
    decimals[at] = type;
  }
  return type;
}

const lists = new WeakMap<SqlType, SqlType>();

export function listType(element: SqlType): SqlType {
  const plain = settle(element);
  let type = lists.get(plain);
  if (type === undefined) {
    type =
      plain === UNKNOWN
        ? intern({ kind: 'list', text: 'UNKNOWN[]', element: UNKNOWN })
        : intern({ kind: 'list', text: `${plain.text}[]`, element: plain });
    lists.set(plain, type);
  }
  return type;
}

export function arrayType(element: SqlType, size: number): SqlType {
  const plain = settle(element);
  return intern({ kind: 'array', text: `${plain.text}[${size}]`, element: plain, size });
}

export function structType(fields: readonly StructField[], kind: 'struct' | 'union' = 'struct'): SqlType {
  const plain = fields.map((field) => ({ name: field.name, type: settle(field.type) }));
  if (plain.reduce((length, field) => length + field.type.text.length, 0) > TEXT_MAX) return UNKNOWN;
  const inside = plain.map((field) =>
    field.name === '' ? field.type.text : `${quoteName(field.name, true)} ${field.type.text}`,
  );
  return intern({
    kind,
    text: `${kind === 'struct' ? 'STRUCT' : 'UNION'}(${inside.join(', ')})`,
    fields: plain,
  });
}

export function mapType(key: SqlType, value: SqlType): SqlType {
  const k = settle(key);
  const v = settle(value);
  if (k.text.length + v.text.length > TEXT_MAX) return UNKNOWN;
  return intern({ kind: 'map', text: `MAP(${k.text}, ${v.text})`, key: k, value: v });
}

export function enumType(text: string): SqlType {
  return intern({ kind: 'enum', text });
}

const smallLiterals = new Map<number, SqlType>();

/** An integer constant: it becomes any number type that can hold it, and INTEGER, BIGINT or HUGEINT when nothing asks for another. */
export function integerLiteral(value: number): SqlType {
  const known = smallLiterals.get(value);
  if (known !== undefined) return known;
  const size = Math.abs(value);
  const own =
    size <= 2147483647 || value === -2147483648
      ? INTEGER
      : size < 2 ** 63
        ? BIGINT
        : size < 2 ** 127
          ? HUGEINT
          : DOUBLE;
  const type: SqlType = { kind: 'integer-literal', text: own.text, value, own };
  if (size <= 1000) smallLiterals.set(value, type);
  return type;
}

/** The type a value has once no neighbour can change it: literals become what they are. */
export function settle(type: SqlType): SqlType {
  if (type.kind === 'integer-literal') return type.own;
  if (type.kind === 'string-literal') return VARCHAR;
  return type;
}

/** The type of a column: like settle, and NULL is shown as INTEGER at every depth. */
export function columnType(type: SqlType): SqlType {
  switch (type.kind) {
    case 'integer-literal':
      return type.own;
    case 'string-literal':
      return VARCHAR;
    case 'scalar':
      return type === NULL ? INTEGER : type;
    case 'list':
      return type.text.includes('NULL') ? listType(columnType(type.element)) : type;
    case 'array':
      return type.text.includes('NULL') ? arrayType(columnType(type.element), type.size) : type;
    case 'struct':
    case 'union':
      if (!type.text.includes('NULL')) return type;
      return structType(
        type.fields.map((field) => ({ name: field.name, type: columnType(field.type) })),
        type.kind,
      );
    case 'map':
      return type.text.includes('NULL') ? mapType(columnType(type.key), columnType(type.value)) : type;
    default:
      return type;
  }
}

export function sameType(a: SqlType, b: SqlType): boolean {
  return a === b || (a.text === b.text && a.kind === b.kind);
}

/** The scalar with this canonical name, if it is one. */
export function scalarNamed(name: string): SqlType | undefined {
  return scalars.get(name);
}

const INTEGERS: ReadonlySet<SqlType> = new Set([
  TINYINT,
  SMALLINT,
  INTEGER,
  BIGINT,
  HUGEINT,
  UTINYINT,
  USMALLINT,
  UINTEGER,
  UBIGINT,
  UHUGEINT,
]);

export function isInteger(type: SqlType): boolean {
  return type.kind === 'integer-literal' || INTEGERS.has(type);
}

export function isNumeric(type: SqlType): boolean {
  return type.kind === 'decimal' || isInteger(type) || type === FLOAT || type === DOUBLE || type === BIGNUM;
}

const RANGES: ReadonlyMap<SqlType, readonly [number, number]> = new Map([
  [TINYINT, [-128, 127]],
  [SMALLINT, [-32768, 32767]],
  [INTEGER, [-2147483648, 2147483647]],
  [BIGINT, [-(2 ** 63), 2 ** 63]],
  [HUGEINT, [-(2 ** 127), 2 ** 127]],
  [UTINYINT, [0, 255]],
  [USMALLINT, [0, 65535]],
  [UINTEGER, [0, 4294967295]],
  [UBIGINT, [0, 2 ** 64]],
  [UHUGEINT, [0, 2 ** 128]],
]);

/** Whether an integer constant can be written in this type without loss. */
export function literalFits(value: number, type: SqlType): boolean {
  const range = RANGES.get(type);
  if (range !== undefined) return value >= range[0] && value <= range[1];
  return type === FLOAT || type === DOUBLE || type.kind === 'decimal' || type === BIGNUM;
}

const CLASS_BOUNDS = [127, 255, 32767, 65535, 2147483647, 4294967295, 2 ** 63, 2 ** 64, 2 ** 127, 2 ** 128];

const positiveClasses: SqlType[] = [];
const negativeClasses: SqlType[] = [];

/** One constant to stand for all that fit the same types, so that results can be remembered by type; other types are themselves. */
export function literalClass(type: SqlType): SqlType {
  if (type.kind !== 'integer-literal') return type;
  const { value } = type;
  const size = value < 0 ? -value - 1 : value;
  let at = 0;
  while (at < CLASS_BOUNDS.length && size > (CLASS_BOUNDS[at] as number)) at++;
  const classes = value < 0 ? negativeClasses : positiveClasses;
  let representative = classes[at];
  if (representative === undefined) {
    representative = type;
    classes[at] = type;
  }
  return representative;
}

/** Digits an integer type needs as a decimal: what DuckDB takes when the two meet. */
export function decimalDigits(type: SqlType): number {
  switch (type) {
    case TINYINT:
    case UTINYINT:
      return 3;
    case SMALLINT:
    case USMALLINT:
      return 5;
    case INTEGER:
    case UINTEGER:
      return 10;
    case BIGINT:
      return 19;
    case UBIGINT:
      return 20;
    default:
      return 38;
  }
}
