/*
 * The tables, as a list of migrations: entry n brings a database of version n to version n + 1. Entries are never
 * edited once released, only added. What is read often and by many has small rows of its own (`snapshots`, `intervals`,
 * `leases`); what is read rarely is one compressed JSON text per thing (`plans`, `promotions`, `runs`).
 */

import { notificationTables } from './notification-tables.ts';
import { perspectiveTables } from './perspective-tables.ts';
import { qualityTables } from './quality-tables.ts';

/** What databases spell differently when tables are made. */
export interface SchemaDialect {
  readonly text: string;
  /** A whole number of 64 bits. */
  readonly integer: string;
  /** A number of 64 bits with a fraction. */
  readonly real: string;
  readonly bytes: string;
  /** The type of a key that grows by one with each row. */
  readonly counter: string;
  /** Behind the columns of a table whose rows lie in the order of its key. */
  readonly byKey: string;
  /** After the columns of a table that is read in the order in which its rows were made; begins with a comma, or is empty. */
  readonly rowid: string;
  /** Statements before a table with a counter is used. */
  counted(table: string): string;
  /** The number in a field of a JSON object. */
  number(json: string, field: string): string;
  /** After each row that is changed so; the statements see it as `new` and `old`. */
  trigger(trigger: Trigger): string;
}

export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly change: string;
  readonly when?: string;
  readonly statements: string;
}

