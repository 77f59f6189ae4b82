/** The type of `a + b` and its relatives: decimals by DuckDB's arithmetic on digits, all else by its overloads. */
import { tableResult } from './function-table.ts';
import {
  BLOB,
  BOOLEAN,
  DOUBLE,
  decimalDigits,
  decimalType,
  FLOAT,
  isInteger,
  JSON_TYPE,
  listType,
  literalClass,
  NULL,
  type SqlType,
  settle,
  UNKNOWN,
  VARCHAR,
} from './sql-type.ts';
import { unify } from './unify.ts';

const COMPARISONS = new Set(['=', '<>', '<', '>', '<=', '>=', 'AND', 'OR', 'XOR', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM', '<=>', '==', '!=', '~', '!~', '~*', '!~*', '~~', '!~~', '~~*', '!~~*', '~~~', '^@', '@>', '<@', '&&']); // biome-ignore format: a list

/** Operator → left → right → result. Types are interned, so this stays as small as the variety of types; nested types are not kept. */
const remembered = new Map<string, Map<SqlType, Map<SqlType, SqlType>>>();

function isPlain(type: SqlType): boolean {
  return (
    type.kind === 'scalar' ||
    type.kind === 'decimal' ||
    type.kind === 'integer-literal' ||
    type.kind === 'string-literal'
  );
}

/** The type of a binary operation; UNKNOWN when an operand's type is unknown and matters. */
export function binaryResult(operator: string, left: SqlType, right: SqlType): SqlType {
  if (COMPARISONS.has(operator)) return BOOLEAN;
  if (!isPlain(left) || !isPlain(right)) return compute(operator, left, right);
  const a = literalClass(left);
  const b = literalClass(right);
  let byLeft = remembered.get(operator);
  if (byLeft === undefined) {
    byLeft = new Map();
    remembered.set(operator, byLeft);
  }
  let byRight = byLeft.get(a);
  if (byRight === undefined) {
    byRight = new Map();
    byLeft.set(a, byRight);
  }
  let type = byRight.get(b);
  if (type === undefined) {
    type = compute(operator, a, b);
    byRight.set(b, type);
  }
  return type;
}

function compute(operator: string, left: SqlType, right: SqlType): SqlType {
  switch (operator) {
    case '+':
      if (isList(left) && isList(right)) return concatenated(left, right);
      return computeNumber(operator, left, right);
    case '-':
    case '*':
    case '%':
      return computeNumber(operator, left, right);
    case 'MOD':
      return compute('%', left, right);
    case '/':
      if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
      return tableResult('/', [left, right]) ?? UNKNOWN;
    case 'DIV':
      return compute('//', left, right);
    case '||':
      return concatenated(left, right);
    case '->':
    case '#>':
      return tableResult('json_extract', [left, right]) ?? JSON_TYPE;
    case '->>':
    case '#>>':
      return tableResult('->>', [left, right]) ?? VARCHAR;
    case '^':
    case '**':
      return DOUBLE;
    default:
      return tableResult(operator, [left, right]) ?? UNKNOWN;
  }
}

function computeNumber(operator: string, left: SqlType, right: SqlType): SqlType {
  if ((left.kind === 'decimal' || right.kind === 'decimal') && isExact(left) && isExact(right))
    return decimalResult(operator, left, right);
  // A function without a fixed result type that is given NULL is NULL itself.
  if ((left === NULL && right.kind === 'decimal') || (right === NULL && left.kind === 'decimal')) return NULL;
  if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
  return tableResult(operator, [left, right]) ?? UNKNOWN;
}

function isList(type: SqlType): boolean {
  return type.kind === 'list' || type.kind === 'array';
}

function isExact(type: SqlType): boolean {
  return type.kind === 'decimal' || isInteger(type);
}

/** Digits before and after the point of an operand as a decimal. */
function digits(type: SqlType): { readonly width: number; readonly scale: number } {
  if (type.kind === 'decimal') return type;
  return { width: decimalDigits(settle(type)), scale: 0 };
}

/** Sums keep one more digit, products add digits; from 18 (or 38) on DuckDB stops adding rather than change its storage. */
function decimalResult(operator: string, left: SqlType, right: SqlType): SqlType {
  const a = digits(left);
  const b = digits(right);
  if (operator === '*') {
    const scale = a.scale + b.scale;
    let width = a.width + b.width;
    if (scale > 38) return UNKNOWN;
    const widest = Math.max(a.width, b.width);
    if (width > 18 && widest <= 18 && scale < 18) width = 18;
    if (width > 38) width = 38;
    return decimalType(width, scale);
  }
  const scale = Math.max(a.scale, b.scale);
  const whole = Math.max(a.width - a.scale, b.width - b.scale);
  let width = scale + whole + (operator === '%' ? 0 : 1);
  const widest = Math.max(a.width, b.width);
  if (operator === '%') return width > 38 ? DOUBLE : decimalType(width, scale);
  if (width > 18 && widest <= 18) width = 18;
  if (width > 38) width = 38;
  return decimalType(width, scale);
}

function concatenated(left: SqlType, right: SqlType): SqlType {
  if (isList(left) && isList(right)) {
    const common = unify(left, right);
    return common === undefined ? UNKNOWN : common.kind === 'array' ? listType(common.element) : common;
  }
  if (isList(left)) return right === NULL ? left : right === UNKNOWN ? left : UNKNOWN;
  if (isList(right)) return left === NULL ? right : left === UNKNOWN ? right : UNKNOWN;
  if (left === BLOB && right === BLOB) return BLOB;
  if (left === UNKNOWN && right === UNKNOWN) return UNKNOWN;
  return VARCHAR;
}

/** The type of `-x`, `+x`, `~x`, `NOT x`, `x!`, `@x`. */
export function unaryResult(operator: string, operand: SqlType): SqlType {
  switch (operator) {
    case 'NOT':
      return BOOLEAN;
    case '-':
    case '+':
      if (operand === UNKNOWN || operand.kind === 'decimal' || operand === FLOAT || operand === DOUBLE)
        return operand;
      return tableResult(operator, [operand]) ?? UNKNOWN;
    case '!':
      return tableResult('!__postfix', [operand]) ?? UNKNOWN;
    case '@':
      return operand.kind === 'decimal' ? operand : (tableResult('abs', [operand]) ?? UNKNOWN);
    default:
      return tableResult(operator, [operand]) ?? UNKNOWN;
  }
}
