import type { Expression, Identifier } from '../tree.ts';
import { parseCallAfterName } from './calls.ts';
import {
  accept,
  advance,
  type Cursor,
  expect,
  fail,
  identifierOf,
  is,
  lastEnd,
  peek,
  spanFrom,
  takeAnyName,
  takeToken,
} from './cursor.ts';
import { isAnyWord } from './keywords.ts';
import { parseStar } from './star.ts';
import { parseType } from './types.ts';

/** Casts, subscripts, fields, method calls and variant paths after an operand that began at `start`. */
export function parsePostfix(c: Cursor, first: Expression, start: number): Expression {
  let left = first;
  for (;;) {
    switch (c.key) {
      case '::': {
        advance(c);
        const type = parseType(c);
        left = { kind: 'cast', form: 'colons', isTry: false, operand: left, type, span: spanFrom(c, start) };
        break;
      }
      case '[':
        left = parseSubscript(c, left, start);
        break;
      case '.': {
        const dotted = parseField(c, left, start);
        if (dotted === undefined) return left;
        left = dotted;
        break;
      }
      case ':': {
        if (
          (c.dialect !== 'snowflake' && c.dialect !== 'databricks') ||
          !(isAnyWord(peek(c, 1)) || peek(c, 1) === '[')
        )
          return left;
        advance(c);
        if (is(c, '[')) break;
        const field = takeAnyName(c, 'a field name');
        left = { kind: 'field', operand: left, field, isVariantPath: true, span: spanFrom(c, start) };
        break;
      }
      default:
        return left;
    }
  }
}

/** `.field`, `.method(…)` (whose first argument is the operand), `.*`. */
function parseField(c: Cursor, left: Expression, start: number): Expression | undefined {
  if (peek(c, 1) === '*' && left.kind === 'column') {
    advance(c);
    const qualifiers = [...left.qualifiers, left.name];
    return parseStar(c, qualifiers, start);
  }
  advance(c);
  if (c.key === '*') {
    advance(c);
    const all: Identifier = { name: '*', quoted: false, span: { start: lastEnd(c) - 1, end: lastEnd(c) } };
    return { kind: 'field', operand: left, field: all, isVariantPath: false, span: spanFrom(c, start) };
  }
  const field =
    c.key === 'number' && c.dialect === 'clickhouse'
      ? identifierOf(takeToken(c))
      : takeAnyName(c, 'a field name');
  if (c.key === '(') {
    const call = parseCallAfterName(c, field, [], start);
    if (call.kind === 'call') return { ...call, arguments: [{ value: left }, ...call.arguments] };
  }
  return { kind: 'field', operand: left, field, isVariantPath: false, span: spanFrom(c, start) };
}

function _skipDot(c: Cursor): void {
  advance(c);
}

/** `[i]`, `[a:b]`, `[a:b:c]`, with any bound left out (`-` stands for a missing upper bound before a step). */
function parseSubscript(c: Cursor, operand: Expression, start: number): Expression {
  advance(c);
  const index = c.key === ':' || c.key === '::' ? undefined : c.grammar.expression(c);
  if (accept(c, ']')) {
    if (index === undefined) fail(c, 'an index');
    return { kind: 'subscript', operand, isSlice: false, index, span: spanFrom(c, start) };
  }
  expect(c, ':');
  let upper: Expression | undefined;
  if (c.key === '-' && (peek(c, 1) === ':' || peek(c, 1) === ']')) advance(c);
  else if (c.key !== ']' && c.key !== ':') upper = c.grammar.expression(c);
  const step = accept(c, ':') && c.key !== ']' ? c.grammar.expression(c) : undefined;
  expect(c, ']');
  return {
    kind: 'subscript',
    operand,
    isSlice: true,
    ...(index !== undefined && { index }),
    ...(upper !== undefined && { upper }),
    ...(step !== undefined && { step }),
    span: spanFrom(c, start),
  };
}
