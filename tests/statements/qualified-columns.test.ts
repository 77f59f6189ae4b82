/** Columns with the schema of their table in front, as BI tools write them, in prod and where the view has another name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { ADMIN, planProduct, type ServedProduct, servedProduct } from '../support/served-product.ts';

const FILES = {
  'config.yaml': 'gateways:\n  local:\n    connection: {type: duckdb}\n',
  'models/a.sql': "MODEL (name a.t, kind FULL);\nSELECT 1 AS id, {'x': 7} AS s;\n",
  'models/b.sql': 'MODEL (name b.t, kind FULL);\nSELECT id, id + 1 AS more FROM a.t;\n',
};

let served: ServedProduct;
beforeAll(async () => {
  served = await servedProduct(FILES);
  served.project.write({ 'models/a.sql': `${FILES['models/a.sql'].slice(0, -2)}, 1 AS other;\n` });
  await planProduct(served.product, 'dev');
});
afterAll(() => served.close());

async function answerOf(sql: string, environment: string): Promise<unknown> {
  const answer = await submitStatement(served.product, ADMIN, {
    question: { kind: 'sql', sql },
    environment,
    waitMs: 30_000,
  });
  if (!answer.ok) throw new Error(JSON.stringify(answer.diagnostics));
  if (answer.page === undefined) throw new Error(JSON.stringify(answer.statement.error));
  return JSON.parse(answer.page.rows);
}

describe.each(['prod', 'dev'])('in %s', (environment) => {
  test.each([
    ['SELECT a.t.id FROM a.t', [[1]]],
    ['SELECT "a"."t"."id", A . T . id, a./* b.t */t.id FROM a.t', [[1, 1, 1]]],
    ["SELECT 'a.t.id' AS text, t.id FROM a.t", [['a.t.id', 1]]],
    ['SELECT a.t.s.x FROM a.t', [[7]]],
    ['SELECT (a.t).id FROM a.t', [[1]]],
    ['SELECT a.t.id, b.t.more FROM a.t JOIN b.t ON a.t.id = b.t.id', [[1, 2]]],
    ['SELECT b.t.more FROM b.t WHERE b.t.id IN (SELECT a.t.id FROM a.t WHERE a.t.id = b.t.id)', [[2]]],
    ['SELECT t.id FROM a.t UNION ALL SELECT t.id FROM b.t', [[1], [1]]],
    ['SELECT count(a.t.id) AS n FROM a.t GROUP BY a.t.id ORDER BY a.t.id', [[1]]],
    ["SELECT a.t.id FROM (SELECT {'id': 5} AS t) AS a", [[5]]],
    ["SELECT (SELECT a.t.id FROM (SELECT {'id': 5} AS t) AS a) AS n FROM a.t", [[5]]],
    ['WITH a AS (SELECT 3 AS id) SELECT a.id, t.id FROM a, a.t', [[3, 1]]],
    ['SELECT é.id, a.t.id FROM a.t AS é, a.t', [[1, 1]]],
    ['SELECT a.t FROM a.t WHERE a.t.id = 2', []],
  ])('%s', async (sql, rows) => {
    expect(await answerOf(sql, environment)).toEqual(rows);
  });

  test('a table that has another name is not found by its own', async () => {
    await expect(answerOf('SELECT a.t.id FROM a.t AS other', environment)).rejects.toThrow(/a\.t|not found/);
  });
});
