/** Which type two values share when they meet in CASE, COALESCE, IN, VALUES, a list or a set operation. */
import {
  arrayType,
  BIGINT,
  BIGNUM,
  BOOLEAN,
  DATE,
  DOUBLE,
  decimalDigits,
  decimalType,
  FLOAT,
  HUGEINT,
  INTEGER,
  isInteger,
  isNumeric,
  JSON_TYPE,
  listType,
  literalFits,
  mapType,
  NULL,
  SMALLINT,
  type SqlType,
  sameType,
  scalarNamed,
  settle,
  structType,
  TINYINT,
  UHUGEINT,
  UNKNOWN,
  VARCHAR,
  VARIANT,
} from './sql-type.ts';

const SIGNED: readonly SqlType[] = [TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT];
const UNSIGNED: readonly SqlType[] = ['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'].map(
  (name) => scalarNamed(name) as SqlType,
);

/** Where mixing is forced (set operations), the type further right wins when no rule makes a common one. */
const RANK: readonly (readonly string[])[] = [
  ['BOOLEAN'],
  [
    'TINYINT',
    'SMALLINT',
    'INTEGER',
    'BIGINT',
    'HUGEINT',
    'UTINYINT',
    'USMALLINT',
    'UINTEGER',
    'UBIGINT',
    'UHUGEINT',
    'FLOAT',
    'DOUBLE',
    'DECIMAL',
  ],
  ['TIME', 'TIME WITH TIME ZONE'],
  ['TIME_NS'],
  ['DATE'],
  ['TIMESTAMP_S'],
  ['TIMESTAMP_MS'],
  ['TIMESTAMP', 'TIMESTAMP WITH TIME ZONE'],
  ['TIMESTAMP_NS'],
  ['INTERVAL'],
  ['VARCHAR'],
  ['BIT'],
  ['BLOB'],
  ['UUID'],
  ['BIGNUM'],
];
const rankOf = new Map(RANK.flatMap((names, rank) => names.map((name) => [name, rank] as const)));

const TIMESTAMPS = ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'];

/** The common type, or undefined when DuckDB refuses to mix the two without a cast. Literals may stay literals. */
export function unify(a: SqlType, b: SqlType): SqlType | undefined {
  if (a === b || sameType(a, b))
    return a.kind === 'integer-literal' && b.kind === 'integer-literal' ? a.own : a;
  if (a === UNKNOWN || b === UNKNOWN) return UNKNOWN;
  if (a === NULL) return b;
  if (b === NULL) return a;
  if (a === VARIANT || b === VARIANT) return a === JSON_TYPE || b === JSON_TYPE ? JSON_TYPE : VARIANT;
  if (a === JSON_TYPE || b === JSON_TYPE) return JSON_TYPE;
  if (a.kind === 'string-literal') return b;
  if (b.kind === 'string-literal') return a;
  if (isNumeric(a) && isNumeric(b)) return unifyNumbers(a, b);
  if (a === BOOLEAN && isInteger(b)) return settle(b);
  if (b === BOOLEAN && isInteger(a)) return settle(a);
  if (a.kind === 'scalar' && b.kind === 'scalar') return unifyTimes(a, b);
  return unifyNested(a, b, unify);
}

/** The type of a column of a set operation: never refuses what DuckDB accepts there. */
export function unifyForced(left: SqlType, right: SqlType): SqlType {
  const a = settle(left);
  const b = settle(right);
  const common = unify(a, b);
  if (common !== undefined) return common;
  const nested = unifyNested(a, b, unifyForced);
  if (nested !== undefined) return nested;
  if (a.kind === 'enum' || b.kind === 'enum') return VARCHAR;
  const rankA = rank(a);
  const rankB = rank(b);
  if (rankA === undefined || rankB === undefined) return UNKNOWN;
  return rankB > rankA ? b : a;
}

const NESTED_RANK: Readonly<Record<string, number>> = {
  struct: 100,
  array: 101,
  list: 102,
  map: 103,
  union: 104,
};

function rank(type: SqlType): number | undefined {
  return NESTED_RANK[type.kind] ?? rankOf.get(type.kind === 'decimal' ? 'DECIMAL' : type.text);
}

/** The common type of many; undefined when two of them refuse. */
export function unifyAll(types: readonly SqlType[]): SqlType | undefined {
  let common: SqlType | undefined = NULL;
  for (const type of types) {
    common = unify(common, type);
    if (common === undefined) return undefined;
  }
  return common;
}

function unifyTimes(a: SqlType, b: SqlType): SqlType | undefined {
  const isA = TIMESTAMPS.indexOf(a.text);
  const isB = TIMESTAMPS.indexOf(b.text);
  if (isA >= 0 && isB >= 0) return isA > isB ? a : b;
  const isZoned = (type: SqlType): boolean => type.text === 'TIMESTAMP WITH TIME ZONE';
  if (a === DATE && (isB >= 0 || isZoned(b))) return b;
  if (b === DATE && (isA >= 0 || isZoned(a))) return a;
  if (a.text === 'TIMESTAMP' && isZoned(b)) return b;
  if (b.text === 'TIMESTAMP' && isZoned(a)) return a;
  return undefined;
}

