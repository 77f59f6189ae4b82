/** The type of `a + b` and its relatives: decimals by DuckDB's arithmetic on digits, all else by its overloads. */
import { tableResult } from './function-table.ts';
import {
  BIT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  decimalDigits,
  decimalType,
  FLOAT,
  isInteger,
  JSON_TYPE,
  listType,
  NULL,
  type SqlType,
  settle,
  typeKey,
  UNKNOWN,
  VARCHAR,
} from './sql-type.ts';
import { unify } from './unify.ts';

const COMPARISONS = new Set(['=', '<>', '<', '>', '<=', '>=', 'AND', 'OR', 'XOR', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM', '<=>', '==', '!=', '~', '!~', '~*', '!~*', '~~', '!~~', '~~*', '!~~*', '~~~', '^@', '@>', '<@', '&&']); // biome-ignore format: a list

const remembered = new Map<string, SqlType>();

/** The type of a binary operation; UNKNOWN when an operand's type is unknown and matters. */
export function binaryResult(operator: string, left: SqlType, right: SqlType): SqlType {
  if (COMPARISONS.has(operator)) return BOOLEAN;
  const key = `${operator} ${typeKey(left)}|${typeKey(right)}`;
  let type = remembered.get(key);
  if (type === undefined) {
    type = compute(operator, left, right);
    if (remembered.size > 10_000) remembered.clear();
    remembered.set(key, type);
  }
  return type;
}

function compute(operator: string, left: SqlType, right: SqlType): SqlType {
  switch (operator) {
    case '+':
    case '-':
    case '*':
    case '%':
      if ((left.kind === 'decimal' || right.kind === 'decimal') && isExact(left) && isExact(right))
        return decimalResult(operator, left, right);
      // A function without a fixed result type that is given NULL is NULL itself.
      if ((left === NULL && right.kind === 'decimal') || (right === NULL && left.kind === 'decimal'))
        return NULL;
      if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
      return tableResult(operator, [left, right]) ?? UNKNOWN;
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
  const isList = (type: SqlType): boolean => type.kind === 'list' || type.kind === 'array';
  if (isList(left) && isList(right)) {
    const common = unify(left, right);
    return common === undefined ? UNKNOWN : common.kind === 'array' ? listType(common.element) : common;
  }
  if (isList(left)) return right === NULL ? left : right === UNKNOWN ? left : UNKNOWN;
  if (isList(right)) return left === NULL ? right : left === UNKNOWN ? right : UNKNOWN;
  if (left === BLOB && right === BLOB) return BLOB;
  if (left === BIT && right === BIT) return BIT;
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
