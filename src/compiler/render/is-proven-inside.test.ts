import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isProvenInside, type ProvenColumn } from './is-proven-inside.ts';

const range = { start: Date.UTC(2024, 0, 2), end: Date.UTC(2024, 0, 4) };
const proven = (query: string, type: ProvenColumn['type'] = 'date'): boolean =>
  isProvenInside(query, 'duckdb', { column: 'd', type }, range);

describe('what the text of a query proves', () => {
  test.each([
    "SELECT d FROM t WHERE d BETWEEN '2024-01-02' AND '2024-01-03'",
    "SELECT x.d, 1 AS i FROM t AS x LEFT JOIN u ON x.i = u.i WHERE x.D >= DATE '2024-01-02' AND x.d < CAST('2024-01-04' AS TIMESTAMP) AND u.i > 1",
    "SELECT e AS d FROM t WHERE '2024-01-03' = e",
    "SELECT * FROM t WHERE d = '2024-01-02'",
    "WITH a AS (SELECT d, i FROM t WHERE d BETWEEN '2024-01-02' AND '2024-01-03'), b AS (SELECT * FROM a) SELECT b.* FROM b JOIN u ON b.i = u.i",
    "SELECT q.d FROM (SELECT e AS d FROM t WHERE e > '2024-01-02' AND e <= '2024-01-03') AS q LEFT JOIN u ON TRUE",
    "SELECT d, COUNT(*) FROM t WHERE d BETWEEN '2024-01-02' AND '2024-01-03' GROUP BY d",
    "SELECT d FROM t WHERE d = '2024-01-02' UNION ALL SELECT e AS d FROM t WHERE e = '2024-01-03'",
    "SELECT CAST(e AS DATE) AS d FROM t WHERE CAST(e AS DATE) BETWEEN '2024-01-02' AND '2024-01-03'",
  ])('proven: %s', (query) => expect(proven(query)).toBe(true));

  test.each([
    'SELECT d FROM t',
    "SELECT d FROM t WHERE d BETWEEN '2024-01-01' AND '2024-01-03'",
    "SELECT d FROM t WHERE d >= '2024-01-02'",
    "SELECT d FROM t WHERE d BETWEEN '2024-01-02' AND '2024-01-03' OR i = 1",
    "SELECT d FROM t WHERE NOT d BETWEEN '2024-01-02' AND '2024-01-03'",
    "SELECT d FROM t WHERE e BETWEEN '2024-01-02' AND '2024-01-03'",
    "SELECT q.d FROM u LEFT JOIN (SELECT d FROM t WHERE d = '2024-01-02') AS q ON TRUE",
    "SELECT d FROM t WHERE d = '2024-01-02' UNION ALL SELECT d FROM t",
    "SELECT d, i FROM t WHERE d = '2024-01-02' UNION ALL SELECT i, d FROM t WHERE d = '2024-01-02'",
    "SELECT d FROM t WHERE d = '2024-01-02' GROUP BY ROLLUP (d)",
    "SELECT d + INTERVAL 1 DAY AS d FROM t WHERE d = '2024-01-02'",
    "SELECT MAX(e) AS d FROM t WHERE e = '2024-01-02'",
    "SELECT d FROM t WHERE d BETWEEN '2024-01-02' AND getvariable('x')",
    "WITH RECURSIVE a AS (SELECT d FROM t WHERE d = '2024-01-02' UNION ALL SELECT d + 1 FROM a) SELECT d FROM a",
    'not a query',
  ])('not proven: %s', (query) => expect(proven(query)).toBe(false));

  test('ends that are part of a range of timestamps', () => {
    const upTo = (end: string): string => `SELECT d FROM t WHERE d BETWEEN '2024-01-02' AND '${end}'`;
    expect(proven(upTo('2024-01-03 23:59:59.999999'), 'timestamp')).toBe(true);
    expect(proven(upTo('2024-01-03 23:59:59.999999+00:00'), 'timestamptz')).toBe(true);
    expect(proven(upTo('2024-01-04'), 'timestamp')).toBe(false);
    expect(proven(upTo('2024-01-03'), 'timestamp')).toBe(true);
  });
});

