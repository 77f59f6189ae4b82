import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { loadConfig } from '../config/load-config.ts';
import { modelContext } from '../model-context.ts';
import { chooseExternalModels, loadExternalModels } from './external-models.ts';

const CONFIG =
  'gateways: {local: {connection: {type: duckdb, database: shop.duckdb}}, prod: {connection: {type: snowflake, account: a}}}';
const { config } = loadConfig({
  files: [{ path: 'config.yaml', text: CONFIG }],
  folderName: 'f',
  environment: {},
});
const { context } = modelContext(config);
const load = (text: string) => loadExternalModels({ path: 'external_models.yaml', text }, context);

test('a table as SQLMesh writes it becomes an external model with canonical types', () => {
  const { definitions, diagnostics } = load(`
- name: '"shop"."raw"."demographics"'
  description: Table containing demographics information
  dialect: duckdb
  start: 1 week ago
  audits:
    - name: not_null
      columns: "[customer_id]"
    - name: accepted_range
      column: zip
      min_v: "'00000'"
    - assert_raw_demographics
  columns:
    customer_id: int
    ZIP: text
    amount: {type: "decimal(10,2)", description: Euros}
  grain: customer_id
`);
  expect(diagnostics).toEqual([]);
  expect(definitions).toMatchObject([
    {
      name: 'raw.demographics',
      kind: { kind: 'external' },
      source: { kind: 'external' },
      start: '1 week ago',
      grains: [['customer_id']],
      declaredColumns: [{ name: 'customer_id', type: 'INTEGER' }, { name: 'zip', type: 'VARCHAR' }, { name: 'amount', type: 'DECIMAL(10,2)' }],
      columnDescriptions: { amount: 'Euros' },
      audits: [
        { name: 'not_null', arguments: { columns: '[customer_id]' } },
        { name: 'accepted_range', arguments: { column: 'zip', min_v: "'00000'" } },
        { name: 'assert_raw_demographics', arguments: {} },
      ],
    },
  ]); // biome-ignore format: a table
});

test('types are read in the dialect of the table', () => {
  const { definitions } = load('- {name: raw.x, dialect: bigquery, columns: {a: int64, b: "array<string>"}}');
  expect(definitions[0]?.declaredColumns).toEqual([
    { name: 'a', type: 'BIGINT' },
    { name: 'b', type: 'VARCHAR[]' },
  ]);
});

test('the description of the gateway in use wins', () => {
  const { definitions } = load(
    '- {name: raw.x}\n- {name: raw.x, gateway: local, description: own}\n- {name: raw.x, gateway: prod, description: other}',
  );
  expect(chooseExternalModels(definitions, 'LOCAL').definitions.map((each) => each.description)).toEqual([
    'own',
  ]);
});

describe('diagnostics', () => {
  test.each([
    ['external.bad-name', '- {name: «a b»}'],
    ['external.bad-type', '- {name: raw.x, columns: {a: int, b: «"decimal("»}}'],
    ['external.unknown-gateway', '- {name: raw.x, gateway: «lokal»}'],
    ['yaml.unknown-key', '- {name: raw.x, «colums»: {a: int}}'],
    ['yaml.missing-key', '- {«columns»: {a: int}}'],
    ['file.empty', ''],
  ])('%s is marked in %j', (code, source) => {
    const { text, range } = marked(source);
    const { diagnostics } = load(text);
    expect(diagnostics.map((each) => each.code)).toEqual([code]);
    expect(diagnostics[0]?.at).toEqual({ file: 'external_models.yaml', ...range });
  });

  test('external.duplicate is marked at the second description', () => {
    const { text, ranges } = marked('- {name: raw.x}\n- {name: «raw.x»}');
    const { diagnostics } = chooseExternalModels(load(text).definitions, 'local');
    expect(diagnostics.map((each) => [each.code, each.at])).toEqual([
      ['external.duplicate', { file: 'external_models.yaml', ...ranges[0] }],
    ]);
  });
});
