import { WRITTEN_ENVIRONMENT } from '../../../domain/names.ts';
import { PRODUCT_ROLES } from '../../../domain/principal.ts';
import {
  either,
  list,
  notYet,
  object,
  optional,
  record,
  required,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { named } from '../../../foundation/yaml/named-schemas.ts';
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
import { janitorSchema, retentionSchema } from './clean-up-schemas.ts';
import {
  connectionSchema,
  notificationTargetSchema,
  stateConnectionSchema,
  testConnectionSchema,
  variablesSchema,
} from './connection-schemas.ts';
import { FOREIGN_KEYS } from './foreign-keys.ts';
import { serverSchema } from './server-schema.ts';

const texts = list(text(), { acceptsOne: true });
const ruleList = either(word(['ALL'], { ignoresCase: true }), list(located(text())));
const policy = word(['error', 'warn', 'allow', 'ignore'], { ignoresCase: true });
const unread = data('nothing inside is read');
const properties = record(data('a value of any type'), { name: 'a map from properties to values' });
const environmentText = text({ pattern: WRITTEN_ENVIRONMENT, expected: 'the name of an environment' });

/** Audits by name, as a call (`not_null(columns := (a, b))`), or as a map with the arguments beside the name. */
const auditUse = located(
  either(
    text(),
    record(data('arguments are compared with those of the audit'), {
      name: 'a map with the name of an audit',
    }),
  ),
);

const modelDefaults = named(
  'model_defaults',
  object(
    {
      dialect: optional(
        dialectText(),
        'The SQL dialect of models that name none; the default is that of the default gateway.',
      ),
      cron: optional(cronText(), 'When models without a cron are due; @daily.'),
      cron_tz: optional(zoneText(), 'The time zone of cron.'),
      kind: optional(
        either(
          text(),
          record(data('options are compared with those of the kind'), {
            name: 'a map with the name of a kind',
          }),
        ),
        'The kind of models that name none: its name, or a map with name and options.',
      ),
      interval_unit: optional(unitText(), 'The unit of intervals.'),
      start: optional(timeText(), 'The first day of data.'),
      owner: optional(text(), 'The owner of models that name none.'),
      gateway: optional(located(text()), 'The gateway of models that name none.'),
      audits: optional(list(auditUse, { acceptsOne: true }), 'Audits of every model.', ['assertions']),
      table_format: withoutEffect(text(), 'the engine keeps tables in a format of its own'),
      storage_format: withoutEffect(text(), 'the engine keeps tables in a format of its own'),
      on_destructive_change: optional(
        policy,
        'What happens when a change would drop a column of an incremental model.',
      ),
      on_additive_change: optional(
        policy,
        'What happens when a change adds a column to an incremental model.',
      ),
      physical_properties: withoutEffect(properties, 'tables of the engine have no properties'),
      virtual_properties: withoutEffect(properties, 'views of the engine have no properties'),
      session_properties: optional(
        located(properties),
        'Settings of the session that builds a model; refused where all models share one process.',
      ),
      optimize_query: withoutEffect(flag(), 'a query is sent as it is written'),
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
      column_descriptions: withoutEffect(unread, 'descriptions belong to a model'),
    },
    { name: 'model_defaults' },
  ),
);

const gateway = object(
  {
    connection: optional(connectionSchema, 'How the warehouse is reached.'),
    state_connection: optional(
      stateConnectionSchema,
      'Where the platform keeps its state; the default is .plinth/state.db.',
    ),
    test_connection: optional(
      testConnectionSchema,
      'Where plinth test runs; the default is a database in memory.',
    ),
    state_schema: withoutEffect(text(), 'the state is a file of its own'),
    variables: optional(variablesSchema, 'Variables that hold only for this gateway.'),
    model_defaults: optional(modelDefaults, 'Defaults that hold only for this gateway.'),
    scheduler: withoutEffect(unread, 'the scheduler is part of plinth serve and plinth worker'),
  },
  { name: 'a gateway' },
);

const mode = word(['full', 'semi', 'off'], { ignoresCase: true });
const categorizer = named(
  'auto_categorize_changes',
  object(
    {
      sql: optional(mode, 'For SQL models.'),
      python: notYet(mode, 'Python models cannot be built'),
      seed: optional(mode, 'For seeds.'),
      external: optional(mode, 'For external models.'),
    },
    { name: 'auto_categorize_changes' },
  ),
);

const user = object(
  {
    username: required(text(), 'The name, as in owner.'),
    email: optional(text(), 'The mail address; exports name it where the user owns the product.'),
    groups: optional(texts, 'The groups; policies and access name them.'),
    notification_targets: optional(
      list(notificationTargetSchema),
      'Where events are sent by plinth serve and plinth worker.',
    ),
    github_username: withoutEffect(text(), 'there is no GitHub bot'),
    slack_username: notYet(text(), 'nothing is sent to users'),
    roles: withoutEffect(unread, 'roles are given by access'),
    type: withoutEffect(unread, 'every user is the same'),
  },
  { name: 'a user' },
);

const catalogsByEnvironment = record(text(), { name: 'a map from regular expressions to catalogs' });
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
    display_name: optional(text(), 'The displayed name.'),
    description: optional(text(), 'What the product is, in a sentence or two.'),
    version: optional(semanticVersion(), 'The version of the product (semantic versioning).'),
    domain: optional(text(), 'The business domain.'),
    owner: optional(located(text()), 'Who answers for the product: a user or a group.'),
    tags: optional(texts, 'Words to find it by.'),
    terms: optional(texts, 'Terms of the business glossary.'),
    discoverable: optional(flag(), 'Whether principals of the tenant without access may find it; true.'),
    users: optional(list(user), 'The users of the product.'),
    gateways: optional(
      either(record(gateway, { name: 'a map of gateways' })),
      'The warehouses, by name. Without any, the project has an embedded DuckDB file.',
    ),
    default_gateway: optional(
      located(text()),
      'The gateway that is used when none is named; the default is the first.',
    ),
    model_defaults: optional(modelDefaults, 'Defaults of models.'),
    variables: optional(variablesSchema, 'Values for macros and for var() in SQL.'),
    environments: optional(
      object(
        {
          default_target: optional(text(), 'The environment that plan means when it names none; prod.'),
          ttl: optional(durationText(), 'How long an unused environment lives; 1 week.'),
          suffix_target: optional(suffixTarget, 'Which part of a name shows the environment; schema.'),
          pinned: optional(texts, 'Environments that never expire.'),
          catalogs: optional(
            catalogsByEnvironment,
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
            'outside prod a forward-only change always has a table of its own with the last interval; --start fills more of it',
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
    janitor: optional(janitorSchema, 'Settings of the clean-up.'),
    retention: optional(
      retentionSchema,
      'How long history is kept in the state; plinth janitor removes what is older.',
    ),
    linter: optional(
      object(
        {
          enabled: optional(flag(), 'Whether the linter runs; true.'),
          rules: optional(ruleList, 'Rules whose findings are errors, or ALL.'),
          warn_rules: optional(ruleList, 'Rules whose findings are warnings, or ALL.'),
          ignored_rules: optional(ruleList, 'Rules that are left out, or ALL.'),
          ignored_in: optional(
            record(ruleList, { name: 'a map from patterns of paths to rules' }),
            'Rules that are left out in some files: a pattern of paths, such as dq/legacy_*.yml or models/raw/**, and a list or ALL.',
          ),
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
          max_text_width: optional(number({ isInteger: true, min: 20, max: 400 }), 'The longest line; 100.'),
          leading_comma: optional(flag(), 'Whether commas begin lines; false.'),
          append_newline: optional(flag(), 'Whether files end with a line end; true.'),
          normalize: optional(flag(), "Whether bare names are folded to the dialect's case; false."),
          normalize_functions: optional(
            either(flag(), word(['upper', 'lower'])),
            'The letter case of function names: upper (or true), lower, or as written (false).',
          ),
          no_rewrite_casts: optional(
            flag(),
            'Whether CAST(x AS t) is left as it is written and not made x::t; true.',
          ),
        },
        { name: 'format' },
      ),
      'How plinth format lays out SQL.',
    ),
    notification_targets: optional(
      list(notificationTargetSchema),
      'Where events are sent by plinth serve and plinth worker.',
    ),
    access: optional(
      list(
        object(
          {
            principal: required(located(text()), 'A user or a group.'),
            role: optional(word([...PRODUCT_ROLES, 'viewer']), 'What they may do.'),
            models: optional(
              list(located(text()), { acceptsOne: true }),
              'Models that they may read as tables although policies reach them.',
            ),
            environments: optional(
              list(environmentText, { acceptsOne: true }),
              'Environments besides the default one that they may ask as consumers.',
            ),
            policies: optional(word(['exempt']), 'exempt: policies do not apply to them.'),
          },
          { name: 'an access rule' },
        ),
      ),
      'Who may use the product; each entry gives a role, models, environments or an exemption.',
    ),
    slo: optional(
      object(
        {
          freshness: optional(
            object(
              {
                max_age: required(durationText(), 'The promised age.'),
                model: optional(located(text()), 'The model whose age counts; by default the oldest.'),
              },
              { name: 'slo.freshness' },
            ),
            'How old data may be.',
          ),
          availability: optional(
            number({ min: 0, max: 100 }),
            'The share of time in percent in which questions are answered: stated in exports, not measured.',
          ),
          quality: notYet(unread, 'no share of passing checks is compared with a promise'),
          latency: notYet(unread, 'latency is not measured against a promise'),
        },
        { name: 'slo' },
      ),
      'What the product promises.',
    ),
    before_all: optional(texts, 'SQL statements or macros before a plan or run.'),
    after_all: optional(texts, 'SQL statements or macros after a plan or run.'),
    results: optional(
      object(
        { type: withoutEffect(word(['local']), 'results always lie in .plinth/results') },
        { name: 'results' },
      ),
      'Where results of statements lie.',
    ),
    cache: notYet(unread, 'the cache has no settings; each statement says cache and ttl'),
    server: optional(serverSchema, 'Settings of plinth serve.'),
    state: optional(
      object(
        {
          synchronous: optional(
            word(['normal', 'full'], { ignoresCase: true }),
            'Whether a commit survives a power loss (full) or the end of every process (normal); normal.',
          ),
        },
        { name: 'state' },
      ),
      'Settings of the state store.',
    ),
    ignore_patterns: optional(texts, 'Glob patterns of files that are not loaded.'),
    time_column_format: optional(text(), 'The format of text time columns that name none; %Y-%m-%d.'),

    // Keys that SQLMesh projects carry.
    project: optional(text(), "SQLMesh's name of the project; used when name is missing."),
    default_connection: optional(connectionSchema, 'The connection of gateways that have none.'),
    default_test_connection: optional(
      testConnectionSchema,
      'The test connection of gateways that have none.',
    ),
    snapshot_ttl: optional(durationText(), 'The same as janitor.snapshot_ttl.'),
    environment_ttl: optional(durationText(), 'The same as environments.ttl.'),
    pinned_environments: optional(texts, 'The same as environments.pinned.'),
    environment_suffix_target: optional(suffixTarget, 'The same as environments.suffix_target.'),
    environment_catalog_mapping: optional(catalogsByEnvironment, 'The same as environments.catalogs.'),
    default_target_environment: optional(text(), 'The same as environments.default_target.'),
    auto_categorize_changes: optional(categorizer, 'The same as plan.auto_categorize_changes.'),
    ...FOREIGN_KEYS,
  },
  { name: 'config.yaml' },
);

export type ConfigValue = ValueOf<typeof configSchema>;
export type ModelDefaultsValue = ValueOf<typeof modelDefaults>;
export type GatewayValue = ValueOf<typeof gateway>;
