import { describe, expect, test } from 'vitest';
import { marked } from '../../../../tests/support/marked-source.ts';
import { redact } from '../../../domain/config.ts';
import { loadConfig } from './load-config.ts';

const load = (text: string, environment: Record<string, string> = {}) =>
  loadConfig({ files: [{ path: 'config.yaml', text }], folderName: 'My Shop!', environment });

describe('defaults', () => {
  test('without a file there is a configuration with an embedded DuckDB', () => {
    const { config, diagnostics } = loadConfig({ files: [], folderName: '2024 My Shop!', environment: {} });
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      name: 'my-shop',
      tenant: 'default',
      defaultGateway: 'local',
      isDiscoverable: true,
    });
    expect(config.gateways['local']).toMatchObject({
      connection: { type: 'duckdb' },
      stateConnection: { type: 'sqlite' },
      testConnection: { type: 'duckdb', options: {} },
    });
    expect(config.modelDefaults).toMatchObject({ dialect: 'duckdb', cron: '@daily', isEnabled: true });
    expect(config.environments).toEqual({
      defaultTarget: 'prod',
      ttl: '1 week',
      suffixTarget: 'schema',
      pinned: [],
      catalogs: [],
    });
  });

  test('an empty file is the same as none', () => {
    expect(load('# nothing yet\n').diagnostics).toEqual([]);
  });

  test('the default dialect is that of the default gateway', () => {
    const { config } = load(
      'gateways: {a: {connection: {type: snowflake, account: x}}, b: {connection: {type: duckdb}}}',
    );
    expect(config.defaultGateway).toBe('a');
    expect(config.modelDefaults.dialect).toBe('snowflake');
  });
});

test('access gives roles, models, environments and exemptions, each by itself', () => {
  const { config, diagnostics } = load(`access:
  - {principal: a, role: consumer}
  - {principal: b, models: [Raw.People, raw.orders]}
  - {principal: c, environments: dev-ann}
  - {principal: d, policies: exempt}
`);
  expect(diagnostics).toEqual([]);
  const nothing = { models: [], environments: [], isExempt: false };
  expect(
    config.access.map(({ models, ...each }) => ({ ...each, models: models.map(({ value }) => value) })),
  ).toEqual([
    { ...nothing, principal: 'a', role: 'consumer' },
    { ...nothing, principal: 'b', models: ['raw.people', 'raw.orders'] },
    { ...nothing, principal: 'c', environments: ['dev_ann'] },
    { ...nothing, principal: 'd', isExempt: true },
  ]);
  const wrong = load(
    'access: [{principal: a, policies: none}, {principal: b, role: owner, environments: ["no name"]}, {principal: c, models: []}]',
  );
  expect(wrong.diagnostics.map(({ code }) => code)).toEqual([
    'yaml.bad-value',
    'yaml.bad-value',
    'config.empty-access',
  ]);
});

