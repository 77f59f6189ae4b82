import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { importSoda } from '../../src/compiler/quality/import/import-soda.ts';
import type { ImportedChecks } from '../../src/compiler/quality/import/imported-check.ts';
import { SODA_FORMAT_PATTERNS, SODA_FORMATS_OURS } from '../../src/compiler/quality/import/soda-formats.ts';
import { SODA_VALIDITY } from '../../src/compiler/quality/import/soda-validity.ts';
import { SODA_KINDS, type SodaKind } from '../../src/compiler/quality/import/translate-soda-check.ts';
import '../property-seed.ts';
import { expectNothingLost, loadedPacks, MODELS } from './imported-world.ts';

const importText = (text: string, variables: Readonly<Record<string, string>> = {}): ImportedChecks =>
  importSoda([{ path: 'checks/a.yml', text }], {
    models: MODELS,
    dialect: 'duckdb',
    variables: new Map(Object.entries(variables)),
  });
const one = (check: string): ImportedChecks =>
  importText(`checks for orders:\n${check.replace(/^/gm, '  ').replace(/^ {2}/, '  - ')}\n`);
const outcomes = ({ checks }: ImportedChecks): readonly string[] => checks.map(({ outcome }) => outcome);
const rulesOf = (imported: ImportedChecks): readonly string[] =>
  imported.files.flatMap(({ text }) => text.split('\n').filter((line) => line.startsWith('  - ')));

/** Every kind of check of SodaCL with what becomes of it. */
const KINDS: Readonly<Record<SodaKind, readonly [string, 'imported' | 'approximated' | 'refused']>> = {
  schema: ['schema:\n    fail:\n      when required column missing: [id]', 'imported'],
  'group-by': [
    'group by:\n    query: SELECT region, AVG(amount) AS mean FROM orders GROUP BY region\n    fields: [region]\n    checks:\n      - mean > 5',
    'approximated',
  ],
  'group-evolution': ['group evolution:\n    query: SELECT region FROM orders', 'refused'],
  'failed-rows': ['failed rows:\n    fail condition: amount < 0', 'imported'],
  'row-count-comparison': ['row_count same as customers', 'imported'],
  reference: ['values in (customer_id) must exist in customers (id)', 'imported'],
  'freshness-using': ['freshness using updated_at < 1d', 'imported'],
  'change-over-time': ['change avg last 7 for row_count > -50', 'approximated'],
  'anomaly-score': ['anomaly score for row_count < default', 'approximated'],
  'anomaly-detection': ['anomaly detection for avg(amount)', 'approximated'],
  distribution: [
    'distribution_difference(amount) > 0.05:\n    distribution reference file: x.yml',
    'refused',
  ],
  reconciliation: ['row_count diff < 5', 'refused'],
  metric: ['avg(amount) between 5 and 10', 'imported'],
};

/** Numeric metrics that SodaCL documents, with their columns. */
const METRICS = [
  'row_count', 'avg(amount)', 'avg_length(status)', 'duplicate_count(id)', 'duplicate_count(id, day)', 'duplicate_percent(id)', 'max(amount)',
  'max_length(status)', 'min(amount)', 'min_length(status)', 'percentile(amount, 0.95)', 'stddev(amount)', 'stddev_pop(amount)', 'stddev_samp(amount)',
  'sum(amount)', 'variance(amount)', 'var_pop(amount)', 'var_samp(amount)', 'missing_count(email)', 'missing_percent(email)',
]; // biome-ignore format: a table
const THRESHOLDS = [
  '= 5',
  '!= 5',
  '<> 5',
  '< 5',
  '<= 5',
  '> 5',
  '>= 5.5',
  '< -1',
  'between 1 and 9',
  'not between 1 and 9',
  'between (1 and 9]',
  'between [1 and 9)',
  '< 5%',
  '< 5 %',
];

