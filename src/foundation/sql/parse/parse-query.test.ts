import { describe, expect, it } from 'vitest';
import { tokenize } from '../tokenize.ts';
import type { Expression, Query, Select, TypeName } from '../tree.ts';
import { parseExpression, parseQuery, parseQueryRange, parseTypeName } from './parse-query.ts';

/** An expression with all its parentheses, so that tests can show what binds to what. */
function shape(e: Expression): string {
  switch (e.kind) {
    case 'column':
      return [...e.qualifiers, e.name].map((part) => part.name).join('.');
    case 'literal':
      return e.type === 'string' ? `'${e.text}'` : e.text;
    case 'unary':
      return `(${e.operator} ${shape(e.operand)})`;
    case 'binary':
      return `(${shape(e.left)} ${e.operator} ${shape(e.right)})`;
    case 'between':
      return `(${shape(e.operand)} between ${shape(e.low)} & ${shape(e.high)})`;
    case 'like':
      return `(${shape(e.operand)} ${e.negated ? 'not ' : ''}${e.operator} ${shape(e.pattern)})`;
    case 'is':
      return `(${shape(e.operand)} is ${e.negated ? 'not ' : ''}${e.test})`;
    case 'in':
      return `(${shape(e.operand)} in ${e.set.kind === 'list' ? e.set.items.map(shape).join(' ') : e.set.kind})`;
    case 'cast':
      return `${shape(e.operand)}::${typeShape(e.type)}`;
    case 'at-time-zone':
      return `(${shape(e.operand)} at ${shape(e.zone)})`;
    case 'collate':
      return `(${shape(e.operand)} collate ${e.collation.map((part) => part.name).join('.')})`;
    case 'call':
      return `${e.name.name}(${e.arguments.map((a) => (a.name ? `${a.name.name}=` : '') + shape(a.value)).join(', ')})`;
    case 'lambda':
      return `[${e.parameters.map((p) => p.name).join(' ')} => ${shape(e.body)}]`;
    case 'tuple':
      return `tuple(${e.items.map(shape).join(', ')})`;
    case 'list':
      return `list(${e.items.map(shape).join(', ')})`;
    case 'subscript':
      return `${shape(e.operand)}[${e.isSlice ? 'slice' : e.index && shape(e.index)}]`;
    case 'field':
      return `${shape(e.operand)}${e.isVariantPath ? ':' : '.'}${e.field.name}`;
    case 'interval':
      return `interval(${shape(e.value)}${e.unit ? ` ${e.unit}` : ''})`;
    default:
      return e.kind;
  }
}

function typeShape(type: TypeName): string {
  const fields = type.fields.map((f) => (f.name ? `${f.name.name} ` : '') + typeShape(f.type));
  const inside = [...type.parameters, ...fields];
  return inside.length === 0 ? type.name : `${type.name}<${inside.join(', ')}>`;
}

function shapeOf(sql: string): string {
  const result = parseExpression(sql);
  return result.ok ? shape(result.value) : result.error.message;
}

function queryOf(sql: string): Query {
  const result = parseQuery(sql);
  if (!result.ok) throw new Error(`${result.error.message}: ${sql}`);
  return result.value;
}

function selectOf(sql: string): Select {
  const { body } = queryOf(sql);
  if (body.kind !== 'select') throw new Error(`a ${body.kind}`);
  return body;
}