test('every key of the design page is read', () => {
  const { config, diagnostics } = load(`
name: shop
tenant: acme
display_name: Shop
version: 1.2.0
owner: mara
tags: [a]
users: [{username: mara, email: m@x.org, groups: [admin], notification_targets: [{type: console, notify_on: run_failure}]}]
gateways:
  local:
    connection: {type: duckdb, database: shop.duckdb, concurrent_tasks: 4, allowed_paths: [data/]}
    state_connection: {type: postgres, host: h, user: u, password: p, port: 5432, database: d}
    test_connection: {type: duckdb}
    variables: {Region: eu}
    model_defaults: {start: 2024-01-01}
default_gateway: local
model_defaults:
  dialect: postgres
  kind: {name: INCREMENTAL_UNMANAGED, insert_overwrite: true}
  audits: ["not_null(columns := (a, b))", {name: accepted_range, column: x, min_v: 0}]
  physical_properties: {partition: "day's", n: 3}
  on_destructive_change: WARN
variables: {Cut: 3}
environments: {default_target: dev, ttl: in 2 weeks, suffix_target: table, pinned: [dev], catalogs: {"^dev": x}}
plan: {auto_categorize: "off", forward_only: true}
run: {max_parallel: 8}
janitor: {snapshot_ttl: 3 days}
linter: {enabled: false, rules: ALL, warn_rules: [a]}
notification_targets: [{type: webhook, url: https://x.org, notify_on: [dq_failure], headers: {k: v}}]
access: [{principal: analysts, role: consumer}]
slo: {freshness: {max_age: 26h, model: marts.orders}, availability: 99.5}
before_all: [SELECT 1]
after_all: SELECT 2
results: {type: local}
cache: {ttl: 5m}
state: {synchronous: full}
server: {service: shop, limits: {page_rows: 10}}
`);
  expect(diagnostics.map(({ code, message }) => [code, message.split(/ has no effect/)[0]])).toEqual([
    ['config.key-without-effect', 'physical_properties'],
    ['config.key-without-effect', 'type'],
    ['yaml.key-not-yet', 'cache'],
  ]);
  expect(config).toMatchObject({
    name: 'shop', tenant: 'acme', displayName: 'Shop', version: '1.2.0', owner: 'mara', defaultGateway: 'local',
    users: [{ username: 'mara', groups: ['admin'], notificationTargets: [{ type: 'console', notifyOn: ['run_failure'] }] }],
    gateways: { local: { connection: { concurrentTasks: 4, options: { database: 'shop.duckdb', allowed_paths: ['data/'] } }, stateConnection: { type: 'postgres' }, variables: { region: 'eu' }, modelDefaults: { start: '2024-01-01' } } },
    modelDefaults: {
      dialect: 'postgres', onDestructiveChange: 'warn', kind: { name: 'INCREMENTAL_UNMANAGED', options: { insert_overwrite: true } },
      audits: [{ name: 'not_null', arguments: { columns: '(a, b)' } }, { name: 'accepted_range', arguments: { column: 'x', min_v: '0' } }],
    },
    variables: { cut: 3 },
    environments: { defaultTarget: 'dev', ttl: '2 weeks', suffixTarget: 'table', pinned: ['dev'], catalogs: [{ pattern: '^dev', target: 'x' }] },
    plan: { forwardOnly: true, autoCategorize: { sql: 'off', seed: 'off' } },
    run: { maxParallel: 8 }, janitor: { snapshotTtl: '3 days' }, linter: { isEnabled: false, rules: 'ALL', warnRules: ['a'] },
    notificationTargets: [{ type: 'webhook', options: { url: 'https://x.org', headers: { k: 'v' } } }],
    slo: { freshness: { maxAge: '26h', model: 'marts.orders' }, availability: 99.5 },
    beforeAll: ['SELECT 1'], afterAll: ['SELECT 2'], state: { isDurable: true },
  }); // biome-ignore format: a table
});

test('keys of SQLMesh are understood, or noted as without effect, and never errors', () => {
  const { config, diagnostics } = load(`
project: Repo 1
default_connection: {type: duckdb, database: x.db}
snapshot_ttl: in 3 days
environment_ttl: in 2 days
pinned_environments: [dev]
environment_suffix_target: catalog
physical_schema_mapping: {"^sushi$": dev_sushi}
default_target_environment: stage
auto_categorize_changes: {sql: semi}
model_naming: {infer_names: true}
disable_anonymized_analytics: true
ui: {format_on_save: false}
cicd_bot: {type: github}
gateways: {g: {scheduler: {type: builtin}}}
format: {append_newline: true, normalize_functions: upper}
`);
  expect(config).toMatchObject({
    name: 'repo-1', janitor: { snapshotTtl: '3 days' },
    environments: { ttl: '2 days', pinned: ['dev'], suffixTarget: 'catalog', defaultTarget: 'stage' },
    plan: { autoCategorize: { sql: 'semi', python: 'full' } },
    gateways: { g: { connection: { options: { database: 'x.db' } } } }, format: { normalizeFunctions: 'upper' },
  }); // biome-ignore format: a table
  expect(diagnostics.map((each) => [each.code, each.severity])).toEqual(
    Array(6).fill(['config.key-without-effect', 'note']),
  );
});

