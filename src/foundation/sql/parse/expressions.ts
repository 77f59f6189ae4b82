/**
 * Expressions by precedence climbing, loosest first as in PostgreSQL:
 *
 *   -> ->> (DuckDB)  OR  AND  NOT  IS  = < >  BETWEEN IN LIKE  other operators  + -  * / %  ^  AT TIME ZONE  COLLATE  unary -  [ ] :: .
 *
 * Chains of operators of one level become left-deep trees in a loop, so their length costs no stack.
 */
import type { Dialect } from '../dialect.ts';
import type { Expression, Identifier, In } from '../tree.ts';
import { parseContent } from './constructors.ts';
import {
  accept,
  acceptTwo,
  advance,
  beginsQueryHere,
  type Cursor,
  enter,
  expect,
  fail,
  identifierOf,
  is,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  takeToken,
} from './cursor.ts';
import { isAnyWord } from './keywords.ts';
import { parsePostfix } from './postfix.ts';
import {
  AND,
  ARROW,
  AT_TIME_ZONE,
  COLLATE,
  COMPARISON,
  IS,
  MATCH,
  NOT,
  OPERATOR,
  OR,
  POWER,
  PRODUCT,
  SUM,
  UNARY,
} from './precedence.ts';
import { parsePrimary } from './primary.ts';

interface Infix {
  readonly precedence: number;
  /** How tightly what stands to the right must hold together; one more than `precedence` unless given. */
  readonly right?: number;
  readonly operator: string;
  /** Whether it is an operator depends on the dialect or on what follows. */
  readonly isConditional: boolean;
}

const CONDITIONAL = new Set(['->', '->>', 'DIV', 'MOD', 'XOR', 'AT', 'GLOB', 'RLIKE', 'REGEXP']);

const INFIX = new Map<string, Infix>();
const addOperators = (precedence: number, operators: string): void => {
  for (const operator of operators.split(' '))
    INFIX.set(operator, { precedence, operator, isConditional: CONDITIONAL.has(operator) });
};
addOperators(OR, 'OR XOR');
addOperators(AND, 'AND');
addOperators(IS, 'IS ISNULL NOTNULL');
addOperators(COMPARISON, '= < > <= >= <> <=>');
INFIX.set('!=', { precedence: COMPARISON, operator: '<>', isConditional: false });
INFIX.set('==', { precedence: COMPARISON, operator: '=', isConditional: false });
addOperators(MATCH, 'NOT BETWEEN IN LIKE ILIKE RLIKE REGEXP SIMILAR GLOB');
addOperators(OPERATOR, '-|- <-> || & | << >> ~ !~ ~* !~* ~~ ~~* !~~ ^@ @> <@ && # -> ->> #> #>> @ ?| ?& !');
addOperators(SUM, '+ -');
addOperators(PRODUCT, '* / % // DIV MOD');
addOperators(POWER, '^ **');
addOperators(AT_TIME_ZONE, 'AT');
addOperators(COLLATE, 'COLLATE');

const DUCKDB_ARROW: Infix = { precedence: ARROW, operator: '->', isConditional: false };
/** In DuckDB it takes everything to its left as `->` does, `a = j` in `a = j ->> 'x'`, but only an operand to its right. */
const DUCKDB_TEXT_ARROW: Infix = {
  precedence: ARROW,
  right: OPERATOR + 1,
  operator: '->>',
  isConditional: false,
};
const HAS_WORD_OPERATORS: ReadonlySet<Dialect> = new Set([
  'mysql',
  'spark',
  'databricks',
  'clickhouse',
  'generic',
]);

/** Any expression. */
export function parseExpression(c: Cursor): Expression {
  return parseOperand(c, 0);
}

/** An expression whose operators all bind at least as tightly as `precedence`. */
export function parseOperand(c: Cursor, precedence: number): Expression {
  enter(c);
  const start = startOf(c);
  const left = parsePrefix(c);
  const result = parseInfix(c, left, start, precedence);
  c.depth--;
  return result;
}

function parsePrefix(c: Cursor): Expression {
  const start = startOf(c);
  switch (c.key) {
    case 'NOT': {
      advance(c);
      const operand = parseOperand(c, NOT);
      return { kind: 'unary', operator: 'NOT', operand, span: spanFrom(c, start) };
    }
    case '-':
    case '+': {
      const operator = c.key;
      advance(c);
      const operand = parseOperand(c, UNARY);
      return { kind: 'unary', operator, operand, span: spanFrom(c, start) };
    }
    case '~':
    case '@': {
      const operator = c.key;
      advance(c);
      const operand = parseOperand(c, OPERATOR + 1);
      return { kind: 'unary', operator, operand, span: spanFrom(c, start) };
    }
    case 'at':
      return parseAtSign(c);
    default:
      return parsePrimary(c);
  }
}

