/** Results as Parquet: whatever type a column has there is a file, and what is in it is what was answered. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ResultStream } from '../../src/operations/ask/result-page.ts';
import { statementResult } from '../../src/operations/ask/statement-result.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(SEMANTIC_PROJECT);
});
afterAll(() => served.close());

/** Type and value in the file, as another DuckDB reads them. */
async function kept(expression: string): Promise<readonly unknown[]> {
  const { product } = served;
  const question = { kind: 'sql', sql: `SELECT ${expression} AS cell` } as const;
  const asked = await submitStatement(product, ADMIN, { question, waitMs: 30_000 });
  if (!asked.ok) throw new Error(JSON.stringify(asked.diagnostics));
  const { id } = asked.statement;
  const { chunks } = (await statementResult(product, ADMIN, { id, format: 'parquet' })) as ResultStream;
  const file = join(served.project.folder, `${id}.parquet`);
  await writeFile(file, chunks);
  const database = await plainDuckdb(served.project.folder);
  return (await database.query(`SELECT typeof(cell), cell::VARCHAR FROM '${file}'`)).rows[0] ?? [];
}

test.each([
  ["'\\xAA\\x00b'::BLOB", 'BLOB', '\\xAA\\x00b'],
  ["['\\xAA'::BLOB]", 'BLOB[]', '[\\xAA]'],
  [`{'BLOB': '\\xAA'::BLOB}`, 'STRUCT(BLOB BLOB)', "{'BLOB': \\xAA}"],
  ["MAP {'k': 1}", 'VARCHAR', '[{"key":"k","value":1}]'],
  ['[INTERVAL 3 DAY]', 'VARCHAR', '[{"months":0,"days":3,"micros":"0"}]'],
  ["'101'::BIT", 'VARCHAR', '101'],
  ['union_value(num := 2)', 'VARCHAR', '{"tag":"num","value":2}'],
  ['[170141183460469231731687303715884105727]', 'VARCHAR', '["170141183460469231731687303715884105727"]'],
  ["{'a': [1.50::DECIMAL(4, 2)]}", 'STRUCT(a DECIMAL(4,2)[])', "{'a': [1.50]}"],
  ["'x'::ENUM('x', 'MAP(')", 'VARCHAR', 'x'],
  ["TIMESTAMPTZ '2025-01-01 12:00:00+02'", 'TIMESTAMP WITH TIME ZONE', '2025-01-01 10:00:00+00'],
])('%s is %s', async (expression, type, value) => expect(await kept(expression)).toEqual([type, value]));
