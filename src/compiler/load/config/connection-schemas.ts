import type { EngineType } from '../../../domain/config.ts';
import {
  either,
  type Field,
  type Fields,
  list,
  named,
  object,
  optional,
  record,
  required,
  variants,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import type { Data } from '../../../foundation/yaml/data.ts';
import { data, flag, number, text, word } from '../../../foundation/yaml/scalar-schemas.ts';
import type { Schema } from '../../../foundation/yaml/schema.ts';

/** Option tables: key → what it holds. `!` marks a required one; secrets are never shown. */
type OptionKind = 'text' | 'secret' | 'integer' | 'flag' | 'data' | 'texts' | 'secrets';
type Options = Readonly<Record<string, OptionKind | `${OptionKind}!`>>;

const TLS: Options = { ssl: 'flag', sslmode: 'text' };

const DUCKDB: Options = {
  database: 'text', catalogs: 'data', extensions: 'data', connector_config: 'data', secrets: 'secrets', filesystems: 'data', token: 'secret', allowed_paths: 'texts', read_only: 'flag',
}; // biome-ignore format: a table

const MSSQL: Options = {
  host: 'text!', user: 'text', password: 'secret', database: 'text', timeout: 'integer', login_timeout: 'integer', login_attempts: 'integer', charset: 'text',
  appname: 'text', port: 'integer', conn_properties: 'data', autocommit: 'flag', tds_version: 'text', driver: 'text', driver_name: 'text',
  trust_server_certificate: 'flag', encrypt: 'flag', odbc_properties: 'secrets',
}; // biome-ignore format: a table

const MYSQL: Options = {
  host: 'text!', user: 'text!', password: 'secret!', port: 'integer', database: 'text', charset: 'text', collation: 'text', ssl_disabled: 'flag', local_infile: 'flag',
}; // biome-ignore format: a table

/** What each engine's connection knows, by SQLMesh's names. */
const ENGINES: Readonly<Record<EngineType, Options>> = {
  duckdb: DUCKDB,
  motherduck: DUCKDB,
  sqlite: { database: 'text', read_only: 'flag' },
  postgres: {
    host: 'text!', user: 'text!', password: 'secret!', port: 'integer!', database: 'text!', keepalives_idle: 'integer', connect_timeout: 'integer', role: 'text', sslmode: 'text', application_name: 'text', schema: 'text',
  },
  gcp_postgres: {
    instance_connection_string: 'text!', user: 'text!', password: 'secret', enable_iam_auth: 'flag', db: 'text!', ip_type: 'text', keyfile: 'text', keyfile_json: 'secrets', timeout: 'integer', scopes: 'texts', driver: 'text',
  },
  mysql: MYSQL,
  starrocks: MYSQL,
  trino: {
    method: 'text', host: 'text!', user: 'text!', catalog: 'text!', port: 'integer', http_scheme: 'text', roles: 'data', http_headers: 'secrets', session_properties: 'data', retries: 'integer', timezone: 'text',
    password: 'secret', verify: 'flag', impersonation_user: 'text', keytab: 'text', krb5_config: 'text', principal: 'text', service_name: 'text', hostname_override: 'text',
    mutual_authentication: 'flag', force_preemptive: 'flag', sanitize_mutual_error_response: 'flag', delegate: 'flag', jwt_token: 'secret', client_certificate: 'text',
    client_private_key: 'secret', cert: 'text', source: 'text', schema_location_mapping: 'data', timestamp_mapping: 'data',
  },
  athena: {
    aws_access_key_id: 'secret', aws_secret_access_key: 'secret', role_arn: 'text', role_session_name: 'text', region_name: 'text', work_group: 'text', s3_staging_dir: 'text', schema_name: 'text', catalog_name: 'text', s3_warehouse_location: 'text',
  },
  spark: { config_dir: 'text', catalog: 'text', config: 'data', wap_enabled: 'flag', host: 'text', port: 'integer' },
  databricks: {
    server_hostname: 'text', http_path: 'text', access_token: 'secret', auth_type: 'text', oauth_client_id: 'text', oauth_client_secret: 'secret', catalog: 'text', http_headers: 'secrets', session_configuration: 'data',
    databricks_connect_server_hostname: 'text', databricks_connect_access_token: 'secret', databricks_connect_cluster_id: 'text', databricks_connect_use_serverless: 'flag',
    force_databricks_connect: 'flag', disable_databricks_connect: 'flag', disable_spark_session: 'flag',
  },
  snowflake: {
    account: 'text!', user: 'text', password: 'secret', warehouse: 'text', database: 'text', role: 'text', authenticator: 'text', token: 'secret', host: 'text', port: 'integer', application: 'text',
    private_key: 'secret', private_key_path: 'text', private_key_passphrase: 'secret', session_parameters: 'data',
  },
  bigquery: {
    method: 'text', project: 'text', execution_project: 'text', quota_project: 'text', location: 'text', keyfile: 'text', keyfile_json: 'secrets', token: 'secret', refresh_token: 'secret', client_id: 'text', client_secret: 'secret',
    token_uri: 'text', scopes: 'texts', impersonated_service_account: 'text', job_creation_timeout_seconds: 'integer', job_execution_timeout_seconds: 'integer', job_retries: 'integer',
    job_retry_deadline_seconds: 'integer', priority: 'text', maximum_bytes_billed: 'integer', reservation: 'text',
  },
  redshift: {
    user: 'text', password: 'secret', database: 'text', host: 'text', port: 'integer', source_address: 'text', unix_sock: 'text', ...TLS, timeout: 'integer', tcp_keepalive: 'flag', application_name: 'text', preferred_role: 'text',
    principal_arn: 'text', credentials_provider: 'text', region: 'text', cluster_identifier: 'text', iam: 'flag', db_user: 'text', is_serverless: 'flag', serverless_acct_id: 'text', serverless_work_group: 'text', enable_merge: 'flag',
  },
  clickhouse: {
    host: 'text!', username: 'text!', password: 'secret', port: 'integer', cluster: 'text', virtual_catalog: 'text', connect_timeout: 'integer', send_receive_timeout: 'integer', query_limit: 'integer', use_compression: 'flag',
    compression_method: 'text', connection_settings: 'data', http_proxy: 'text', verify: 'flag', ca_cert: 'text', client_cert: 'text', client_cert_key: 'secret', https_proxy: 'text', server_host_name: 'text', tls_mode: 'text', secure: 'flag', connection_pool_options: 'data',
  },
  mssql: MSSQL,
  azuresql: MSSQL,
  fabric: { ...MSSQL, workspace_id: 'text!', tenant_id: 'text!' },
  risingwave: { host: 'text!', user: 'text!', password: 'secret', port: 'integer!', database: 'text!', role: 'text', sslmode: 'text' },
  db2: {
    host: 'text!', port: 'integer', database: 'text!', db2_schema: 'text', username: 'text!', password: 'secret!', ...TLS, ssl_cert: 'text', ssl_key: 'secret', ssl_ca: 'text', connect_timeout: 'integer',
  },
}; // biome-ignore format: a table

/** Keys every connection knows. */
const COMMON: Fields = {
  concurrent_tasks: optional(
    number({ isInteger: true, min: 1 }),
    'How many statements may run at the same time.',
  ),
  register_comments: optional(flag(), 'Whether descriptions are written to the warehouse as comments.'),
  pre_ping: optional(flag(), 'Whether a connection is tested before it is used.'),
  pretty_sql: optional(flag(), 'Whether SQL is laid out before it is sent.'),
  schema_differ_overrides: withoutEffect(data(), 'schema changes follow the rules of each engine'),
  catalog_type_overrides: optional(data(), 'What kind of catalog each catalog of the engine is.'),
  check_import: withoutEffect(flag(), 'drivers are part of Plinth'),
};

function fieldOf(name: string, option: Options[string]): Field<unknown> {
  const isRequired = option.endsWith('!');
  const kind = (isRequired ? option.slice(0, -1) : option) as OptionKind;
  const description = `The ${name.replaceAll('_', ' ')} of the connection.`;
  const schema = optionSchema(kind);
  return isRequired
    ? required(schema, description, name === 'password' ? ['pass'] : [])
    : optional(schema, description);
}

function optionSchema(kind: OptionKind) {
  switch (kind) {
    case 'text':
      return text();
    case 'secret':
      return text({ isSecret: true });
    case 'integer':
      return number({ isInteger: true, min: 0 });
    case 'flag':
      return flag();
    case 'texts':
      return list(text(), { acceptsOne: true });
    case 'data':
      return data();
    case 'secrets':
      return secretData();
  }
}

/** Data of which every leaf is a secret, such as the credentials of DuckDB's secrets manager. */
function secretData() {
  const plain = data();
  return {
    ...plain,
    read(node: Parameters<typeof plain.read>[0], reader: Parameters<typeof plain.read>[1]) {
      const before = reader.sensitive.length;
      const value = plain.read(node, reader);
      reader.sensitive.length = before;
      reader.sensitive.push({ path: [...reader.path], shown: '***', value });
      return value;
    },
  };
}

/** Plain data whose shape is checked: what nothing would read is a problem instead of being dropped. */
function shaped(shape: Schema<unknown>): Schema<Data> {
  const plain = data();
  return {
    ...shape,
    read(node, reader) {
      const before = reader.sensitive.length;
      const value = shape.read(node, reader);
      reader.sensitive.length = before;
      return value === undefined ? undefined : plain.read(node, reader);
    },
  };
}

const NO_DUCKLAKE = 'Plinth attaches DuckLake with its path and data_path only';

/** Options of DuckDB that have parts: each part is read by `adapters/engines/duckdb/duckdb-config.ts`, or said to do nothing. */
const DUCKDB_PARTS: Fields = {
  catalogs: optional(
    shaped(
      record(
        either(
          text(),
          object(
            {
              path: required(text(), 'The file, or what the type of the catalog needs to be reached.'),
              type: optional(text(), 'What it is: duckdb, postgres, sqlite, …; duckdb.'),
              read_only: optional(flag(), 'Whether it is only read.'),
              data_path: optional(text(), 'Where DuckLake keeps its data; models may read it.'),
              token: withoutEffect(text({ isSecret: true }), 'only MotherDuck has one'),
              encrypted: withoutEffect(flag(), NO_DUCKLAKE),
              data_inlining_row_limit: withoutEffect(number({ isInteger: true, min: 0 }), NO_DUCKLAKE),
              metadata_schema: withoutEffect(text(), NO_DUCKLAKE),
            },
            { name: 'a catalog' },
          ),
        ),
      ),
    ),
    'Databases that are attached, by name; the first one is the own one of the connection.',
  ),
  extensions: optional(
    shaped(
      list(
        either(
          text(),
          object(
            {
              name: required(text(), 'The extension.'),
              repository: optional(text(), 'Where it is installed from.'),
              force_install: optional(flag(), 'Whether it is installed anew.'),
            },
            { name: 'an extension' },
          ),
        ),
        { acceptsOne: true },
      ),
    ),
    'Extensions that are installed and loaded; they open no files and no addresses.',
  ),
  connector_config: optional(
    shaped(record(data())),
    'Settings of DuckDB. enable_external_access: true opens all files and addresses to models.',
  ),
  filesystems: withoutEffect(
    data(),
    'DuckDB reads other places through extensions and secrets, and allowed_paths names them',
  ),
  token: withoutEffect(text({ isSecret: true }), 'only MotherDuck has one'),
};

const CHOICES = Object.fromEntries(
  Object.entries(ENGINES).map(([engine, options]) => {
    const own = Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, fieldOf(name, option)]),
    );
    const parts = engine === 'duckdb' ? DUCKDB_PARTS : {};
    const fields: Fields = { type: required(word([engine]), 'The engine.'), ...own, ...parts, ...COMMON };
    return [engine, object(fields, { name: `a connection of type ${engine}` })];
  }),
) as unknown as Readonly<Record<EngineType, ReturnType<typeof object<Fields>>>>;

