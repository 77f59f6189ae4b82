import { by, differs, type EvidenceOf, says, shown } from './evidence.ts';
import { PROJECT } from './project.ts';

const SERVED_STATE = 'tests/state-faults/postgres-connection.test.ts';
const EFFECTS = 'tests/keys/config-effects.test.ts';
const AROUND = 'tests/e2e/plan-surroundings.test.ts';
const DUCKDB = 'src/adapters/engines/duckdb/duckdb-config.test.ts';
const KEEPER = 'src/adapters/engines/duckdb/keeper.test.ts';
const SET_UP = by(
  DUCKDB,
  'extensions, options, secrets and catalogs come before the lock, each value as a text',
);
const LIMITS = 'tests/platform/platform-answers.test.ts';
const TARGETS = 'tests/delivery/configured-targets.test.ts';
const USERS_TARGETS =
  'a target of the product and one of a user get what happens from then on; deliveries are for owners of the product';
const ACCESS = 'come from config.yaml, by name, by group, and by groups of its users';

const config = (more: typeof PROJECT.config) => ({ config: { ...PROJECT.config, ...more } });
const TWO_GATEWAYS = config({
  gateways: {
    local: { connection: { type: 'duckdb', database: 'w.duckdb' }, variables: { x: 1 } },
    other: { connection: { type: 'duckdb', database: 'w.duckdb' }, variables: { x: 2 } },
  },
});
const VARIABLE = {
  query: "SELECT @VAR('x', 0) AS id, DATE '2024-01-02' AS day, 'EU' AS region, 5 AS amount",
};
const BY_DAY = { kind: 'INCREMENTAL_BY_TIME_RANGE', options: ['time_column day'] };
const SHRINKING = { ...BY_DAY, options: [...BY_DAY.options, 'forward_only true'] };
const MESSY = {
  query:
    "SELECT CAST(1 AS INT) AS id, date '2024-01-02' AS Day, Concat('E', 'U', 'x', 'a longer text that breaks a line') AS region, 5 AS amount FROM (SELECT 1)",
};

