/** What is wrong with a test is said at its place, and the other tests run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestResult } from '../../src/domain/model-test.ts';
import { loadProject } from '../../src/operations/project/load-project.ts';
import { runTests } from '../../src/operations/project/run-tests.ts';
import { testableProject } from '../../src/operations/project/testable-project.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { marked } from '../support/marked-source.ts';
import { type TemporaryProject, temporaryProject } from '../support/temporary-project.ts';

const ORDERS =
  "MODEL (name raw.orders, kind FULL);\nSELECT 1::INT AS id, 'a'::TEXT AS status, 7.5::DECIMAL(10,2) AS amount";
const PAID =
  "MODEL (name m.paid, kind FULL);\nWITH paid AS (SELECT * FROM raw.orders WHERE status = 'paid') SELECT SUM(amount)::DECIMAL(18,2) AS total FROM paid";
const FILES = {
  'config.yaml': 'gateways: {local: {connection: {type: duckdb}}}\nmodel_defaults: {dialect: duckdb}\n',
  'models/orders.sql': ORDERS,
  'models/paid.sql': PAID,
  'models/by_python.sql': 'MODEL (name m.by_python, kind FULL);\nSELECT @of_python(id) AS id FROM raw.orders',
  'models/inner.sql': 'MODEL (name m.inner, kind EMBEDDED);\nSELECT @of_python(id) AS id FROM raw.orders',
  'models/outer.sql': 'MODEL (name m.outer, kind FULL);\nSELECT id FROM m.inner',
  'macros/of_python.py': '@macro()\ndef of_python(evaluator, x):\n    return x\n',
  'tests/data/semi.csv': 'id;status;amount\n1;paid;1,5\n',
};

let project: TemporaryProject;
beforeAll(() => {
  project = temporaryProject(FILES);
});
afterAll(() => project.delete());

interface Ended {
  readonly results: readonly TestResult[];
  /** `code: words at its place` of what is broken. */
  readonly broken: readonly string[];
  readonly messages: string;
  /** Errors that belong to no test. */
  readonly left: readonly string[];
}

async function run(text: string): Promise<Ended> {
  project.write({ 'tests/test_it.yaml': text });
  const workspace = openWorkspace({ folder: project.folder, variables: {}, executionTime: 0 });
  try {
    const loaded = await loadProject(workspace);
    const { broken, notRun, diagnostics } = testableProject(loaded);
    const runnable = loaded.project.tests.filter((each) => !broken.has(each) && !notRun.has(each));
    const results: TestResult[] = [...broken].map(([each, found]) => ({
      kind: 'broken',
      test: each,
      diagnostics: found,
    }));
    results.push(...[...notRun].map((each): TestResult => ({ kind: 'not-run', test: each })));
    for await (const result of runTests(workspace, loaded, runnable)) results.push(result);
    const found = results.flatMap((result) => (result.kind === 'broken' ? result.diagnostics : []));
    return {
      results,
      broken: found.map(({ code, at }) => `${code}: ${text.slice(at?.start, at?.end)}`),
      messages: found.map(({ message }) => message).join('\n'),
      left: diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    };
  } finally {
    await workspace.close();
  }
}

const of = (inputs: string, outputs = '{query: [{total: 1}]}', more = ''): string =>
  `test_it:\n  model: m.paid\n${more}  inputs: {raw.orders: ${inputs}}\n  outputs: ${outputs}\n`;