describe('operators bind as in DuckDB', () => {
  it.each([
    ['a + b * c', '(a + (b * c))'],
    ['a - b - c', '((a - b) - c)'],
    ['a * b ^ c', '(a * (b ^ c))'],
    ['2 ^ 3 ^ 2', '((2 ^ 3) ^ 2)'],
    ['-a ^ b', '((- a) ^ b)'],
    ['-a::INT', '(- a::INT)'],
    ['a || b + c', '(a || (b + c))'],
    ['~a + b', '(~ (a + b))'],
    ['a = b AND c OR d', '(((a = b) AND c) OR d)'],
    ['NOT a = b', '(NOT (a = b))'],
    ['NOT a AND b', '((NOT a) AND b)'],
    ['a == b != c', '((a = b) <> c)'],
    ['a BETWEEN b AND c AND d', '((a between b & c) AND d)'],
    ['a + 1 BETWEEN b - 1 AND c || d', '((a + 1) between (b - 1) & (c || d))'],
    ["a NOT LIKE 'x' OR b", "((a not LIKE 'x') OR b)"],
    ['a IS NOT NULL AND b', '((a is not NULL) AND b)'],
    ['a = b IS NULL', '((a = b) is NULL)'],
    ['a IS DISTINCT FROM b AND c', '((a IS DISTINCT FROM b) AND c)'],
    ["j -> 'a' = 'b'", "(j -> ('a' = 'b'))"],
    ["j ->> 'a' = 'b'", "((j ->> 'a') = 'b')"],
    ["j -> 'a' ->> 'b'", "((j -> 'a') ->> 'b')"],
    ["j ->> 'a' -> 'b' = 'c'", "((j ->> 'a') -> ('b' = 'c'))"],
    ["j ->> 'a' || 'b'", "((j ->> 'a') || 'b')"],
    ["j ->> 'a' * 2", "(j ->> ('a' * 2))"],
    ["a = j ->> 'a'", "((a = j) ->> 'a')"],
    ["a AND j -> 'x' ->> 'y' AND c", "((((a AND j) -> 'x') ->> 'y') AND c)"],
    ["NOT j ->> 'a' = 'x'", "(((NOT j) ->> 'a') = 'x')"],
    ["a + b AT TIME ZONE 'UTC'", "(a + (b at 'UTC'))"],
    ['a || b COLLATE x.y', '(a || (b collate x.y))'],
    ['(a, b)', 'tuple(a, b)'],
    ['((a))', 'a'],
    ['a IN (1, 2) = b', '((a in 1 2) = b)'],
    ['a IN ((1, 2))', '(a in tuple(1, 2))'],
    ['a IN (SELECT 1)', '(a in query)'],
    ['a.b.c[1].d::INT[]', 'a.b.c[1].d::LIST<INT>'],
    ['(a).b.c', 'a.b.c'],
    ["INTERVAL '1' DAY + INTERVAL 2 HOURS", "(interval('1' day) + interval(2 hours))"],
    ["INTERVAL '3 hours'::VARCHAR", "interval('3 hours')::VARCHAR"],
    ["INTERVAL '1' DAY::VARCHAR", "interval('1' day)::VARCHAR"],
    ['INTERVAL (i) DAY::VARCHAR', 'interval(i day)::VARCHAR'],
    ['interval + 1', '(interval + 1)'],
    ["date '2024-01-01' - date", "('2024-01-01'::DATE - date)"],
  ])('%s is %s', (sql, expected) => {
    expect(shapeOf(sql)).toBe(expected);
  });
});

describe('an arrow', () => {
  it.each([
    ['f(x -> x + 1)', 'f([x => (x + 1)])'],
    ['f((x, y) -> x + y)', 'f([x y => (x + y)])'],
    ['f(lambda x, y: x + y)', 'f([x y => (x + y)])'],
    ["coalesce(j -> 'a', b)", "coalesce((j -> 'a'), b)"],
    ["list_transform(l, x -> 'a')", "list_transform(l, [x => 'a'])"],
    ["j -> 'a'", "(j -> 'a')"],
  ])('in %s is read as %s', (sql, expected) => {
    expect(shapeOf(sql)).toBe(expected);
  });
});

