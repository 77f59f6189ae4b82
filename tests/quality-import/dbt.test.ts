import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadAuditFile } from '../../src/compiler/load/load-audit-file.ts';
import { importDbt } from '../../src/compiler/quality/import/import-dbt.ts';
import type { ImportedChecks } from '../../src/compiler/quality/import/imported-check.ts';
import { DBT_REGISTRY } from '../../src/compiler/quality/import/translate-dbt-test.ts';
import '../property-seed.ts';
import { EXAMPLES, NOT_SAID } from './dbt-examples.ts';
import { expectNothingLost, loadedPacks, MODELS } from './imported-world.ts';

const importFiles = (
  files: Readonly<Record<string, string>>,
  as: 'checks' | 'audits' = 'checks',
  variables: Readonly<Record<string, string>> = {},
): ImportedChecks =>
  importDbt(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    { models: MODELS, dialect: 'duckdb', variables: new Map(Object.entries(variables)), as },
  );
const ofColumn = (column: string, ...tests: readonly string[]): string =>
  `models:\n  - name: orders\n    columns:\n      - name: ${column}\n        tests:\n${tests.map((each) => `          - ${each}\n`).join('')}`;
const rulesOf = ({ files }: ImportedChecks): readonly string[] =>
  files.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('  - ')));

describe('variables', () => {
  const test1 = "SELECT * FROM {{ ref('orders') }} WHERE amount < {{ var('least') }}";
  const project = 'name: shop\nvars:\n  least: 5\n  shop: {least: 7, list: [1]}\n';
  const queryOf = ({ files }: ImportedChecks): string =>
    files
      .map(({ text }) => text)
      .join('')
      .match(/WHERE (.*?)"?\}?\n/)?.[1] ?? '';
  test('have the values of dbt_project.yml, those of the project first, and those that are given before all', () => {
    const files = { 'tests/a.sql': test1, 'dbt_project.yml': project };
    expect(queryOf(importFiles(files))).toBe('amount < 7');
    expect(queryOf(importFiles(files, 'checks', { least: '9' }))).toBe('amount < 9');
    expect(queryOf(importFiles({ ...files, 'dbt_project.yml': 'name: x\nvars: {least: 5}\n' }))).toBe(
      'amount < 5',
    );
  });
  test('without a value are asked for', () => {
    const [check] = importFiles({ 'tests/a.sql': test1, 'dbt_project.yml': 'vars: {least: [1]}' }).checks;
    expect(check).toMatchObject({ outcome: 'refused', next: 'give its value with --variable NAME=VALUE' });
  });
});

describe('a name that several models end with', () => {
  const models = [
    ...MODELS,
    ...MODELS.map((model) => ({ ...model, name: model.name.replace('marts', 'raw') })),
  ];
  const imported = (alsoCalled: readonly string[]) =>
    importDbt(
      [
        {
          path: 'models/schema.yml',
          text: ofColumn('id', 'not_null', 'relationships: {to: ref("customers"), field: id}'),
        },
      ],
      {
        models: models.map((model) => (model.name === 'marts.orders' ? { ...model, alsoCalled } : model)),
        dialect: 'duckdb',
        variables: new Map(),
        as: 'checks',
      },
    );
  test('keeps its name, and the report says how to choose', () => {
    const { checks, unknownTables } = imported([]);
    expect(checks[0]?.table).toBe('orders');
    expect(unknownTables[0]?.why).toBe(
      'several models could be meant: marts.orders, raw.orders; say which with --table orders=marts.orders',
    );
  });
  test('is the one that the caller calls so', () => {
    const { checks, files, unknownTables } = imported(['"Orders"']);
    expect(checks.map(({ table, outcome }) => [table, outcome])).toEqual([
      ['marts.orders', 'imported'],
      ['marts.orders', 'imported'],
    ]);
    expect(files[0]?.text).toContain('depends_on: marts.orders');
    expect(unknownTables.map(({ name }) => name)).toEqual(['customers']);
  });
});

describe('every generic test of dbt, dbt_utils and dbt_expectations', () => {
  test('has an example here, and every example a translation', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(Object.keys(DBT_REGISTRY).toSorted());
  });
  for (const [name, [column, given]] of Object.entries(EXAMPLES))
    test(`${name} is ${NOT_SAID.has(name) ? 'refused' : 'written'}`, () => {
      const written = `${name}: ${given === '' ? '{}' : `{${given}}`}`;
      const imported = importFiles({ 'models/schema.yml': ofColumn(column, written) });
      expect(expectNothingLost(imported, 1)).toEqual([]);
      expect(imported.checks[0]?.outcome === 'refused').toBe(NOT_SAID.has(name));
      expect(imported.checks[0]?.differs.filter((words) => words.includes('not known'))).toEqual([]);
    });
  test('an argument that no translation reads is named', () => {
    const imported = importFiles({ 'models/schema.yml': ofColumn('id', 'not_null: {colour: red}') });
    expect(imported.checks[0]?.differs).toEqual(['colour is not known and is left out']);
  });
});