describe('templates', () => {
  test('env_var works in quotes, without them, inside text, and in numbers', () => {
    const { config, diagnostics } = load(
      `gateways:\n  a:\n    connection: {type: postgres, host: {{ env_var('H') }}, user: "u-{{ env_var(\\"U\\", 'x') }}", password: {{ env_var("P") }}, port: {{ env_var('PORT', 5432) }}, database: d}\n# {{ env_var('IN_A_COMMENT') }}\n`.replaceAll(
        '\\"',
        "'",
      ),
      { H: 'db.example.org', P: '0123' },
    );
    expect(diagnostics.map(({ code }) => code)).toEqual(['yaml.key-not-yet']);
    expect(config.gateways['a']?.connection.options).toMatchObject({
      host: 'db.example.org',
      user: 'u-x',
      port: 5432,
      password: '0123',
    });
  });

  test('secrets and values from the environment are not shown', () => {
    const { config } = load(
      'gateways:\n  a:\n    connection: {type: postgres, host: "{{ env_var(\'H\') }}", user: u, password: hunter2, port: 1, database: d}\nvariables: {Token: "{{ env_var(\'T\') }}", n: {deep: ["{{ env_var(\'T\') }}"]}}\nnotification_targets: [{type: slack_api, token: xoxb, channel: c, notify_on: run_end}]\ndescription: "{{ env_var(\'T\') }}"\n',
      { H: 'db.internal', T: 'geheim' },
    );
    const shown = JSON.stringify(redact(config));
    for (const secret of ['db.internal', 'hunter2', 'geheim', 'xoxb']) expect(shown).not.toContain(secret);
    expect(redact(config).variables).toEqual({
      token: "{{ env_var('T') }}",
      n: { deep: ["{{ env_var('T') }}"] },
    });
    expect(config.variables['token']).toBe('geheim');
  });

  test('a wrong value from the environment is not printed', () => {
    const { diagnostics } = load('run: {max_parallel: "{{ env_var(\'N\') }}"}', { N: 'secret-words' });
    expect(diagnostics.map((each) => each.code)).toEqual(['yaml.wrong-type']);
    expect(JSON.stringify(diagnostics)).not.toContain('secret-words');
  });

  test('a variable that only an unused gateway needs is a warning', () => {
    const text =
      'default_gateway: a\ngateways:\n  a: {connection: {type: duckdb}}\n  b: {connection: {type: snowflake, account: "{{ env_var(\'ACCOUNT\') }}"}}\n';
    expect(load(text).diagnostics).toMatchObject([
      { code: 'yaml.key-not-yet' },
      { code: 'config.missing-variable', severity: 'warning' },
    ]);
  });
});

describe('overrides', () => {
  test('environment variables replace values, typed by the schema', () => {
    const { config, diagnostics } = load('run: {max_parallel: 2}\ngateways: {Local: {connection: {type: duckdb}}}', {
      PLINTH__RUN__MAX_PARALLEL: '16', PLINTH__TENANT: 'acme', PLINTH__GATEWAYS__LOCAL__CONNECTION__DATABASE: 'x.db', PLINTH__TAGS: '[a, b]', PLINTH__VERSION: '1.10', OTHER: 'x',
    }); // biome-ignore format: a table
    expect(diagnostics).toEqual([]);
    expect(config).toMatchObject({
      run: { maxParallel: 16 },
      tenant: 'acme',
      tags: ['a', 'b'],
      version: '1.10',
      gateways: { Local: { connection: { options: { database: 'x.db' } } } },
    });
  });

  test.each([
    [{ PLINTH__RUN__MAX_PARALLEL: 'many' }, 'PLINTH__RUN__MAX_PARALLEL'],
    [{ PLINTH__RUNN: '1' }, 'PLINTH__RUNN'],
  ])('a wrong one is named, without its value: %j', (environment, name) => {
    const { diagnostics } = load('name: x', environment as unknown as Record<string, string>);
    expect(diagnostics.map((each) => each.code)).toEqual(['config.bad-override']);
    expect(diagnostics[0]?.message).toContain(name);
    expect(diagnostics[0]?.message).not.toContain('many');
    expect(diagnostics[0]?.at).toBeUndefined();
  });
});