/** `@x`: a variable in T-SQL and MySQL; the absolute value in DuckDB and PostgreSQL. Macros were expanded before parsing. */
function parseAtSign(c: Cursor): Expression {
  const start = startOf(c);
  advance(c);
  if (
    c.dialect === 'tsql' ||
    c.dialect === 'mysql' ||
    c.dialect === 'snowflake' ||
    c.dialect === 'bigquery'
  ) {
    accept(c, 'at');
    takeAnyName(c, 'the name of a variable');
    return { kind: 'parameter', text: c.text.slice(start, lastEnd(c)), span: spanFrom(c, start) };
  }
  const operand = parseOperand(c, OPERATOR + 1);
  return { kind: 'unary', operator: '@', operand, span: spanFrom(c, start) };
}

function infixOf(c: Cursor): Infix | undefined {
  const infix = INFIX.get(c.key);
  if (infix === undefined || !infix.isConditional) return infix;
  switch (c.key) {
    case '->':
      return c.dialect === 'duckdb' ? DUCKDB_ARROW : infix;
    case '->>':
      return c.dialect === 'duckdb' ? DUCKDB_TEXT_ARROW : infix;
    case 'DIV':
    case 'MOD':
    case 'XOR':
      return HAS_WORD_OPERATORS.has(c.dialect) ? infix : undefined;
    case 'AT':
      return peek(c, 1) === 'TIME' && peek(c, 2) === 'ZONE' ? infix : undefined;
    case 'GLOB':
    case 'RLIKE':
    case 'REGEXP':
      return endsOperand(peek(c, 1)) ? undefined : infix;
    default:
      return infix;
  }
}

function endsOperand(key: string): boolean {
  return key === ',' || key === ')' || key === 'end' || key === 'FROM' || key === ';';
}

/** Goes on after `left`, an operand that began at `start`, with all operators that bind at least as tightly as `precedence`. */
function parseInfix(c: Cursor, first: Expression, start: number, precedence: number): Expression {
  let left = first;
  for (;;) {
    const infix = infixOf(c);
    if (infix === undefined || infix.precedence < precedence) return left;
    const key = c.key;
    switch (infix.precedence) {
      case IS:
        left = parseIs(c, left, start);
        break;
      case MATCH: {
        const matched = parseMatch(c, left, start);
        if (matched === undefined) return left;
        left = matched;
        break;
      }
      case AT_TIME_ZONE: {
        skip(c, 3);
        const zone = parseOperand(c, AT_TIME_ZONE + 1);
        left = { kind: 'at-time-zone', operand: left, zone, span: spanFrom(c, start) };
        break;
      }
      case COLLATE: {
        advance(c);
        const collation: Identifier[] = [];
        do collation.push(c.key === 'string' ? identifierOf(takeToken(c)) : takeAnyName(c, 'a collation'));
        while (accept(c, '.'));
        left = { kind: 'collate', operand: left, collation, span: spanFrom(c, start) };
        break;
      }
      default: {
        if (key === '!') {
          advance(c);
          left = { kind: 'unary', operator: '!', operand: left, span: spanFrom(c, start) };
          break;
        }
        advance(c);
        if ((c.key === 'ANY' || c.key === 'ALL' || c.key === 'SOME') && peek(c, 1) === '(') {
          const right = parseQuantified(c);
          left = { kind: 'binary', operator: infix.operator, left, right, span: spanFrom(c, start) };
          break;
        }
        const right = parseOperand(c, infix.right ?? infix.precedence + 1);
        left = { kind: 'binary', operator: infix.operator, left, right, span: spanFrom(c, start) };
      }
    }
  }
}

/** `ANY (…)`: a query, or an expression of a list, which is kept as a call of ANY. */
function parseQuantified(c: Cursor): Expression {
  const start = startOf(c);
  const quantifier = c.key as 'ANY' | 'ALL' | 'SOME';
  const word = takeAnyName(c, quantifier);
  advance(c);
  if (beginsQueryHere(c)) {
    const query = c.grammar.query(c);
    expect(c, ')');
    return { kind: 'subquery', query, quantifier, span: spanFrom(c, start) };
  }
  const list: { value: Expression }[] = [];
  do list.push({ value: parseExpression(c) });
  while (accept(c, ','));
  expect(c, ')');
  return {
    kind: 'call',
    name: word,
    qualifiers: [],
    syntax: 'plain',
    arguments: list,
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: spanFrom(c, start),
  };
}

