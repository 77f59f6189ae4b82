import type { EngineType } from '../../../domain/config.ts';
import { NOTIFY_ON } from '../../../domain/notify-on.ts';
import {
  either,
  type Field,
  type Fields,
  list,
  notYet,
  object,
  optional,
  record,
  required,
  variants,
  withoutEffect,
} from '../../../foundation/yaml/collection-schemas.ts';
import { named } from '../../../foundation/yaml/named-schemas.ts';
import { asData, data, flag, number, text, word } from '../../../foundation/yaml/scalar-schemas.ts';

/** Option tables: key → what it holds. `!` marks a required one; secrets are never shown. */
type OptionKind = 'text' | 'secret' | 'integer' | 'flag' | 'data' | 'texts' | 'secrets';
type Options = Readonly<Record<string, OptionKind | `${OptionKind}!`>>;

const TLS: Options = { ssl: 'flag', sslmode: 'text' };

const MOTHERDUCK: Options = {
  database: 'text', catalogs: 'data', extensions: 'data', connector_config: 'data', secrets: 'secrets', token: 'secret',
}; // biome-ignore format: a table

const MSSQL: Options = {
  host: 'text!', user: 'text', password: 'secret', database: 'text', timeout: 'integer', login_timeout: 'integer', login_attempts: 'integer', charset: 'text',
  appname: 'text', port: 'integer', conn_properties: 'data', autocommit: 'flag', tds_version: 'text', driver: 'text', driver_name: 'text',
  trust_server_certificate: 'flag', encrypt: 'flag', odbc_properties: 'secrets',
}; // biome-ignore format: a table

const MYSQL: Options = {
  host: 'text!', user: 'text!', password: 'secret!', port: 'integer', database: 'text', charset: 'text', collation: 'text', ssl_disabled: 'flag', local_infile: 'flag',
}; // biome-ignore format: a table

/** The engine that is part of Plinth. */
const OWN_ENGINE = 'duckdb';

/** What the connections of engines know that cannot be reached yet, by SQLMesh's names. */
const LATER: Readonly<Record<Exclude<EngineType, typeof OWN_ENGINE>, Options>> = {
  motherduck: MOTHERDUCK,
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

const unread = data('nothing inside is read');

/** Keys every connection knows. */
const COMMON: Fields = {
  concurrent_tasks: optional(
    number({ isInteger: true, min: 1 }),
    'How many models are built at the same time; run.max_parallel where that is less.',
  ),
  register_comments: optional(flag(), 'Whether descriptions are written to the warehouse as comments; true.'),
  pre_ping: withoutEffect(flag(), 'a connection that is lost is opened again'),
  pretty_sql: withoutEffect(flag(), 'SQL is sent as it is written'),
  schema_differ_overrides: withoutEffect(unread, 'schema changes follow the rules of each engine'),
  catalog_type_overrides: withoutEffect(unread, 'the engine knows what its catalogs are'),
  check_import: withoutEffect(flag(), 'drivers are part of Plinth'),
};

const attached = object(
  {
    path: required(text(), 'The file or address to attach.'),
    type: optional(text(), 'What it is, for instance postgres; duckdb.'),
    read_only: optional(flag(), 'Whether nothing can be written to it.'),
    encrypted: notYet(flag(), 'DuckLake is attached with its path and data_path only'),
    data_path: optional(text(), 'Where DuckLake keeps its data; models may read it.'),
    data_inlining_row_limit: notYet(number(), 'DuckLake is attached with its path and data_path only'),
    metadata_schema: notYet(text(), 'DuckLake is attached with its path and data_path only'),
    token: notYet(text({ isSecret: true }), 'MotherDuck is not reached'),
  },
  { name: 'a catalog' },
);

const extension = object(
  {
    name: required(text(), 'Its name.'),
    repository: optional(text(), 'Where it is installed from.'),
    force_install: optional(flag(), 'Whether it is installed again.'),
  },
  { name: 'an extension', shorthand: 'name' },
);

/** Options of the embedded engine; the names of its settings and secrets are its own. */
const EMBEDDED: Fields = {
  database: optional(text(), 'The file, relative to the project, or :memory:.'),
  catalogs: optional(
    asData(record(either(text(), attached), { name: 'a map from names to files' })),
    'Databases that are attached, by the name that SQL gives them.',
  ),
  extensions: optional(
    asData(list(extension, { acceptsOne: true })),
    'Extensions that are installed and loaded; they open no files and no addresses.',
  ),
  connector_config: optional(
    asData(record(data('the engine refuses settings that it does not know'), { name: 'a map of settings' })),
    'Settings of the engine, by its own names; enable_external_access: true opens all files and addresses to models.',
  ),
  secrets: optional(secretData(), 'Secrets of the engine, as a list or by name: type and its parameters.'),
  allowed_paths: optional(
    list(text(), { acceptsOne: true }),
    'Folders and addresses that SQL may reach besides the project folder.',
  ),
  filesystems: withoutEffect(unread, 'object stores are reached by extensions and secrets'),
  token: withoutEffect(text({ isSecret: true }), 'only connections of type motherduck have a token'),
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
      return unread;
    case 'secrets':
      return secretData();
  }
}