describe('an input that the engine refuses', () => {
  test.each([
    ['a value', of('[{status: paid, amount: 2}, {status: paid, «amount»: abc}]'), 'test.bad-value'],
    ['a value of CSV', of('{format: csv, rows: «"status,amount\\npaid,abc\\n"»}'), 'test.bad-value'],
    ['a value of a file', of('{path: «data/semi.csv», csv_settings: {sep: ";"}}'), 'test.bad-value'],
    ['a column of CSV', of('{format: csv, rows: «"status,amonut\\npaid,1\\n"»}'), 'test.unknown-column'],
    ['a type', of('{columns: {id: «intt»}, rows: [{id: 1}]}'), 'engine.statement-failed'],
    ['a query that is none', of('{query: «"SELEC 1"»}'), 'engine.statement-failed'],
    ['a query of other columns', of('{query: «"SELECT 1 AS idd"»}'), 'engine.statement-failed'],
    ['an expected query', of('[]', '{query: {query: «SELECT nothing»}}'), 'engine.statement-failed'],
    ['a file that is not there', of('{path: «data/none.csv»}'), 'test.no-file'],
    ['an expected file', of('[]', '{query: {path: «data/none.yaml»}}'), 'test.no-file'],
    ['a file outside the project', of('{path: «/etc/hostname», format: csv}'), 'test.escapes-project'],
    ['a path out of the project', of('{path: «../../../../../../etc/hostname», format: csv}'), 'test.escapes-project'],
    ['a gateway', of('[]', '{query: []}', '  gateway: «locall»\n'), 'config.unknown-gateway'],
  ])('%s', async (_, source, code) => {
    const { text, range } = marked(source);
    const { broken, messages } = await run(text);
    expect(broken).toEqual([`${code}: ${text.slice(range.start, range.end)}`]);
    expect(messages).not.toContain('raw__orders');
  }); // biome-ignore format: a table

  test('a value says what it cannot be', async () => {
    const { messages } = await run(of('[{status: paid, amount: abc}]'));
    expect(messages).toBe('abc cannot be the DECIMAL(10,2) that the column amount of raw.orders is.');
  });
  test('a value of a column that the query does not read is not refused', async () => {
    const { results } = await run(of('[{id: abc, status: paid, amount: 1}]'));
    expect(results.map(({ kind }) => kind)).toEqual(['passed']);
  });
  test('what the query itself cannot convert is not said of the inputs', async () => {
    project.write({
      'models/cast.sql': 'MODEL (name m.cast, kind FULL);\nSELECT status::INT AS n FROM raw.orders',
    });
    const { broken } = await run(
      'test_it: {model: m.cast, inputs: {raw.orders: [{id: abc, status: x}]}, outputs: {query: [{n: 1}]}}\n',
    );
    expect(broken).toEqual(['engine.type-mismatch: test_it']);
  });
});

describe('what loading finds', () => {
  const FINE =
    '\ntest_fine:\n  model: m.paid\n  inputs: {raw.orders: []}\n  outputs: {query: [{total: null}]}\n';
  test.each([
    ['yaml.unknown-key', `test_it:\n  model: m.paid\n  «inptus»: {raw.orders: []}\n  outputs: {query: []}\n${FINE}`],
    ['test.unknown-model', `${FINE}test_it:\n  model: «m.paidd»\n  inputs: {raw.orders: []}\n  outputs: {query: []}\n`],
    ['test.missing-input', `test_it:\n  model: «m.paid»\n  inputs: {raw.other: []}\n  outputs: {query: []}\n${FINE}`],
    ['test.unknown-column', of('[{«idd»: 1}]') + FINE],
    ['test.bad-time', of('[]', '{query: []}', '  vars: {«start»: noon}\n') + FINE],
  ])('%s breaks its test alone', async (code, source) => {
    const { text, range } = marked(source);
    const { results, broken, left } = await run(text);
    expect(broken).toEqual([`${code}: ${text.slice(range.start, range.end)}`]);
    expect(results.filter(({ kind }) => kind === 'passed').map((each) => each.test.name)).toEqual(['test_fine']);
    expect(left).toEqual([]);
  }); // biome-ignore format: a table

  test('tests of models that need Python are not run, those of others are', async () => {
    const one = (name: string): string =>
      `test_${name}: {model: m.${name}, inputs: {raw.orders: [{id: 1}]}, outputs: {query: [{id: 1}]}}\n`;
    const { results, left } = await run(one('by_python') + one('outer') + FINE);
    expect(Object.fromEntries(results.map(({ kind, test: { name } }) => [name, kind]))).toEqual({
      test_by_python: 'not-run',
      test_outer: 'not-run',
      test_fine: 'passed',
    });
    expect(left).toEqual([]);
  });

  test('an error in a model is left to be refused', async () => {
    project.write({ 'models/broken.sql': 'MODEL (name m.broken, kind FULL);\nSELECT FROM FROM' });
    const { left } = await run(FINE);
    project.write({ 'models/broken.sql': 'MODEL (name m.broken, kind FULL);\nSELECT 1 AS a' });
    expect(left).toEqual(['sql.syntax']);
  });
});
