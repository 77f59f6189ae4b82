import { describe, expect, test } from 'vitest';
import { codesOf, loadHostile } from './hostile-project.ts';

const BAD = 'models/bad.sql';
const HEADER = 'MODEL (name bad.a, kind FULL);\n';
const model = (sql: string): Readonly<Record<string, string>> => ({ [BAD]: HEADER + sql });
const around = (count: number, open: string, middle: string, close: string): string =>
  open.repeat(count) + middle + close.repeat(count);
const list = (count: number, item: (i: number) => string, separator = ', '): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(separator);

const NESTED: readonly (readonly [string, (count: number) => string])[] = [
  ['parentheses', (n) => `SELECT ${around(n, '(', '1', ')')} AS x`],
  ['subqueries in FROM', (n) => around(n, 'SELECT * FROM (', 'SELECT 1 AS x', ') AS t')],
  ['scalar subqueries', (n) => `SELECT ${around(n, '(SELECT ', '1', ')')} AS x`],
  ['CASE', (n) => `SELECT ${around(n, 'CASE WHEN TRUE THEN ', '1', ' ELSE 0 END')} AS x`],
  ['functions', (n) => `SELECT ${around(n, 'abs(', '1', ')')} AS x`],
  ['WITH inside WITH', (n) => around(n, 'WITH c AS (', 'SELECT 1 AS x', ') SELECT * FROM c')],
  ['UNION in parentheses', (n) => around(n, '(SELECT 1 AS x UNION ALL ', 'SELECT 1', ')')],
  ['EXISTS', (n) => `SELECT 1 AS x WHERE ${around(n, 'EXISTS (SELECT 1 WHERE ', 'TRUE', ')')}`],
  ['tables in parentheses', (n) => `SELECT 1 AS x FROM ${around(n, '(', 'healthy.base', ')')}`],
  ['lists', (n) => `SELECT ${around(n, '[', '1', ']')} AS x`],
  ['struct types', (n) => `SELECT NULL::${around(n, 'STRUCT(a ', 'INT', ')')} AS x`],
  ['list types', (n) => `SELECT NULL::INT${'[]'.repeat(n)} AS x`],
  ['NOT', (n) => `SELECT ${'NOT '.repeat(n)}TRUE AS x`],
  ['minus signs', (n) => `SELECT ${'- '.repeat(n)}1 AS x`],
  ['windows', (n) => `SELECT ${around(n, 'sum(', '1', ') OVER ()')} AS x`],
  ['parentheses that never close', (n) => `SELECT ${'('.repeat(n)}`],
];

describe.each([
  [1_000, NESTED],
  [100_000, NESTED.filter((_, i) => i % 3 === 0)],
] as const)('nested %i deep', (count, shapes) => {
  test.each(shapes)('%s: too deep, said at a place', async (_, make) => {
    const { diagnostics } = await loadHostile(model(make(count)));
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual([`sql.too-deep ${BAD}`]);
    expect(diagnostics[0]?.start).toBeGreaterThan(HEADER.length);
  });
});

const LONG: readonly (readonly [string, string])[] = [
  ['5,000 lines', `SELECT\n${list(5_000, (i) => `  ${i} AS c${i}`, ',\n')}`],
  ['100,000 values in a list', `SELECT id AS c0 FROM healthy.base WHERE id IN (${list(100_000, String)})`],
  ['30,000 columns', `SELECT ${list(30_000, (i) => `${i} AS c${i}`)}`],
  ['20,000 ANDs', `SELECT 1 AS c0 WHERE TRUE${' AND 1 = 1'.repeat(20_000)}`],
  ['20,000 UNIONs', `SELECT 1 AS c0${' UNION ALL SELECT 2'.repeat(20_000)}`],
  ['3,000 common tables in a chain', `WITH c0 AS (SELECT 1 AS c0)${list(3_000, (i) => `, c${i + 1} AS (SELECT * FROM c${i})`, '')} SELECT * FROM c3000`],
  ['a string of 5 MB', `SELECT '${'x'.repeat(5_000_000)}' AS c0`],
  ['5 MB of blanks', `SELECT ${' '.repeat(5_000_000)}1 AS c0`],
]; // biome-ignore format: a table

test.each(LONG)('%s: read as any other query', async (_, sql) => {
  const { diagnostics, models } = await loadHostile(model(sql));
  expect(diagnostics).toEqual([]);
  expect(models.find((each) => each.startsWith('bad.a: '))).toMatch(/^bad\.a: c0 (?:INTEGER|VARCHAR)/);
});

