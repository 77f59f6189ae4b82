/** Tests of models through the real door: run, shown, written for CI, made of live data, and before a plan. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';

const TESTS = `test_daily:
  model: marts.daily
  vars: {start: 2024-01-01, end: 2024-01-02, execution_time: '2024-02-03 10:00:00', region: eu}
  inputs:
    raw.orders:
      - {id: 1, status: paid, amount: 2.5, day: 2024-01-01}
      - {id: 2, status: open, amount: 2.5, day: 2024-01-02}
      - {id: 3, status: paid, amount: 2.5, day: 2024-01-03}
  outputs:
    ctes:
      in_time:
        rows: [{id: 1}, {id: 2}]
      paid: [{id: 1, status: paid, amount: 2.5, day: 2024-01-01}]
    query: [{day: 2024-01-01, revenue: 2.5, made: 2024-02-03, region: eu}]
    partial: true
test_big:
  model: marts.big
  inputs: {raw.orders: [{id: 1, amount: 500}, {id: 2, amount: 5}]}
  outputs: {query: [{id: 1}]}
`;
const FILES: Readonly<Record<string, string>> = {
  'config.yaml': `name: tested
gateways: {local: {connection: {type: duckdb, database: w.duckdb}}}
model_defaults: {dialect: duckdb, start: '2024-01-01'}
users: [{username: eva, groups: [eu]}]
`,
  'models/orders.sql': `MODEL (name raw.orders, kind FULL, grain id);
SELECT 1::INT AS id, 'paid'::TEXT AS status, 7.5::DECIMAL(10,2) AS amount, DATE '2024-01-01' AS day
`,
  'models/daily.sql': `MODEL (name marts.daily, kind INCREMENTAL_BY_TIME_RANGE (time_column day), grain day);
WITH in_time AS (SELECT * FROM raw.orders WHERE day BETWEEN @start_ds AND @end_ds),
paid AS (SELECT * FROM in_time WHERE status = 'paid')
SELECT day, sum(amount)::DECIMAL(18,2) AS revenue, current_date AS made, @VAR('region', 'none') AS region FROM paid GROUP BY day
`,
  'models/large.sql':
    'MODEL (name marts.large, kind EMBEDDED);\nSELECT id, amount FROM raw.orders WHERE amount > 100\n',
  'models/big.sql': 'MODEL (name marts.big, kind FULL);\nSELECT id FROM marts.large\n',
  'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: raw.orders
primary_key: [id]
dimensions: [status, {name: id, mask_expression: "'***'"}]
measures: [{name: n, type: count}]
policies: [{group: eu, filter: [{member: status, operator: equals, values: [paid]}], mask: [id]}]
`,
  'tests/test_marts.yaml': TESTS,
};

let project: PlannedProject;
beforeAll(() => {
  project = plannedProject(FILES, '2024-03-10');
});
afterAll(() => project.remove());

const statuses = (data: Record<string, unknown> | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ((data?.['tests'] ?? []) as { name: string; status: string }[]).map(({ name, status }) => [name, status]),
  );

async function withFile<Result>(path: string, text: string, work: () => Promise<Result>): Promise<Result> {
  project.write(path, text);
  try {
    return await work();
  } finally {
    project.write(path, FILES[path] as string);
  }
}

describe('plinth test', () => {
  test('runs models on the rows of their inputs, with common table expressions, variables and a clock that stands still', async () => {
    const { code, data, diagnostics } = await project.json('test');
    expect({ code, statuses: statuses(data), diagnostics }).toEqual({
      code: 0,
      statuses: { test_daily: 'passed', test_big: 'passed' },
      diagnostics: [],
    });
  });

  test('shows the cells that differ, with the line that expects them', () =>
    withFile(
      'tests/test_marts.yaml',
      TESTS.replace('revenue: 2.5,', 'revenue: 9.5,').replace(
        'status: paid, amount: 2.5, day: 2024-01-01}]',
        'status: paid, amount: 2.5, day: 2024-01-01}, {id: 4, amount: 1}]',
      ),
      async () => {
        const { code, stdout, stderr } = await project.plinth('test', '-k', 'daily');
        expect(code).toBe(1);
        expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
          ' FAILED  test_daily',
          '           the common table expression paid',
          '           id  status  amount  day',
          '         - 4   NULL    1.00    NULL  tests/test_marts.yaml:13',
          '           day         revenue      made        region',
          '         ~ 2024-01-01  9.50 → 2.50  2024-02-03  eu  tests/test_marts.yaml:14',
          '',
        ]);
        expect(stderr).toContain('tests/test_marts.yaml:13:');
      },
    ));

  test('takes files, file::name, models and expressions, and refuses what names nothing', async () => {
    const ran = async (...words: string[]) =>
      Object.keys(statuses((await project.json('test', ...words)).data));
    expect(await ran('tests/test_marts.yaml::test_big')).toEqual(['test_big']);
    expect(await ran('tests/test_marts.yaml')).toEqual(['test_daily', 'test_big']);
    expect(await ran('marts.big')).toEqual(['test_big']);
    expect(await ran('models/daily.sql')).toEqual(['test_daily']);
    expect(await ran('-k', 'marts and not big')).toEqual(['test_daily']);
    expect((await project.json('test', 'test_bigg')).error).toMatchObject({ code: 'cli.unknown-test' });
    expect((await project.json('test', '-k', 'nothing')).error).toMatchObject({ code: 'test.no-match' });
  });

  test('runs the others where one is wrong', async () => {
    const { code, data, diagnostics } = await withFile(
      'tests/test_marts.yaml',
      TESTS.replace('model: marts.big', 'model: marts.bigg'),
      () => project.json('test'),
    );
    expect({ code, statuses: statuses(data) }).toEqual({
      code: 1,
      statuses: { test_daily: 'passed', test_big: 'broken' },
    });
    expect(diagnostics).toMatchObject([
      {
        code: 'test.unknown-model',
        file: 'tests/test_marts.yaml',
        line: 17,
        hint: 'did you mean marts.big?',
      },
    ]);
  });

  test('writes JUnit', async () => {
    const text = TESTS.replace('[{id: 1}]}', '[{id: 2}]}');
    await withFile('tests/test_marts.yaml', text, async () => {
      expect((await project.plinth('test', '--junit', join(project.folder, 'out.xml'))).code).toBe(1);
    });
    const xml = readFileSync(join(project.folder, 'out.xml'), 'utf8');
    expect(xml).toContain('<testsuites tests="2" failures="1" errors="0"');
    expect(xml).toContain(
      '<testcase name="test_daily" classname="marts.daily" file="tests/test_marts.yaml" line="1"',
    );
    expect(xml).toContain('<failure message="1 expected row did not come, 1 row came that nothing expects">');
    const wrong = TESTS.replace('amount: 500', 'amount: big');
    await withFile('tests/test_marts.yaml', wrong, async () => {
      expect((await project.plinth('test', '--junit', join(project.folder, 'out.xml'))).code).toBe(1);
    });
    const broken = readFileSync(join(project.folder, 'out.xml'), 'utf8');
    expect(broken).toContain('<error message="big cannot be the DECIMAL(10,2) that the column amount of');
    expect(broken).toContain('--&gt; tests/test_marts.yaml:18:33');
  });

  test('asks semantic queries as a caller, so that policies are tested, too', async () => {
    const policies = `test_eu_sees_paid:
  semantic_query: {measures: [orders.n], dimensions: [orders.id]}
  as: {groups: [eu]}
  inputs: {raw.orders: [{id: 1, status: paid}, {id: 2, status: open}]}
  rows: [{orders.n: 1, orders.id: '***'}]
test_eva_is_in_eu:
  semantic_query: {measures: [orders.n]}
  as: {principal: eva}
  inputs: {raw.orders: [{id: 1, status: paid}, {id: 2, status: open}]}
  rows: [{orders.n: 1}]
test_others_see_nothing:
  semantic_query: {measures: [orders.n]}
  as: {}
  inputs: {raw.orders: [{id: 1, status: paid}]}
  error: policy.no-access
test_owner_sees_all:
  semantic_query: {measures: [orders.n]}
  inputs: {raw.orders: [{id: 1, status: paid}, {id: 2, status: open}]}
  rows: [{orders.n: 2}]
`;
    project.write('tests/test_policies.yaml', policies);
    const { data, diagnostics } = await project.json('test', 'tests/test_policies.yaml');
    project.write('tests/test_policies.yaml', policies.replace('[eu]', '[]').replace('{}', '{groups: eu}'));
    const wrong = await project.json('test', 'tests/test_policies.yaml');
    rmSync(join(project.folder, 'tests/test_policies.yaml'));
    expect([statuses(data), diagnostics]).toEqual([
      {
        test_eu_sees_paid: 'passed',
        test_eva_is_in_eu: 'passed',
        test_others_see_nothing: 'passed',
        test_owner_sees_all: 'passed',
      },
      [],
    ]);
    expect(statuses(wrong.data)).toMatchObject({
      test_eu_sees_paid: 'broken',
      test_others_see_nothing: 'broken',
    });
  });
});

describe('a plan', () => {
  const planned = async (...words: string[]) => {
    const { code, data, error } = await project.json('plan', ...words);
    if (code === 0) await project.json('plan', '--yes', '--skip-tests');
    return { code, ran: statuses(data), error: error?.code };
  };
  const BIG = 'models/big.sql';

  test('runs the tests of what it changes, and only these', { timeout: 300_000 }, async () => {
    expect(await planned()).toMatchObject({ code: 0, ran: { test_daily: 'passed', test_big: 'passed' } });
    expect(await planned()).toMatchObject({ code: 0, ran: {} });
    project.write('tests/test_marts.yaml', `${TESTS}# nothing\n`);
    expect(await planned()).toMatchObject({ code: 0, ran: {} });
    // An embedded model is written out in its reader.
    project.write('models/large.sql', (FILES['models/large.sql'] as string).replace('> 100', '>= 100'));
    expect(await planned()).toMatchObject({ code: 0, ran: { test_big: 'passed' } });
  });

  test('is not made when one of them fails', { timeout: 300_000 }, async () => {
    project.write(BIG, `${(FILES[BIG] as string).trim()} WHERE id > 5\n`);
    const { code, stdout, stderr } = await project.plinth('plan', '--yes');
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining(' FAILED  test_big') });
    expect(stderr).toContain('error plan.tests-fail: 1 test fails of what this plan changes');
    expect((await project.json('diff')).data).toMatchObject({ changes: [{ name: 'marts.big' }] });
    expect(await planned()).toMatchObject({ code: 2, error: 'plan.tests-fail' });
    expect(await planned('--skip-tests')).toMatchObject({ code: 0, ran: {} });
    project.write(BIG, FILES[BIG] as string);
    expect(await planned()).toMatchObject({ code: 0, ran: { test_big: 'passed' } });
  });

  test('create-test writes a test out of its rows, which passes', { timeout: 300_000 }, async () => {
    const written = join(project.folder, 'tests', 'test_daily.yaml');
    const given = ['create-test', 'marts.daily', '--query', 'raw.orders', 'SELECT * FROM raw.orders'];
    const vars = ['--var', 'start', '2024-01-01', '--var', 'end', '2024-01-02', '--name', 'test_live'];
    const made = await project.plinth(...given, ...vars, '--path', 'test_daily', '--include-ctes');
    expect(made).toMatchObject({ code: 0, stderr: 'test_live in tests/test_daily.yaml expects 1 row.\n' });
    expect(readFileSync(written, 'utf8')).toBe(`test_live:
  model: marts.daily
  vars:
    start: '2024-01-01'
    end: '2024-01-02'
  inputs:
    raw.orders:
      rows:
        - {id: 1, status: 'paid', amount: 7.50, day: 2024-01-01}
  outputs:
    ctes:
      in_time:
        rows:
          - {id: 1, status: 'paid', amount: 7.50, day: 2024-01-01}
      paid:
        rows:
          - {id: 1, status: 'paid', amount: 7.50, day: 2024-01-01}
    query:
      rows:
        - {day: 2024-01-01, revenue: 7.50, made: 2024-03-10, region: 'none'}
`);
    expect(statuses((await project.json('test', 'test_live')).data)).toEqual({ test_live: 'passed' });
    expect((await project.json(...given, ...vars, '--path', 'test_daily')).error).toMatchObject({
      code: 'test.file-exists',
    });
    writeFileSync(written, '');
    expect((await project.json(...given, ...vars, '--path', 'test_daily', '--overwrite')).code).toBe(0);
    expect((await project.json('create-test', 'marts.daily', '--name', 'test_other')).error).toMatchObject({
      code: 'test.missing-input',
    });
    expect(existsSync(join(project.folder, 'tests', 'test_daily.yaml'))).toBe(true);
  });
});
