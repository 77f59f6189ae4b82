/** Limits of config.yaml, as a product obeys them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getStatement } from '../../src/operations/ask/get-statement.ts';
import type { Submission } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import type { Product } from '../../src/operations/platform.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { ADMIN, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
let product: Product;
beforeAll(async () => {
  served = await servedProduct({
    ...SEMANTIC_PROJECT,
    'config.yaml': `${SEMANTIC_PROJECT['config.yaml']}
server:
  limits:
    statements_running: 1
    statements_queued: 1
    statement_seconds_default: 2
    statement_seconds_max: 5
    page_rows: 2
    parameters: 1
    result_hours: 0.001
`,
  });
  product = served.product;
});
afterAll(() => served.close());

const submit = (sql: string, more: Partial<Submission> = {}) =>
  submitStatement(product, ADMIN, { question: { kind: 'sql', sql }, ...more });

test('so many run, so many wait, and the next is refused; the time is that of the configuration', async () => {
  const endless = (n: number): string =>
    `SELECT count(*) + ${n} FROM range(1000000000000) AS a(i) WHERE a.i % 7 = 3`;
  const [first, second] = [await submit(endless(1)), await submit(endless(2))];
  if (!first.ok || !second.ok) throw new Error('refused');
  expect([first.statement.status, second.statement.status]).toEqual(['IN_PROGRESS', 'QUEUED']);
  await expect(submit(endless(3))).rejects.toMatchObject({ code: 'statement.too-many' });
  for (const { statement } of [first, second])
    expect(await getStatement(product, ADMIN, { id: statement.id, waitMs: 60_000 })).toMatchObject({
      status: 'FAILED',
      error: { code: 'statement.timed-out', message: expect.stringContaining('2') },
    });
});

test('pages have as many rows, and results stay as long as the configuration says', async () => {
  const answer = await submit('SELECT i FROM range(5) AS t(i)', { waitMs: 30_000 });
  if (!answer.ok) throw new Error('refused');
  expect(answer.page).toMatchObject({ count: 2, rowCount: 5, nextOffset: 2 });
  const { finishedAt = 0, expiresAt = 0 } = answer.statement;
  expect(expiresAt - finishedAt).toBe(3_600);
});

test('a longer time or more parameters than the configuration allows are refused', async () => {
  const refused = async (more: Partial<Submission>): Promise<unknown> => {
    const answer = await submit('SELECT 1', more);
    return answer.ok
      ? answer.statement.status
      : answer.diagnostics.map(({ code, message }) => [code, message]);
  };
  expect(await refused({ timeoutMs: 6_000 })).toEqual([
    ['statement.bad-option', expect.stringContaining('5 seconds')],
  ]);
  expect(await refused({ question: { kind: 'sql', sql: 'SELECT ?, ?', parameters: [1, 2] } })).toEqual([
    ['statement.bad-option', expect.stringContaining('at most 1')],
  ]);
});