/** Two number types; integers of different sign widen, decimals keep every digit of both up to 38. */
function unifyNumbers(a: SqlType, b: SqlType): SqlType | undefined {
  if (a.kind === 'integer-literal' && b.kind !== 'integer-literal' && isInteger(b))
    return literalFits(a.value, b) ? b : unifyNumbers(a.own, b);
  if (b.kind === 'integer-literal' && a.kind !== 'integer-literal' && isInteger(a))
    return literalFits(b.value, a) ? a : unifyNumbers(a, b.own);
  const x = settle(a);
  const y = settle(b);
  if (x === y) return x;
  if (x === DOUBLE || y === DOUBLE) return DOUBLE;
  if (x === BIGNUM || y === BIGNUM) return x.kind === 'decimal' || y.kind === 'decimal' ? undefined : BIGNUM;
  if (x === FLOAT || y === FLOAT) return FLOAT;
  if (x.kind === 'decimal' || y.kind === 'decimal') {
    const [wholeX, scaleX] = decimalParts(x);
    const [wholeY, scaleY] = decimalParts(y);
    const scale = Math.max(scaleX, scaleY);
    const whole = Math.max(wholeX, wholeY);
    if (whole + scale <= 38) return decimalType(whole + scale, scale);
    // Two decimals give up fractional digits; with a huge integer the scale stays.
    return decimalType(38, x.kind === 'decimal' && y.kind === 'decimal' ? 38 - whole : scale);
  }
  return unifyIntegers(x, y);
}

function decimalParts(type: SqlType): readonly [number, number] {
  return type.kind === 'decimal' ? [type.width - type.scale, type.scale] : [decimalDigits(type), 0];
}

function unifyIntegers(x: SqlType, y: SqlType): SqlType {
  const signedX = SIGNED.indexOf(x);
  const signedY = SIGNED.indexOf(y);
  if (signedX >= 0 && signedY >= 0) return signedX > signedY ? x : y;
  const unsignedX = UNSIGNED.indexOf(x);
  const unsignedY = UNSIGNED.indexOf(y);
  if (unsignedX >= 0 && unsignedY >= 0) return unsignedX > unsignedY ? x : y;
  const signed = signedX >= 0 ? signedX : signedY;
  const unsigned = unsignedX >= 0 ? unsignedX : unsignedY;
  if (UNSIGNED[unsigned] === UHUGEINT)
    return SIGNED[signed] === HUGEINT ? DOUBLE : (SIGNED[signed + 1] as SqlType);
  return SIGNED[Math.max(signed, unsigned + 1)] as SqlType;
}

function unifyNested(
  a: SqlType,
  b: SqlType,
  of: (a: SqlType, b: SqlType) => SqlType | undefined,
): SqlType | undefined {
  if ((a.kind === 'list' || a.kind === 'array') && (b.kind === 'list' || b.kind === 'array')) {
    const element = of(a.element, b.element);
    if (element === undefined) return undefined;
    return a.kind === 'array' && b.kind === 'array' && a.size === b.size
      ? arrayType(element, a.size)
      : listType(element);
  }
  if (a.kind === 'map' && b.kind === 'map') {
    const key = of(a.key, b.key);
    const value = of(a.value, b.value);
    return key === undefined || value === undefined ? undefined : mapType(key, value);
  }
  if (a.kind === 'struct' && b.kind === 'struct') return unifyStructs(a, b, of);
  if (a.kind === 'enum' && (b.kind === 'enum' || b === VARCHAR)) return VARCHAR;
  if (b.kind === 'enum' && a === VARCHAR) return VARCHAR;
  return undefined;
}

function unifyStructs(
  a: SqlType & { kind: 'struct' | 'union' },
  b: SqlType & { kind: 'struct' | 'union' },
  of: (a: SqlType, b: SqlType) => SqlType | undefined,
): SqlType | undefined {
  const isUnnamed = (type: SqlType & { kind: 'struct' | 'union' }): boolean => type.fields[0]?.name === '';
  if (isUnnamed(a) || isUnnamed(b)) {
    if (a.fields.length !== b.fields.length) return undefined;
    const fields = a.fields.map((field, at) => {
      const other = b.fields[at] as (typeof b.fields)[number];
      return {
        name: field.name === '' ? other.name : field.name,
        type: of(field.type, other.type) ?? UNKNOWN,
      };
    });
    return structType(fields);
  }
  const rest = new Map(b.fields.map((field) => [field.name.toLowerCase(), field]));
  const fields = a.fields.map((field) => {
    const other = rest.get(field.name.toLowerCase());
    rest.delete(field.name.toLowerCase());
    return other === undefined ? field : { name: field.name, type: of(field.type, other.type) ?? UNKNOWN };
  });
  return structType([...fields, ...rest.values()]);
}
