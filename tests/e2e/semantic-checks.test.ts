/** What is checked and shown without a question: validate, test, metrics and transpile, through the real door. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';

let project: PlannedProject;
beforeAll(() => {
  project = plannedProject(SEMANTIC_PROJECT, '2025-03-10');
});
afterAll(() => project.remove());

/** With one file of the project changed meanwhile. */
async function withFile<Result>(path: string, text: string, work: () => Promise<Result>): Promise<Result> {
  project.write(path, text);
  try {
    return await work();
  } finally {
    project.write(path, SEMANTIC_PROJECT[path] as string);
  }
}

const edited = (path: string, from: string | RegExp, to: string): string =>
  (SEMANTIC_PROJECT[path] as string).replace(from, to);

describe('plinth test', () => {
  test('runs tests on their own rows, whatever spelling these have', async () => {
    const { code, ok, data, diagnostics } = await project.json('test');
    expect({ code, ok, data }).toMatchObject({
      code: 0,
      ok: true,
      data: {
        passed: 4,
        failed: 0,
        broken: 0,
        not_run: 0,
        tests: [
          { name: 'test_return_rate_is_recomputed', status: 'passed' },
          { name: 'test_regions_from_csv', status: 'passed' },
          { name: 'test_last_month_counts_from_its_own_now', status: 'passed' },
          { name: 'test_of_a_model', status: 'passed' },
        ],
      },
    });
    expect(diagnostics).toEqual([]);
  });
  test('shows rows that did not come and rows that did, and fails', () =>
    withFile(
      'tests/test_orders.yaml',
      edited('tests/test_orders.yaml', 'orders.revenue: 2.20}', 'orders.revenue: 2.21}'),
      async () => {
        const { code, stdout, stderr } = await project.plinth('test', 'test_return*');
        expect(code).toBe(1);
        expect(stdout).toBe(
          [
            ' FAILED  test_return_rate_is_recomputed',
            '           orders.status  orders.return_rate  orders.revenue',
            '         ~ returned       1                   2.21 → 2.20  tests/test_orders.yaml:12',
            '',
          ].join('\n'),
        );
        expect(stderr).toContain('error test.failed');
        expect(stderr).toContain('tests/test_orders.yaml:12:');
      },
    ));
  test('an order counts when the query asks for one, and only then', () => {
    const swapped = edited(
      'tests/test_orders.yaml',
      /( {4}- {orders.status: completed.*\n)( {4}- {orders.status: returned.*\n)/,
      '$2$1',
    );
    return withFile('tests/test_orders.yaml', swapped, async () => {
      const { data } = await project.json('test', 'test_return*');
      expect(data).toMatchObject({
        failed: 1,
        tests: [{ status: 'failed', differences: [{ order: true }] }],
      });
      const unordered = swapped.replace('    order: {orders.status: asc}\n', '');
      project.write('tests/test_orders.yaml', unordered);
      expect((await project.json('test', 'test_return*')).data).toMatchObject({ passed: 1 });
    });
  });
  test('a test without rows for what its query reads is broken, where it stands', () =>
    withFile(
      'tests/test_orders.yaml',
      edited('tests/test_orders.yaml', '    marts.customers: {path: customers.csv}\n', ''),
      async () => {
        const { code, diagnostics } = await project.json('test', 'test_regions_from_csv');
        expect(code).toBe(1);
        expect(diagnostics).toMatchObject([
          { code: 'test.no-input', file: 'tests/test_orders.yaml', line: 14 },
        ]);
      },
    ));
});

describe('plinth validate', () => {
  test('without --data only files are read, and all that is wrong is told', async () => {
    expect(await project.json('validate')).toMatchObject({
      code: 0,
      data: { models: 3, semantic_models: 3, metrics: 1, tests: 4 },
    });
    await withFile(
      'models/semantics/orders.yml',
      edited('models/semantics/orders.yml', /\{amount\}/g, '{amont}'),
      async () => {
        const { code, diagnostics } = await project.json('validate');
        expect(code).toBe(2);
        expect(
          diagnostics.filter(({ severity }) => severity === 'error').map(({ code: found }) => found),
        ).toEqual(['semantic.unknown-member', 'semantic.unknown-member']);
      },
    );
  });
  test('--data needs an environment', async () =>
    expect((await project.json('validate', '--data')).error).toMatchObject({ code: 'environment.unknown' }));
  test('--data counts rows against keys, joins and times, at the place that claims them', {
    timeout: 120_000,
  }, async () => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    const good = await project.json('validate', '--data');
    expect({ code: good.code, diagnostics: good.diagnostics }).toEqual({ code: 0, diagnostics: [] });
    const checks = good.data?.['checks'] as readonly { check: string; rows: number }[];
    expect(checks.map(({ check }) => check).sort()).toEqual([
      'key-not-null',
      'key-not-null',
      'key-not-null',
      'key-unique',
      'key-unique',
      'key-unique',
      'time-not-null',
      'to-one',
      'to-one',
    ]);
    const customers = edited(
      'models/customers.sql',
      "(12, 'EU', NULL)",
      "(10, 'EU', NULL), (NULL, 'EU', NULL)",
    );
    project.write('models/customers.sql', customers);
    expect((await project.plinth('plan', 'dev', '--yes', '--skip-tests')).code).toBe(0);
    const bad = await project.json('validate', '--data', '--env', 'dev');
    expect(bad.code).toBe(1);
    expect(bad.diagnostics.map(({ code, message, file }) => [code, message, file])).toEqual([
      [
        'validate.key-not-unique',
        'The primary key (customer_id) of customers is not unique: 2 rows share theirs with another.',
        'models/semantics/customers.yml',
      ],
      [
        'validate.key-null',
        'customer_id, part of the primary key of customers, is NULL in 1 row.',
        'models/semantics/customers.yml',
      ],
      [
        'validate.not-to-one',
        '2 rows of orders matched more than one row of customers over the join orders.customers.',
        'models/semantics/orders.yml',
      ],
    ]);
    project.write('models/customers.sql', SEMANTIC_PROJECT['models/customers.sql'] as string);
  });
});

test('plinth metrics lists metrics and shows one', async () => {
  expect((await project.plinth('metrics')).stdout).toBe(
    'metric\ttype\tby\tdimensions\tdescription\nmonthly_revenue\tsimple\tmonth\tregion, status\tRevenue of the month.\n',
  );
  expect((await project.json('metrics', 'Monthly_Revenue')).data).toMatchObject({
    name: 'monthly_revenue',
    type: 'simple',
    of: 'orders.revenue',
    ts: 'orders.ordered_on',
    dimensions: [
      { name: 'region', ref: 'customers.region' },
      { name: 'status', ref: 'orders.status' },
    ],
  });
  expect((await project.json('metrics', 'monthly_revenu')).error).toMatchObject({
    code: 'cli.unknown-metric',
    hint: 'did you mean monthly_revenue?',
  });
});

describe('plinth transpile', () => {
  const query = '{"measures":["orders.revenue"],"dimensions":["orders.status"]}';
  test('prints a question in another dialect without a warehouse', async () => {
    const { stdout } = await project.plinth('transpile', '--to', 'mysql', query);
    expect(stdout).toContain('`orders.status`');
    expect((await project.plinth('transpile', '--to', 'postgres', '--env', 'dev', query)).stdout).toContain(
      'marts__dev',
    );
  });
  test.each(['duckdb', 'postgres', 'mysql', 'trino', 'spark', 'snowflake', 'bigquery'])(
    'to %s',
    async (dialect) =>
      expect((await project.json('transpile', '--to', dialect, query)).data).toMatchObject({
        dialect,
        sql: expect.stringMatching(/GROUP BY/),
      }),
  );
  test('what is wrong with the question is told', async () =>
    expect(
      (await project.json('transpile', '--to', 'duckdb', '{"measures":["orders.revenu"]}')).error,
    ).toMatchObject({
      code: 'semantic.unknown-member',
    }));
});
