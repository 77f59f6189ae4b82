/** Questions through the real door: plinth query, in every spelling and every format, over views of a planned project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { plainDuckdb } from '../support/plain-duckdb.ts';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { SEMANTIC_PROJECT } from './semantic-project.ts';

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject(SEMANTIC_PROJECT, '2025-03-10');
  const planned = await project.plinth('plan', '--yes');
  if (planned.code !== 0) throw new Error(planned.stderr);
});
afterAll(() => project.remove());

async function rowsOf(...args: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const { code, stdout, stderr } = await project.plinth('query', ...args, '--format', 'json');
  if (code !== 0) throw new Error(stderr);
  return (JSON.parse(stdout) as { rows: readonly (readonly unknown[])[] }).rows;
}

describe('names that nothing has', () => {
  const refused = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { code, stderr } = await project.plinth('query', ...args);
    expect(code).toBe(2);
    return stderr.split('\n').filter((line) => /^(?:error|\s+hint)/.test(line));
  };
  test.each([
    ['--metric', 'revenue'],
    ['--measures', 'revenue'],
  ])('%s %s names what is called so: measures and metrics, once', async (...args) =>
    expect(await refused(...args)).toEqual([
      'error semantic.unknown-metric: There is no metric revenue.',
      '  hint: did you mean orders.revenue or monthly_revenue?',
    ]),
  );
  test('a misspelled metric is put right, and one like no other gets the list', async () => {
    expect((await refused('--metric', 'monthly_revenu'))[1]).toBe('  hint: did you mean monthly_revenue?');
    expect((await refused('--metric', 'xyzzy'))[1]).toBe('  hint: the metrics are monthly_revenue');
  });
  test('--metric without a name lists the metrics', async () => {
    const expected = [
      'error cli.option-needs-value: The option --metric needs a value: NAME.',
      '  hint: the metrics are monthly_revenue',
    ];
    expect(await refused('--metric')).toEqual(expected);
    expect(await refused('--metric', '--dimensions', 'region')).toEqual(expected);
    expect(await refused('--metric=')).toEqual(expected);
  });
  test('a measure is not a metric, and a dimension needs its semantic model', async () => {
    expect((await refused('--metric', 'orders.revenue'))[0]).toContain('--measures orders.revenue');
    expect((await refused('--measures', 'orders.revenue', '--dimensions', 'region'))[1]).toContain(
      'did you mean customers.region',
    );
  });
});

describe('what can be asked', () => {
  test('measures by a dimension of a joined model; rows without a match are under NULL', async () =>
    expect(
      await rowsOf('--measures', 'orders.revenue,orders.count', '--dimensions', 'customers.region'),
    ).toEqual([
      [null, '100.00', 1],
      ['EU', '30.50', 2],
      ['US', '5.25', 1],
    ]));
  test('a dimension on the many side counts each order once per value', async () =>
    expect(
      await rowsOf(
        '--measures',
        'orders.revenue',
        '--dimensions',
        'lines.product',
        '--order',
        'lines.product',
      ),
    ).toEqual([
      ['ink', '15.25'],
      ['pen', '30.50'],
      [null, '100.00'],
    ]));
  test('time buckets, ranges, filters, segments, order and limit together', async () =>
    expect(
      await rowsOf(
        ...['--measures', 'orders.revenue', '--time', 'orders.ordered_on:month:2025-01-01..2025-02-27'],
        ...[
          '--filter',
          'orders.status = completed',
          '--segments',
          'orders.small',
          '--order',
          'orders.revenue',
          '--limit',
          '1',
        ],
      ),
    ).toEqual([['2025-02-01', '5.25']]));
  test('buckets of a timestamp are local to the time zone', async () =>
    expect(
      await rowsOf(
        '--measures',
        'orders.count',
        '--time',
        'orders.ordered_at:day:2025-01-06',
        '--timezone',
        'Europe/Vienna',
      ),
    ).toEqual([['2025-01-06T00:00:00.000', 1]]));
  test('relative ranges count from the execution time', async () =>
    expect(await rowsOf('--measures', 'orders.count', '--time', 'orders.ordered_on::last month')).toEqual([
      [2],
    ]));
  test('a metric by its own time, another granularity and its dimensions', async () => {
    expect(await rowsOf('--metric', 'monthly_revenue')).toEqual([
      ['2025-01-01', '30.50'],
      ['2025-02-01', '105.25'],
    ]);
    expect(
      await rowsOf('--metric', 'monthly_revenue', '--granularity', 'year', '--dimensions', 'status'),
    ).toEqual([
      ['2025-01-01', 'completed', '115.25'],
      ['2025-01-01', 'returned', '20.50'],
    ]);
  });
  test('a JSON query, also from a file', async () => {
    const asked =
      '{"measures":["lines.pieces"],"dimensions":["lines.product"],"order":{"lines.product":"asc"}}';
    project.write('asked.json', asked);
    const expected = [
      ['ink', 2],
      ['pen', 6],
    ];
    expect(await rowsOf('--query', asked)).toEqual(expected);
    expect(await rowsOf('--query', '@asked.json')).toEqual(expected);
  });
  test('SQL over semantic models and metrics, beside SQL over models', async () => {
    expect(
      await rowsOf(
        '--sql',
        'SELECT status, MEASURE(revenue) AS r FROM orders WHERE small GROUP BY 1 ORDER BY 1',
      ),
    ).toEqual([['completed', '15.25']]);
    expect(
      await rowsOf('--sql', 'SELECT ts, measure FROM monthly_revenue ORDER BY ts', '--limit', '1'),
    ).toEqual([['2025-01-01', '30.50']]);
    expect(await rowsOf('--sql', 'SELECT COUNT(*) FROM marts.orders')).toEqual([[4]]);
    const sql = [
      'query',
      '--sql',
      'SELECT region, MEASURE(orders.count) FROM orders CROSS JOIN customers GROUP BY 1',
    ];
    expect((await project.plinth(...sql, '--show-sql')).stdout).toContain('marts.customers');
    const wrong = await project.json('query', '--sql', 'SELECT stats FROM orders');
    expect(wrong.error).toMatchObject({ code: 'semantic.sql-unknown-column', line: 1, column: 8 });
    const restricted = await project.json(
      'query',
      '--sql',
      'SELECT * FROM marts.customers',
      '--as-group',
      'eu',
    );
    expect(restricted.error).toMatchObject({ code: 'policy.model-restricted' });
  });
  test('policies of a group, when it is asked for', async () => {
    expect(await rowsOf('--measures', 'orders.count', '--as-group', 'eu')).toEqual([[3]]);
    expect(await rowsOf('--dimensions', 'customers.email', '--as-group', 'eu')).toEqual([['***']]);
    const denied = await project.json('query', '--measures', 'orders.count', '--as-group', 'nobody');
    expect(denied).toMatchObject({ ok: false, error: { code: 'policy.no-access' } });
  });
});

describe('how it is answered', () => {
  const ask = ['query', '--measures', 'orders.revenue', '--dimensions', 'orders.status'];
  test('JSON has columns with types and exact decimals as texts', async () =>
    expect(JSON.parse((await project.plinth(...ask, '--format', 'json')).stdout)).toEqual({
      cols: [
        { name: 'orders.status', type: 'VARCHAR' },
        { name: 'orders.revenue', type: 'DECIMAL(38,2)' },
      ],
      rows: [
        ['completed', '115.25'],
        ['returned', '20.50'],
      ],
    }));
  test('CSV, NDJSON and a tab-separated table', async () => {
    expect((await project.plinth(...ask, '--format', 'csv')).stdout).toBe(
      'orders.status,orders.revenue\ncompleted,115.25\nreturned,20.50\n',
    );
    expect((await project.plinth(...ask, '--format', 'ndjson')).stdout).toBe(
      '{"orders.status":"completed","orders.revenue":"115.25"}\n{"orders.status":"returned","orders.revenue":"20.50"}\n',
    );
    expect((await project.plinth(...ask)).stdout).toBe(
      'orders.status\torders.revenue\ncompleted\t115.25\nreturned\t20.50\n',
    );
  });
  test('Parquet keeps exact types, in a file', async () => {
    const file = join(project.folder, 'answer.parquet');
    const asked = [...ask, '--time', 'orders.ordered_at:month', '--format', 'parquet', '-o', file];
    const { code, stdout, stderr } = await project.plinth(...asked);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    const database = await plainDuckdb(project.folder);
    expect(
      (await database.query(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}')`)).rows,
    ).toEqual([
      ['orders.status', 'VARCHAR'],
      ['orders.ordered_at.month', 'TIMESTAMP'],
      ['orders.revenue', 'DECIMAL(38,2)'],
    ]);
    expect((await database.query(`SELECT SUM("orders.revenue")::VARCHAR FROM '${file}'`)).rows).toEqual([
      ['135.75'],
    ]);
  });
  test('a file of text', async () => {
    const file = join(project.folder, 'answer.csv');
    expect((await project.plinth(...ask, '--format', 'csv', '-o', file)).stdout).toBe('');
    expect(readFileSync(file, 'utf8')).toBe(
      'orders.status,orders.revenue\ncompleted,115.25\nreturned,20.50\n',
    );
  });
  test('a chart, and a word when none suits', async () => {
    const { stdout } = await project.plinth(...ask, '--chart');
    expect(stdout).toMatch(/^completed {2}█+ +115\.25\nreturned {3}█+.? +20\.50\n$/);
    const { stdout: table, stderr } = await project.plinth('query', '--measures', 'orders.count', '--chart');
    expect(table).toBe('orders.count\n4\n');
    expect(stderr).toContain('no chart suits this answer: it is a single row');
  });
  test('--show-sql prints SQL that the engine answers alike, and asks nothing', async () => {
    const { stdout } = await project.plinth(...ask, '--show-sql', '--env', 'nowhere');
    expect(stdout).toContain('marts__nowhere.orders');
    const sql = (await project.plinth(...ask, '--show-sql')).stdout;
    expect(await project.rows(sql)).toEqual([
      ['completed', '115.25'],
      ['returned', '20.50'],
    ]);
  });
  test('--total counts all rows, --json says where everything came from', async () => {
    const { data } = await project.json(...ask, '--limit', '1', '--total');
    expect(data).toMatchObject({
      rows: [['completed', '115.25']],
      total: 2,
      environment: 'prod',
      semantics: { from: 'environment', changed: [] },
      notes: [],
    });
  });
});

describe('what cannot be answered is told', () => {
  test('an unknown member, with what was meant', async () => {
    const { code, error } = await project.json('query', '--measures', 'orders.revenu');
    expect({ code, error }).toMatchObject({
      code: 2,
      error: { code: 'semantic.unknown-member', hint: 'did you mean orders.revenue?' },
    });
  });
  test('everything that is wrong at once', async () => {
    const { error, diagnostics } = await project.json(
      'query',
      '--measures',
      'orders.revenu',
      '--dimensions',
      'order.status',
    );
    expect([error?.['code'], ...diagnostics.map(({ code }) => code)].sort()).toEqual([
      'semantic.unknown-member',
      'semantic.unknown-semantic-model',
    ]);
  });
  test('an environment nobody planned, and a model it does not have, with the next step', async () => {
    const unknown = await project.json('query', '--measures', 'orders.count', '--env', 'staging');
    expect(unknown.error).toMatchObject({
      code: 'environment.unknown',
      hint: expect.stringContaining('plinth plan'),
    });
    project.write(
      'models/late.sql',
      'MODEL (name marts.late, kind FULL, grain id);\nSELECT 1::INTEGER AS id\n',
    );
    project.write('models/semantics/late.yml', 'kind: semantic\nname: late\ndepends_on: marts.late\n');
    const late = await project.json('query', '--measures', 'late.count', '--local');
    expect(late.error).toMatchObject({ code: 'query.unknown-model', hint: 'plinth plan prod builds it' });
  });
  test('edited semantics count when they are planned, or with --local, which names them', async () => {
    const before = SEMANTIC_PROJECT['models/semantics/lines.yml'] as string;
    project.write('models/semantics/lines.yml', before.replace('"{pieces}"', '"{pieces} * 10"'));
    const ask = ['query', '--measures', 'lines.pieces'];
    const planned = await project.json(...ask);
    const local = await project.json(...ask, '--local');
    project.write('models/semantics/lines.yml', before);
    expect(planned.data).toMatchObject({ rows: [[8]], semantics: { from: 'environment', changed: [] } });
    expect(local.data).toMatchObject({ rows: [[80]], semantics: { from: 'folder', changed: ['lines'] } });
  });
  test.each([
    [['--measures', 'orders.count', '--sql', 'SELECT 1'], 'cli.conflicting-options'],
    [['--query', '{"measures": "orders.count"}'], 'query.bad-shape'],
    [['--query', '{"mesures": []}'], 'query.unknown-key'],
    [['--sql', 'SELECT 1', '--chart'], 'cli.conflicting-options'],
    [['--measures', 'orders.count', '--format', 'parquet', '--json'], 'cli.conflicting-options'],
    [[], 'cli.missing-argument'],
  ])('%j', async (args, code) =>
    expect((await project.json('query', ...args)).error).toMatchObject({ code }),
  );
});
