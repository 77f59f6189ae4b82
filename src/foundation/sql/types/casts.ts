/** What it costs to turn a value into another type without being asked: the sum over the arguments decides which overload is called. */
import {
  BIGINT,
  BIGNUM,
  DATE,
  DOUBLE,
  FLOAT,
  HUGEINT,
  INTEGER,
  JSON_TYPE,
  literalFits,
  NULL,
  SMALLINT,
  type SqlType,
  sameType,
  TIMESTAMP,
  TIMESTAMP_NS,
  TIMESTAMP_TZ,
  TINYINT,
  UBIGINT,
  UHUGEINT,
  UINTEGER,
  UNKNOWN,
  USMALLINT,
  UTINYINT,
  VARCHAR,
  VARIANT,
} from './sql-type.ts';

/** A target nothing converts to silently. */
export const IMPOSSIBLE = Number.POSITIVE_INFINITY;

const WIDENS: ReadonlyMap<SqlType, ReadonlySet<SqlType>> = new Map([
  [TINYINT, new Set([SMALLINT, INTEGER, BIGINT, HUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [SMALLINT, new Set([INTEGER, BIGINT, HUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [INTEGER, new Set([BIGINT, HUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [BIGINT, new Set([HUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [HUGEINT, new Set([FLOAT, DOUBLE, BIGNUM])],
  [
    UTINYINT,
    new Set([
      SMALLINT,
      INTEGER,
      BIGINT,
      HUGEINT,
      USMALLINT,
      UINTEGER,
      UBIGINT,
      UHUGEINT,
      FLOAT,
      DOUBLE,
      BIGNUM,
    ]),
  ],
  [USMALLINT, new Set([INTEGER, BIGINT, HUGEINT, UINTEGER, UBIGINT, UHUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [UINTEGER, new Set([BIGINT, HUGEINT, UBIGINT, UHUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [UBIGINT, new Set([HUGEINT, UHUGEINT, FLOAT, DOUBLE, BIGNUM])],
  [UHUGEINT, new Set([FLOAT, DOUBLE, BIGNUM])],
  [FLOAT, new Set([DOUBLE, BIGNUM])],
  [DOUBLE, new Set([BIGNUM])],
  [BIGNUM, new Set([DOUBLE])],
  [DATE, new Set([TIMESTAMP, TIMESTAMP_NS, TIMESTAMP_TZ])],
  [TIMESTAMP, new Set([TIMESTAMP_NS, TIMESTAMP_TZ])],
  [TIMESTAMP_NS, new Set([TIMESTAMP])],
  [JSON_TYPE, new Set([VARCHAR])],
]);

/** Cost of arriving at a type; the cheaper targets are the ones DuckDB prefers when several fit. */
function targetCost(to: SqlType): number {
  switch (to) {
    case BIGINT:
      return 101;
    case INTEGER:
      return 102;
    case HUGEINT:
      return 103;
    case DOUBLE:
      return 104;
    case TIMESTAMP_NS:
      return 119;
    case TIMESTAMP:
      return 120;
    case TIMESTAMP_TZ:
      return 123;
    case VARCHAR:
      return 149;
    default:
      break;
  }
  if (to.kind === 'decimal') return 105;
  return to.kind === 'scalar' ? 110 : 160;
}

/** The cost of an implicit cast: 0 for the same type, IMPOSSIBLE when only an explicit cast would do. */
export function castCost(from: SqlType, to: SqlType): number {
  if (from === to || sameType(from, to))
    return from.kind === 'string-literal' && to.kind !== 'string-literal' ? 1 : 0;
  if (from === NULL || from === UNKNOWN) return targetCost(to);
  if (from.kind === 'string-literal') return to === VARCHAR ? 1 : 20;
  if (from.kind === 'integer-literal') {
    if (sameType(from.own, to)) return 5;
    return literalFits(from.value, to) ? targetCost(to) - 90 : castCost(from.own, to);
  }
  if (to.kind === 'decimal') return isWhole(from) ? targetCost(to) : from.kind === 'decimal' ? 0 : IMPOSSIBLE;
  if (from.kind === 'decimal')
    return to === FLOAT || to === DOUBLE || to === JSON_TYPE ? targetCost(to) : IMPOSSIBLE;
  if (to === JSON_TYPE || to === VARIANT || from === VARIANT) return targetCost(to);
  if (from.kind === 'enum') return to === VARCHAR ? targetCost(to) : IMPOSSIBLE;
  if ((from.kind === 'list' || from.kind === 'array') && to.kind === 'list') {
    const inner = castCost(from.element, to.element);
    return inner === IMPOSSIBLE ? IMPOSSIBLE : (inner >= 1 ? inner - 1 : 0) + (from.kind === 'array' ? 1 : 0);
  }
  if (from.text.startsWith('TIMESTAMP_') && (to === TIMESTAMP || to === TIMESTAMP_NS)) return targetCost(to);
  return WIDENS.get(from)?.has(to) === true ? targetCost(to) : IMPOSSIBLE;
}

function isWhole(type: SqlType): boolean {
  return WIDENS.get(type)?.has(FLOAT) === true;
}