describe('what multiplies is stopped', () => {
  const doubling = (each: (i: number) => string, count = 40): string =>
    `WITH c0 AS (SELECT id AS a FROM healthy.base)${list(count, (i) => `, c${i + 1} AS (${each(i)})`, '')} SELECT * FROM c${count}`;
  test('stars over stars', async () => {
    const report = await loadHostile(
      model(doubling((i) => `SELECT x.*, y.* FROM c${i} AS x CROSS JOIN c${i} AS y`)),
    );
    expect(codesOf(report, BAD)).toContain('sql.too-long');
  });
  test('recursion inside recursion', async () => {
    const open = 'WITH RECURSIVE r AS (SELECT id AS n FROM healthy.base UNION ALL SELECT n + 1 FROM (';
    const report = await loadHostile(model(around(40, open, 'SELECT 1 AS n', ') AS q) SELECT n FROM r')));
    expect(codesOf(report, BAD)).toEqual(['sql.too-long']);
  });
  test('structs of structs: beyond a length the inner type is unknown', async () => {
    const { diagnostics, models } = await loadHostile(
      model(doubling((i) => `SELECT {'x': a, 'y': a} AS a FROM c${i}`)),
    );
    expect(diagnostics).toEqual([]);
    const found = models.find((each) => each.startsWith('bad.a: a ')) as string;
    expect(found).toContain('UNKNOWN');
    expect(found.length).toBeLessThan(300_000);
  });
  test('lineage of sums of sums', async () => {
    const { diagnostics, models } = await loadHostile(
      model(doubling((i) => `SELECT x.a + y.a AS a FROM c${i} AS x CROSS JOIN c${i} AS y`)),
    );
    expect(diagnostics).toEqual([]);
    expect(models).toContain('bad.a: a INTEGER');
  });
  test('10,000 unknown names are said a bounded number of times', async () => {
    const { diagnostics } = await loadHostile(
      model(`SELECT ${list(10_000, (i) => `d${i}`)} FROM healthy.base`),
    );
    expect(diagnostics.length).toBeLessThanOrEqual(100);
    expect(diagnostics[0]).toMatchObject({ code: 'sql.unknown-column', start: HEADER.length + 7 });
  });
});

const UNREADABLE: readonly (readonly [string, string, string])[] = [
  ['a string that is not closed', "SELECT 'abc FROM healthy.base", 'sql.lexical'],
  ['a name that is not closed', 'SELECT "abc FROM healthy.base', 'sql.lexical'],
  ['a comment that is not closed', 'SELECT 1 /* abc FROM healthy.base', 'sql.lexical'],
  ['a dollar string that is not closed', 'SELECT $$abc FROM healthy.base', 'sql.lexical'],
  [
    'comments that nest and never close',
    `SELECT 1 /* ${'/* '.repeat(200_000)}${'*/ '.repeat(199_999)}`,
    'sql.lexical',
  ],
  ['no query at all', '', 'model.no-query'],
  ['closing parentheses', 'SELECT 1 AS x ))))', 'sql.syntax'],
];

test.each(UNREADABLE)('%s: an error in the body', async (_, sql, code) => {
  const { diagnostics } = await loadHostile(model(sql));
  expect(diagnostics.map((each) => [each.code, each.file])).toEqual([[code, BAD]]);
});

describe('characters', () => {
  test.each(['\0', '\u0001', '\u001b[31m', '\u007f'])(
    'a control character %j is never silently part of a name',
    async (character) => {
      const { diagnostics } = await loadHostile(model(`SELECT 1 AS a${character}b`));
      expect(diagnostics.map(({ severity, file }) => `${severity} ${file}`)).toContain(`error ${BAD}`);
    },
  );
  test.each([
    ['Windows', '\r\n'],
    ['old Mac', '\r'],
  ])('%s line ends are line ends', async (_, end) => {
    const text = ['MODEL (', '  name bad.a', ');', '-- one', 'SELECT 1 AS x, -- two', '2 AS y', ''].join(end);
    const { diagnostics, models } = await loadHostile({ [BAD]: text });
    expect(diagnostics).toEqual([]);
    expect(models).toContain('bad.a: x INTEGER, y INTEGER');
  });
  test('a byte-order mark is no text', async () => {
    const { models } = await loadHostile({ [BAD]: `\ufeff${HEADER}SELECT 1 AS x` });
    expect(models).toContain('bad.a: x INTEGER');
  });
  test.each([
    ['bytes that are no UTF-8', Buffer.concat([Buffer.from(HEADER), Buffer.from([0xff, 0xfe])])],
    ['half a surrogate pair', Buffer.concat([Buffer.from(HEADER), Buffer.from([0xed, 0xa0, 0x80])])],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${HEADER}SELECT 1`, 'utf16le')],
  ])('%s: the file is refused', async (_, content) => {
    expect(codesOf(await loadHostile({ [BAD]: content }))).toEqual(['file.not-utf8']);
  });
  test('UTF-16 without a mark, which is UTF-8 with zeros, is an error too', async () => {
    const report = await loadHostile({ [BAD]: Buffer.from(`${HEADER}SELECT 1 AS x`, 'utf16le') });
    expect(report.diagnostics.map(({ severity }) => severity)).toContain('error');
  });
  test.each(['', ' \n\t', '-- nothing'])('a file with nothing in it (%j) is said to be so', async (text) => {
    const report = await loadHostile({ [BAD]: text });
    expect(codesOf(report)).toEqual(['file.empty']);
  });
});