describe('settings of tests', () => {
  test('severity, warn_if and error_if', () => {
    const imported = importFiles({
      'schema.yml': ofColumn(
        'id',
        'not_null: {severity: warn}',
        'not_null: {config: {error_if: ">10", warn_if: ">0"}}',
        'not_null: {config: {severity: warn, warn_if: ">= 3"}}',
        'relationships: {to: ref("customers"), field: id, config: {error_if: ">5"}}',
        'dbt_utils.not_constant: {config: {error_if: ">5"}}',
      ),
    });
    expect(rulesOf(imported)).toEqual([
      '  - missing_count(id) = 0: {severity: warning}',
      '  - missing_count(id) <= 10: {warn: "when > 0"}',
      '  - missing_count(id) < 3: {severity: warning}',
      '  - values in (id) must exist in marts.customers (id): {warn: "when != 0", fail: "when > 5"}',
      '  - distinct_count(id) != 1',
    ]);
    expect(imported.checks[4]?.outcome).toBe('approximated');
  });
  test('where is the filter of a rule, and chooses the rows of a query', () => {
    const imported = importFiles({
      'schema.yml': ofColumn(
        'id',
        'unique: {where: "amount > 0"}',
        'dbt_utils.sequential_values: {where: "amount > 0"}',
      ),
    });
    expect(loadedPacks(imported).packs[0]?.rules[0]?.filter?.value).toBe('amount > 0');
    expect(imported.files[0]?.text).toContain('FROM (SELECT * FROM marts.orders WHERE amount > 0) AS chosen');
  });
  test('names, descriptions, tags and owners are kept; limits are named', () => {
    const imported = importFiles({
      'schema.yml': ofColumn(
        'id',
        'not_null: {name: known, description: why, tags: [a], enabled: false, limit: 5, meta: {owner: mara}}',
      ),
    });
    expect(loadedPacks(imported).packs[0]?.rules[0]).toMatchObject({
      name: 'known',
      description: 'why',
      tags: ['a'],
      isEnabled: false,
      owner: 'mara',
    });
    expect(imported.checks[0]?.differs).toEqual(['limit has no counterpart and is left out']);
  });
  test('arguments may have a key of their own, and tests a name of their own', () => {
    const imported = importFiles({
      'schema.yml': ofColumn(
        'status',
        'accepted_values: {arguments: {values: [1, b]}}',
        '{name: mine, test_name: accepted_values, values: [1], quote: false}',
      ),
    });
    expect(rulesOf(imported)).toEqual([
      '  - invalid_count(status) = 0: {valid_values: ["1", b]}',
      '  - invalid_count(status) = 0: {name: mine, valid_values: [1]}',
    ]);
  });
});

