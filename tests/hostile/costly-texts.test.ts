/** Texts that cost an engine far more to read than to answer: answered or refused by their limit, never a mistake of the server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct({
    'config.yaml': 'name: costly\n',
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS i',
  });
});
afterAll(() => served.close());

async function told(sql: string): Promise<string> {
  const question = { kind: 'sql', sql } as const;
  const answer = await submitStatement(served.product, ADMIN, { question, waitMs: 30_000 });
  if (!answer.ok) return answer.diagnostics.map(({ code }) => code).join();
  return answer.page?.rows ?? `${answer.statement.status} ${answer.statement.error?.code}`;
}

test.each([
  ['block comments', `${'/**/'.repeat(20_000)}SELECT 1 AS n`, '[[1]]'],
  ['comments between words', `SELECT ${'/* - */ '.repeat(20_000)} 1 AS n -- end`, '[[1]]'],
  ['comments in a model query', `SELECT /* a -- b */ i FROM /* x */ s.m -- y`, '[[1]]'],
  ['comments that never end', `SELECT 1 ${'/*'.repeat(10_000)}`, 'query.too-complex'],
  ['places for values', `SELECT ${'?,'.repeat(200_000)}?`, 'query.too-complex'],
  ['fewer places for values', `SELECT [${'?,'.repeat(20_000)}?]`, 'statement.bad-parameters'],
  ['columns', `SELECT ${'1,'.repeat(1_600)}1`, 'query.too-complex'],
  ['escapes', `SELECT e'${'\\n'.repeat(100_000)}'`, 'query.too-complex'],
  ['keys of GROUP BY', `SELECT 1 FROM s.m GROUP BY ${'i,'.repeat(20_000)}i`, 'query.too-complex'],
  ['keys of ROLLUP', `SELECT 1 FROM s.m GROUP\u2003BY ROLLUP (${'i,'.repeat(20_000)}i)`, 'query.too-complex'],
  [
    'grouping sets',
    `SELECT 1 FROM s.m GROUP BY CUBE (i, i+1, i+2, i+3, i+4, i+5, i+6, i+7)`,
    'query.too-complex',
  ],
  ['subqueries inside each other', `${'SELECT ('.repeat(9)}SELECT 1${')'.repeat(9)}`, 'query.too-complex'],
  [
    'values of PIVOT',
    `SELECT * FROM (PIVOT s.m ON i IN (${'1,'.repeat(50)}2), i IN (${'1,'.repeat(50)}2) USING count(*))`,
    'query.too-complex',
  ],
  ['items of a list', `SELECT [${'1,'.repeat(500_000)}1][1]`, 'query.too-complex'],
  ['items of IN', `SELECT 1 WHERE 1 IN (${'1,'.repeat(500_000)}1)`, 'query.too-complex'],
  ['queries in a row', `SELECT 1${' UNION ALL SELECT 1'.repeat(50_000)}`, 'query.too-complex'],
])('many %s', async (_, sql, expected) => {
  expect(await told(sql)).toBe(expected);
});
