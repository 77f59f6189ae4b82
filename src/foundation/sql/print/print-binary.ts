import type { Binary, Expression } from '../tree.ts';
import { binaryLevel, LEVEL } from './levels.ts';
import { intervalParts } from './print-interval.ts';
import { captured, type Printer, refuse } from './printer.ts';

/** Operators every dialect reads alike. */
const PORTABLE = new Set(['OR', 'AND', '=', '<>', '<', '>', '<=', '>=', '+', '-', '*']);

/** What a translation makes of an operator: text around the two operands. */
interface Spelled {
  readonly head: string;
  readonly between: string;
  readonly tail: string;
  readonly rightLevel: number;
}

function plain(operator: string): Spelled {
  return { head: '', between: ` ${operator} `, tail: '', rightLevel: rightLevel(operator) };
}

function rightLevel(operator: string): number {
  const level = binaryLevel(operator);
  if (level === LEVEL.comparison) return LEVEL.other;
  return level === LEVEL.other || level === LEVEL.any ? LEVEL.postfix : level + 1;
}

const enclosing = (head: string, between: string, tail: string): Spelled => ({
  head,
  between,
  tail,
  rightLevel: LEVEL.any,
});

function spelled(p: Printer, node: Binary): Spelled {
  const { operator } = node;
  if (!p.isTranslating) return plain(operator);
  switch (operator) {
    case '/':
      return division(p, node);
    case '//':
      return p.target.integerDivision === '$1 // $2' ? plain('//') : fromTemplate(p.target.integerDivision);
    case 'DIV':
      return p.to === 'mysql' || p.to === 'spark' || p.to === 'databricks'
        ? plain('DIV')
        : p.to === 'duckdb'
          ? plain('//')
          : fromTemplate(p.target.integerDivision);
    case '%':
      return p.to === 'bigquery' ? enclosing('MOD(', ', ', ')') : plain('%');
    case '||':
      return p.target.concat === 'pipes' ? plain('||') : enclosing('CONCAT(', ', ', ')');
    case '^':
    case '**':
      return power(p, node);
    case 'IS DISTINCT FROM':
    case 'IS NOT DISTINCT FROM':
      return distinctFrom(p, node);
    case '<=>':
      return p.target.distinctFrom === 'null-safe-equal' ? plain('<=>') : plain('IS NOT DISTINCT FROM');
    default:
      if (!PORTABLE.has(operator)) refuse(p, `the operator ${operator}`, node.span);
      return plain(operator);
  }
}

/** Two integers divide to a fraction here and to an integer there; without types a cast decides it. */
function division(p: Printer, node: Binary): Spelled {
  const source = p.source.division;
  const target = p.target.division;
  if (target === source || isFraction(node.left) || isFraction(node.right)) return plain('/');
  if (target === 'integer') {
    const type =
      p.to === 'postgres' || p.to === 'redshift'
        ? 'DOUBLE PRECISION'
        : p.to === 'tsql'
          ? 'FLOAT'
          : p.to === 'sqlite'
            ? 'REAL'
            : 'DOUBLE';
    return { head: 'CAST(', between: ` AS ${type}) / `, tail: '', rightLevel: LEVEL.sign };
  }
  if (source === 'integer') refuse(p, 'division that may be of integers', node.span);
  return plain('/');
}

const FRACTIONS = new Set([
  'DOUBLE',
  'FLOAT',
  'REAL',
  'DECIMAL',
  'NUMERIC',
  'DOUBLE PRECISION',
  'FLOAT8',
  'FLOAT4',
]);

function isFraction(node: Expression): boolean {
  if (node.kind === 'literal') return node.type === 'number' && /[.e]/i.test(node.text);
  return node.kind === 'cast' && FRACTIONS.has(node.type.name);
}

function power(p: Printer, node: Binary): Spelled {
  if (p.source.power === 'call') {
    refuse(p, `the operator ${node.operator}`, node.span);
    return plain(node.operator);
  }
  return p.target.power === 'caret' ? plain('^') : enclosing('POWER(', ', ', ')');
}

function distinctFrom(p: Printer, node: Binary): Spelled {
  const isEqual = node.operator === 'IS NOT DISTINCT FROM';
  switch (p.target.distinctFrom) {
    case 'words':
      return plain(node.operator);
    case 'is':
      return plain(isEqual ? 'IS' : 'IS NOT');
    case 'null-safe-equal':
      return isEqual
        ? plain('<=>')
        : { head: 'NOT (', between: ' <=> ', tail: ')', rightLevel: LEVEL.postfix };
    case 'none':
      refuse(p, node.operator, node.span);
      return plain(node.operator);
  }
}

function fromTemplate(template: string): Spelled {
  const [head = '', between = '', tail = ''] = template.split(/\$[12]/);
  return { head, between, tail, rightLevel: LEVEL.sign };
}

/** `d + INTERVAL …` where the target has only DATEADD, or no interval of a computed size. */
function isDateAdd(p: Printer, node: Binary): boolean {
  if (!p.isTranslating || (node.operator !== '+' && node.operator !== '-') || node.right.kind !== 'interval')
    return false;
  if (p.target.interval === 'dateadd') return true;
  return p.to === 'snowflake' && typeof intervalParts(node.right)?.amount === 'object';
}

/** What stands before the left operand. */
export function writeOperatorHead(p: Printer, node: Binary): void {
  if (isDateAdd(p, node) && node.right.kind === 'interval') {
    const parts = intervalParts(node.right);
    if (parts === undefined) refuse(p, 'this interval', node.right.span);
    const amount =
      parts === undefined
        ? '0'
        : typeof parts.amount === 'string'
          ? parts.amount
          : captured(p, () => p.expression(p, parts.amount as Expression));
    p.out += `DATEADD(${parts?.unit ?? 'DAY'}, ${node.operator === '-' ? `-(${amount})` : amount}, `;
    return;
  }
  p.out += spelled(p, node).head;
}

/** The operator, the right operand and what closes them. */
export function writeBinaryTail(p: Printer, node: Binary): void {
  if (isDateAdd(p, node)) {
    p.out += ')';
    return;
  }
  const { between, tail, rightLevel: level } = spelled(p, node);
  p.out += between;
  p.expression(p, node.right, level);
  p.out += tail;
}