describe('kinds of checks', () => {
  for (const kind of Object.keys(SODA_KINDS) as SodaKind[])
    test(`${kind} is ${KINDS[kind][1]}`, () => {
      const imported = one(KINDS[kind][0]);
      expect(outcomes(imported)).toEqual([KINDS[kind][1]]);
      expect(expectNothingLost(imported, 1)).toEqual([]);
    });
  test('every metric with every threshold says the same, with warn and fail too', () => {
    const checks = METRICS.flatMap((metric) => [
      ...THRESHOLDS.map((threshold) => `${metric} ${threshold}`),
      ...THRESHOLDS.map((threshold) =>
        `${metric}:\n      warn: when ${threshold}\n      fail: when ${threshold}\n      name: ${metric} ${threshold}`.replaceAll(
          '%\n',
          '%\n',
        ),
      ),
    ]);
    const imported = importText(`checks for orders:\n${checks.map((check) => `  - ${check}`).join('\n')}\n`);
    expect(new Set(outcomes(imported))).toEqual(new Set(['imported']));
    expect(expectNothingLost(imported, checks.length)).toEqual([]);
  });
  test('levels mean the same: what must hold is the opposite of what fails', () => {
    expect(rulesOf(one('row_count:\n    fail: when < 10\n    warn: when between 10 and 20'))).toEqual([
      '  - row_count >= 10: {warn: "when between 10 and 20"}',
    ]);
    expect(rulesOf(one('avg(amount):\n    warn: when not between (1 and 9)'))).toEqual([
      '  - avg(amount) between (1, 9): {severity: warning}',
    ]);
    expect(rulesOf(one('freshness(updated_at):\n    warn: when > 90m\n    fail: when > 1d6h'))).toEqual([
      '  - freshness(updated_at) <= 1d 6h: {warn: "when > 90m"}',
    ]);
  });
});

describe('settings', () => {
  const VALUES: Readonly<Record<string, string>> = {
    'valid values': '[a, b]', 'invalid values': '[1, 2]', 'missing values': '[n/a]', 'valid min': '1', 'valid max': '2.5', 'valid length': '3',
    'valid min length': '1', 'valid max length': '9', 'valid regex': "'^a+$'", 'missing regex': "'^-$'", 'invalid regex': "'^a'",
    'valid format': 'email', 'invalid format': 'email', 'missing format': 'integer', 'include null': 'true',
  }; // biome-ignore format: a table
  for (const setting of Object.keys(SODA_VALIDITY))
    test(`${setting} is written or refused`, () => {
      const imported = one(
        `invalid_count(status) = 0:\n    valid values: [c]\n    ${setting}: ${VALUES[setting]}`.replace(
          '    valid values: [c]\n',
          setting.startsWith('missing') ? '    valid values: [c]\n' : '',
        ),
      );
      expect(expectNothingLost(imported, 1)).toEqual([]);
      const isUnsaid = setting === 'include null';
      expect(outcomes(imported)).toEqual([
        isUnsaid ? 'refused' : setting.endsWith('valid format') ? 'approximated' : 'imported',
      ]);
    });
  test('every format is known', () => {
    const formats = [...Object.keys(SODA_FORMATS_OURS), ...Object.keys(SODA_FORMAT_PATTERNS)];
    const checks = formats.map((format) => `  - invalid_count(status) = 0:\n      valid format: ${format}`);
    const imported = importText(`checks for orders:\n${checks.join('\n')}\n`);
    expect(outcomes(imported)).not.toContain('refused');
    expect(expectNothingLost(imported, formats.length)).toEqual([]);
    expect(formats.length).toBe(41);
  });
  test('names, owners, dimensions, samples and filters are kept; what has no counterpart is named', () => {
    const imported = one(
      'missing_count(email) = 0:\n    name: known\n    filter: amount > 0\n    samples limit: 5\n    samples columns: [id]\n    attributes: {owner: mara, dimension: Completeness, tags: [x], priority: 1}\n    colour: red',
    );
    expect(loadedPacks(imported).packs[0]?.rules[0]).toMatchObject({
      name: 'known',
      owner: 'mara',
      dimension: 'completeness',
      tags: ['x'],
      samplesLimit: 5,
      filter: { value: 'amount > 0' },
    });
    expect(imported.checks[0]?.differs).toEqual([
      'samples columns: samples have all columns that the reader may see',
      'colour has no counterpart and is left out',
    ]);
  });
  test('a configuration of a column holds for each of its checks', () => {
    const imported = importText(
      'checks for orders:\n  - invalid_count(status) = 0\n  - missing_count(email) = 0\nconfigurations for orders:\n  valid values for status: [a]\n  missing values for email: [n/a]\n',
    );
    expect(rulesOf(imported)).toEqual([
      '  - invalid_count(status) = 0: {valid_values: [a]}',
      '  - missing_count(email) = 0: {missing_values: ["n/a"]}',
    ]);
  });
});