describe('diagnostics', () => {
  test.each([
    ['yaml.unknown-key', '«modle_defaults»: {}'],
    ['yaml.unknown-key', 'gateways: {a: {connection: {type: duckdb, «databse»: x}}}'],
    ['yaml.bad-value', 'name: «My Shop»'],
    ['yaml.bad-value', 'tenant: «a-b»'],
    ['yaml.bad-value', 'version: «one»'],
    ['yaml.bad-value', 'model_defaults: {dialect: «duckbd»}'],
    ['yaml.bad-value', 'model_defaults: {cron: «"every day"»}'],
    ['yaml.bad-value', 'environments: {ttl: «soon»}'],
    ['yaml.bad-value', 'gateways: {a: {connection: {type: «duckdbb»}}}'],
    ['yaml.missing-key', 'gateways: {a: {connection: {«database»: x}}}'],
    ['yaml.missing-key', 'gateways: {a: {connection: {«type»: trino, user: u, catalog: c}}}'],
    ['yaml.wrong-type', 'name: [«x»]'],
    ['yaml.duplicate-key', 'name: a\n«name»: b'],
    ['yaml.syntax', 'name: a«:» b'],
    ['config.key-without-effect', '«disable_anonymized_analytics»: true'],
    ['config.missing-variable', "description: «{{ env_var('NOT_SET') }}»"],
    ['config.bad-template', 'description: "a «{{ 1 + 1 }}»"'],
    ['config.unknown-gateway', 'gateways: {local: {connection: {type: duckdb}}}\ndefault_gateway: «locl»'],
    [
      'config.unknown-gateway',
      'gateways: {local: {connection: {type: duckdb}}}\nmodel_defaults: {gateway: «locl»}',
    ],
    ['config.no-connection', 'gateways: {«local»: {variables: {}}}'],
    ['config.unknown-user', 'owner: «mary»\nusers: [{username: mara}]'],
  ])('%s is marked in %j', (code, source) => {
    const { text, range } = marked(source);
    const found = load(text).diagnostics.filter((each) => each.code === code);
    expect(found).toHaveLength(1);
    if (code === 'yaml.wrong-type' || code === 'yaml.syntax') expect(found[0]?.at?.file).toBe('config.yaml');
    else expect(found[0]?.at).toEqual({ file: 'config.yaml', ...range });
  });

  test('a misspelled key is answered with the right one', () => {
    expect(load('modle_defaults: {}').diagnostics[0]?.hint).toBe('did you mean model_defaults?');
  });

  test('config.py is refused, and a second file is ignored', () => {
    const python = loadConfig({
      files: [{ path: 'config.py', text: 'x' }],
      folderName: 'f',
      environment: {},
    });
    expect(python.diagnostics.map((each) => each.code)).toEqual(['config.python-not-supported']);
    expect(python.diagnostics[0]?.at).toEqual({ file: 'config.py', start: 0, end: 0 });
    const both = loadConfig({
      files: [
        { path: 'config.yml', text: 'name: b' },
        { path: 'config.yaml', text: 'name: a' },
      ],
      folderName: 'f',
      environment: {},
    });
    expect(both.config.name).toBe('a');
    expect(both.diagnostics.map((each) => [each.code, each.at?.file])).toEqual([
      ['config.several-files', 'config.yml'],
    ]);
  });

  test('a broken gateway does not make the default gateway unknown', () => {
    const { diagnostics } = load('gateways: {local: {connection: {type: nope}}}\ndefault_gateway: local');
    expect(diagnostics.map((each) => each.code)).toEqual(['yaml.bad-value']);
  });
});