/** SQL by the version it starts from. */
export function migrations(dialect: SchemaDialect): readonly string[] {
  const { text, integer, bytes, counter, byKey, rowid } = dialect;
  return [
    `
  CREATE TABLE meta (key ${text} PRIMARY KEY, value ${text} NOT NULL)${byKey};

  CREATE TABLE snapshots (fingerprint ${text} PRIMARY KEY, model ${text} NOT NULL, head ${text} NOT NULL)${byKey};
  -- \`texts\` lists the hashes of all texts that a content needs.
  CREATE TABLE contents (fingerprint ${text} PRIMARY KEY, content ${text} NOT NULL, texts ${text} NOT NULL);
  CREATE TABLE texts (hash ${text} PRIMARY KEY, text ${text} NOT NULL);

  CREATE TABLE plans (
    id ${text} PRIMARY KEY, environment ${text} NOT NULL, created_at ${integer} NOT NULL, who ${text} NOT NULL, status ${text} NOT NULL,
    changes ${integer} NOT NULL, stages ${integer} NOT NULL, base_promotion_id ${text}, fingerprints ${text} NOT NULL, body ${bytes} NOT NULL${rowid});
  CREATE INDEX plans_by_environment ON plans (environment, created_at);

  CREATE TABLE promotions (
    sequence ${counter}, id ${text} NOT NULL UNIQUE, environment ${text} NOT NULL, at ${integer} NOT NULL,
    plan_id ${text} NOT NULL, body ${bytes} NOT NULL);
  ${dialect.counted('promotions')}
  CREATE INDEX promotions_by_environment ON promotions (environment, sequence);
  CREATE TABLE environments (name ${text} PRIMARY KEY, promotion_id ${text} NOT NULL, expires_at ${integer})${byKey};
  CREATE TABLE promotion_intents (environment ${text} PRIMARY KEY, run_id ${text} NOT NULL, body ${bytes} NOT NULL);

  CREATE TABLE runs (
    id ${text} PRIMARY KEY, environment ${text} NOT NULL, status ${text} NOT NULL, plan_id ${text}, started_at ${integer} NOT NULL,
    body ${bytes} NOT NULL${rowid});
  CREATE INDEX runs_by_environment ON runs (environment, started_at);
  CREATE INDEX runs_by_start ON runs (started_at);
  CREATE INDEX runs_running ON runs (id) WHERE status = 'running';
  CREATE TABLE intents (
    id ${text} PRIMARY KEY, run_id ${text} NOT NULL, environment ${text} NOT NULL, at ${integer} NOT NULL, stage ${text} NOT NULL)${byKey};

  -- A row is kept after its release, without a holder: its token never begins again.
  CREATE TABLE leases (
    name ${text} PRIMARY KEY, holder ${text}, token ${integer} NOT NULL, since ${integer} NOT NULL, expires_at ${integer} NOT NULL,
    who ${text} NOT NULL, process ${text} NOT NULL DEFAULT '')${byKey};
  CREATE INDEX leases_by_holder ON leases (holder) WHERE holder IS NOT NULL;
  -- Leases that expired and passed to another while their run did not know.
  CREATE TABLE lost_leases (run_id ${text} NOT NULL, name ${text} NOT NULL, PRIMARY KEY (run_id, name))${byKey};

  -- \`filled\`: start, end, start, end, …; \`recent\`: data versions of the ledger rows counted last.
  CREATE TABLE intervals (
    key ${text} PRIMARY KEY, model ${text} NOT NULL, version ${text} NOT NULL, filled ${text} NOT NULL, data_version ${text} NOT NULL,
    recent ${text} NOT NULL)${byKey};
  CREATE TABLE restatements (
    key ${text} PRIMARY KEY, model ${text} NOT NULL, version ${text} NOT NULL, ranges ${text} NOT NULL, since_token ${integer} NOT NULL,
    plan_id ${text} NOT NULL)${byKey};

  CREATE TABLE events (
    sequence ${counter}, at ${integer} NOT NULL, event ${text} NOT NULL, environment ${text}, run_id ${text},
    model ${text}, data ${text} NOT NULL);
  ${dialect.counted('events')}
  CREATE INDEX events_by_run ON events (run_id, sequence) WHERE run_id IS NOT NULL;
  CREATE INDEX events_by_environment ON events (environment, sequence) WHERE environment IS NOT NULL;
  `,
    `
  -- Work, which equal statements share; \`lines\` are the rows of a small result.
  CREATE TABLE executions (
    id ${text} PRIMARY KEY, fingerprint ${text} NOT NULL, is_shared ${integer} NOT NULL, timeout_ms ${integer} NOT NULL,
    status ${text} NOT NULL, worker ${text} NOT NULL, attempt ${integer} NOT NULL, tenant ${text} NOT NULL, principal_id ${text} NOT NULL,
    started_at ${integer}, finished_at ${integer}, expires_at ${integer}, outcome ${text}, task ${text} NOT NULL, lines ${bytes});
  CREATE INDEX executions_by_fingerprint ON executions (fingerprint) WHERE is_shared = 1;
  CREATE INDEX executions_open ON executions (worker) WHERE status IN ('QUEUED', 'IN_PROGRESS');
  CREATE INDEX executions_by_expiry ON executions (expires_at) WHERE expires_at IS NOT NULL;
  -- \`head\` never changes; \`tags\` are in it too.
  CREATE TABLE statements (
    id ${text} PRIMARY KEY, execution_id ${text} NOT NULL, principal_id ${text} NOT NULL, status ${text} NOT NULL, version ${integer} NOT NULL,
    strategy ${text} NOT NULL, submitted_at ${integer} NOT NULL, started_at ${integer}, finished_at ${integer}, expires_at ${integer},
    error ${text}, head ${text} NOT NULL);
  CREATE INDEX statements_by_principal ON statements (principal_id, id);
  CREATE INDEX statements_by_execution ON statements (execution_id);
  CREATE INDEX statements_by_expiry ON statements (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE refused_fingerprints (fingerprint ${text} PRIMARY KEY, until ${integer} NOT NULL)${byKey};
  CREATE TABLE statement_workers (id ${text} PRIMARY KEY, process ${text} NOT NULL, expires_at ${integer} NOT NULL)${byKey};
  `,
    `
  CREATE TABLE tenants (name ${text} PRIMARY KEY, created_at ${integer} NOT NULL)${byKey};
  CREATE TABLE principals (
    id ${text} PRIMARY KEY, tenant ${text} NOT NULL, name ${text} NOT NULL, kind ${text} NOT NULL, role ${text}, is_platform_admin ${integer} NOT NULL,
    groups ${text} NOT NULL, created_at ${integer} NOT NULL, UNIQUE (tenant, name));
  -- \`hash\` is the SHA-256 of a token's text, which is nowhere.
  CREATE TABLE tokens (
    id ${text} PRIMARY KEY, hash ${text} NOT NULL UNIQUE, principal_id ${text} NOT NULL, name ${text} NOT NULL, scopes ${text},
    created_at ${integer} NOT NULL, expires_at ${integer}, last_used_at ${integer}, revoked_at ${integer});
  CREATE INDEX tokens_by_principal ON tokens (principal_id);
  CREATE TABLE grants (
    tenant ${text} NOT NULL, product ${text} NOT NULL, principal ${text} NOT NULL, role ${text} NOT NULL, created_at ${integer} NOT NULL,
    PRIMARY KEY (tenant, product, principal))${byKey};
  CREATE TABLE audit_log (
    sequence ${counter}, at ${integer} NOT NULL, tenant ${text} NOT NULL, actor ${text} NOT NULL,
    action ${text} NOT NULL, target ${text} NOT NULL, outcome ${text} NOT NULL, correlation_id ${text});
  ${dialect.counted('audit_log')}
  CREATE INDEX audit_log_by_tenant ON audit_log (tenant, sequence);
  `,
    `
  -- \`request_id\` is '' for what was granted directly.
  CREATE TABLE grants_now (
    tenant ${text} NOT NULL, product ${text} NOT NULL, principal ${text} NOT NULL, request_id ${text} NOT NULL, role ${text} NOT NULL,
    created_at ${integer} NOT NULL, expires_at ${integer}, PRIMARY KEY (tenant, product, principal, request_id))${byKey};
  INSERT INTO grants_now SELECT tenant, product, principal, '', role, created_at, NULL FROM grants;
  DROP TABLE grants;
  ALTER TABLE grants_now RENAME TO grants;
  -- Groups that were made; who belongs to them is said by \`principals.groups\`.
  CREATE TABLE groups (
    tenant ${text} NOT NULL, name ${text} NOT NULL, created_at ${integer} NOT NULL, PRIMARY KEY (tenant, name))${byKey};
  CREATE TABLE access_requests (
    id ${text} PRIMARY KEY, tenant ${text} NOT NULL, product ${text} NOT NULL, principal_id ${text} NOT NULL, status ${text} NOT NULL,
    body ${text} NOT NULL)${byKey};
  CREATE INDEX access_requests_by_tenant ON access_requests (tenant, id);
  CREATE INDEX access_requests_pending ON access_requests (principal_id, product) WHERE status = 'pending';
  -- First answers by idempotency key, for a day; \`status\` is NULL until there is one.
  CREATE TABLE kept_answers (
    sequence ${counter}, name ${text} NOT NULL UNIQUE, asked ${text} NOT NULL, worker ${text} NOT NULL,
    at ${integer} NOT NULL, status ${integer}, headers ${text}, body ${text}, bytes ${integer} NOT NULL DEFAULT 0);
  CREATE INDEX kept_answers_by_age ON kept_answers (at);
  `,
    `
  -- Finds the newest answer to a question, or the work under way, however often it was asked without the cache.
  DROP INDEX executions_by_fingerprint;
  CREATE INDEX executions_by_fingerprint ON executions (fingerprint, status, finished_at, id) WHERE is_shared = 1;
  `,
    'CREATE INDEX grants_by_principal ON grants (tenant, principal)',
    `
  -- The token by which it was made; NULL: none.
  ALTER TABLE tokens ADD COLUMN parent_id ${text};
  CREATE INDEX tokens_by_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;
  `,
    `
  -- Of a result while it is kept; \`kept_bytes\` has the sum of each principal.
  ALTER TABLE executions ADD COLUMN bytes ${integer} NOT NULL DEFAULT 0;
  UPDATE executions SET bytes = coalesce(${dialect.number('outcome', 'bytes')}, 0) WHERE status = 'SUCCESS';
  CREATE INDEX executions_kept ON executions (finished_at, id) WHERE bytes > 0;
  CREATE INDEX executions_kept_by_principal ON executions (principal_id, finished_at, id) WHERE bytes > 0;
  CREATE TABLE kept_bytes (principal_id ${text} PRIMARY KEY, bytes ${integer} NOT NULL)${byKey};
  INSERT INTO kept_bytes SELECT principal_id, SUM(bytes) FROM executions WHERE bytes > 0 GROUP BY principal_id;
  ${dialect.trigger({
    name: 'result_kept',
    table: 'executions',
    change: 'UPDATE OF bytes',
    when: 'new.bytes <> old.bytes',
    statements: `
    INSERT INTO kept_bytes VALUES (new.principal_id, new.bytes - old.bytes)
      ON CONFLICT (principal_id) DO UPDATE SET bytes = kept_bytes.bytes + excluded.bytes;
    DELETE FROM kept_bytes WHERE principal_id = new.principal_id AND bytes <= 0;`,
  })}
  ${dialect.trigger({
    name: 'result_dropped',
    table: 'executions',
    change: 'DELETE',
    when: 'old.bytes > 0',
    statements: `
    UPDATE kept_bytes SET bytes = bytes - old.bytes WHERE principal_id = old.principal_id;`,
  })}
  `,
    `
  -- Rises with every change of who may what: readers look here first.
  CREATE TABLE access_revision (revision ${integer} NOT NULL);
  INSERT INTO access_revision VALUES (0);
  ${['tokens', 'principals', 'grants']
    .flatMap((table) =>
      ['INSERT', 'UPDATE', 'DELETE'].map((change) =>
        dialect.trigger({
          name: `${table}_${change.toLowerCase()}`,
          table,
          change,
          statements: 'UPDATE access_revision SET revision = revision + 1;',
        }),
      ),
    )
    .join('\n  ')}
  `,
    qualityTables(dialect),
    notificationTables(dialect),
    perspectiveTables(dialect),
  ];
}
