/** Keys of tests: what a semantic test reads differs with each. */
import { afterEach, describe, expect, test } from 'vitest';
import { csvRows } from '../../src/compiler/load/csv-rows.ts';
import type { TestResult } from '../../src/domain/model-test.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { runTests } from '../../src/operations/project/run-tests.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const FILES = {
  'config.yaml':
    'name: keys\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}, other: {connection: {type: duckdb, database: w.duckdb}, test_connection: {type: duckdb, connector_config: {no_such_setting: 1}}}}\ndefault_gateway: local\n',
  'models/a.sql':
    "MODEL (name m.a, kind FULL, grain id);\nSELECT 1 AS id, 2 AS amount, DATE '2024-01-01' AS day\n",
  'models/semantics/a.yml':
    'kind: semantic\nname: a\ndepends_on: m.a\ndimensions: [id, day]\nmeasures: [{name: n, type: sum, expression: "{amount}"}, {name: rows_of, type: count}]\n',
  'tests/rows.csv': 'id,amount\n1,7\n',
  'tests/rows.yaml': '- {id: 1, amount: 7}\n',
};

let project: TemporaryProject | undefined;
afterEach(() => project?.delete());

async function ended(written: unknown): Promise<TestResult> {
  project = temporaryProject({ ...FILES, 'tests/test_a.yaml': JSON.stringify({ test_a: written }) });
  const workspace = openWorkspace({
    folder: project.folder,
    variables: {},
    executionTime: Date.UTC(2024, 0, 11),
  });
  try {
    const loaded = await loadProject(workspace);
    expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    for await (const result of runTests(workspace, loaded, loaded.project.tests)) return result;
    throw new Error('there is no test');
  } finally {
    await workspace.close();
  }
}

const QUERY = { semantic_query: { measures: ['a.n'] } };
const ROWS = [{ id: 1, amount: 7 }];
const seven = { rows: [{ 'a.n': 7 }] };
const input = (table: unknown) => ({ inputs: { 'm.a': table } });
const MONTH = {
  semantic_query: {
    measures: ['a.n'],
    timeDimensions: [{ dimension: 'a.day', dateRange: 'this month' }],
  },
  ...input({ rows: [{ id: 1, amount: 7, day: '2023-05-05' }] }),
};