test('rules of the linter keep their places', () => {
  const { text, ranges } = marked('linter:\n  rules: [«no-select-star», «x»]\n  warn_rules: [«"y z"»]\n');
  const { linter } = load(text).config;
  expect(linter).toMatchObject({ rules: ['no-select-star', 'x'], warnRules: ['y z'] });
  const places = ['no-select-star', 'x', 'y z'].map((name) => linter.ruleRanges[name]);
  expect(places).toEqual(ranges.map((range) => ({ file: 'config.yaml', ...range })));
});

describe('server.limits', () => {
  const errors = (source: string) => {
    const { text, ranges } = marked(source);
    const { diagnostics } = load(text);
    expect(diagnostics.map(({ at }) => [at?.start, at?.end])).toEqual(
      ranges.map(({ start, end }) => [start, end]),
    );
    return diagnostics.map(({ code, message, hint }) => ({ code, message, hint }));
  };

  test('have the defaults of the design, and each can be changed', () => {
    expect(load('').config.limits).toMatchObject({
      bodyBytes: 4_194_304,
      requestsPerSecond: 100,
      failedCredentialsPerMinute: 6_000,
      statements: {
        sqlBytesMax: 1_048_576,
        parametersMax: 1000,
        timeoutMs: 300_000,
        timeoutMsMax: 3_600_000,
        runningMax: 4,
        queuedMax: 1000,
        pageRowsMax: 50_000,
        resultsBytesMax: 68_719_476_736,
        resultsBytesMaxEach: 17_179_869_184,
        keptMs: 86_400_000,
      },
    });
    const { config, diagnostics } = load(
      `server:
  limits:
    requests_per_second: 7
    failed_credentials_per_minute: 8
    body_bytes: 2048
    answer_bytes: 1048576
    sql_bytes: 9
    parameters: 2
    statement_seconds_default: 1.5
    statement_seconds_max: 2
    statements_running: 3
    statements_queued: 4
    page_rows: 5
    results_bytes: 6000
    results_bytes_each: 7000
    result_hours: 0.5`,
      { PLINTH__SERVER__LIMITS__PAGE_ROWS: '6' },
    );
    expect(diagnostics).toEqual([]);
    expect(config.limits).toMatchObject({
      bodyBytes: 2048,
      answerBytesMax: 1_048_576,
      requestsPerSecond: 7,
      failedCredentialsPerMinute: 8,
      statements: {
        sqlBytesMax: 9,
        parametersMax: 2,
        timeoutMs: 1500,
        timeoutMsMax: 2000,
        runningMax: 3,
        queuedMax: 4,
        pageRowsMax: 6,
        resultsBytesMax: 6000,
        resultsBytesMaxEach: 7000,
        keptMs: 1_800_000,
      },
    });
  });

  test('a longest timeout below the default of the default lowers it', () => {
    const { config, diagnostics } = load('server: {limits: {statement_seconds_max: 10}}');
    expect(diagnostics).toEqual([]);
    expect(config.limits.statements.timeoutMs).toBe(10_000);
  });

  test('what is no limit is said where it stands', () => {
    expect(errors('server: {limits: {«request_per_second»: 5}}')).toMatchObject([
      { code: 'yaml.unknown-key', hint: 'did you mean requests_per_second?' },
    ]);
    expect(errors('server: {limits: {requests_per_second: «0»}}')).toMatchObject([
      { code: 'yaml.bad-value', message: expect.stringContaining('between 1 and 1000000') },
    ]);
    expect(errors('server: {limits: {page_rows: «many»}}')).toMatchObject([{ code: 'yaml.wrong-type' }]);
    expect(errors('server: {limits: {statement_seconds_default: «4000»}}')).toMatchObject([
      {
        code: 'yaml.bad-value',
        message: expect.stringContaining('at most 3600, which is statement_seconds_max'),
      },
    ]);
    expect(errors('server: {«limit»: {}}')).toMatchObject([{ code: 'yaml.unknown-key' }]);
  });
});
