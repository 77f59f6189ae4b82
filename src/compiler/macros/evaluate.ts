/**
 * Evaluates an expression of constants while the project is loaded, for @EVAL, conditions and filters. A name that stands for itself (a column)
 * is a symbol: it can be compared with another symbol and given back, nothing more. NULL follows SQL: it spreads, and AND/OR are three-valued.
 */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import type { Expression } from '../../foundation/sql/tree.ts';
import { areEqual, type Constant, described, isNumber, isSymbol, isTruthy, NotConstant } from './constant.ts';
import { constantFunction } from './constant-functions.ts';

/** The value of an expression, or `NotConstant` thrown; `text` is what the expression was parsed from. */
export function evaluate(expression: Expression, text: string, dialect: Dialect): Constant {
  const value = (inner: Expression): Constant => evaluate(inner, text, dialect);
  switch (expression.kind) {
    case 'literal':
      return literal(expression.type, expression.text);
    case 'column':
      return { symbol: text.slice(expression.span.start, expression.span.end) };
    case 'unary':
      return unary(expression.operator, value(expression.operand));
    case 'binary':
      return expression.operator === 'AND' || expression.operator === 'OR'
        ? logical(expression.operator, value(expression.left), () => value(expression.right))
        : binary(expression.operator, value(expression.left), value(expression.right));
    case 'is': {
      const operand = value(expression.operand);
      const holds =
        expression.test === 'NULL' || expression.test === 'UNKNOWN'
          ? operand === null
          : operand === (expression.test === 'TRUE');
      return holds !== expression.negated;
    }
    case 'between': {
      const operand = value(expression.operand);
      const inside = logical('AND', binary('>=', operand, value(expression.low)), () =>
        binary('<=', operand, value(expression.high)),
      );
      return expression.negated ? unary('NOT', inside) : inside;
    }
    case 'in': {
      const operand = value(expression.operand);
      const { set } = expression;
      if (set.kind === 'query') throw new NotConstant('a query has no value yet');
      const listed = set.kind === 'list' ? set.items.map(value) : [value(set.expression)];
      const only = listed[0];
      const found = isIn(
        operand,
        listed.length === 1 && Array.isArray(only) && !Array.isArray(operand) ? only : listed,
      );
      return expression.negated ? unary('NOT', found) : found;
    }
    case 'like':
      return like(
        expression.operator,
        value(expression.operand),
        value(expression.pattern),
        expression.negated,
      );
    case 'case': {
      const subject = expression.operand === undefined ? undefined : value(expression.operand);
      for (const { when, then } of expression.whens) {
        const condition = subject === undefined ? value(when) : binary('=', subject, value(when));
        if (condition !== null && isTruthy(condition)) return value(then);
      }
      return expression.otherwise === undefined ? null : value(expression.otherwise);
    }
    case 'cast':
      return cast(value(expression.operand), expression.type.name, expression.isTry);
    case 'list':
    case 'tuple':
      return expression.items.map(value);
    case 'subscript':
      if (!expression.isSlice && expression.index !== undefined)
        return constantFunction('list_extract', [value(expression.operand), value(expression.index)]);
      break;
    case 'call':
      if (
        expression.over === undefined &&
        expression.filter === undefined &&
        !expression.isStar &&
        !expression.isDistinct
      )
        return constantFunction(
          expression.name.name.toLowerCase(),
          expression.arguments.map((argument) => value(argument.value)),
        );
      break;
    case 'collate':
    case 'at-time-zone':
      return value(expression.operand);
  }
  throw new NotConstant(`${text.slice(expression.span.start, expression.span.end)} is not a constant`);
}

function literal(type: string, text: string): Constant {
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return text.toLowerCase() === 'true';
    case 'number':
      return numberOf(text);
    default:
      return text;
  }
}

function numberOf(text: string): bigint | number {
  const plain = text.replaceAll('_', '');
  return /^\d+$/.test(plain) || /^0x/i.test(plain) ? BigInt(plain) : Number(plain);
}

function unary(operator: string, operand: Constant): Constant {
  if (operand === null) return null;
  if (operator === 'NOT') return !isTruthy(operand);
  if (typeof operand === 'bigint') return operator === '-' ? -operand : operator === '~' ? ~operand : operand;
  if (typeof operand === 'number') return operator === '-' ? -operand : operand;
  throw new NotConstant(`${operator} is not defined for ${described(operand)}`);
}

function logical(operator: 'AND' | 'OR', left: Constant, right: () => Constant): Constant {
  const decides = operator === 'OR';
  if (left !== null && isTruthy(left) === decides) return decides;
  const other = right();
  if (other !== null && isTruthy(other) === decides) return decides;
  return left === null || other === null ? null : !decides;
}

