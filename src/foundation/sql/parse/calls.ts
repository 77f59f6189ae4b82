import type { Dialect } from '../dialect.ts';
import { identifierText } from '../tokenize.ts';
import type { Argument, Call, Expression, Identifier } from '../tree.ts';
import {
  accept,
  acceptTwo,
  advance,
  beginsQueryHere,
  type Cursor,
  type Draft,
  expect,
  identifierOf,
  is,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
  takeToken,
  unsupported,
} from './cursor.ts';
import { isUnitWord } from './intervals.ts';
import { isAnyWord, isName, isPivotKey } from './keywords.ts';
import { OPERATOR } from './precedence.ts';
import { parseOrderItems, parseOver } from './windows.ts';

/** Functions whose argument `x -> …` is a lambda even when its body is a constant. */
const TAKES_LAMBDA =
  /^(?:list_|array_)?(?:transform|apply|filter|reduce|reduce_right|sort|exists|all_match|any_match|none_match|aggregate|zip_with|forall|map|first|last|count|sum|min|max|avg)$|^map_filter$|^transform_(?:keys|values)$|^map_zip_with$/i;

/** A call whose name has been read; the cursor is at its opening parenthesis. */
export function parseCallAfterName(
  c: Cursor,
  name: Identifier,
  qualifiers: readonly Identifier[],
  start: number,
): Call {
  advance(c);
  return parseCallRest(c, { name, qualifiers, start }, undefined);
}

/** From behind the opening parenthesis, or from behind `first`, the first argument, when that was read already. */
function parseCallRest(c: Cursor, head: Head, first: Expression | undefined): Call {
  const { name, qualifiers, start } = head;
  const call: Draft<Call> = {
    kind: 'call',
    name,
    qualifiers,
    syntax: 'plain',
    arguments: [],
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    span: { start, end: start },
  };
  if (c.key !== ')' || first !== undefined) {
    if (
      first === undefined &&
      c.key === '*' &&
      peek(c, 1) === ')' &&
      name.name.length === 5 &&
      name.name.toLowerCase() === 'count'
    ) {
      advance(c);
      call.isStar = true;
    } else parseArguments(c, call, first);
  }
  expect(c, ')');
  return finishCall(c, call, start);
}

function parseArguments(c: Cursor, call: Draft<Call>, first: Expression | undefined): void {
  if (first !== undefined) {
  } else if (c.key === 'DISTINCT') {
    advance(c);
    call.isDistinct = true;
  } else if (c.key === 'ALL' && peek(c, 1) !== '(' && peek(c, 1) !== ')') advance(c);
  const items: Argument[] = first === undefined ? [] : [{ value: first }];
  if (first === undefined ? c.key !== 'ORDER' : accept(c, ',') && c.key !== ')') {
    for (;;) {
      items.push(parseArgument(c, call));
      if (c.key !== ',') break;
      advance(c);
      if (is(c, ')')) break;
    }
  }
  call.arguments = items;
  if (c.key === ')') return;
  if (acceptTwo(c, 'IGNORE', 'NULLS')) call.nulls = 'IGNORE';
  else if (acceptTwo(c, 'RESPECT', 'NULLS')) call.nulls = 'RESPECT';
  if (c.key === 'HAVING') unsupported(c, 'HAVING inside a function call');
  if (acceptTwo(c, 'ORDER', 'BY')) call.orderBy = parseOrderItems(c);
  if (c.key === 'ON' || c.key === 'USING') {
    const from = startOf(c);
    while (!is(c, ')') && !is(c, 'end')) advance(c);
    call.modifier = c.text.slice(from, lastEnd(c));
  } else if (c.key === 'SEPARATOR' || c.key === 'LIMIT') {
    const from = startOf(c);
    advance(c);
    c.grammar.expression(c);
    call.modifier = c.text.slice(from, lastEnd(c));
  }
  if (acceptTwo(c, 'IGNORE', 'NULLS')) call.nulls = 'IGNORE';
  else if (acceptTwo(c, 'RESPECT', 'NULLS')) call.nulls = 'RESPECT';
}

function parseArgument(c: Cursor, call: Call): Argument {
  const next = peek(c, 1);
  if (isAnyWord(c.key) && (next === ':=' || next === '=>')) {
    const name = identifierOf(takeToken(c));
    advance(c);
    return { name, value: parseLambda(c, call) ?? c.grammar.expression(c) };
  }
  if (beginsQueryHere(c) && !isPivotKey(c.key) && c.key !== 'VALUES') {
    const start = startOf(c);
    const query = c.grammar.query(c);
    return { value: { kind: 'subquery', query, span: spanFrom(c, start) } };
  }
  const start = startOf(c);
  let value = parseLambda(c, call) ?? c.grammar.expression(c);
  if (value.kind === 'subquery' && c.key !== ',' && c.key !== ')')
    value = { kind: 'subquery', query: c.grammar.finished(c, value.query, start), span: spanFrom(c, start) };
  if (c.key === 'AS' && isAnyWord(peek(c, 1))) {
    // struct_pack-like calls of other dialects: f(x AS name).
    advance(c);
    return { name: takeAnyName(c, 'the name of an argument'), value };
  }
  return { value };
}