/** How an engine is reached: `type` and that engine's options. */
export const connectionSchema = named('connection', variants('type', CHOICES, { name: 'a connection' }));

export const variablesSchema = record(data(), {
  keys: /^[A-Za-z_][A-Za-z0-9_]*$/,
  keysExpected: 'a name of letters, digits and underscores',
  name: 'a map of variables',
});

const EVENTS = [
  'apply_start', 'apply_end', 'apply_failure', 'run_start', 'run_end', 'run_failure', 'audit_failure', 'dq_failure', 'dq_warning', 'freshness_failure', 'incident_opened', 'incident_closed',
  'migration_start', 'migration_end', 'migration_failure', 'schema_change', 'plan_change',
] as const; // biome-ignore format: a table

const notifyOn = required(list(word(EVENTS), { acceptsOne: true }), 'The events this channel hears of.');

function target(type: string, own: Fields) {
  return object(
    { type: required(word([type]), 'The kind of channel.'), notify_on: notifyOn, ...own },
    { name: `a notification target of type ${type}` },
  );
}

const secret = text({ isSecret: true });

/** Channels of `notification_targets`. */
export const notificationTargetSchema = named(
  'notification_target',
  variants(
    'type',
    {
      console: target('console', {}),
      slack_webhook: target('slack_webhook', { url: optional(secret, 'The webhook of the channel.') }),
      slack_api: target('slack_api', {
        token: optional(secret, 'The token of the Slack app.'),
        channel: optional(text(), 'The channel.'),
      }),
      teams_webhook: target('teams_webhook', { url: required(secret, 'The webhook of the channel.') }),
      smtp: target('smtp', {
        host: optional(text(), 'The mail server.'),
        port: optional(number({ isInteger: true, min: 1, max: 65_535 }), 'Its port.'),
        user: optional(text(), 'Who logs in.'),
        password: optional(secret, 'The password.'),
        sender: optional(text(), 'The address mails come from.'),
        recipients: optional(list(text(), { acceptsOne: true }), 'The addresses mails go to.'),
        subject: optional(text(), 'The subject of the mails.'),
      }),
      webhook: target('webhook', {
        url: required(text(), 'Where events are sent.'),
        secret: optional(secret, 'The key that signs them.'),
        signature: optional(word(['hmac', 'ed25519']), 'How they are signed.'),
        headers: optional(record(either(secret)), 'Headers to add.'),
        allow_private: optional(flag(), 'Whether private addresses may be reached.'),
      }),
      generic: target('generic', {}),
    },
    { name: 'a notification target' },
  ),
);
