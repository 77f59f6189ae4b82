/** What an answer says of the data that it rests on: by the columns that it used, and all that these are made of. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Environment } from '../../src/domain/environment.ts';
import type { Identity } from '../../src/domain/principal.ts';
import type { Statement } from '../../src/domain/statement.ts';
import { trustJson } from '../../src/domain/trust-json.ts';
import { getStatement } from '../../src/operations/ask/get-statement.ts';
import { statementResult } from '../../src/operations/ask/statement-result.ts';
import type { Question } from '../../src/operations/ask/submission.ts';
import { submitStatement } from '../../src/operations/ask/submit-statement.ts';
import { environmentHealth } from '../../src/operations/catalog/environment-health.ts';
import { environmentStatus } from '../../src/operations/change/environment-status.ts';
import { check } from '../../src/operations/quality/check.ts';
import { profile } from '../../src/operations/quality/profile.ts';
import { ADMIN, planProduct, type ServedProduct, servedProduct } from '../support/served-product.ts';

const FILES: Readonly<Record<string, string>> = {
  'config.yaml': 'name: trusted\nslo: {freshness: {max_age: 26h}}\n',
  'seeds/rows.csv': 'id,customer,amount,status\n1,ann,10,new\n2,,-5,new\n3,bob,7,old\n',
  'models/rows.sql': "MODEL (name raw.rows, kind SEED (path '../seeds/rows.csv'));",
  'models/orders.sql':
    'MODEL (name staging.orders, kind FULL);\nSELECT id, lower(customer) AS customer, amount, status FROM raw.rows',
  'models/daily.sql':
    'MODEL (name marts.daily, kind FULL);\nSELECT status, make_date(2025, 1, 1) AS day, sum(amount) AS revenue, count(*) AS orders FROM staging.orders GROUP BY status',
  'models/other.sql': 'MODEL (name marts.other, kind FULL);\nSELECT 1 AS a',
  'models/semantics/daily.yml':
    'kind: semantic\nname: daily\ndepends_on: marts.daily\nprimary_key: [status]\ndimensions: [status, day]\nmeasures: [{name: total, type: sum, expression: revenue}]\n',
  'models/metrics/total.yml': 'kind: metric\nname: sold\nmeasure: daily.total\nts: daily.day\n',
  'dq/rows.yml': `kind: dq
name: rows_dq
depends_on: raw.rows
rules:
  - missing_count(customer) = 0: {name: customer_known, severity: warning}
  - missing_count(id) = 0: {name: id_known}
  - anomaly for avg(amount): {name: learns}
`,
  'dq/orders.yml': `kind: dq
name: orders_dq
depends_on: staging.orders
rules:
  - min(amount) >= 0: {name: no_negative}
  - row_count > 1000: {name: many}
  - invalid_count(status) = 0: {name: only_new, valid_values: [new], severity: warning}
`,
};

let served: ServedProduct;

beforeAll(async () => {
  served = await servedProduct(FILES);
  for await (const event of check(served.product.world, { environment: 'prod', trigger: 'demand' }))
    expect(event.event).not.toBe('checks.failed');
});
afterAll(() => served?.close());

async function asked(question: Question, asker: Identity = ADMIN): Promise<Statement> {
  const answer = await submitStatement(served.product, asker, { question, waitMs: 20_000 });
  if (!answer.ok) throw new Error(JSON.stringify(answer.diagnostics));
  expect(answer.statement.error).toBeUndefined();
  return answer.statement;
}

const sql = (text: string): Question => ({ kind: 'sql', sql: text });

const failing = ({ trust }: Statement): readonly string[] =>
  (trust.observed?.checks ?? []).map(({ check: name, outcome }) => `${name} ${outcome}`);
const incidents = ({ trust }: Statement): readonly string[] =>
  (trust.observed?.incidents ?? []).map(({ check: name }) => name);

describe('checks that do not pass', () => {
  test('are those on the columns that a text reads, and on all rows; what only learns says nothing', async () => {
    expect(failing(await asked(sql('SELECT customer FROM raw.rows')))).toEqual([
      'rows_dq/customer_known warn',
    ]);
    expect(failing(await asked(sql('SELECT amount FROM raw.rows')))).toEqual([]);
    expect(failing(await asked(sql('SELECT id FROM staging.orders')))).toEqual(['orders_dq/many fail']);
    expect(failing(await asked(sql('SELECT * FROM staging.orders')))).toEqual([
      'orders_dq/many fail',
      'orders_dq/no_negative fail',
      'orders_dq/only_new warn',
      'rows_dq/customer_known warn',
    ]);
  });

  test('count through models, by the columns that a column is made of', async () => {
    const revenue = ['orders_dq/many fail', 'orders_dq/no_negative fail'];
    const questions: readonly Question[] = [
      sql('SELECT revenue FROM marts.daily'),
      sql('WITH d AS (SELECT revenue AS r FROM marts.daily) SELECT max(r) FROM d'),
      { kind: 'semantic-sql', sql: 'SELECT MEASURE(total) FROM daily' },
      { kind: 'semantic-query', query: { measures: ['daily.total'] } },
    ];
    for (const question of questions) {
      const found = await asked(question);
      expect(failing(found), JSON.stringify(question)).toEqual(revenue);
      expect(incidents(found).toSorted()).toEqual(['orders_dq/many', 'orders_dq/no_negative']);
    }
    expect(failing(await asked({ kind: 'semantic-query', query: { dimensions: ['daily.status'] } }))).toEqual(
      ['orders_dq/many fail', 'orders_dq/only_new warn'],
    );
  });

  test('are none where nothing is checked, or nothing is read', async () => {
    for (const text of ['SELECT a FROM marts.other', 'SELECT 1 AS a']) {
      const { trust } = await asked(sql(text));
      expect(trust.observed, text).toMatchObject({ checksTotal: 0, incidentsTotal: 0, checks: [] });
    }
  });
});

describe('the data version', () => {
  test('is the same for all answers over the same tables, and that of their profile', async () => {
    const [one, other, kept] = [
      await asked(sql('SELECT id FROM staging.orders')),
      await asked(sql('SELECT count(*) FROM staging.orders')),
      await asked(sql('SELECT id FROM staging.orders')),
    ];
    expect(kept.strategy).toBe('from_cache');
    expect(new Set([one.dataVersion, other.dataVersion, kept.dataVersion]).size).toBe(1);
    const events = profile(served.product.world, { environment: 'prod', selection: 'staging.orders' });
    let versions: readonly string[] = [];
    for (let next = await events.next(); ; next = await events.next())
      if (next.done === true) {
        versions = next.value.map(({ dataVersion }) => dataVersion);
        break;
      }
    expect(versions).toEqual([one.dataVersion]);
    expect((await asked(sql('SELECT revenue FROM marts.daily'))).dataVersion).not.toBe(one.dataVersion);
  });

  test('is there for what is never shared, and absent where nothing can say it', async () => {
    const shared = await asked(sql('SELECT id FROM staging.orders'));
    expect((await asked(sql('SELECT id, random() AS r FROM staging.orders'))).dataVersion).toBe(
      shared.dataVersion,
    );
    expect((await asked(sql('SELECT 1 AS a'))).dataVersion).toBeUndefined();
  });
});

test('an answer says how new its rows are, as health does, against what is promised', async () => {
  const { world } = served.product;
  const environment = await world.state.snapshots.environment('prod');
  const found = await environmentStatus(world, environment as Environment, {
    executionTime: world.clock.now(),
  });
  const { clocks, freshness } = await environmentHealth(world, found);
  const { newest } = clocks.find(({ model }) => model === 'marts.daily') ?? {};
  const block = trustJson(await asked(sql('SELECT revenue FROM marts.daily')));
  expect(newest).toBeGreaterThan(0);
  expect(block).toMatchObject({
    newest: new Date(newest ?? 0).toISOString(),
    max_age: '26h',
    freshness: freshness?.state,
  });
  expect(block['age_seconds']).toBe(Math.round((Date.parse(String(block['as_of'])) - (newest ?? 0)) / 1000));
  // Nothing was read, so nothing can be old.
  expect(trustJson(await asked(sql('SELECT 1 AS a')))).toMatchObject({ newest: null, freshness: null });
});

test('it stays with the statement and its result as it was when the question was asked', async () => {
  const before = await asked(sql('SELECT revenue AS again FROM marts.daily'));
  const read = await getStatement(served.product, ADMIN, { id: before.id });
  expect(trustJson(read)).toEqual(trustJson(before));
  const page = await statementResult(served.product, ADMIN, { id: before.id, format: 'json' });
  expect(trustJson(page.statement)).toEqual(trustJson(before));
});

test('a token without activity:read learns how many there are, not which', async () => {
  const scoped: Identity = {
    ...ADMIN,
    kind: 'user',
    scopes: ['query:read', 'query:models'],
    tenantRole: 'admin',
  };
  const found = await asked(sql('SELECT revenue AS scoped FROM marts.daily'), scoped);
  const shown = [found, await getStatement(served.product, scoped, { id: found.id })];
  for (const each of shown)
    expect(trustJson(each)).toMatchObject({
      failing_checks: null,
      failing_checks_total: 2,
      open_incidents: null,
      open_incidents_total: 2,
    });
});

test('rules that are fixed or gone, and kept answers, follow at once', async () => {
  const question = sql('SELECT amount AS fixed FROM staging.orders');
  expect(failing(await asked(question))).toEqual(['orders_dq/many fail', 'orders_dq/no_negative fail']);
  served.project.write({
    'dq/orders.yml': `kind: dq
name: orders_dq
depends_on: staging.orders
rules:
  - min(amount) >= -5: {name: no_negative}
`,
  });
  await planProduct(served.product);
  // A rule that is gone says nothing, though no check replaces its result.
  expect(failing(await asked(question))).toEqual(['orders_dq/no_negative fail']);
  for await (const _ of check(served.product.world, { environment: 'prod', trigger: 'demand' }));
  const kept = await asked(question);
  expect([kept.strategy, failing(kept), incidents(kept)]).toEqual(['from_cache', [], []]);
});