describe('calls keep what is special about them', () => {
  it('puts the parts of keyword calls in the order of the plain ones', () => {
    expect(shapeOf('extract(year FROM d)')).toBe("extract('year', d)");
    expect(shapeOf('substring(a FROM 2 FOR 3)')).toBe('substring(a, 2, 3)');
    expect(shapeOf('substring(a FOR 3)')).toBe('substring(a, 1, 3)');
    expect(shapeOf("trim(BOTH 'x' FROM a)")).toBe("trim(a, 'x')");
    expect(shapeOf('position(a IN b)')).toBe('position(a, b)');
    expect(shapeOf('position(a, b)')).toBe('position(a, b)');
    expect(shapeOf('f(a := 1, b => 2)')).toBe('f(a=1, b=2)');
  });

  it('reads every clause of an aggregate', () => {
    const result = parseExpression(
      'sum(DISTINCT a ORDER BY b DESC NULLS LAST IGNORE NULLS) FILTER (WHERE c) OVER w',
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        kind: 'call',
        isDistinct: true,
        nulls: 'IGNORE',
        orderBy: [{ direction: 'DESC', nulls: 'LAST' }],
        filter: { kind: 'column' },
        over: { name: 'w' },
      },
    });
  });

  it('reads a window with its frame', () => {
    const result = parseExpression(
      'sum(a) OVER (w PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES)',
    );
    expect(result).toMatchObject({
      ok: true,
      value: {
        over: {
          base: { name: 'w' },
          partitionBy: [{ kind: 'column' }],
          frame: {
            unit: 'ROWS',
            start: { kind: 'preceding' },
            end: { kind: 'unbounded-following' },
            exclude: 'TIES',
          },
        },
      },
    });
  });

  it('knows count(*) from a star among arguments', () => {
    expect(parseExpression('count(*)')).toMatchObject({ value: { isStar: true, arguments: [] } });
    expect(parseExpression('hash(*)')).toMatchObject({
      value: { isStar: false, arguments: [{ value: { kind: 'star' } }] },
    });
  });
});

describe('types', () => {
  it.each([
    ['DECIMAL(10, 2)', 'DECIMAL<10, 2>'],
    ['varchar', 'VARCHAR'],
    ['INT[]', 'LIST<INT>'],
    ['INT[][3]', 'ARRAY<3, LIST<INT>>'],
    ['STRUCT(a INT, "b c" VARCHAR[])', 'STRUCT<a INT, b c LIST<VARCHAR>>'],
    ['MAP(VARCHAR, INT)', 'MAP<VARCHAR, INT>'],
    ['ARRAY<STRUCT<a INT64, b ARRAY<STRING>>>', 'ARRAY<STRUCT<a INT64, b ARRAY<STRING>>>'],
    ['timestamp with time zone', 'TIMESTAMP WITH TIME ZONE'],
    ['double precision', 'DOUBLE PRECISION'],
    ['character varying(10)', 'CHARACTER VARYING<10>'],
    ["ENUM('a', 'b')", "ENUM<'a', 'b'>"],
    ['Nullable(Array(Int8))', 'NULLABLE<ARRAY<INT8>>'],
  ])('%s is %s', (sql, expected) => {
    const result = parseTypeName(sql);
    expect(result.ok ? typeShape(result.value) : result.error.message).toBe(expected);
  });
});