/** `x -> …` and `(x, y) -> …` as an argument; undefined when the arrow is absent or extracts from JSON. */
function parseLambda(c: Cursor, call: Call): Expression | undefined {
  let distance = 1;
  if (c.key === '(') {
    while (isName(peek(c, distance))) {
      distance++;
      if (peek(c, distance) !== ',') break;
      distance++;
    }
    if (peek(c, distance) !== ')') return undefined;
    distance++;
  } else if (!isName(c.key)) return undefined;
  if (peek(c, distance) !== '->') return undefined;
  const after = peek(c, distance + 1);
  const isPath = after === 'string' || after === 'number' || after === 'parameter';
  if (c.key !== '(' && isPath && !TAKES_LAMBDA.test(call.name.name)) return undefined;
  const start = startOf(c);
  const parameters: Identifier[] = [];
  if (accept(c, '(')) {
    while (c.key !== ')') {
      parameters.push(identifierOf(takeToken(c)));
      if (!accept(c, ',')) break;
    }
    expect(c, ')');
  } else parameters.push(identifierOf(takeToken(c)));
  expect(c, '->');
  const body = c.grammar.expression(c);
  return { kind: 'lambda', parameters, body, span: spanFrom(c, start) };
}

/** WITHIN GROUP, FILTER, IGNORE NULLS and OVER after the closing parenthesis. */
function finishCall(c: Cursor, call: Draft<Call>, start: number): Call {
  if (c.key === 'WITHIN' && peek(c, 1) === 'GROUP') {
    skip(c, 2);
    expect(c, '(');
    expect(c, 'ORDER');
    expect(c, 'BY');
    call.withinGroup = parseOrderItems(c);
    expect(c, ')');
  }
  for (;;) {
    if (c.key === 'FILTER' && peek(c, 1) === '(') {
      skip(c, 2);
      accept(c, 'WHERE');
      call.filter = c.grammar.expression(c);
      expect(c, ')');
    } else if (acceptTwo(c, 'IGNORE', 'NULLS')) call.nulls = 'IGNORE';
    else if (acceptTwo(c, 'RESPECT', 'NULLS')) call.nulls = 'RESPECT';
    else break;
  }
  if (accept(c, 'OVER')) call.over = parseOver(c);
  call.span = spanFrom(c, start);
  call.arguments = withUnit(c.dialect, call);
  return call;
}

const UNIT_FIRST: ReadonlySet<Dialect> = new Set([
  'databricks',
  'spark',
  'snowflake',
  'redshift',
  'tsql',
  'mysql',
]);
/** Beside two values, the first argument is always a unit. */
const UNIT_AND_TWO = /^(?:date_?diff|date_?add|time(?:stamp)?_?(?:diff|add)|date_bucket)$/i;
const UNIT_AND_ONE = /^(?:date_?trunc|date_?part|datename)$/i;
const UNIT_LAST = /^(?:(?:date|datetime|timestamp|time)_(?:diff|trunc)|last_day)$/i;

/** `datediff(day, a, b)`: a unit without quotes is a word of the call and no column, and is kept as a string literal. */
function withUnit(dialect: Dialect, { name, qualifiers, arguments: given }: Call): readonly Argument[] {
  if (qualifiers.length > 0 || given.length < 2 || given.length > 3) return given;
  const isFirst =
    UNIT_FIRST.has(dialect) && (given.length === 3 ? UNIT_AND_TWO : UNIT_AND_ONE).test(name.name);
  const isLast =
    (dialect === 'bigquery' && UNIT_LAST.test(name.name)) ||
    (dialect === 'snowflake' && /^last_day$/i.test(name.name));
  if (!isFirst && !isLast) return given;
  const at = isFirst ? 0 : given.length - 1;
  const value = given[at]?.value;
  if (value?.kind !== 'column' || value.qualifiers.length > 0 || value.name.quoted) return given;
  // Abbreviations (dd, hh) can only be meant where nothing but a unit may stand.
  if (!isUnitWord(value.name.name) && !(isFirst && given.length === 3)) return given;
  const unit: Expression = { kind: 'literal', type: 'string', text: value.name.name, span: value.span };
  return given.with(at, { value: unit });
}

