import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codesOf, loadHostile, loadInProcess, type ProcessReport } from './hostile-project.ts';
import type { LoadReport } from './report.ts';

const BAD = 'models/bad.sql';
const model = (sql: string): Readonly<Record<string, string>> => ({
  [BAD]: `MODEL (name bad.a, kind FULL);\n${sql}`,
});
const numbers = (count: number): string => Array.from({ length: count }, (_, i) => i).join(', ');

describe('macros in SQL', () => {
  test.each([
    ['a macro that calls itself', '@DEF(f, x -> @f(x)); SELECT @f(1) AS x', 'macro.too-deep'],
    [
      '5,000 calls inside one another',
      `SELECT ${'@IF(TRUE, '.repeat(5_000)}1${')'.repeat(5_000)} AS x`,
      'macro.too-deep',
    ],
    [
      'macros that double',
      `@DEF(f0, x -> x + x); ${Array.from({ length: 40 }, (_, i) => `@DEF(f${i + 1}, x -> @f${i}(x) + @f${i}(x));`).join(' ')} SELECT @f40(1) AS x`,
      'macro.too-large',
    ],
    [
      'loops in loops',
      `SELECT ${'@EACH([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], x -> '.repeat(12)}x${')'.repeat(12)}`,
      'macro.too-large',
    ],
    ['a sum that doubles', `SELECT @REDUCE([${numbers(60)}], (x, y) -> x + x) AS s`, 'macro.too-large'],
    ['a power of a power', 'SELECT @EVAL(10 ** 10 ** 10 ** 10) AS x', 'macro.not-constant'],
    ['a text of a gigabyte', "SELECT @EVAL(repeat('x', 1000000000)) AS x", 'macro.not-constant'],
    ['10,000 that never close', `SELECT ${'@IF(TRUE, '.repeat(10_000)}1 AS x`, 'macro.unclosed'],
    [
      'every date there is',
      "SELECT * FROM @DATE_SPINE('second', '0001-01-01', '9999-12-31')",
      'macro.arguments',
    ],
  ])('%s', async (_, sql, code) => {
    const report = await loadHostile(model(sql));
    expect(codesOf(report, BAD)).toEqual([code]);
  });
});

describe('Jinja', () => {
  test.each([
    [
      'a range of a thousand million',
      'SELECT {% for i in range(1000000000) %}{{ i }}{% endfor %} AS x',
      'macro.jinja-too-long',
    ],
    [
      'loops in loops',
      `${'{% for i in range(1000) %}'.repeat(6)}x${'{% endfor %}'.repeat(6)}`,
      'macro.jinja-too-long',
    ],
    [
      'a macro that calls itself',
      '{% macro f(x) %}{{ f(x) }}{% endmacro %}SELECT {{ f(1) }} AS x',
      'macro.jinja-too-long',
    ],
    [
      '20,000 parentheses',
      `SELECT {{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }} AS x`,
      'macro.jinja-too-long',
    ],
    ['a block that never closes', 'SELECT {% if x %} 1 AS x', 'macro.jinja'],
    ['a file of the machine', '{% include "/etc/passwd" %}', 'macro.jinja'],
    ['the insides of the library', "SELECT {{ ''.__class__.__mro__ }} AS x", 'macro.jinja'],
  ])('%s', async (_, text, code) => {
    const report = await loadHostile(model(`JINJA_QUERY_BEGIN;\n${text}\nJINJA_END;`));
    expect(codesOf(report, BAD)).toEqual([code]);
  });
});