describe('tables', () => {
  test('a table is the model that alone ends with its name, in any case', () => {
    const imported = importText(
      'checks for ORDERS:\n  - row_count > 0\nchecks for nothing.here:\n  - row_count > 0\n',
    );
    expect(imported.checks.map(({ table }) => table)).toEqual(['marts.orders', 'nothing.here']);
    expect(imported.unknownTables.map(({ name }) => name)).toEqual(['nothing.here']);
  });
  test('a name that two models have is kept and reported', () => {
    const models = [...MODELS, { ...(MODELS[0] as (typeof MODELS)[0]), name: 'raw.orders' }];
    const imported = importSoda([{ path: 'a.yml', text: 'checks for orders:\n  - row_count > 0\n' }], {
      models,
      dialect: 'duckdb',
      variables: new Map(),
    });
    expect(imported.unknownTables).toEqual([
      expect.objectContaining({
        name: 'orders',
        why: 'several models could be meant: marts.orders, raw.orders; say which with --table orders=marts.orders',
      }),
    ]);
  });
  test('queries name the models that their tables mean', () => {
    const imported = one(
      'failed rows:\n    fail query: SELECT orders.id FROM orders JOIN customers AS c ON c.id = orders.customer_id',
    );
    expect(imported.files[0]?.text).toContain(
      'SELECT orders.id FROM marts.orders AS orders JOIN marts.customers AS c ON c.id = orders.customer_id',
    );
  });
  test('a filter of a table makes a pack with this filter', () => {
    const imported = importText(
      "filter orders [daily]:\n  where: day = '${day}'\nchecks for orders [daily]:\n  - row_count > 0\n  - missing_count(id) = 0\n",
      { day: '2025-01-01' },
    );
    expect(loadedPacks(imported).packs.map(({ name, filter }) => [name.value, filter?.value])).toEqual([
      ['soda_marts_orders_daily', "day = '2025-01-01'"],
    ]);
  });
  test('a variable without a value is refused with the option that gives it one', () => {
    const imported = one('row_count > ${least}');
    expect(imported.checks[0]).toMatchObject({
      outcome: 'refused',
      next: 'give it a value: --variable least=VALUE',
    });
  });
  test('each check of each dataset is imported', () => {
    const imported = importText(
      'for each dataset T:\n  datasets: [marts.%, exclude customers, raw.x]\n  checks:\n    - row_count > 0\n    - nonsense check\n',
    );
    expect(expectNothingLost(imported, 4)).toEqual([]);
    expect(imported.checks.map(({ table, outcome }) => `${table} ${outcome}`)).toEqual([
      'marts.orders imported',
      'marts.orders refused',
      'raw.x imported',
      'raw.x refused',
    ]);
  });
});

describe('nothing is silently dropped', () => {
  const check = fc.oneof(
    fc.constantFrom(...Object.values(KINDS).map(([text]) => text)),
    fc.tuple(fc.constantFrom(...METRICS), fc.constantFrom(...THRESHOLDS)).map((parts) => parts.join(' ')),
    fc
      .tuple(
        fc.constantFrom('invalid_count(status)', 'invalid_percent(email)', 'nosuch(x)', 'avg(nosuch)'),
        fc.constantFrom(...Object.keys(SODA_VALIDITY)),
        fc.jsonValue({ maxDepth: 1 }),
      )
      .map(([metric, setting, value]) => `${metric} < 5:\n    ${setting}: ${JSON.stringify(value)}`),
    fc.stringMatching(/^[a-z][a-z <>=()0-9%,_]{0,30}$/).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      'failed rows:\n    fail query: SELECT FROM',
      'schema:\n    warn:\n      when schema changes: any',
      '[1, 2]',
      '{}',
      '7',
      'null',
    ),
  );
  const file = fc.array(
    fc.tuple(
      fc.constantFrom('orders', 'customers', 'raw.unknown', '"odd name"'),
      fc.array(check, { minLength: 1, maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 4 },
  );
  test('as many outcomes as checks, and every rule that is reported is written', () => {
    fc.assert(
      fc.property(file, (sections) => {
        const text = sections
          .map(
            ([table, checks]) =>
              `checks for ${table}:\n${checks.map((each) => `  - ${each.replace(/\n/g, '\n  ')}`).join('\n')}`,
          )
          .join('\n');
        const count = sections.reduce((sum, [, checks]) => sum + checks.length, 0);
        expect(expectNothingLost(importText(`${text}\n`), count)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  }, 60_000);
  test('sections without checks, files that are not YAML and unknown sections are reported', () => {
    const imported = importText(
      'profile columns:\n  columns: [orders.%]\ncheks for orders:\n  - row_count > 0\n',
    );
    expect(imported.checks.map(({ at, why }) => [at.line, why])).toEqual([
      [1, 'this section has no checks'],
      [3, 'this section is not known'],
    ]);
    expect(outcomes(importText('checks for orders:\n  - "row_count'))).toContain('refused');
  });
});