/** Calls that SQL spells with words of their own, or the same functions called with commas. Nothing is read twice. */
export function parseSpecialCall(c: Cursor): Expression {
  const start = startOf(c);
  const key = c.key;
  const head: Head = { name: identifierOf(takeToken(c)), qualifiers: [], start };
  advance(c);
  if (c.key === ')' || c.key === 'DISTINCT' || c.key === '*') return parseCallRest(c, head, undefined);
  switch (key) {
    case 'EXTRACT':
      return parseExtract(c, head);
    case 'POSITION':
      return parsePosition(c, head);
    case 'TRIM':
      return parseTrim(c, head);
    case 'OVERLAY':
      return parseClauses(c, head, 'overlay');
    default:
      return parseClauses(c, head, 'substring');
  }
}

interface Head {
  readonly name: Identifier;
  readonly qualifiers: readonly Identifier[];
  readonly start: number;
}

function specialCall(
  c: Cursor,
  syntax: Call['syntax'],
  head: Head,
  values: readonly Expression[],
  modifier?: string,
): Call {
  expect(c, ')');
  const call: Call = {
    kind: 'call',
    name: head.name,
    qualifiers: [],
    syntax,
    arguments: values.map((value) => ({ value })),
    isStar: false,
    isDistinct: false,
    orderBy: [],
    withinGroup: [],
    ...(modifier !== undefined && { modifier }),
    span: { start: head.start, end: head.start },
  };
  return finishCall(c, call, head.start);
}

/** `EXTRACT(unit FROM x)`; the unit is kept as a string literal. */
function parseExtract(c: Cursor, head: Head): Expression {
  if (!isAnyWord(c.key) && c.key !== 'string') return parseCallRest(c, head, undefined);
  let distance = 1;
  if (peek(c, 1) === '(' && isAnyWord(peek(c, 2)) && peek(c, 3) === ')') distance = 4;
  if (peek(c, distance) !== 'FROM') return parseCallRest(c, head, undefined);
  const token = takeToken(c);
  const end = c.tokens[c.at + distance - 2]?.end ?? token.end;
  skip(c, distance - 1);
  const text =
    token.kind === 'string'
      ? token.text.slice(1, -1)
      : distance > 1
        ? c.text.slice(token.start, end)
        : identifierText(token);
  const unit: Expression = { kind: 'literal', type: 'string', text, span: { start: token.start, end } };
  expect(c, 'FROM');
  return specialCall(c, 'extract', head, [unit, c.grammar.expression(c)]);
}

function parsePosition(c: Cursor, head: Head): Expression {
  const start = startOf(c);
  const needle = c.grammar.operand(c, OPERATOR);
  if (accept(c, 'IN')) return specialCall(c, 'position', head, [needle, c.grammar.expression(c)]);
  return parseCallRest(c, head, c.grammar.continued(c, needle, start));
}

/** `TRIM(BOTH 'x' FROM y)`: arguments are y, then x. */
function parseTrim(c: Cursor, head: Head): Expression {
  const isModified = c.key === 'LEADING' || c.key === 'TRAILING' || c.key === 'BOTH';
  const modifier = isModified && peek(c, 1) !== ',' && peek(c, 1) !== ')' ? c.key : undefined;
  if (modifier !== undefined) advance(c);
  if (accept(c, 'FROM')) return specialCall(c, 'trim', head, [c.grammar.expression(c)], modifier);
  const first = c.grammar.expression(c);
  if (accept(c, 'FROM')) return specialCall(c, 'trim', head, [c.grammar.expression(c), first], modifier);
  if (modifier === undefined) return parseCallRest(c, head, first);
  return specialCall(c, 'trim', head, accept(c, ',') ? [first, c.grammar.expression(c)] : [first], modifier);
}

/** `f(x FROM y FOR z)`, `f(x PLACING y FROM z FOR n)`, or the same with commas. FOR without FROM begins at 1. */
function parseClauses(c: Cursor, head: Head, syntax: Call['syntax']): Expression {
  const first = c.grammar.expression(c);
  if (c.key === ',' || c.key === ')') return parseCallRest(c, head, first);
  const placing = accept(c, 'PLACING') ? c.grammar.expression(c) : undefined;
  let length = accept(c, 'FOR') ? c.grammar.expression(c) : undefined;
  const at = lastEnd(c);
  const begin: Expression = accept(c, 'FROM')
    ? c.grammar.expression(c)
    : { kind: 'literal', type: 'number', text: '1', span: { start: at, end: at } };
  if (length === undefined && accept(c, 'FOR')) length = c.grammar.expression(c);
  const values = placing === undefined ? [first, begin] : [first, placing, begin];
  return specialCall(c, syntax, head, length === undefined ? values : [...values, length]);
}