function parseIs(c: Cursor, operand: Expression, start: number): Expression {
  if (accept(c, 'ISNULL'))
    return { kind: 'is', negated: false, operand, test: 'NULL', span: spanFrom(c, start) };
  if (accept(c, 'NOTNULL'))
    return { kind: 'is', negated: true, operand, test: 'NULL', span: spanFrom(c, start) };
  advance(c);
  const negated = accept(c, 'NOT');
  if (acceptTwo(c, 'DISTINCT', 'FROM')) {
    const right = parseOperand(c, IS + 1);
    const operator = negated ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
    return { kind: 'binary', operator, left: operand, right, span: spanFrom(c, start) };
  }
  const test = c.key;
  if (c.dialect === 'sqlite' && test !== 'NULL' && test !== 'TRUE' && test !== 'FALSE') {
    const operator = negated ? 'IS DISTINCT FROM' : 'IS NOT DISTINCT FROM';
    return {
      kind: 'binary',
      operator,
      left: operand,
      right: parseOperand(c, IS + 1),
      span: spanFrom(c, start),
    };
  }
  if (test !== 'NULL' && test !== 'TRUE' && test !== 'FALSE' && test !== 'UNKNOWN' && test !== 'JSON')
    fail(c, 'NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM');
  advance(c);
  return { kind: 'is', negated, operand, test, span: spanFrom(c, start) };
}

/** BETWEEN, IN and the LIKE family, each with NOT before it; undefined when NOT belongs to something else (`DEFAULT x NOT NULL`). */
function parseMatch(c: Cursor, operand: Expression, start: number): Expression | undefined {
  const negated = c.key === 'NOT';
  if (negated) {
    if (acceptTwo(c, 'NOT', 'NULL'))
      return { kind: 'is', negated, operand, test: 'NULL', span: spanFrom(c, start) };
    if (INFIX.get(peek(c, 1))?.precedence !== MATCH || peek(c, 1) === 'NOT') return undefined;
    advance(c);
  }
  const key = c.key;
  advance(c);
  if (key === 'BETWEEN') {
    const symmetric = accept(c, 'SYMMETRIC');
    if (!symmetric) accept(c, 'ASYMMETRIC');
    const low = parseOperand(c, OPERATOR);
    expect(c, 'AND');
    const high = parseOperand(c, OPERATOR);
    return { kind: 'between', negated, symmetric, operand, low, high, span: spanFrom(c, start) };
  }
  if (key === 'IN') {
    const set = parseSet(c);
    return { kind: 'in', negated, operand, set, span: spanFrom(c, start) };
  }
  let operator = key;
  if (key === 'SIMILAR') {
    expect(c, 'TO');
    operator = 'SIMILAR TO';
  }
  const quantifier =
    (c.key === 'ANY' || c.key === 'ALL' || c.key === 'SOME') && (peek(c, 1) === '(' || isAnyWord(peek(c, 1)))
      ? c.key
      : undefined;
  if (quantifier !== undefined) advance(c);
  const pattern = parseOperand(c, OPERATOR);
  const escaped = accept(c, 'ESCAPE') ? parseOperand(c, OPERATOR) : undefined;
  return {
    kind: 'like',
    operator,
    negated,
    operand,
    pattern,
    ...(escaped !== undefined && { escape: escaped }),
    ...(quantifier !== undefined && {
      quantifier: quantifier === 'ALL' ? ('ALL' as const) : ('ANY' as const),
    }),
    span: spanFrom(c, start),
  };
}

/** After IN: a list or query in parentheses, or DuckDB's plain expression, such as `x IN ([1, 2])[1:2]`. */
function parseSet(c: Cursor): In['set'] {
  if (c.key !== '(') return { kind: 'expression', expression: parseOperand(c, UNARY) };
  const start = startOf(c);
  const content = parseContent(c);
  if (is(c, '[') || is(c, '::') || is(c, '.')) {
    const operand: Expression =
      content.kind === 'query'
        ? { kind: 'subquery', query: content.query, span: spanFrom(c, start) }
        : ((content.hasComma ? undefined : content.items[0]) ?? {
            kind: 'tuple',
            items: content.items,
            span: spanFrom(c, start),
          });
    return { kind: 'expression', expression: parsePostfix(c, operand, start) };
  }
  return content.kind === 'query' ? content : { kind: 'list', items: content.items };
}

/** Goes on with an operand that was read elsewhere, in parentheses, as if it had been read here. */
export function continueExpression(c: Cursor, left: Expression, start: number): Expression {
  return parseInfix(c, parsePostfix(c, left, start), start, 0);
}
