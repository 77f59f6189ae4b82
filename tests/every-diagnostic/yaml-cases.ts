import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type DiagnosticCase, loading } from './diagnostic-case.ts';

const config = (code: string, text: string): DiagnosticCase => loading(code, { 'config.yaml': text });
const external = (code: string, text: string): DiagnosticCase =>
  loading(code, { 'external_models.yaml': text });
const usage = (code: string, text: string): DiagnosticCase => loading(code, { 'usage.yaml': text });

const TESTED = {
  'external_models.yaml':
    '- {name: raw.orders, columns: {id: int}}\n- {name: raw.items, columns: {id: int}}\n',
  'models/orders.sql':
    'MODEL (name marts.orders); WITH totals AS (SELECT id FROM raw.items) SELECT o.id, 1 AS amount FROM raw.orders AS o JOIN totals AS t ON t.id = o.id',
};
const INPUTS = 'inputs: {raw.orders: [{id: 1}], raw.items: []}';
const modelTest = (code: string, text: string): DiagnosticCase =>
  loading(code, { ...TESTED, 'tests/test_x.yaml': text });

/** What is wrong in files themselves, in YAML, in config.yaml, external tables, usage and model tests. */
export const yamlCases: readonly DiagnosticCase[] = [
  config('yaml.syntax', 'name: {b: «*x»}'),
  config('yaml.too-deep', `name: ${'['.repeat(63)}«[»${']'.repeat(64)}`),
  config('yaml.too-many-aliases', `name: &a x\ntags: [${'*a, '.repeat(100)}«*a»]`),
  config('yaml.duplicate-key', 'name: a\n«name»: b'),
  loading('yaml.empty-value', {
    'models/semantics/x.yml':
      'kind: semantic\nname: x\ndepends_on: m.x\npolicies: [{group: g, «filter»: []}]\n',
  }),
  loading('yaml.same-key', {
    'models/semantics/x.yml':
      'kind: semantic\nname: x\ndepends_on: m.x\npolicies: [{group: g, filter: {member: a, operator: set}, «filters»: {member: a, operator: set}}]\n',
  }),
  config('yaml.several-documents', 'name: a\n«---»\nname: b\n'),
  config('yaml.unknown-key', '«nmae»: x'),
  external('yaml.missing-key', '- {«columns»: {a: int}}'),
  config('yaml.wrong-type', '«word»'),
  config('yaml.bad-value', 'model_defaults: {cron: «sometimes»}'),
  config('yaml.key-not-yet', '«cache»: {ttl: 5m}'),
  loading('yaml.unknown-kind', { 'models/semantics/x.yml': 'kind: «semantics»\nname: x\n' }),

  config('config.key-without-effect', '«disable_anonymized_analytics»: true'),
  loading('config.python-not-supported', { 'config.py': '«»x' }),
  loading('config.several-files', { 'config.yaml': 'name: a', 'config.yml': '«»name: b' }),
  config('config.missing-variable', "description: «{{ env_var('NOT_SET') }}»"),
  config('config.bad-template', 'description: "a «{{ 1 + 1 }}»"'),
  loading('config.bad-override', { 'config.yaml': 'name: x' }, { variables: { PLINTH__RUNN: '1' } }),
  config(
    'config.unknown-gateway',
    'gateways: {local: {connection: {type: duckdb}}}\ndefault_gateway: «locl»',
  ),
  config('config.no-connection', 'gateways: {«local»: {variables: {}}}'),
  config('config.empty-access', 'access: [{principal: «mara»}]'),
  config('config.unknown-model', 'access: [{principal: mara, models: [h.healthy, «h.healty»]}]'),
  config('config.unknown-user', 'owner: «mary»\nusers: [{username: mara}]'),

  external('external.bad-name', '- {name: «a b»}'),
  external('external.bad-type', '- {name: raw.x, columns: {a: int, b: «"decimal("»}}'),
  external('external.unknown-gateway', '- {name: raw.x, gateway: «lokal»}'),
  external('external.duplicate', '- {name: raw.x}\n- {name: «raw.x»}'),

  usage('usage.unknown-subject', 'caveats: [«{text: Careful, applies_to: [marts.x]}»]'),

  loading(
    'file.escapes-project',
    { 'models/out.sql': '«»' },
    {
      prepare: (folder) => {
        execFileSync('rm', [join(folder, 'models/out.sql')]);
        symlinkSync('/etc/hostname', join(folder, 'models/out.sql'));
      },
    },
  ),
  loading(
    'file.not-utf8',
    { 'config.yaml': '', 'usage.yaml': '«»' },
    {
      prepare: (folder) =>
        execFileSync('sh', ['-c', `printf 'a: \\377\\376' > '${join(folder, 'usage.yaml')}'`]),
    },
  ),
  usage('file.too-large', `«#»${'x'.repeat(1_048_576)}`),
  loading(
    'file.unreadable',
    { 'models/pipe.sql': '«»' },
    {
      prepare: (folder) => {
        mkdirSync(join(folder, 'models'), { recursive: true });
        execFileSync('sh', ['-c', `rm '${folder}/models/pipe.sql' && mkfifo '${folder}/models/pipe.sql'`]);
      },
    },
  ),
  usage('file.empty', '«»# nothing\n'),

  modelTest('test.no-subject', '«test_a»: {outputs: {query: []}}'),
  modelTest('test.no-outputs', '«test_a»: {model: marts.orders}'),
  modelTest('test.semantic-only', '«test_a»: {model: marts.orders, as: {}, outputs: {query: []}}'),
  modelTest(
    'test.no-rows',
    'test_a: {model: marts.orders, inputs: {«raw.orders»: {columns: {id: int}}}, outputs: {query: []}}',
  ),
  modelTest(
    'test.rows-and-query',
    'test_a: {model: marts.orders, inputs: {«raw.orders»: {rows: [], query: SELECT 1}}, outputs: {query: []}}',
  ),
  modelTest(
    'test.bad-row',
    'test_a: {model: marts.orders, inputs: {raw.orders: [«1»]}, outputs: {query: []}}',
  ),
  modelTest(
    'test.bad-type',
    'test_a: {model: marts.orders, inputs: {raw.orders: {rows: [], columns: {id: «"decimal("»}}}, outputs: {query: []}}',
  ),
  modelTest(
    'test.bad-time',
    'test_a: {model: marts.orders, vars: {«execution_time»: soon}, outputs: {query: []}}',
  ),
  loading('test.unknown-cte', {
    'models/c.sql': 'MODEL (name m.c);\nWITH one AS (SELECT 1 AS id) SELECT id FROM one',
    'tests/test_c.yaml':
      'test_c: {model: m.c, inputs: {}, outputs: {ctes: {«onee»: [{id: 1}]}, query: [{id: 1}]}}\n',
  }),
  modelTest('test.unknown-model', `test_a: {model: «marts.order», ${INPUTS}, outputs: {query: []}}`),
  modelTest(
    'test.missing-input',
    'test_a: {model: «marts.orders», inputs: {raw.orders: []}, outputs: {query: []}}',
  ),
  modelTest(
    'test.unknown-input',
    'test_a: {model: marts.orders, inputs: {raw.orders: [], raw.items: [], «raw.item»: []}, outputs: {query: []}}',
  ),
  modelTest(
    'test.unknown-column',
    `test_a: {model: marts.orders, ${INPUTS}, outputs: {query: [{id: 1, «amont»: 2}]}}`,
  ),
  loading('test.unknown-metric-column', {
    ...TESTED,
    'models/semantics/orders.yml':
      'kind: semantic\nname: o\ndepends_on: marts.orders\nprimary_key: id\nmeasures: [{name: n, type: count}]',
    'models/metrics/volume.yml':
      'kind: metric\nname: volume\ntype: derived\nexpression: "{n}"\ninputs: [o.n]',
    'tests/test_s.yaml': 'test_s: {semantic_query: {measures: [«volume.mesure»]}, rows: []}',
  }),
  loading('test.duplicate-name', {
    ...TESTED,
    'tests/test_1.yaml': `test_a: {model: marts.orders, ${INPUTS}, outputs: {query: []}}`,
    'tests/test_2.yaml': `«test_a»: {model: marts.orders, ${INPUTS}, outputs: {query: []}}`,
  }),
];