/** Data of which every leaf is a secret, such as the credentials of DuckDB's secrets manager. */
function secretData() {
  const plain = data('the engine refuses parameters that it does not know');
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

type Choices = Readonly<Record<EngineType, ReturnType<typeof object<Fields>>>>;

const typeOf = (engine: string) => required(word([engine]), 'The engine.');
const nameOf = (engine: string): string => `a connection of type ${engine}`;

function unreached(engine: string, options: Fields, why: string) {
  return object({ type: typeOf(engine), ...options, ...COMMON }, { name: nameOf(engine), notYet: why });
}

const UNREACHED = Object.fromEntries(
  Object.entries(LATER).map(([engine, options]) => [
    engine,
    named(
      `${engine}_connection`,
      unreached(
        engine,
        Object.fromEntries(Object.entries(options).map(([name, option]) => [name, fieldOf(name, option)])),
        `Plinth does not connect to ${engine}`,
      ),
    ),
  ]),
);

/** These engines can be used in this place; the others are known, and warned about. */
function connectionTo(place: string, reached: Partial<Record<EngineType, Fields>>) {
  const choices = {
    [OWN_ENGINE]: unreached(OWN_ENGINE, EMBEDDED, `state cannot be kept in ${OWN_ENGINE}`),
    ...UNREACHED,
    ...Object.fromEntries(
      Object.entries(reached).map(([engine, fields]) => [
        engine,
        object({ type: typeOf(engine), ...fields }, { name: nameOf(engine) }),
      ]),
    ),
  } as unknown as Choices;
  return named(place, variants('type', choices, { name: 'a connection' }));
}

/** How an engine is reached: `type` and that engine's options. */
export const connectionSchema = connectionTo('connection', {
  [OWN_ENGINE]: {
    ...EMBEDDED,
    read_only: optional(flag(), 'Whether nothing can be written; plans and runs then fail.'),
    ...COMMON,
  },
});

const count = (min: number) => number({ isInteger: true, min });

/** A server that several machines share the state by. */
const SERVED_STATE: Fields = {
  host: required(text(), 'The name or address of the server, or the folder of its socket.'),
  port: optional(count(1), 'The port of the server; 5432.'),
  user: required(text(), 'The user who logs in.'),
  password: required(text({ isSecret: true }), "The user's password.", ['pass']),
  database: required(text(), 'The database on the server.'),
  schema: optional(text(), 'The schema of the tables, which is made if it is missing; plinth.'),
  sslmode: optional(
    word(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']),
    'Whether the connection is encrypted, and how the server is checked; prefer.',
  ),
  sslrootcert: optional(
    text(),
    'The file, relative to the project, of the certificates that verify-ca and verify-full trust.',
  ),
  connect_timeout: optional(count(1), 'Seconds until a server that does not answer is given up; 10.'),
  keepalives_idle: optional(count(0), 'Seconds of silence until the connection is probed.'),
  role: optional(text(), 'The role that is taken on after logging in.'),
  application_name: optional(text(), 'What the server shows as the name of the program; plinth.'),
  pool_size: optional(count(1), 'How many connections each process keeps at most; 4.'),
};

/** Where the state lies. */
export const stateConnectionSchema = connectionTo('state_connection', {
  sqlite: { database: optional(text(), 'The file, relative to the project; .plinth/state.db.') },
  postgres: SERVED_STATE,
});

/** Where tests run. */
export const testConnectionSchema = connectionTo('test_connection', { [OWN_ENGINE]: EMBEDDED });

export const variablesSchema = record(data("values of variables are the user's own"), {
  keys: /^[A-Za-z_][A-Za-z0-9_]*$/,
  keysExpected: 'a name of letters, digits and underscores',
  name: 'a map of variables',
});

const notifyOn = required(
  list(word(NOTIFY_ON), { acceptsOne: true }),
  'The events that are sent to this channel.',
);

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
        headers: optional(
          asData(record(secret, { name: 'a map from headers to values' })),
          'Headers to add.',
        ),
        allow_private: optional(flag(), 'Whether private addresses may be reached.'),
      }),
      generic: target('generic', {}),
    },
    { name: 'a notification target' },
  ),
);
