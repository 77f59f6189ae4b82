/** What no data version can vouch for is kept only for those who say how old an answer may be. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Submission } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct({
    'config.yaml': `name: kept
gateways: {local: {connection: {type: duckdb, database: kept.duckdb}}}
before_all:
  - CREATE SCHEMA IF NOT EXISTS raw
  - CREATE TABLE IF NOT EXISTS raw.numbers AS SELECT 1 AS n
`,
    'external_models.yaml': '- {name: raw.numbers, columns: {n: int}}\n',
    'models/plain.sql': 'MODEL (name m.plain, kind FULL);\nSELECT 1 AS n\n',
    'models/outside.sql': 'MODEL (name m.outside, kind VIEW);\nSELECT n FROM raw.numbers\n',
  });
});
afterAll(() => served.close());

async function strategyOf(sql: string, more: Partial<Submission> = {}): Promise<string> {
  const submission = { question: { kind: 'sql', sql }, waitMs: 30_000, ...more } as const;
  const answer = await submitStatement(served.product, ADMIN, submission);
  if (!answer.ok) throw new Error(JSON.stringify(answer.diagnostics));
  expect(answer.statement.status).toBe('SUCCESS');
  return answer.statement.strategy;
}

const HOUR_MS = 3_600_000;

describe.each([
  ['a volatile function', 'SELECT random() AS r FROM m.plain'],
  ['an external table', 'SELECT n FROM m.outside'],
])('an answer of %s', (_, sql) => {
  test('is not kept without a ttl', async () => {
    expect([await strategyOf(sql), await strategyOf(sql)]).toEqual(['execute', 'execute']);
  });

  test('is kept with one, for those who have one', async () => {
    expect(await strategyOf(sql, { ttlMs: HOUR_MS })).toBe('execute');
    expect(await strategyOf(sql, { ttlMs: HOUR_MS })).toBe('from_cache');
    expect(await strategyOf(sql)).toBe('execute');
    expect(await strategyOf(sql, { ttlMs: HOUR_MS, cache: false })).toBe('execute');
    expect(await strategyOf(sql, { ttlMs: 0 })).toBe('execute');
  });
});

test('an answer of data that is known is kept without a ttl, and not longer than one says', async () => {
  const sql = 'SELECT n FROM m.plain';
  expect(await strategyOf(sql)).toBe('execute');
  expect(await strategyOf(sql)).toBe('from_cache');
  expect(await strategyOf(sql, { ttlMs: HOUR_MS })).toBe('from_cache');
});