function isIn(operand: Constant, items: readonly Constant[]): Constant {
  if (operand === null) return null;
  let sawNull = false;
  for (const item of items) {
    if (item === null) sawNull = true;
    else if (areEqual(operand, item)) return true;
  }
  return sawNull ? null : false;
}

function binary(operator: string, left: Constant, right: Constant): Constant {
  if (operator === 'IS DISTINCT FROM') return !areEqual(left, right);
  if (operator === 'IS NOT DISTINCT FROM') return areEqual(left, right);
  if (left === null || right === null) return null;
  switch (operator) {
    case '=':
      return areEqual(left, right);
    case '<>':
      return !areEqual(left, right);
    case '<':
      return compare(left, right) < 0;
    case '<=':
      return compare(left, right) <= 0;
    case '>':
      return compare(left, right) > 0;
    case '>=':
      return compare(left, right) >= 0;
    case '||':
      if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
      return constantFunction('concat', [left, right]);
  }
  return arithmetic(operator, left, right);
}

function compare(left: Constant, right: Constant): number {
  if (isNumber(left) && isNumber(right)) return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  throw new NotConstant(`${described(left)} cannot be compared with ${described(right)}`);
}

const POWER_MAX = 4_096n;

function arithmetic(operator: string, left: Constant, right: Constant): Constant {
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  if (!isNumber(left) || !isNumber(right))
    throw new NotConstant(`${operator} is not defined for ${described(left)} and ${described(right)}`);
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    switch (operator) {
      case '+':
        return left + right;
      case '-':
        return left - right;
      case '*':
        return left * right;
      case '/':
        return right === 0n ? null : Number(left) / Number(right);
      case '//':
        return right === 0n ? null : floorDivide(left, right);
      case '%':
        return right === 0n ? null : left - floorDivide(left, right) * right;
      case '**':
      case '^':
        if (right >= 0n && right <= POWER_MAX && left > -POWER_MAX && left < POWER_MAX) return left ** right;
        return Number(left) ** Number(right);
    }
  }
  const [a, b] = [Number(left), Number(right)];
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? null : a / b;
    case '//':
      return b === 0 ? null : Math.floor(a / b);
    case '%':
      return b === 0 ? null : a - Math.floor(a / b) * b;
    case '**':
    case '^':
      return a ** b;
  }
  throw new NotConstant(`the operator ${operator} cannot be used here`);
}

function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/** `%` and `_` by a scan that never goes back further than the last `%`, so hostile patterns stay linear in practice. */
function like(operator: string, operand: Constant, pattern: Constant, negated: boolean): Constant {
  if (operand === null || pattern === null) return null;
  if (typeof operand !== 'string' || typeof pattern !== 'string' || !/^I?LIKE$/.test(operator))
    throw new NotConstant(`${operator} cannot be used with ${described(operand)} here`);
  const isInsensitive = operator === 'ILIKE';
  return (
    matches(
      isInsensitive ? operand.toLowerCase() : operand,
      isInsensitive ? pattern.toLowerCase() : pattern,
    ) !== negated
  );
}

function matches(text: string, pattern: string): boolean {
  let at = 0;
  let p = 0;
  let star = -1;
  let mark = 0;
  while (at < text.length) {
    if (p < pattern.length && (pattern[p] === '_' || (pattern[p] === text[at] && pattern[p] !== '%'))) {
      at++;
      p++;
    } else if (pattern[p] === '%') {
      star = p++;
      mark = at;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[p] === '%') p++;
  return p === pattern.length;
}

function cast(value: Constant, type: string, isTry: boolean): Constant {
  if (value === null || isSymbol(value)) return value;
  const word = type.toUpperCase();
  if (/^(TEXT|VARCHAR|STRING|CHAR|BPCHAR)/.test(word)) return constantFunction('concat', [value]);
  if (/^(TINYINT|SMALLINT|INT|INTEGER|BIGINT|HUGEINT|LONG)/.test(word)) {
    const number =
      typeof value === 'string' && !/^\s*[+-]?\d+(\.\d*)?\s*$/.test(value) ? Number.NaN : Number(value);
    if (Number.isFinite(number)) return typeof value === 'bigint' ? value : BigInt(Math.trunc(number));
  } else if (/^(FLOAT|DOUBLE|REAL|DECIMAL|NUMERIC)/.test(word)) {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (Number.isFinite(number)) return number;
  } else if (/^BOOL/.test(word)) {
    if (typeof value !== 'string') return isTruthy(value);
    if (/^(t|true|1|yes|y)$/i.test(value)) return true;
    if (/^(f|false|0|no|n)$/i.test(value)) return false;
  } else if (/^(DATE|TIME)/.test(word) && typeof value === 'string') return value;
  if (isTry) return null;
  throw new NotConstant(`${described(value)} cannot be cast to ${type}`);
}