describe('queries', () => {
  it('binds INTERSECT tighter than UNION, and otherwise to the left', () => {
    const body = queryOf('SELECT 1 UNION SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4').body;
    expect(body).toMatchObject({
      operator: 'EXCEPT',
      left: { operator: 'UNION', left: { kind: 'select' }, right: { operator: 'INTERSECT' } },
    });
  });

  it('keeps a limited part of a union apart', () => {
    const query = queryOf('(SELECT 1 LIMIT 1) UNION ALL (SELECT 2) ORDER BY 1');
    expect(query).toMatchObject({
      body: { left: { kind: 'nested', query: { limit: { text: '1' } } }, right: { kind: 'select' } },
      orderBy: [{}],
    });
  });

  it('gives FROM without SELECT one star without text', () => {
    const select = selectOf('FROM t');
    expect(select.projections).toMatchObject([{ expression: { kind: 'star', span: { start: 0, end: 0 } } }]);
  });

  it('reads names that are keywords elsewhere', () => {
    const words =
      'date value type key year filter first row name month day time timestamp interval range rows values offset over format replace columns map struct array at by left right full semi'.split(
        ' ',
      );
    const select = selectOf(`SELECT ${words.join(', ')} FROM t`);
    expect(
      select.projections.map((p) =>
        p.expression.kind === 'column' ? p.expression.name.name : p.expression.kind,
      ),
    ).toEqual(words);
  });

  it('reads words that are not reserved as aliases without AS', () => {
    const select = selectOf('SELECT a value, b type, count(*) filter, c at FROM t first, u row');
    expect(select.projections.map((p) => p.alias?.name)).toEqual(['value', 'type', 'filter', 'at']);
    expect(select.from.map((t) => 'alias' in t && t.alias?.name.name)).toEqual(['first', 'row']);
  });

  it('reads a query inside a larger list of tokens', () => {
    const text = 'MODEL (name a); SELECT b FROM c; SELECT d';
    const tokens = tokenize(text);
    const from = tokens.tokens.findIndex((token) => token.text === 'SELECT');
    const to = tokens.tokens.findIndex((token, i) => i > from && token.text === ';');
    const result = parseQueryRange(text, 'duckdb', { tokens, from, to });
    expect(result).toMatchObject({
      ok: true,
      value: { span: { start: text.indexOf('SELECT'), end: text.indexOf('; SELECT d') } },
    });
  });

  it('joins what stands to the right first when its condition comes first', () => {
    const [join] = selectOf('SELECT * FROM a JOIN b JOIN c ON x ON y').from;
    expect(join).toMatchObject({
      left: { kind: 'table' },
      right: { kind: 'join' },
      on: { name: { name: 'y' } },
    });
  });
});

describe('errors say what was expected, and point at what was found', () => {
  // ‸ marks where the error begins in the query.
  it.each([
    ['SELECT a FROM ‸WHERE b', 'expected a table name after FROM, found WHERE'],
    ['SELECT a FROM t WHERE‸', 'expected an expression after WHERE, found the end of the query'],
    ['SELECT a,‸, b', 'expected an expression after “,”, found “,”'],
    ['SELECT ‸FROM t', 'expected an expression after SELECT, found FROM'],
    ['SELECT (a‸', 'expected “)” after a, found the end of the query'],
    ['SELECT a‸)', 'expected the end of the query after a, found “)”'],
    ['SELECT a b ‸c', 'expected the end of the query after b, found c'],
    ['SELECT CASE WHEN a THEN b ‸FROM t', 'expected WHEN, ELSE or END after b, found FROM'],
    ['SELECT CAST(a ‸INT)', 'expected AS after a, found INT'],
    ['SELECT * FROM a JOIN b ‸WHERE c', 'expected ON or USING after b, found WHERE'],
    ['WITH a ‸SELECT 1', 'expected AS after a, found SELECT'],
    ['WITH a AS (SELECT 1)‸', 'expected SELECT after “)”, found the end of the query'],
    ['SELECT 1; ‸SELECT 2', 'expected the end of the query after “;”, found SELECT'],
    ['‸UPDATE t SET a = 1', 'expected SELECT, found UPDATE'],
    ["SELECT ‸'a", 'a string that begins here is never closed'],
    ['SELECT a ‸/* b', 'a comment opened with /* is never closed'],
  ])('%s', (marked, message) => {
    const at = marked.indexOf('‸');
    const result = parseQuery(marked.replace('‸', ''));
    expect(result.ok ? 'no error' : [result.error.message, result.error.span.start]).toEqual([message, at]);
  });

  it('tells syntax we know but do not read from syntax that is wrong', () => {
    expect(parseQuery('SELECT a FROM t FOR UPDATE')).toMatchObject({
      ok: false,
      error: { kind: 'unsupported' },
    });
    expect(parseQuery('SELECT a FROM')).toMatchObject({
      ok: false,
      error: { kind: 'syntax', expected: 'a table name' },
    });
  });
});