describe('a table of a test is read as it says', () => {
  test.each([
    {
      key: 'rows',
      with: { ...QUERY, ...input({ rows: ROWS }), ...seven },
      without: { ...QUERY, ...input({ rows: [] }), ...seven },
    },
    {
      key: 'query',
      with: { ...QUERY, ...input({ query: 'SELECT 1 AS id, 7 AS amount' }), ...seven },
      without: { ...QUERY, ...input({ query: 'SELECT 1 AS id, 8 AS amount' }), ...seven },
    },
    {
      key: 'columns',
      with: {
        ...QUERY,
        ...input({
          rows: [
            { id: 1, amount: 6.6 },
            { id: 2, amount: 6.6 },
          ],
          columns: { amount: 'decimal(9,1)' },
        }),
        rows: [{ 'a.n': 13.2 }],
      },
      without: {
        ...QUERY,
        ...input({
          rows: [
            { id: 1, amount: 6.6 },
            { id: 2, amount: 6.6 },
          ],
        }),
        rows: [{ 'a.n': 13.2 }],
      },
    },
    {
      key: 'format',
      with: { ...QUERY, ...input({ rows: 'id,amount\n1,7\n', format: 'csv' }), ...seven },
      without: { ...QUERY, ...input({ rows: 'id,amount\n1,8\n', format: 'csv' }), ...seven },
    },
    {
      key: 'path',
      with: { ...QUERY, ...input({ path: 'rows.csv' }), ...seven },
      without: { ...QUERY, ...input({ path: 'none.csv' }), ...seven },
    },
    {
      key: 'csv_settings',
      with: {
        ...QUERY,
        ...input({ rows: 'id;amount\n1;7\n', format: 'csv', csv_settings: { delimiter: ';' } }),
        ...seven,
      },
      without: { ...QUERY, ...input({ rows: 'id;amount\n1;7\n', format: 'csv' }), ...seven },
    },
    {
      key: 'partial',
      with: {
        semantic_query: { measures: ['a.n', 'a.rows_of'] },
        ...input({ rows: ROWS }),
        outputs: { query: { rows: [{ 'a.n': 7 }], partial: true } },
      },
      without: {
        semantic_query: { measures: ['a.n', 'a.rows_of'] },
        ...input({ rows: ROWS }),
        outputs: { query: { rows: [{ 'a.n': 7 }] } },
      },
    },
    {
      key: 'outputs.partial',
      with: {
        semantic_query: { measures: ['a.n', 'a.rows_of'] },
        ...input({ rows: ROWS }),
        outputs: { rows: [{ 'a.n': 7 }], partial: true },
      },
      without: {
        semantic_query: { measures: ['a.n', 'a.rows_of'] },
        ...input({ rows: ROWS }),
        outputs: { rows: [{ 'a.n': 7 }] },
      },
    },
    {
      key: 'outputs.query',
      with: { ...QUERY, ...input({ rows: ROWS }), outputs: { query: [{ 'a.n': 7 }] } },
      without: { ...QUERY, ...input({ rows: ROWS }), outputs: { query: [{ 'a.n': 8 }] } },
    },
    {
      key: 'vars',
      with: { ...MONTH, ...seven, vars: { execution_time: '2023-05-20' } },
      without: { ...MONTH, ...seven },
    },
  ])('$key', async ({ with: written, without }) => {
    // biome-ignore format: a table
    expect((await ended(written)).kind).toBe('passed');
    expect((await ended(without)).kind).not.toBe('passed');
  });

  const csv = (text: string | Uint8Array, settings: Parameters<typeof csvRows>[0]['csv'] = {}): unknown =>
    csvRows({ path: 'x.csv', content: text, csv: settings }).map((row) => row.map(({ value }) => value));
  test.each([
    ['delimiter', 'a;b\n1;2\n', { delimiter: ';' }],
    ['quotechar', "a,b\n1,'x,y'\n", { quotechar: "'" }],
    ['doublequote', 'a,b\n1,"x""y"\n', { doublequote: false }],
    ['escapechar', 'a,b\n1,"x!"y"\n', { escapechar: '!' }],
    ['skipinitialspace', 'a,b\n1, x\n', { skipinitialspace: true }],
    ['lineterminator', 'a,b|1,2|', { lineterminator: '|' }],
    ['encoding', Buffer.from('a\n\u00e9\n', 'latin1'), { encoding: 'latin1' }],
    ['na_values', 'a,b\n1,none\n', { naValues: ['none'] }],
    ['keep_default_na', 'a,b\n1,NA\n', { keepDefaultNa: false }],
  ])('csv_settings.%s', (_, text, settings) => {
    const read = (given: Parameters<typeof csv>[1]): string => {
      try {
        return JSON.stringify(csv(text, given));
      } catch (error) {
        return String(error);
      }
    };
    expect(read(settings)).not.toBe(read({}));
  });
});

test('a test has the schema, the gateway and the description that it names', async () => {
  const written = { ...QUERY, ...input({ rows: ROWS }), ...seven, description: 'seven' };
  expect(await ended(written)).toMatchObject({ kind: 'passed', test: { description: 'seven' } });
  expect((await ended({ ...written, gateway: 'local' })).kind).toBe('passed');
  expect((await ended({ ...written, gateway: 'nowhere' })).kind).toBe('broken');
  const elsewhere = await ended({ ...written, gateway: 'other' }).catch((error: unknown) => String(error));
  expect(JSON.stringify(elsewhere)).toContain('no_such_setting');
  expect((await ended({ ...written, schema: 'fixed' })).kind).toBe('passed');
  // The schema is really made: one of the engine's own cannot be.
  expect((await ended({ ...written, schema: 'information_schema' })).kind).toBe('broken');
});
