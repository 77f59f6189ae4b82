import type { Token } from '../token.ts';
import type { Identifier, TypeName } from '../tree.ts';
import {
  accept,
  acceptTwo,
  advance,
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
import { isAnyWord, isName } from './keywords.ts';

type Field = { readonly name?: Identifier; readonly type: TypeName };

const WITH_NAMED_FIELDS = new Set(['STRUCT', 'ROW', 'UNION', 'OBJECT', 'TUPLE', 'NESTED', 'RECORD']);
const WITH_ELEMENT_TYPES = new Set(['MAP', 'ARRAY', 'LIST', 'NULLABLE', 'LOWCARDINALITY', 'MULTISET']);

/** A type with its parameters, element types and `[]` suffixes; `>>` that closes two lists of elements is read as two `>`. */
export function parseType(c: Cursor): TypeName {
  enter(c);
  const start = startOf(c);
  let type = parseSimpleType(c, start);
  const outside = c.depth;
  for (;;) {
    if (c.key === '[' || c.key === 'ARRAY') enter(c);
    if (c.key === '[') {
      advance(c);
      const size = is(c, 'number') ? takeToken(c).text : undefined;
      expect(c, ']');
      type = listOf(type, size, { start, end: lastEnd(c) });
    } else if (c.key === 'ARRAY' && type.name !== 'ARRAY') {
      advance(c);
      let size: string | undefined;
      if (accept(c, '[')) {
        size = is(c, 'number') ? takeToken(c).text : undefined;
        expect(c, ']');
      }
      type = listOf(type, size, { start, end: lastEnd(c) });
    } else break;
  }
  c.depth = outside - 1;
  return type;
}

function listOf(type: TypeName, size: string | undefined, span: { start: number; end: number }): TypeName {
  return size === undefined
    ? { name: 'LIST', parameters: [], fields: [{ type }], span }
    : { name: 'ARRAY', parameters: [size], fields: [{ type }], span };
}

/** A type without `[]` suffixes, for where a list follows: `ARRAY<INT64>[1, 2]`. */
export function parseSimpleType(c: Cursor, start: number): TypeName {
  if (!isAnyWord(c.key)) fail(c, 'a type');
  let name = typeWord(takeToken(c));
  while (c.key === '.' && isAnyWord(peek(c, 1))) {
    advance(c);
    name = `${name}.${typeWord(takeToken(c))}`;
  }
  name = longName(c, name);
  const parameters: string[] = [];
  let fields: Field[] = [];
  if (c.key === '(' && !(name === 'INTERVAL')) {
    if (WITH_NAMED_FIELDS.has(name)) fields = parseFields(c, '(', ')');
    else if (WITH_ELEMENT_TYPES.has(name) && peek(c, 1) !== 'number') fields = parseFields(c, '(', ')');
    else parseParameters(c, parameters, fields);
  } else if (c.key === '<' && (WITH_NAMED_FIELDS.has(name) || WITH_ELEMENT_TYPES.has(name))) {
    fields = parseFields(c, '<', '>');
  } else if (c.key === '<>' && WITH_NAMED_FIELDS.has(name)) advance(c);
  if (name === 'TIMESTAMP' || name === 'TIME') name = withZone(c, name);
  else if (name === 'INTERVAL') name = intervalQualifier(c, name);
  else if (c.key === 'UNSIGNED' || c.key === 'SIGNED') {
    name = `${name} ${c.key}`;
    advance(c);
  }
  const isHalfClosed = c.key === '>' && c.tokens[c.at]?.text === '>>';
  const span = isHalfClosed ? { start, end: startOf(c) + 1 } : spanFrom(c, start);
  return { name, parameters, fields, span };
}

/** Unquoted words in capitals; quoted ones keep their quotes, so that they stay distinct. */
function typeWord(token: Token): string {
  return token.kind === 'name' ? token.text : token.text.toUpperCase();
}

function longName(c: Cursor, name: string): string {
  if (name === 'DOUBLE' && accept(c, 'PRECISION')) return 'DOUBLE PRECISION';
  if ((name === 'CHARACTER' || name === 'CHAR' || name === 'BIT' || name === 'NCHAR') && accept(c, 'VARYING'))
    return `${name} VARYING`;
  if (name === 'NATIONAL' && c.key === 'CHARACTER') {
    advance(c);
    return accept(c, 'VARYING') ? 'NATIONAL CHARACTER VARYING' : 'NATIONAL CHARACTER';
  }
  if ((name === 'UNSIGNED' || name === 'SIGNED') && c.key === 'word')
    return `${name} ${typeWord(takeToken(c))}`;
  return name;
}

function withZone(c: Cursor, name: string): string {
  for (const word of ['WITH', 'WITHOUT']) {
    if (c.key !== word) continue;
    if (peek(c, 1) === 'TIME' && peek(c, 2) === 'ZONE') {
      skip(c, 3);
      return `${name} ${word} TIME ZONE`;
    }
    if (peek(c, 1) === 'LOCAL' && peek(c, 2) === 'TIME' && peek(c, 3) === 'ZONE') {
      skip(c, 4);
      return `${name} ${word} LOCAL TIME ZONE`;
    }
  }
  return name;
}

const INTERVAL_FIELDS = new Set(['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND']);

function intervalQualifier(c: Cursor, name: string): string {
  if (!INTERVAL_FIELDS.has(c.key)) return name;
  let long = `${name} ${c.key}`;
  advance(c);
  if (c.key === 'TO' && INTERVAL_FIELDS.has(peek(c, 1))) {
    long = `${long} TO ${peek(c, 1)}`;
    skip(c, 2);
  }
  return long;
}

/** Numbers, words and strings of `DECIMAL(10, 2)`, `VARCHAR(MAX)`, `ENUM('a', 'b')`; types when they turn out to be types, as in `Foo(Bar(1))`. */
function parseParameters(c: Cursor, parameters: string[], fields: Field[]): void {
  expect(c, '(');
  while (c.key !== ')') {
    if (c.key === 'number' || c.key === 'string') parameters.push(takeToken(c).text);
    else if (c.key === '-' && peek(c, 1) === 'number') {
      advance(c);
      parameters.push(`-${takeToken(c).text}`);
    } else if (isName(c.key) && (peek(c, 1) === ',' || peek(c, 1) === ')'))
      parameters.push(typeWord(takeToken(c)));
    else if (isName(c.key) && c.key === 'word' && isAnyWord(peek(c, 1)) && peek(c, 2) === ')') {
      parameters.push(`${typeWord(takeToken(c))} ${typeWord(takeToken(c))}`);
    } else if (isName(c.key)) fields.push({ type: parseType(c) });
    else fail(c, 'a number');
    if (!accept(c, ',')) break;
  }
  expect(c, ')');
}

/** `(a INT, b VARCHAR)`, `<a: INT>`, `<a INT64>`, `<INT64, STRING>`. */
function parseFields(c: Cursor, open: string, close: string): Field[] {
  expect(c, open);
  const fields: Field[] = [];
  while (c.key !== close) {
    const next = peek(c, 1);
    const isNamed = isAnyWord(c.key) && (next === ':' || (isAnyWord(next) && !isLongType(c.key, next)));
    if (isNamed) {
      const name = takeAnyName(c, 'a field name');
      accept(c, ':');
      fields.push({ name, type: parseType(c) });
    } else if (c.key === 'string') fields.push({ name: identifierOf(takeToken(c)), type: parseType(c) });
    else fields.push({ type: parseType(c) });
    if (acceptTwo(c, 'NOT', 'NULL')) continue;
    if (!accept(c, ',')) break;
  }
  if (close === '>') closeAngle(c);
  else expect(c, close);
  return fields;
}

function isLongType(first: string, second: string): boolean {
  return (
    second === 'PRECISION' ||
    second === 'VARYING' ||
    second === 'WITH' ||
    second === 'WITHOUT' ||
    first === 'INTERVAL'
  );
}

/** A `>>` token is taken apart by replacing its key with one `>` the first time. */
function closeAngle(c: Cursor): void {
  if (c.key === '>>') {
    (c.keys as string[])[c.at] = '>';
    c.key = '>';
    return;
  }
  expect(c, '>');
}