/** Functions of users, one file each, so that none spoils another. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  throws: "export function throws() {\n  throw new Error('boom');\n}\n",
  throwsnothing: 'export function throwsnothing() { throw null; }\n',
  throwstraps: 'export function throwstraps() { throw new Proxy({}, { get() { throw 1; } }); }\n',
  exits: 'export function exits() { process.exit(3); }\n',
  exitsearly: "process.exit(3);\nexport function exitsearly() { return '1'; }\n",
  floods: "export function floods() { return 'x'.repeat(500_000_000); }\n",
  lists: "export function lists() { return Array(1_000_000).fill('1'); }\n",
  cyclic: 'export function cyclic() { const a = []; a.push(a); return a; }\n',
  objects: 'export function objects() { return { a: 1 }; }\n',
  functions: 'export function functions() { return () => 1; }\n',
  again: "export function again() { return '@again()'; }\n",
  grows: "export function grows(x) { return '@grows(' + x + '1)'; }\n",
  broken: 'export function broken( { return\n',
  missing: "import { x } from './nowhere.ts';\nexport function missing() { return x; }\n",
  later:
    "export function later() { setTimeout(() => { throw new Error('late'); }, 1); Promise.reject(1); return '1'; }\n",
  forged:
    "import { parentPort } from 'node:worker_threads';\nexport function forged() { for (const m of [null, 1, {}, { id: 1 }, { id: 1, result: null }]) parentPort.postMessage(m); return '1'; }\n",
  reads:
    "import { readFileSync } from 'node:fs';\nexport function reads() { return \"'\" + readFileSync('/etc/passwd', 'utf8').length + \"'\"; }\n",
  sneaks:
    "export async function sneaks() { return (await import('node:' + 'fs')).readFileSync('/etc/passwd', 'utf8'); }\n",
  environment: 'export function environment() { return String(Object.keys(process.env).length); }\n',
};

describe('code of users', () => {
  let report: LoadReport;
  beforeAll(async () => {
    report = await loadHostile(
      Object.fromEntries(
        Object.entries(FUNCTIONS).flatMap(([name, text]) => [
          [`macros/${name}.ts`, text],
          [`models/${name}.sql`, `MODEL (name bad.${name});\nSELECT @${name}(1) AS x`],
        ]),
      ),
    );
  });
  afterAll(() => expect(report.modelCount).toBe(Object.keys(FUNCTIONS).length + 2));

  test.each([
    ['throws', 'macro.user-code-failed', 'boom (macros/throws.ts:2:9)'],
    ['throwsnothing', 'macro.user-code-failed', 'null'],
    ['throwstraps', 'macro.user-code-failed', ''],
    ['exits', 'macro.user-code-failed', 'ended its thread'],
    ['exitsearly', 'macro.user-code-failed', 'ended its thread'],
    ['floods', 'macro.user-code-failed', 'more than 10 MB of text'],
    ['lists', 'macro.user-code-failed', 'more than 100000 items'],
    ['cyclic', 'macro.user-code-failed', '32 levels'],
    ['objects', 'macro.bad-result', 'an object'],
    ['functions', 'macro.user-code-failed', 'a function'],
    ['again', 'macro.too-deep', ''],
    ['grows', 'macro.too-deep', ''],
    ['broken', 'macro.user-code-failed', 'macros/broken.ts'],
    ['missing', 'macro.user-code-failed', './nowhere.ts cannot be read'],
    ['forged', 'macro.user-code-failed', 'not loaded, because node:worker_threads lies outside macros/'],
    ['reads', 'macro.user-code-failed', 'not loaded, because node:fs lies outside macros/'],
    ['sneaks', 'macro.user-code-failed', 'node:fs lies outside macros/'],
  ])('%s: %s at the call', (name, code, words) => {
    const found = report.diagnostics.filter(({ file }) => file === `models/${name}.sql`);
    expect(found.map((each) => each.code)).toEqual([code]);
    expect(found[0]?.message).toContain(words);
    expect(found[0]?.start).toBeGreaterThanOrEqual(`MODEL (name bad.${name});\n`.length);
  });
  test.each(['missing', 'forged', 'reads'])(
    '%s: an import that may not be is an error in the file of the code',
    (name) => {
      expect(codesOf(report, `macros/${name}.ts`)).toEqual(['macro.import-outside']);
    },
  );
  test('errors after the answer harm nobody', () => {
    expect(report.models).toContain('bad.later: x INTEGER');
  });
  test('the environment of the machine is not handed over', () => {
    expect(codesOf(report, 'models/environment.sql')).toEqual([]);
  });
});

describe('code that never ends, in a process of its own', () => {
  let report: ProcessReport;
  beforeAll(async () => {
    report = await loadInProcess(
      {
        'macros/loops.ts': 'export function loops() { for (;;); }\n',
        'macros/waits.ts': 'export async function waits() { await new Promise(() => {}); }\n',
        ...Object.fromEntries(
          Array.from({ length: 20 }, (_, i) => [
            `models/l${i}.sql`,
            `MODEL (name bad.l${i});\nSELECT @loops(${i}) AS x`,
          ]),
        ),
        'models/w.sql': 'MODEL (name bad.w);\nSELECT @waits() AS x',
      },
      { seconds: 30, heapMb: 512, userCodeMs: 1_000 },
    );
  });
  test('each function is waited for once, not once for each model', () => {
    expect(report.diagnostics.map(({ code }) => code)).toEqual(Array(21).fill('macro.user-code-failed'));
    expect(report.diagnostics[0]?.message).toContain('did not return within 1 seconds');
    // 21 calls that were waited for would take longer.
    expect(report.ms).toBeLessThan(15_000);
  });
});
