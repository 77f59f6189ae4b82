import { by, type EvidenceOf, says } from './evidence.ts';

const CHECKS = 'tests/e2e/semantic-checks.test.ts';
const RUNS = 'runs tests on their own rows, whatever spelling these have';
const TABLES = 'tests/keys/test-tables.test.ts';
const READS = 'a table of a test is read as it says';

/** Tests of models and of semantic queries. */
export const TEST_EVIDENCE: EvidenceOf = {
  '*.model': by(CHECKS, RUNS, 'test_of_a_model'),
  '*.semantic_query': by(CHECKS, RUNS, 'test_return'),
  '*.inputs': by(CHECKS, 'a test without rows for what its query reads is broken, where it stands', 'test_'),
  ...Object.fromEntries(
    [
      'table.rows',
      'table.query',
      'table.columns',
      'table.format',
      'table.path',
      'table.partial',
      'csv_settings.delimiter',
      'csv_settings.quotechar',
      'csv_settings.doublequote',
      'csv_settings.escapechar',
      'csv_settings.skipinitialspace',
      'csv_settings.lineterminator',
      'csv_settings.encoding',
      'csv_settings.na_values',
      'csv_settings.keep_default_na',
      '*.outputs.query',
      '*.outputs.partial',
      '*.outputs.rows',
      '*.rows',
      '*.vars',
    ].map((key) => [key, by(TABLES, READS, key.split('.').at(-1) as string)]),
  ),
  '*.outputs.ctes': says({ nothing: [{ a: 1 }] }, 'test.unknown-cte', {
    around: {
      test: {
        test_revenue: {
          model: 'm.reader',
          inputs: { 'm.subject': [{ id: 1 }] },
          outputs: { query: [{ id: 1 }] },
        },
      },
    },
  }),
  ...Object.fromEntries(
    ['*.as', 'test_caller.groups', 'test_caller.principal', '*.error'].map((key) => [
      key,
      by(
        'tests/e2e/model-tests.test.ts',
        'asks semantic queries as a caller, so that policies are tested, too',
        'test_',
      ),
    ]),
  ),
  'table.csv_settings': by(TABLES, READS, 'csv'),
  '*.description': by(TABLES, 'a test has the schema, the gateway and the description that it names'),
  '*.gateway': by(TABLES, 'a test has the schema, the gateway and the description that it names'),
  '*.schema': by(TABLES, 'a test has the schema, the gateway and the description that it names'),
};
