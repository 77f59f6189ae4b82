/** Keys that are written into the files of a project do something, or say at the command line that they do not. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';

const CONFIG = `name: keys
gateways:
  local: {connection: {type: duckdb, database: w.duckdb}}
  other: {connection: {type: duckdb, database: other.duckdb}}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
`;
const model = (properties = ''): string =>
  `MODEL (\n  name m.a,\n  kind FULL${properties}\n);\n\nSELECT\n  1 AS a,\n  2 AS b\n`;
const FILES = { 'config.yaml': CONFIG, 'models/a.sql': model() };

/** In a project with these files beside or instead of the others. */
async function within<Result>(
  files: Readonly<Record<string, string>>,
  work: (project: PlannedProject) => Promise<Result>,
): Promise<Result> {
  const project = plannedProject({ ...FILES, ...files });
  try {
    return await work(project);
  } finally {
    project.remove();
  }
}

describe('a key without effect', () => {
  let said: readonly string[];
  beforeAll(async () => {
    const files = {
      'config.yaml': `name: keys
gateways:
  local:
    connection: {type: duckdb, database: w.duckdb, pre_ping: true, pretty_sql: true, catalog_type_overrides: {a: b}, filesystems: [{protocol: s3}]}
    state_schema: here
model_defaults: {dialect: duckdb, start: '2025-01-01', session_properties: {x: 1}}
physical_schema_mapping: {'^m$': other}
users: [{username: mara, slack_username: mara}]
results: {type: local}
cache: {type: none}
janitor: {warn_on_delete_failure: true, expired_snapshots_batch_size: 7}
slo: {quality: {score: 1}, latency: {p95: 1s}}
`,
      'models/a.sql': model(', table_format iceberg, storage_format parquet, clustered_by a'),
      'models/v.sql': 'MODEL (name m.v, kind VIEW (materialized true));\nSELECT a FROM m.a\n',
    };
    const { diagnostics } = await within(files, (project) => project.json('validate'));
    said = diagnostics.map((each) => String(each['message']));
  });

  test.each([
    'pre_ping',
    'pretty_sql',
    'catalog_type_overrides',
    'filesystems',
    'state_schema',
    'session_properties',
    'physical_schema_mapping',
    'slack_username',
    'type', // of results
    'cache',
    'warn_on_delete_failure',
    'expired_snapshots_batch_size',
    'quality',
    'latency',
    'table_format',
    'storage_format',
    'clustered_by',
    'materialized',
  ])('%s is named', (key) => {
    expect(said.filter((message) => message.startsWith(`${key} `))).not.toEqual([]);
  });
});

test('a property of tables that the engine does not have changes nothing', () =>
  within({}, async (project) => {
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    project.write('models/a.sql', model(', table_format iceberg, clustered_by a'));
    expect((await project.json('plan')).data).toMatchObject({ changes: [], stages: [] });
  }));

test.each([
  ['indent: 6', '      1 AS a'],
  ['leading_comma: true', '  , 2 AS b'],
])('plinth format lays SQL out by its settings: %s', async (setting, expected) => {
  const files = { 'config.yaml': `${CONFIG}format: {${setting}}\n` };
  const { stdout } = await within(files, (project) => project.plinth('format', '--diff'));
  expect(stdout).toContain(expected);
});

const semantic = (dimensions: string, policies = '[]'): Readonly<Record<string, string>> => ({
  'models/semantics/a.yml': `kind: semantic\nname: a\ndepends_on: m.a\nprimary_key: [a]\ndimensions: ${dimensions}\npolicies: ${policies}\n`,
});

const WRONG: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['a model of another gateway', { 'models/a.sql': model(', gateway other') }, 'model.other-gateway'],
  [
    'a misspelled key of state',
    { 'config.yaml': `${CONFIG}state: {synchronus: full}\n` },
    'yaml.unknown-key',
  ],
  ['a misspelled key of results', { 'config.yaml': `${CONFIG}results: {typ: local}\n` }, 'yaml.unknown-key'],
  [
    'details of a stock on a dimension',
    semantic('[{name: a, behavior: {type: stock, per: [b]}}, b]'),
    'yaml.unknown-key',
  ],
  ...['filter: []', 'filter:', 'filter: ~', 'filter: [{and: []}]', 'filter: [{or: []}]', 'mask: []'].map(
    (part) =>
      [`a policy with ${part}`, semantic('[a, b]', `[{group: eu, ${part}}]`), 'yaml.empty-value'] as const,
  ),
];
test.each(WRONG)('%s is an error, and nothing is built', async (_, files, code) => {
  await within(files, async (project) => {
    const { code: exit, error } = await project.json('plan', '--yes');
    expect([exit, error?.['code']]).toEqual([2, code]);
    expect((await project.json('environments')).data).toEqual({ environments: [] });
  });
});