describe('sources and SQL', () => {
  test('a source is the table where it lies; its freshness is a rule', () => {
    const imported = importFiles({
      'models/sources.yml':
        'sources:\n  - name: raw\n    schema: marts\n    freshness: {warn_after: {count: 12, period: hour}, error_after: {count: 2, period: day}}\n    loaded_at_field: updated_at\n    tables:\n      - name: orders\n      - name: clients\n        identifier: customers\n        freshness: null\n        columns:\n          - {name: id, tests: [unique]}\n',
    });
    expect(imported.checks.map(({ table, outcome }) => [table, outcome])).toEqual([
      ['marts.orders', 'imported'],
      ['marts.customers', 'imported'],
    ]);
    expect(rulesOf(imported)).toEqual([
      '  - freshness(updated_at) <= 2d: {warn: "when > 12h"}',
      '  - duplicate_count(id) = 0',
    ]);
  });
  test('a singular test is failed rows of the table that it names', () => {
    const imported = importFiles(
      {
        'tests/no_refunds.sql':
          "{{ config(severity='warn', tags=['x']) }}\n{# why #}\nSELECT * FROM {{ ref('orders') }} WHERE amount < {{ var('least', 0) }};\n",
        'tests/jinja.sql': "SELECT * FROM {{ ref('orders') }} WHERE {% if x %} a {% endif %}",
        'tests/generic/even.sql': '{% test even(model, column_name) %} SELECT 1 {% endtest %}',
        'tests/nothing.sql': 'SELECT 1',
      },
      'checks',
      { least: '5' },
    );
    expect(expectNothingLost(imported, 4)).toEqual([]);
    expect(imported.checks.map(({ outcome }) => outcome)).toEqual([
      'imported',
      'refused',
      'refused',
      'refused',
    ]);
    expect(loadedPacks(imported).packs[0]?.rules[0]).toMatchObject({
      name: 'no_refunds',
      severity: 'warning',
      tags: ['x'],
      assertion: { kind: 'failed-rows', query: { value: 'SELECT * FROM marts.orders WHERE amount < 5' } },
    });
  });
  test('templates that only dbt fills in are refused with their words', () => {
    const imported = importFiles({ 'schema.yml': ofColumn('id', 'not_null: {where: "{{ today() }}"}') });
    expect(imported.checks[0]?.why).toBe('the template {{ today() }} is filled in by dbt only');
  });
});

describe('audits', () => {
  test('tests that fail as errors become audits that block; the others stay checks', () => {
    const tests = Object.entries(EXAMPLES).filter(([name]) => !NOT_SAID.has(name));
    const imported = importFiles(
      {
        'schema.yml': ofColumn(
          'id',
          ...tests.map(([name, [, given]]) => `${name}: {${given}}`),
          'unique: {severity: warn}',
        ),
      },
      'audits',
    );
    const audits = imported.files.filter(({ path }) => path.startsWith('audits/'));
    expect(audits.length).toBeGreaterThan(25);
    for (const audit of audits) {
      const loaded = loadAuditFile(audit, 'duckdb');
      expect(loaded.diagnostics).toEqual([]);
      expect(loaded.audits[0]).toMatchObject({ isStandalone: true, isBlocking: true });
    }
    expect(imported.checks.at(-1)?.files).toEqual(['dq/dbt/marts_orders.yml']);
    expect(
      expectNothingLost(
        { ...imported, checks: imported.checks.map((check) => ({ ...check })) },
        tests.length + 1,
      ),
    ).toEqual([]);
  });
});

test('nothing is silently dropped: as many outcomes as tests, whatever they are', () => {
  const given = fc.oneof(
    fc.constantFrom(...Object.values(EXAMPLES).map(([, each]) => each)),
    fc
      .dictionary(fc.stringMatching(/^[a-z_]{1,12}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      .map((each) => JSON.stringify(each).slice(1, -1)),
  );
  const written = fc.oneof(
    fc
      .tuple(fc.constantFrom(...Object.keys(EXAMPLES), 'custom', 'a.b'), given)
      .map(([name, each]) => `${name}: {${each}}`),
    fc.constantFrom('unique', 'not_null', 'null', '7', '[1]', '{}', '{unique: {}, x: 1}'),
  );
  fc.assert(
    fc.property(
      fc.array(written, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('id', 'status', '"Order Id"'),
      fc.constantFrom('checks', 'audits'),
      (tests, column, as) => {
        const imported = importFiles({ 'schema.yml': ofColumn(column, ...tests) }, as as 'checks');
        expect(expectNothingLost(imported, tests.length)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);