describe('whatever is proven is true of rows', () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run("SET TimeZone = 'UTC'");
    for (const type of ['DATE', 'TIMESTAMP', 'TIMESTAMPTZ']) {
      await connection.run(
        `CREATE TABLE t_${type} AS SELECT CAST(ts AS ${type}) AS d, CAST(ts + INTERVAL (i * 7) HOUR AS ${type}) AS e, i::INT AS i FROM (SELECT TIMESTAMP '2024-01-01 18:00' + INTERVAL (i * 6) HOUR - INTERVAL (i % 2) MICROSECOND AS ts, i FROM range(14) AS r(i)) UNION ALL SELECT NULL, NULL, 3`,
      );
      await connection.run(`CREATE TABLE u_${type} AS SELECT * FROM t_${type} WHERE i % 3 = 0`);
    }
  });
  afterAll(() => connection.closeSync());

  const limit = fc.constantFrom(
    '2024-01-01',
    '2024-01-02',
    '2024-01-03',
    '2024-01-04',
    '2024-01-03 23:59:59.999999',
    '2024-01-02 06:00:00',
  );
  const constant = fc
    .tuple(limit, fc.constantFrom('', 'DATE', 'TIMESTAMP'))
    .map(([text, type]) =>
      type === '' || (type === 'DATE' && text.length > 10) ? `'${text}'` : `CAST('${text}' AS ${type})`,
    );
  const condition = (columns: readonly string[]) => {
    const column = fc.constantFrom(...columns);
    return fc.oneof(
      fc.tuple(column, constant, constant).map(([c, a, b]) => `${c} BETWEEN ${a} AND ${b}`),
      fc
        .tuple(column, fc.constantFrom('<', '<=', '>', '>=', '=', '<>'), constant)
        .map((parts) => parts.join(' ')),
      fc.tuple(constant, fc.constantFrom('<', '<=', '>', '>='), column).map((parts) => parts.join(' ')),
      fc.constantFrom('TRUE', '1 < 2'),
    );
  };
  const where = (columns: readonly string[]) =>
    fc
      .tuple(
        fc.array(condition(columns), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(' AND ', ' AND ', ' AND ', ' OR '),
      )
      .map(([all, word]) => all.join(word));
  const base = fc
    .tuple(fc.constantFrom('d', 'e AS d', 'x.d', '*'), where(['d', 'e', 'x.d']))
    .map(([list, w]) => `SELECT ${list === '*' ? '*' : `${list}, i`} FROM t AS x WHERE ${w}`);
  const joins = fc.constantFrom('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
  const query = fc.oneof(
    base,
    fc
      .tuple(base, joins, where(['q.d', 'u.d']))
      .map(
        ([inner, join, w]) => `SELECT q.d, u.i FROM (${inner}) AS q ${join} u ON q.i = u.i + 1 WHERE ${w}`,
      ),
    fc
      .tuple(base, joins)
      .map(
        ([inner, join]) =>
          `WITH a AS (${inner}), b AS (SELECT * FROM a) SELECT b.d FROM b ${join} u ON b.i = u.i`,
      ),
    fc
      .tuple(base, joins)
      .map(([inner, join]) => `WITH a AS (${inner}) SELECT a.d FROM u ${join} a ON a.i = u.i`),
    fc
      .tuple(base, base, fc.constantFrom('UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT'))
      .map(([a, b, word]) => `SELECT d FROM (${a}) ${word} SELECT d FROM (${b})`),
    fc
      .tuple(base, fc.constantFrom('d', 'ROLLUP (d)', 'ALL'))
      .map(([inner, by]) => `SELECT d, COUNT(*) AS n FROM (${inner}) GROUP BY ${by}`),
  );

  test('on random queries', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(query, fc.constantFrom('DATE', 'TIMESTAMP', 'TIMESTAMPTZ'), async (text, type) => {
        if (!proven(text, type.toLowerCase() as ProvenColumn['type'])) return;
        count++;
        const own = text
          .replace(/\b(FROM|JOIN) ([tu])\b/g, `$1 $2_${type}`)
          .replace(/\bu_(\w+) (ON|JOIN)/g, 'u_$1 AS u $2')
          .replace(/\bu_(\w+) (LEFT|RIGHT|FULL)/g, 'u_$1 AS u $2');
        const reader = await connection.runAndReadAll(
          `SELECT COUNT(*) FROM (${own}) AS q WHERE (q.d >= TIMESTAMP '2024-01-02' AND q.d < TIMESTAMP '2024-01-04') IS NOT TRUE`,
        );
        expect([own, reader.getRowsJson()]).toEqual([own, [['0']]]);
      }),
      { numRuns: 3_000 },
    );
    expect(count).toBeGreaterThan(50);
  });
});
