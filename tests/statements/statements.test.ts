/** Statements as a door submits them: a real project, its warehouse and its state. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Identity } from '../../src/domain/principal.ts';
import { cancelStatement } from '../../src/operations/ask/cancel-statement.ts';
import { getStatement } from '../../src/operations/ask/get-statement.ts';
import { listStatements } from '../../src/operations/ask/list-statements.ts';
import type { ResultPage, ResultStream } from '../../src/operations/ask/result-page.ts';
import { statementFigures } from '../../src/operations/ask/statement-figures.ts';
import { statementResult } from '../../src/operations/ask/statement-result.ts';
import type { Question, Submission } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { transpileQuestion } from '../../src/operations/ask/transpile-question.ts';
import type { Product } from '../../src/operations/platform.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { ADMIN, identityOf, type ServedProduct, servedProduct } from '../support/served-product.ts';

let served: ServedProduct;
let product: Product;
beforeAll(async () => {
  served = await servedProduct(SEMANTIC_PROJECT);
  product = served.product;
});
afterAll(() => served.close());

const WAIT_MS = 30_000;
const CONSUMER = identityOf({ productRoles: { 'default-asked': 'consumer' } });
const EVA = identityOf({
  principalId: 'u_eva',
  name: 'eva',
  groups: ['eu'],
  productRoles: { 'default-asked': 'consumer' },
});
const EDITOR = identityOf({ principalId: 'u_ed', productRoles: { 'default-asked': 'editor' } });
const sql = (text: string, ...parameters: readonly unknown[]): Question => ({
  kind: 'sql',
  sql: text,
  parameters,
});

async function submitted(question: Question, more: Partial<Submission> = {}, asker: Identity = ADMIN) {
  const answer = await submitStatement(product, asker, { question, waitMs: WAIT_MS, ...more });
  if (!answer.ok) throw new Error(JSON.stringify(answer.diagnostics));
  return answer;
}
async function rowsOf(
  question: Question,
  more: Partial<Submission> = {},
  asker: Identity = ADMIN,
): Promise<unknown> {
  const { statement, page } = await submitted(question, more, asker);
  if (page === undefined) throw new Error(JSON.stringify(statement));
  return JSON.parse(page.rows);
}
async function refusals(question: Question, asker: Identity = ADMIN): Promise<readonly string[]> {
  const answer = await submitStatement(product, asker, { question, waitMs: WAIT_MS });
  if (answer.ok) throw new Error(`accepted: ${JSON.stringify(answer)}`);
  return answer.diagnostics.map(({ code, at }) =>
    at === undefined ? code : `${code} ${at.start}-${at.end}`,
  );
}
async function bytesOf(answer: ResultPage | ResultStream): Promise<Buffer> {
  if (answer.kind !== 'stream') throw new Error('not a stream');
  const all: Buffer[] = [];
  for await (const chunk of answer.chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe('SQL over models', () => {
  test('reads views of the environment, also without a schema of its own, beside common tables and with aliases', async () => {
    expect(
      await rowsOf(sql('SELECT order_id, amount FROM marts.orders WHERE order_id < 3 ORDER BY 1')),
    ).toEqual([
      [1, '10.00'],
      [2, '20.50'],
    ]);
    expect(
      await rowsOf(
        sql(
          'WITH big AS (SELECT * FROM "MARTS"."Orders" AS o WHERE o.amount > 15) SELECT count(*), max(big.amount) FROM big',
        ),
      ),
    ).toEqual([[2, '100.00']]);
    expect(
      await rowsOf(
        sql(
          'SELECT orders.order_id FROM marts.orders JOIN marts.customers ON orders.customer_id = customers.customer_id ORDER BY 1',
        ),
      ),
    ).toEqual([[1], [2], [3]]);
  });

  test('answers with a statement that says all about itself', async () => {
    const { statement, page } = await submitted(
      sql('SELECT order_id, amount, ordered_at FROM marts.orders'),
      { tags: ['x'] },
    );
    expect(statement).toMatchObject({
      status: 'SUCCESS',
      queryType: 'sql',
      environment: 'prod',
      principalId: 'local',
      rowCount: 4,
      isTruncated: false,
      dependsOn: ['marts.orders'],
      tags: ['x'],
      sql: 'SELECT order_id, amount, ordered_at FROM marts.orders',
    });
    expect(statement.id).toMatch(/^s_/);
    expect(statement.columns).toMatchObject([
      { name: 'order_id', type: 'integer' },
      { name: 'amount', type: 'decimal', precision: 10, scale: 2 },
      { name: 'ordered_at', type: 'timestamp' },
    ]);
    expect(page).toMatchObject({ kind: 'page', count: 4, rowCount: 4 });
    expect(await getStatement(product, ADMIN, { id: statement.id })).toEqual(statement);
  });

  test('what can be seen wrong is told at its place before anything is queued', async () => {
    expect(await refusals(sql('SELECT * FROM marts.ordres'))).toEqual(['query.unknown-model 14-26']);
    expect(await refusals(sql('SELECT * FROM nowhere, marts.nothing'))).toEqual([
      'query.unknown-model 14-21',
      'query.unknown-model 23-36',
    ]);
    expect((await refusals(sql('DROP TABLE marts.orders')))[0]).toMatch(/^query\./);
    expect((await refusals(sql("SELECT * FROM read_csv('/etc/passwd')")))[0]).toMatch(/^query\./);
    expect(await refusals(sql('SELECT 1', 5))).toEqual(['statement.bad-parameters']);
    expect(await refusals(sql('SELECT ?'))).toEqual(['statement.bad-parameters']);
    expect(await refusals(sql('SELECT ?', [1]))).toEqual(['statement.bad-parameters']);
    // Rounded by whoever read the JSON.
    expect(await refusals(sql('SELECT ?', 2 ** 53))).toEqual(['statement.bad-parameters']);
  });

  test('what goes wrong while it runs is a state', async () => {
    const { statement } = await submitted(sql('SELECT CAST(status AS INTEGER) FROM marts.orders'));
    expect(statement).toMatchObject({ status: 'FAILED' });
    expect(statement.error?.code).toMatch(/^engine\./);
    await expect(statementResult(product, ADMIN, { id: statement.id, format: 'json' })).rejects.toMatchObject(
      {
        code: 'statement.no-result',
        message: expect.stringContaining(statement.error?.message.slice(0, -1) ?? '?'),
      },
    );
    const events = await product.world.state.events.events({ limit: 1_000 });
    expect(
      events.some(
        ({ event, data }) =>
          event === 'statement.failed' && (data as { statementId: string }).statementId === statement.id,
      ),
    ).toBe(true);
  });

  test('parameters arrive as the values they are, whatever is in them', async () => {
    expect(await rowsOf(sql('SELECT $2, $1, $2', 'a', 7))).toEqual([[7, 'a', 7]]);
    expect(
      await rowsOf(
        sql('SELECT 5-?, order_id FROM marts.orders WHERE status = ? AND order_id = 1', -1, 'completed'),
      ),
    ).toEqual([[6, 1]]);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom("'", "''", "\\'", "'; DROP TABLE x; --", '/*', '$$', "E'", '?'),
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
        ),
        async (value) => {
          if (typeof value === 'string' && value.includes('\0')) return;
          expect(await rowsOf(sql("SELECT '?', ? AS v", value))).toEqual([['?', value]]);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('semantic questions', () => {
  const expected = [
    ['completed', '115.25'],
    ['returned', '20.50'],
  ];
  const spellings: readonly (readonly [string, Question])[] = [
    ['SQL', sql('SELECT status, MEASURE(revenue) FROM orders GROUP BY 1 ORDER BY 1')],
    [
      'semantic SQL',
      { kind: 'semantic-sql', sql: 'SELECT status, MEASURE(revenue) FROM orders GROUP BY 1 ORDER BY 1' },
    ],
    [
      'a query',
      {
        kind: 'semantic-query',
        query: {
          measures: ['orders.revenue'],
          dimensions: ['orders.status'],
          order: { 'orders.status': 'asc' },
        },
      },
    ],
    [
      'a built query',
      {
        kind: 'built-query',
        query: {
          measures: ['orders.revenue'],
          dimensions: ['orders.status'],
          order: [{ member: 'orders.status', direction: 'asc' }],
        },
      },
    ],
    [
      'a metric',
      {
        kind: 'metric',
        metric: 'monthly_revenue',
        request: { granularity: 'none', dimensions: ['status'], order: { status: 'asc' } },
      },
    ],
  ];
  test.each(spellings)('as %s give the same answer', async (_, question) => {
    const rows = (await rowsOf(question)) as unknown[][];
    // A query lists its dimensions first, whatever they are called.
    expect(rows).toEqual(expected);
  });

  test('carry the policies of whoever asks', async () => {
    const question: Question = { kind: 'semantic-query', query: { measures: ['orders.count'] } };
    expect(await rowsOf(question)).toEqual([[4]]);
    expect(await rowsOf(question, {}, EVA)).toEqual([[3]]);
    expect(await rowsOf(sql('SELECT MEASURE(count) FROM orders'), {}, EVA)).toEqual([[3]]);
    await expect(submitStatement(product, CONSUMER, { question })).rejects.toMatchObject({
      code: 'policy.no-access',
    });
  });

  test('have columns that say what they show, totals, and a time zone', async () => {
    const { statement } = await submitted({
      kind: 'semantic-query',
      query: { measures: ['orders.revenue'], dimensions: ['orders.status'], limit: 1, total: true },
    });
    expect(statement).toMatchObject({ queryType: 'semantic-query', stats: { total: 2, rows: 1 } });
    expect(statement.columns?.[1]).toMatchObject({
      name: 'orders.revenue',
      type: 'decimal',
      semantic: { kind: 'measure', format: 'currency' },
    });
    const days: Question = {
      kind: 'semantic-query',
      query: {
        dimensions: ['orders.ordered_at.day'],
        filters: [{ member: 'orders.order_id', operator: 'equals', values: ['1'] }],
      },
    };
    expect(await rowsOf(days, { timezone: 'Asia/Tokyo' })).toEqual([['2025-01-06T00:00:00.000']]);
    expect(await refusals({ kind: 'semantic-query', query: { measures: ['orders.nothing'] } })).toEqual([
      'semantic.unknown-member',
    ]);
    expect(
      await refusals({ kind: 'metric', metric: 'monthly_revenue', request: { granulaity: 'month' } }),
    ).toEqual(['query.unknown-key']);
    expect(await refusals({ kind: 'semantic-sql', sql: 'SELECT * FROM marts.orders' })).toEqual([
      'statement.not-semantic',
    ]);
  });

  test('in SQL cannot be used to run what plain SQL cannot', async () => {
    expect((await refusals(sql("SELECT status, getenv('HOME') FROM orders")))[0]).toMatch(
      /^(?:query|semantic)\./,
    );
    expect((await refusals(sql("SELECT status FROM orders, read_csv('/etc/passwd')")))[0]).toMatch(
      /^(?:query|semantic)\./,
    );
  });

  test('are shown as SQL without being run', async () => {
    const shown = await transpileQuestion(product, EVA, { question: spellings[2]![1] });
    expect(shown).toMatchObject({ ok: true, queryType: 'semantic-query', dependsOn: ['marts.orders'] });
    expect(shown.ok && shown.sql).toContain("'completed'");
  });
});

describe('rights', () => {
  test('models need a scope and a role, and policies over them are not gone around', async () => {
    const lines = sql('SELECT count(*) FROM marts.lines');
    expect(await rowsOf(lines, {}, CONSUMER)).toEqual([[4]]);
    const limited = { ...CONSUMER, scopes: ['query:read'] as const };
    await expect(submitStatement(product, limited, { question: lines })).rejects.toMatchObject({
      code: 'policy.no-access',
    });
    await expect(submitStatement(product, identityOf(), { question: lines })).rejects.toMatchObject({
      code: 'policy.no-access',
    });
    for (const asker of [CONSUMER, EVA, EDITOR])
      await expect(
        submitStatement(product, asker, { question: sql('SELECT * FROM marts.orders') }),
      ).rejects.toMatchObject({ code: 'policy.model-restricted' });
    expect(await rowsOf(sql('SELECT count(*) FROM marts.orders'))).toEqual([[4]]);
  });

  test('a statement of somebody else is as unknown as none', async () => {
    const { statement } = await submitted(sql('SELECT 1 AS mine'), {}, CONSUMER);
    const { id } = statement;
    const unknown = { code: 'statement.unknown' };
    await expect(getStatement(product, EVA, { id })).rejects.toMatchObject(unknown);
    await expect(statementResult(product, EVA, { id, format: 'json' })).rejects.toMatchObject(unknown);
    await expect(cancelStatement(product, EVA, id)).rejects.toMatchObject(unknown);
    await expect(getStatement(product, EVA, { id: 's_never' })).rejects.toMatchObject(unknown);
    expect((await getStatement(product, ADMIN, { id })).id).toBe(id);
    const [own, all] = [
      await listStatements(product, EVA, { limit: 1_000, all: true }),
      await listStatements(product, ADMIN, { limit: 1_000, all: true }),
    ];
    expect(own.items.every(({ principalId }) => principalId === 'u_eva')).toBe(true);
    expect(all.items.some((each) => each.id === id)).toBe(true);
    const first = await listStatements(product, ADMIN, { limit: 1, all: true });
    const second = await listStatements(product, ADMIN, { limit: 1, all: true, before: first.next });
    expect([...first.items, ...second.items].map((each) => each.id)).toEqual(
      all.items.slice(0, 2).map((each) => each.id),
    );
  });
});

describe('answers that are kept', () => {
  const count = sql('SELECT count(*) AS kept FROM marts.lines');
  const strategyOf = async (question: Question, more: Partial<Submission> = {}, asker = ADMIN) =>
    (await submitted(question, more, asker)).statement.strategy;
  test('are given again, also to others who may ask, unless they decline or it is not stable', async () => {
    expect(await strategyOf(count)).toBe('execute');
    expect(await strategyOf(count)).toBe('from_cache');
    expect(await strategyOf(count, {}, CONSUMER)).toBe('from_cache');
    expect(await rowsOf(count)).toEqual([[4]]);
    expect(await strategyOf(count, { cache: false })).toBe('execute');
    expect(await strategyOf(count, { rowLimit: 10 })).toBe('execute');
    for (const unstable of ['SELECT random() FROM marts.lines', 'SELECT now()']) {
      await strategyOf(sql(unstable));
      expect(await strategyOf(sql(unstable))).toBe('execute');
    }
  });
});

describe('results', () => {
  const question = sql(
    "SELECT i AS n, i * 1.5 AS price, CASE WHEN i % 3 = 0 THEN NULL ELSE 'text, \"' || i || '\"' END AS word, DATE '2024-01-01' + CAST(i % 300 AS INTEGER) AS day FROM range(30000) AS t(i) ORDER BY i",
  );
  let id = '';
  beforeAll(async () => {
    const { statement, page } = await submitted(question, { pageRows: 2 });
    ({ id } = statement);
    expect(page).toMatchObject({ count: 2, rowCount: 30_000, nextOffset: 2 });
    expect(JSON.parse(page!.rows)).toEqual([
      [0, '0.0', null, '2024-01-01'],
      [1, '1.5', 'text, "1"', '2024-01-02'],
    ]);
  });

  test('come in pages, anywhere, with some of the columns', async () => {
    const page = (await statementResult(product, ADMIN, {
      id,
      format: 'json',
      offset: 20_001,
      limit: 2,
      columns: ['day', 'n'],
    })) as ResultPage;
    expect(page.columns.map(({ name }) => name)).toEqual(['day', 'n']);
    expect(JSON.parse(page.rows)).toEqual([
      ['2024-07-20', 20_001],
      ['2024-07-21', 20_002],
    ]);
    expect(page.nextOffset).toBe(20_003);
    const last = (await statementResult(product, ADMIN, {
      id,
      format: 'json',
      offset: 29_999,
    })) as ResultPage;
    expect(last).toMatchObject({ count: 1 });
    expect(last.nextOffset).toBeUndefined();
    expect(await statementResult(product, ADMIN, { id, format: 'json', offset: 50_000 })).toMatchObject({
      count: 0,
      rows: '[]',
    });
    await expect(
      statementResult(product, ADMIN, { id, format: 'json', columns: ['dya'] }),
    ).rejects.toMatchObject({ code: 'statement.unknown-column' });
  });

  test('come as files that say the same', async () => {
    const csv = (await bytesOf(await statementResult(product, ADMIN, { id, format: 'csv' }))).toString();
    expect(csv.split('\r\n').slice(0, 3)).toEqual([
      'n,price,word,day',
      '0,0.0,,2024-01-01',
      '1,1.5,"text, ""1""",2024-01-02',
    ]);
    expect(csv.split('\r\n').length).toBe(30_002);
    const ndjson = (
      await bytesOf(await statementResult(product, ADMIN, { id, format: 'ndjson', limit: 2, offset: 1 }))
    ).toString();
    expect(
      ndjson
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { n: 1, price: '1.5', word: 'text, "1"', day: '2024-01-02' },
      { n: 2, price: '3.0', word: 'text, "2"', day: '2024-01-03' },
    ]);
    const parquet = await statementResult(product, ADMIN, { id, format: 'parquet' });
    expect((await bytesOf(parquet)).subarray(0, 4).toString()).toBe('PAR1');
    const arrow = await statementResult(product, ADMIN, { id, format: 'arrow' });
    expect((await bytesOf(arrow)).subarray(-8).toString('hex')).toBe('ffffffff00000000');
  });

  test('can be cut at a row limit', async () => {
    const { statement } = await submitted(sql('SELECT * FROM range(100000)'), { rowLimit: 70_000 });
    expect(statement).toMatchObject({ status: 'SUCCESS', rowCount: 70_000, isTruncated: true });
    const none = await submitted(sql('SELECT * FROM range(100)'), { rowLimit: 5, onLimit: 'fail' });
    expect(none.statement.error?.code).toBe('statement.too-many-rows');
  });
});

describe('time', () => {
  const endless = sql('SELECT count(*) FROM range(1000000000000) AS a(i) WHERE a.i % 7 = 3');
  test('a statement that runs can be cancelled, and has no result before', async () => {
    const answer = await submitStatement(product, ADMIN, { question: endless });
    if (!answer.ok) throw new Error('refused');
    const { id } = answer.statement;
    expect(answer.statement.status).toBe('IN_PROGRESS');
    await expect(statementResult(product, ADMIN, { id, format: 'csv' })).rejects.toMatchObject({
      code: 'statement.not-finished',
    });
    expect(statementFigures(product)).toMatchObject({ running: 1, queued: 0 });
    expect((await cancelStatement(product, ADMIN, id)).status).toBe('CANCELLED');
    expect(await rowsOf(sql('SELECT 41 + 1'))).toEqual([[42]]);
  });

  test('one that takes too long is stopped', async () => {
    const { statement } = await submitted(endless, { timeoutMs: 300 });
    expect(statement).toMatchObject({ status: 'FAILED', error: { code: 'statement.timed-out' } });
  });

  test('waiting ends with the wait, and may take the statement with it', async () => {
    const answer = await submitStatement(product, ADMIN, {
      question: endless,
      waitMs: 50,
      onWaitTimeout: 'cancel',
    });
    expect(answer.ok && answer.statement.status).toBe('CANCELLED');
  });

  test('options out of bounds are refused, all at once', async () => {
    const answer = await submitStatement(product, ADMIN, {
      question: sql(`SELECT '${'x'.repeat(1_100_000)}'`),
      timeoutMs: 4e6,
      rowLimit: 0,
      ttlMs: -1,
      tags: [''],
      timezone: 'Asia/Tokyo',
    });
    expect(!answer.ok && answer.diagnostics.map(({ message }) => message.split(' ')[0])).toEqual([
      'timeout',
      'row_limit',
      'ttl',
      'tags',
      'sql',
      'timezone',
    ]);
  });
});

test('a macro that takes the name of a function is not called by texts that were inspected before', async () => {
  const { engine } = product.world;
  const mine = sql("SELECT upper('x') AS v, count(*) FROM marts.lines");
  const again = sql('SELECT v FROM (SELECT upper(product) AS v FROM marts.lines) ORDER BY v LIMIT 1');
  const text: Question = {
    kind: 'semantic-sql',
    sql: 'SELECT MEASURE(count), upper(status) FROM orders GROUP BY 2',
  };
  for (const question of [mine, again, text])
    expect((await submitted(question, { cache: false })).statement.status).toBe('SUCCESS');
  await engine.write([], (session) => session.execute("CREATE MACRO upper(x) AS 'secret'"));
  try {
    for (const question of [mine, again, text]) {
      const answer = await submitStatement(product, ADMIN, { question, waitMs: WAIT_MS, cache: false });
      const codes = answer.ok ? [answer.statement.error?.code] : answer.diagnostics.map(({ code }) => code);
      expect(codes).toEqual(['query.function-not-allowed']);
    }
  } finally {
    await engine.write([], (session) => session.execute('DROP MACRO upper'));
  }
  expect((await submitted(mine, { cache: false })).statement.status).toBe('SUCCESS');
});

test('after a plan the same question is compiled anew and sees what it should', async () => {
  const question = sql('SELECT count(*) AS lines FROM marts.lines');
  expect(await rowsOf(question)).toEqual([[4]]);
  served.project.write({
    'models/lines.sql': `MODEL (name marts.lines, kind FULL, grain line_id);
SELECT line_id::INTEGER AS line_id, order_id::INTEGER AS order_id, product::TEXT AS product, pieces::INTEGER AS pieces
FROM (VALUES (1, 1, 'pen', 2), (2, 1, 'ink', 1)) AS t(line_id, order_id, product, pieces)
`,
  });
  await served.plan();
  const { statement, page } = await submitted(question);
  expect([statement.strategy, page?.rows]).toEqual(['execute', '[[2]]']);
});

test('after a plan a question that was refused before it is answered', async () => {
  const semantic = 'models/semantics/orders.yml';
  const orders = SEMANTIC_PROJECT[semantic] ?? '';
  const question = { kind: 'semantic-query', query: { measures: ['orders.fresh'] } } as const;
  expect(await refusals(question)).toEqual(['semantic.unknown-member']);
  served.project.write({
    [semantic]: orders.replace('measures:\n', 'measures:\n  - {name: fresh, type: count}\n'),
  });
  await served.plan();
  expect(await rowsOf(question)).toHaveLength(1);
});
