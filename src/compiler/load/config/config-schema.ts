import {
  either,
  list,
  named,
  object,
  optional,
  record,
  required,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { data, flag, located, number, text, word } from '../../../foundation/yaml/scalar-schemas.ts';
import type { ValueOf } from '../../../foundation/yaml/schema.ts';
import {
  cronText,
  dialectText,
  durationText,
  semanticVersion,
  timeText,
  unitText,
  zoneText,
} from '../yaml/checked-text.ts';
import { connectionSchema, notificationTargetSchema, variablesSchema } from './connection-schemas.ts';
import { serverSchema } from './server-schema.ts';

const texts = list(text(), { acceptsOne: true });
const ruleList = either(word(['ALL'], { ignoresCase: true }), list(located(text())));
const policy = word(['error', 'warn', 'allow', 'ignore'], { ignoresCase: true });
const properties = record(data());

/** Audits by name, as a call (`not_null(columns := (a, b))`), or as a map with the arguments beside the name. */
const auditUse = located(either(text(), record(data())));

const modelDefaults = named(
  'model_defaults',
  object(
    {
      dialect: optional(
        dialectText(),
        'The SQL dialect of models that name none; the default is that of the default gateway.',
      ),
      cron: optional(cronText(), 'When models are due that do not say; @daily.'),
      cron_tz: optional(zoneText(), 'The time zone of cron.'),
      kind: optional(
        either(text(), record(data())),
        'The kind of models that name none: its name, or a map with name and options.',
      ),
      interval_unit: optional(unitText(), 'The unit of intervals.'),
      start: optional(timeText(), 'The first day of data.'),
      owner: optional(text(), 'The owner of models that name none.'),
      gateway: optional(located(text()), 'The gateway of models that name none.'),
      audits: optional(list(auditUse, { acceptsOne: true }), 'Audits of every model.', ['assertions']),
      table_format: optional(text(), 'The table format, for instance iceberg.'),
      storage_format: optional(text(), 'The storage format, for instance parquet.'),
      on_destructive_change: optional(
        policy,
        'What happens when a change would drop a column of an incremental model.',
      ),
      on_additive_change: optional(
        policy,
        'What happens when a change adds a column to an incremental model.',
      ),
      physical_properties: optional(properties, 'Properties of physical tables.'),
      virtual_properties: optional(properties, 'Properties of views.'),
      session_properties: optional(properties, 'Settings of the session that builds a model.'),
      optimize_query: optional(flag(), 'Whether queries may be simplified before they run.'),
      allow_partials: optional(flag(), 'Whether incomplete intervals may be built.'),
      enabled: optional(flag(), 'Whether models are part of the project.'),
      batch_concurrency: optional(
        number({ isInteger: true, min: 1 }),
        'How many batches of one model run at the same time.',
      ),
      pre_statements: optional(texts, 'Statements before each model.'),
      post_statements: optional(texts, 'Statements after each model.'),
      on_virtual_update: optional(texts, 'Statements after the view of a model changed.'),
      formatting: withoutEffect(flag(), 'plinth format looks at the files it is given'),
      column_descriptions: withoutEffect(data(), 'descriptions belong to a model'),
    },
    { name: 'model_defaults' },
  ),
);

const gateway = object(
  {
    connection: optional(connectionSchema, 'How the warehouse is reached.'),
    state_connection: optional(
      connectionSchema,
      'Where the platform keeps its state; the default is .plinth/state.db.',
    ),
    test_connection: optional(connectionSchema, 'Where model tests run; the default is DuckDB in memory.'),
    state_schema: optional(text(), 'The schema of the state tables.'),
    variables: optional(variablesSchema, 'Variables that hold only for this gateway.'),
    model_defaults: optional(modelDefaults, 'Defaults that hold only for this gateway.'),
    scheduler: withoutEffect(data(), 'the scheduler is part of plinth serve and plinth worker'),
  },
  { name: 'a gateway' },
);

const mode = word(['full', 'semi', 'off'], { ignoresCase: true });
const categorizer = object(
  {
    sql: optional(mode, 'For SQL models.'),
    python: optional(mode, 'For Python models.'),
    seed: optional(mode, 'For seeds.'),
    external: optional(mode, 'For external models.'),
  },
  { name: 'auto_categorize_changes' },
);

const user = object(
  {
    username: required(text(), 'The name, as in owner.'),
    email: optional(text(), 'The mail address.'),
    groups: optional(texts, 'The groups; policies and access name them.'),
    notification_targets: optional(list(notificationTargetSchema), 'Channels of this user.'),
    github_username: withoutEffect(text(), 'there is no GitHub bot'),
    slack_username: optional(text(), 'The name on Slack.'),
    roles: withoutEffect(data(), 'roles are given by access'),
    type: withoutEffect(data(), 'every user is the same'),
  },
  { name: 'a user' },
);

const suffixTarget = word(['schema', 'table', 'catalog'], { ignoresCase: true });
const NAME = /^[a-z][a-z0-9-]{0,59}$/;
const TENANT = /^[a-z][a-z0-9]{0,31}$/;

/** Everything config.yaml may say; `plinth schema config` prints it. */
export const configSchema = object(
  {
    name: optional(
      text({
        pattern: NAME,
        expected: 'a name of lower-case letters, digits and dashes that begins with a letter (at most 60)',
      }),
      "The data product's name; the default is the folder's name.",
    ),
    tenant: optional(
      text({
        pattern: TENANT,
        expected: 'lower-case letters and digits that begin with a letter (at most 32, no dash)',
      }),
      'The tenant; the default is default.',
    ),
    display_name: optional(text(), 'The name for people.'),
    description: optional(text(), 'What the product is, in a sentence or two.'),
    version: optional(semanticVersion(), 'The version of the product (semantic versioning).'),
    domain: optional(text(), 'The business domain.'),
    owner: optional(located(text()), 'Who answers for the product: a user or a group.'),
    tags: optional(texts, 'Words to find it by.'),
    terms: optional(texts, 'Terms of the business glossary.'),
    discoverable: optional(flag(), 'Whether people without access may find it; true.'),
    users: optional(list(user), 'The people of the product.'),
    gateways: optional(
      either(record(gateway, { name: 'a map of gateways' })),
      'The warehouses, by name. Without any, the project has an embedded DuckDB file.',
    ),
    default_gateway: optional(
      located(text()),
      'The gateway that is used when none is named; the default is the first.',
    ),
    model_defaults: optional(modelDefaults, 'What models get that do not say.'),
    variables: optional(variablesSchema, 'Values for macros and for var() in SQL.'),
    environments: optional(
      object(
        {
          default_target: optional(text(), 'The environment that plan means when it names none; prod.'),
          ttl: optional(durationText(), 'How long an environment lives that nobody uses; 1 week.'),
          suffix_target: optional(suffixTarget, 'Which part of a name shows the environment; schema.'),
          pinned: optional(texts, 'Environments that never expire.'),
          catalogs: optional(
            record(text()),
            'Regular expression over an environment name → the catalog of its views.',
          ),
        },
        { name: 'environments' },
      ),
      'Settings of environments.',
    ),
    plan: optional(
      object(
        {
          auto_categorize: optional(
            either(mode, categorizer),
            'Who says what changes do to data. full: Plinth, and what is not proven harmless is breaking; semi: the user (--category) where it is not; off: everything is breaking. The default is full.',
          ),
          auto_categorize_changes: optional(categorizer, 'The same by kind of model.'),
          forward_only: optional(flag(), 'Whether plans are forward-only.'),
          include_unmodified: withoutEffect(flag(), 'an environment always has all models'),
          enable_preview: withoutEffect(
            flag(),
            'outside prod a forward-only change always has a table of its own; --start limits what is filled',
          ),
          no_diff: optional(flag(), 'Whether text differences are left out.'),
          no_prompts: withoutEffect(flag(), 'plan asks one question, which auto_apply and --yes answer'),
          auto_apply: optional(flag(), 'Whether a plan is applied at once.'),
          always_recreate_environment: withoutEffect(
            flag(),
            'a plan compares with the environment as it is; plinth invalidate and plinth janitor remove it',
          ),
          use_finalized_state: withoutEffect(flag(), 'plans always compare with what is complete'),
        },
        { name: 'plan' },
      ),
      'Settings of plans.',
    ),
    run: optional(
      object(
        {
          max_parallel: optional(
            number({ isInteger: true, min: 1, max: 256 }),
            'How many models are built at the same time; 4.',
          ),
          environment_check_interval: withoutEffect(number(), 'a run waits for a lease instead'),
          environment_check_max_wait: withoutEffect(number(), 'a run waits for a lease instead'),
        },
        { name: 'run' },
      ),
      'Settings of runs.',
    ),
    janitor: optional(
      object(
        {
          snapshot_ttl: optional(durationText(), 'How long unused tables are kept; 1 week.'),
          warn_on_delete_failure: optional(
            flag(),
            'Whether a table that cannot be dropped is only a warning.',
          ),
          expired_snapshots_batch_size: optional(
            number({ isInteger: true, min: 1 }),
            'How many are dropped at once.',
          ),
        },
        { name: 'janitor' },
      ),
      'Settings of the clean-up.',
    ),
    linter: optional(
      object(
        {
          enabled: optional(flag(), 'Whether the linter runs; true.'),
          rules: optional(ruleList, 'Rules whose findings are errors, or ALL.'),
          warn_rules: optional(ruleList, 'Rules whose findings are warnings, or ALL.'),
          ignored_rules: optional(ruleList, 'Rules that are left out, or ALL.'),
          use_project_index: withoutEffect(flag(), 'the linter always sees the whole project'),
        },
        { name: 'linter' },
      ),
      'Settings of the linter.',
    ),
    format: optional(
      object(
        {
          indent: optional(number({ isInteger: true, min: 1, max: 16 }), 'Blanks a level; 2.'),
          pad: withoutEffect(number(), 'indent says it'),
          max_text_width: optional(number({ isInteger: true, min: 20, max: 400 }), 'The longest line; 80.'),
          leading_comma: optional(flag(), 'Whether commas begin lines.'),
          append_newline: optional(flag(), 'Whether files end with a line end; true.'),
          normalize: optional(flag(), "Whether names are folded to the dialect's case."),
          normalize_functions: optional(
            either(flag(), word(['upper', 'lower'])),
            'The letter case of function names.',
          ),
          no_rewrite_casts: optional(flag(), 'Whether CAST(x AS t) is left as it is written.'),
        },
        { name: 'format' },
      ),
      'How plinth format lays out SQL.',
    ),
    notification_targets: optional(list(notificationTargetSchema), 'Channels that hear of events.'),
    access: optional(
      list(
        object(
          {
            principal: required(text(), 'A user or a group.'),
            role: required(word(['owner', 'editor', 'consumer', 'viewer']), 'What they may do.'),
          },
          { name: 'an access rule' },
        ),
      ),
      'Who may use the product.',
    ),
    slo: optional(
      object(
        {
          freshness: optional(
            object(
              {
                max_age: required(durationText(), 'The age that is promised.'),
                model: optional(located(text()), 'The model whose age counts; by default the oldest.'),
              },
              { name: 'slo.freshness' },
            ),
            'How old data may be.',
          ),
          availability: optional(
            number({ min: 0, max: 100 }),
            'The share of time in percent in which questions are answered.',
          ),
          quality: optional(data(), 'The quality that is promised.'),
          latency: optional(data(), 'How fast questions are answered.'),
        },
        { name: 'slo' },
      ),
      'What the product promises.',
    ),
    before_all: optional(texts, 'SQL statements or macros before a plan or run.'),
    after_all: optional(texts, 'SQL statements or macros after a plan or run.'),
    results: optional(record(data()), 'Where results of statements lie: type local or s3, and its options.'),
    cache: optional(record(data()), 'Settings of the result cache.'),
    server: optional(serverSchema, 'Settings of plinth serve.'),
    state: optional(record(data()), 'Settings of the state store.'),
    ignore_patterns: optional(texts, 'Glob patterns of files that are not loaded.'),
    time_column_format: optional(text(), 'The format of text time columns that name none; %Y-%m-%d.'),
    physical_schema_mapping: optional(
      record(text()),
      'Regular expression over a schema → its physical schema.',
    ),

    // Keys that SQLMesh projects carry.
    project: optional(text(), "SQLMesh's name of the project; used when name is missing."),
    default_connection: optional(connectionSchema, 'The connection of gateways that have none.'),
    default_test_connection: optional(connectionSchema, 'The test connection of gateways that have none.'),
    snapshot_ttl: optional(durationText(), 'The same as janitor.snapshot_ttl.'),
    environment_ttl: optional(durationText(), 'The same as environments.ttl.'),
    pinned_environments: optional(texts, 'The same as environments.pinned.'),
    environment_suffix_target: optional(suffixTarget, 'The same as environments.suffix_target.'),
    environment_catalog_mapping: optional(record(text()), 'The same as environments.catalogs.'),
    default_target_environment: optional(text(), 'The same as environments.default_target.'),
    auto_categorize_changes: optional(categorizer, 'The same as plan.auto_categorize_changes.'),
    model_naming: optional(data(), 'Names are always inferred from paths when absent.'),
    infer_python_dependencies: withoutEffect(data(), 'Python dependencies are found as they are used'),
    default_scheduler: withoutEffect(data(), 'the scheduler is part of plinth serve and plinth worker'),
    loader: withoutEffect(data(), 'there is one loader'),
    loader_kwargs: withoutEffect(data(), 'there is one loader'),
    env_vars: withoutEffect(data(), 'the environment is set by the caller'),
    username: withoutEffect(data(), 'the user is the one who is logged in'),
    physical_table_naming_convention: withoutEffect(data(), 'physical tables are named by their version'),
    virtual_environment_mode: withoutEffect(data(), 'environments are always virtual'),
    gateway_managed_virtual_layer: withoutEffect(data(), 'views are made where their tables are'),
    disable_anonymized_analytics: withoutEffect(flag(), 'nothing is ever reported'),
    log_limit: withoutEffect(data(), 'logs are kept in the event log'),
    cicd_bot: withoutEffect(data(), 'there is no bot; use plinth plan in CI'),
    ui: withoutEffect(data(), 'the browser app keeps its own settings'),
    migration: withoutEffect(data(), 'state is migrated by itself'),
    cache_dir: withoutEffect(data(), 'the cache is in .plinth/cache'),
    dbt: withoutEffect(data(), 'dbt projects are not read'),
  },
  { name: 'config.yaml' },
);

export type ConfigValue = ValueOf<typeof configSchema>;
export type ModelDefaultsValue = ValueOf<typeof modelDefaults>;
export type GatewayValue = ValueOf<typeof gateway>;