/** What shows the effect of each key of config.yaml. */
export const CONFIG_EVIDENCE: EvidenceOf = {
  name: differs('other', 'info'),
  tenant: differs('acme', 'info'),
  display_name: differs('Keys', 'info'),
  description: differs('What it is', 'info'),
  version: differs('1.2.3', 'info'),
  domain: shown(),
  owner: differs('mara', 'info'),
  tags: shown((word) => [word]),
  terms: shown((word) => [word]),
  discoverable: by(
    'tests/platform/platform-access.test.ts',
    'that is discoverable is found by everybody of the tenant, with the way to ask for it; others are not',
  ),
  'users.username': by('tests/e2e/server-auth.test.ts', ACCESS, 'users'),
  'users.email': shown((word) => `${word}@example.org`),
  notification_targets: by(TARGETS, USERS_TARGETS),
  'users.notification_targets': by(TARGETS, USERS_TARGETS),
  ...Object.fromEntries(
    Object.entries({
      console: '',
      slack_webhook: 'url',
      slack_api: 'token channel',
      teams_webhook: 'url',
      smtp: 'host port user password sender recipients subject',
      webhook: 'url secret signature headers allow_private',
      generic: '',
    }).flatMap(([type, own]) =>
      ['type', 'notify_on', ...own.split(' ').filter((key) => key !== '')].map((key) => [
        `notification_target.${type}.${key}`,
        by(
          TARGETS,
          key === 'notify_on'
            ? 'notify_on: every name stands for its events and for no other'
            : 'every type of target is opened with what it says',
          key,
        ),
      ]),
    ),
  ),
  'server.webhooks.allow_private': by(
    'tests/delivery/private.test.ts',
    'a failing audit reaches those who follow what is made of the model, and only them',
    'allow_private',
  ),
  'users.groups': by('tests/e2e/server-auth.test.ts', ACCESS),
  'access.principal': by('tests/e2e/server-auth.test.ts', ACCESS),
  'access.role': by('tests/e2e/server-auth.test.ts', ACCESS),
  'access.models': by('tests/policies/policy-reach.test.ts', 'access opens a model by name, and no other'),
  'access.environments': by(
    'tests/policies/policy-environments.test.ts',
    'are refused to consumers, whether they are there or not: %s',
    'testers',
  ),
  'access.policies': by(
    'tests/policies/policy-reach.test.ts',
    'nothing is closed to whom no policy restricts, nor to whom none applies',
    'auditors',
  ),

  'gateways.*.connection': by(EFFECTS, 'the file of a connection is where the warehouse lies', 'database'),
  'connection.duckdb.type': says('oracle', 'yaml.bad-value'),
  'connection.duckdb.database': by(EFFECTS, 'the file of a connection is where the warehouse lies'),
  'connection.duckdb.catalogs': by(KEEPER, 'further catalogs have a ledger of their own'),
  'connection.duckdb.catalogs.*.path': SET_UP,
  'connection.duckdb.catalogs.*.type': SET_UP,
  'connection.duckdb.catalogs.*.read_only': SET_UP,
  'connection.duckdb.catalogs.*.data_path': by(DUCKDB, 'options open only what they name'),
  'connection.duckdb.extensions': SET_UP,
  'connection.duckdb.extensions.name': SET_UP,
  'connection.duckdb.extensions.repository': SET_UP,
  'connection.duckdb.extensions.force_install': SET_UP,
  'connection.duckdb.connector_config': by(
    KEEPER,
    'a file that is no database, and options that DuckDB refuses, say so',
  ),
  'connection.duckdb.secrets': SET_UP,
  'connection.duckdb.allowed_paths': by(
    KEEPER,
    'files of the project are read by relative paths, others are not',
  ),
  'connection.duckdb.read_only': by(EFFECTS, 'nothing is built through a connection that is read_only'),
  'connection.duckdb.concurrent_tasks': by(EFFECTS, 'run.max_parallel and concurrent_tasks allow'),
  'connection.duckdb.register_comments': by(
    EFFECTS,
    'descriptions are comments unless register_comments is false',
  ),
  'gateways.*.state_connection': by('tests/e2e/plan-life.test.ts', 'state goes out and comes back'),
  'state_connection.sqlite.type': says('oracle', 'yaml.bad-value'),
  'state_connection.sqlite.database': by('tests/e2e/plan-life.test.ts', 'state goes out and comes back'),
  'state_connection.postgres.type': says('oracle', 'yaml.bad-value'),
  'state_connection.postgres.host': by(SERVED_STATE, 'host, port and database'),
  'state_connection.postgres.port': by(SERVED_STATE, 'host, port and database'),
  'state_connection.postgres.database': by(SERVED_STATE, 'host, port and database'),
  'state_connection.postgres.user': by(SERVED_STATE, 'user and password'),
  'state_connection.postgres.password': by(SERVED_STATE, 'user and password'),
  'state_connection.postgres.schema': by(SERVED_STATE, 'schema is where the tables are'),
  'state_connection.postgres.sslmode': by(SERVED_STATE, 'sslmode require'),
  'state_connection.postgres.sslrootcert': by(SERVED_STATE, 'sslmode require'),
  'state_connection.postgres.connect_timeout': by(SERVED_STATE, 'connect_timeout gives up'),
  'state_connection.postgres.keepalives_idle': by(SERVED_STATE, 'connect_timeout gives up'),
  'state_connection.postgres.role': by(SERVED_STATE, 'role is taken on'),
  'state_connection.postgres.application_name': by(SERVED_STATE, 'role is taken on'),
  'state_connection.postgres.pool_size': by(SERVED_STATE, 'pool_size bounds'),
  'gateways.*.test_connection': by(
    'tests/e2e/not-run.test.ts',
    'semantic tests run on the test connection, and leave nothing there',
  ),
  'test_connection.duckdb.type': says('oracle', 'yaml.bad-value'),
  'test_connection.duckdb.database': by(
    'tests/e2e/not-run.test.ts',
    'semantic tests run on the test connection, and leave nothing there',
  ),
  ...Object.fromEntries(
    [
      'catalogs',
      'catalogs.*.path',
      'catalogs.*.type',
      'catalogs.*.read_only',
      'catalogs.*.data_path',
      'extensions',
      'extensions.name',
      'extensions.repository',
      'extensions.force_install',
      'connector_config',
      'secrets',
      'allowed_paths',
    ].map((key) => [
      `test_connection.duckdb.${key}`,
      by(EFFECTS, 'options of a test connection hold for tests', 'connector_config'),
    ]),
  ),
  'gateways.*.variables': differs({ x: 5 }, 'sql', { around: VARIABLE }),
  'gateways.*.model_defaults': differs({ owner: 'gert' }, 'info'),
  default_gateway: differs('other', 'sql', { around: { ...TWO_GATEWAYS, ...VARIABLE } }),
  default_connection: by(EFFECTS, 'a gateway without a connection has the default one'),
  default_test_connection: by(EFFECTS, 'options of a test connection hold for tests'),

  'model_defaults.dialect': differs('postgres', 'info', { instead: 'duckdb' }),
  'model_defaults.cron': differs('@hourly', 'plan'),
  'model_defaults.cron_tz': differs('Asia/Tokyo', 'plan', {
    around: { ...BY_DAY, properties: ["cron '0 14 * * *'"] },
  }),
  'model_defaults.kind': differs('FULL', 'info'),
  'model_defaults.interval_unit': differs('hour', 'plan', { around: BY_DAY }),
  'model_defaults.start': differs('2023-12-01', 'plan', { instead: '2024-01-01', around: BY_DAY }),
  'model_defaults.owner': differs('gert', 'info'),
  'model_defaults.gateway': says('nowhere', 'config.unknown-gateway'),
  'model_defaults.audits': differs(['number_of_rows(threshold := 1)'], 'info'),
  'model_defaults.on_destructive_change': differs('allow', 'shrunk', { around: SHRINKING }),
  'model_defaults.on_additive_change': differs('error', 'replanned', { around: SHRINKING }),
  'model_defaults.session_properties': says({ x: 1 }, 'model.setting-locked'),
  'model_defaults.allow_partials': differs(true, 'plan', { around: BY_DAY }),
  'model_defaults.enabled': differs(false, 'info'),
  'model_defaults.batch_concurrency': differs(2, 'plan', {
    around: { ...BY_DAY, options: [...BY_DAY.options, 'batch_size 1'] },
  }),
  'model_defaults.pre_statements': differs(['SELECT 1'], 'sql'),
  'model_defaults.post_statements': differs(['SELECT 1'], 'sql'),
  'model_defaults.on_virtual_update': differs(['SELECT 1'], 'sql'),
  variables: differs({ x: 5 }, 'sql', { around: VARIABLE }),

  'environments.default_target': by(EFFECTS, 'the default target is the environment that plan means'),
  default_target_environment: by(EFFECTS, 'the default target is the environment that plan means'),
  'environments.ttl': differs('3 days', 'dev'),
  environment_ttl: differs('3 days', 'dev'),
  'environments.pinned': differs(['dev'], 'dev'),
  pinned_environments: differs(['dev'], 'dev'),
  'environments.suffix_target': by(
    EFFECTS,
    'views are named by suffix_target and by the catalogs of environments',
  ),
  environment_suffix_target: by(
    EFFECTS,
    'views are named by suffix_target and by the catalogs of environments',
  ),
  'environments.catalogs': by(
    EFFECTS,
    'views are named by suffix_target and by the catalogs of environments',
  ),
  environment_catalog_mapping: by(
    EFFECTS,
    'views are named by suffix_target and by the catalogs of environments',
  ),

  'plan.auto_categorize': differs('off', 'replanned'),
  'plan.auto_categorize_changes': differs({ sql: 'off' }, 'replanned'),
  auto_categorize_changes: differs({ sql: 'off' }, 'replanned'),
  'auto_categorize_changes.sql': differs('off', 'replanned'),
  'auto_categorize_changes.seed': differs('semi', 'replanned'),
  'auto_categorize_changes.external': differs('off', 'replanned'),
  'plan.forward_only': differs(true, 'replanned', { around: BY_DAY }),
  'plan.no_diff': by(
    AROUND,
    'semi asks for a category by flag, auto_apply needs no --yes, no_diff shows no SQL',
  ),
  'plan.auto_apply': by(
    AROUND,
    'semi asks for a category by flag, auto_apply needs no --yes, no_diff shows no SQL',
  ),
  'run.max_parallel': by(EFFECTS, 'run.max_parallel and concurrent_tasks allow'),
  'janitor.snapshot_ttl': by(EFFECTS, 'unused tables go when their time to live is over'),
  'retention.runs': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.events': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.plans': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.statements': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.leases': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.audit_log': by(EFFECTS, 'history is kept as long as retention says'),
  'retention.quality': by(EFFECTS, 'history is kept as long as retention says'),
  snapshot_ttl: by(EFFECTS, 'unused tables go when their time to live is over'),

  'linter.enabled': differs(false, 'diagnostics', {
    around: config({ linter: { rules: ['no-missing-owner'] } }),
  }),
  'linter.rules': differs(['no-missing-owner'], 'diagnostics'),
  'linter.warn_rules': differs(['no-missing-owner'], 'diagnostics'),
  'linter.ignored_rules': differs(['no-missing-owner'], 'diagnostics', {
    around: config({ linter: { rules: 'ALL' } }),
  }),
  'linter.ignored_in': differs({ '**': ['no-missing-owner'] }, 'diagnostics', {
    around: config({ linter: { rules: ['no-missing-owner'] } }),
  }),
  'format.indent': differs(4, 'format', { around: MESSY }),
  'format.max_text_width': differs(40, 'format', { around: MESSY }),
  'format.leading_comma': differs(true, 'format', { around: MESSY }),
  'format.append_newline': differs(false, 'format', { around: MESSY }),
  'format.normalize': differs(true, 'format', { around: MESSY }),
  'format.normalize_functions': differs('upper', 'format', { around: MESSY }),
  'format.no_rewrite_casts': differs(false, 'format', { around: MESSY }),

  'slo.freshness.max_age': shown(() => '977h'),
  'slo.freshness.model': by(EFFECTS, 'a promise of freshness is about the model it names'),
  'slo.availability': shown(() => 97.31),
  before_all: by(AROUND, 'are said to have changed, by plan and diff'),
  after_all: by(AROUND, 'are said to have changed, by plan and diff'),
  results: says({ typ: 'local' }, 'yaml.unknown-key'),
  'server.service': by(EFFECTS, 'addresses of products begin with the service of the server'),
  'server.hosts': by('tests/platform/own-host.test.ts', '%s is answered, with a port and without'),
  'server.public_url': by(
    'tests/platform/ordinary-answers.test.ts',
    'links and endpoints begin with the public address of the server',
  ),
  'server.cors.origins': by(
    'tests/platform/ordinary-answers.test.ts',
    'may ask when config.yaml names the site, and read what they need of the answer',
  ),
  'server.jwt.issuer': by(
    'tests/platform/json-web-tokens.test.ts',
    'make a JWT somebody when all of them are right',
  ),
  'server.jwt.audience': by(
    'tests/platform/json-web-tokens.test.ts',
    'make a JWT somebody when all of them are right',
  ),
  'server.jwt.jwks_url': by(
    'tests/platform/json-web-tokens.test.ts',
    'make a JWT somebody when all of them are right',
  ),
  ...Object.fromEntries(
    ['body_bytes', 'sql_bytes', 'parameters', 'statement_seconds_max', 'page_rows'].map((key) => [
      `server.limits.${key}`,
      by(LIMITS, 'hold: body, SQL, parameters, timeout and rows of a page'),
    ]),
  ),
  'server.limits.requests_per_second': by(
    LIMITS,
    'the rate is that of each token: one that is used up leaves the others alone',
  ),
  'server.limits.failed_credentials_per_minute': by(
    'tests/hostile/http-limits.test.ts',
    'credentials that nobody has are not looked up, and those that were right before are',
  ),
  'server.limits.request_seconds': by(
    'tests/hostile/http-limits.test.ts',
    'is 408 at every address that takes a body, and loses its connection',
  ),
  'server.limits.connections': by(
    'tests/hostile/http-limits.test.ts',
    'connections that say nothing do not keep others out for longer than their time',
  ),
  'server.limits.answer_bytes': by(
    'tests/hostile/large-answers.test.ts',
    'a caller who reads nothing fills half of the room for answers, and no other is refused',
  ),
  'server.limits.statement_seconds_default': by(
    'tests/statements/statement-limits.test.ts',
    'so many run, so many wait, and the next is refused; the time is that of the configuration',
  ),
  'server.limits.statements_running': by(
    'tests/statements/statement-limits.test.ts',
    'so many run, so many wait, and the next is refused; the time is that of the configuration',
  ),
  'server.limits.statements_queued': by(
    'tests/statements/statement-limits.test.ts',
    'so many run, so many wait, and the next is refused; the time is that of the configuration',
  ),
  'server.limits.results_bytes': by(
    'tests/hostile/result-quotas.test.ts',
    'of a product that have more bytes than results_bytes: the oldest go, whoever asked them',
  ),
  'server.limits.results_bytes_each': by(
    'tests/hostile/result-quotas.test.ts',
    'of one caller that have more bytes than results_bytes_each: the oldest of theirs go, and no others',
  ),
  'server.limits.result_hours': by(
    'tests/statements/statement-limits.test.ts',
    'pages have as many rows, and results stay as long as the configuration says',
  ),
  'state.synchronous': by(EFFECTS, 'a state that is synchronous: full survives a power loss'),
  ignore_patterns: differs(['models/subject.sql'], 'info'),
  time_column_format: by(EFFECTS, 'text times have the time_column_format of the project'),
  project: differs('another', 'info', {
    around: { config: { model_defaults: { start: '2024-01-01' } } },
  }),
};
