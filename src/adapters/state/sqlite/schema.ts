/*
 * The tables, as a list of migrations: entry n brings a database of version n to version n + 1. Entries are never
 * edited once released, only added. What is read often and by many has small rows of its own (`snapshots`, `intervals`,
 * `leases`); what is read rarely is one compressed JSON text per thing (`plans`, `promotions`, `runs`).
 */

/** SQL by the version it starts from. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE snapshots (fingerprint TEXT PRIMARY KEY, model TEXT NOT NULL, head TEXT NOT NULL) WITHOUT ROWID;
  -- \`texts\` lists the hashes of all texts that a content needs.
  CREATE TABLE contents (fingerprint TEXT PRIMARY KEY, content TEXT NOT NULL, texts TEXT NOT NULL);
  CREATE TABLE texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL);

  CREATE TABLE plans (
    id TEXT PRIMARY KEY, environment TEXT NOT NULL, created_at INTEGER NOT NULL, who TEXT NOT NULL, status TEXT NOT NULL,
    changes INTEGER NOT NULL, stages INTEGER NOT NULL, base_promotion_id TEXT, fingerprints TEXT NOT NULL, body BLOB NOT NULL);
  CREATE INDEX plans_by_environment ON plans (environment, created_at);

  CREATE TABLE promotions (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, environment TEXT NOT NULL, at INTEGER NOT NULL,
    plan_id TEXT NOT NULL, body BLOB NOT NULL);
  CREATE INDEX promotions_by_environment ON promotions (environment, sequence);
  CREATE TABLE environments (name TEXT PRIMARY KEY, promotion_id TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID;
  CREATE TABLE promotion_intents (environment TEXT PRIMARY KEY, run_id TEXT NOT NULL, body BLOB NOT NULL);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY, environment TEXT NOT NULL, status TEXT NOT NULL, plan_id TEXT, started_at INTEGER NOT NULL,
    body BLOB NOT NULL);
  CREATE INDEX runs_by_environment ON runs (environment, started_at);
  CREATE INDEX runs_by_start ON runs (started_at);
  CREATE INDEX runs_running ON runs (id) WHERE status = 'running';
  CREATE TABLE intents (
    id TEXT PRIMARY KEY, run_id TEXT NOT NULL, environment TEXT NOT NULL, at INTEGER NOT NULL, stage TEXT NOT NULL) WITHOUT ROWID;

  -- A row is kept after its release, without a holder: its token never begins again.
  CREATE TABLE leases (
    name TEXT PRIMARY KEY, holder TEXT, token INTEGER NOT NULL, since INTEGER NOT NULL, expires_at INTEGER NOT NULL,
    who TEXT NOT NULL, process TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
  CREATE INDEX leases_by_holder ON leases (holder) WHERE holder IS NOT NULL;
  -- Leases that expired and passed to another while their run did not know.
  CREATE TABLE lost_leases (run_id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (run_id, name)) WITHOUT ROWID;

  -- \`filled\`: start, end, start, end, …; \`recent\`: data versions of the ledger rows counted last.
  CREATE TABLE intervals (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, version TEXT NOT NULL, filled TEXT NOT NULL, data_version TEXT NOT NULL,
    recent TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE restatements (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, version TEXT NOT NULL, ranges TEXT NOT NULL, since_token INTEGER NOT NULL,
    plan_id TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event TEXT NOT NULL, environment TEXT, run_id TEXT,
    model TEXT, data TEXT NOT NULL);
  CREATE INDEX events_by_run ON events (run_id, sequence) WHERE run_id IS NOT NULL;
  CREATE INDEX events_by_environment ON events (environment, sequence) WHERE environment IS NOT NULL;
  `,
  `
  -- Work, which equal statements share; \`lines\` are the rows of a small result.
  CREATE TABLE executions (
    id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, is_shared INTEGER NOT NULL, timeout_ms INTEGER NOT NULL,
    status TEXT NOT NULL, worker TEXT NOT NULL, attempt INTEGER NOT NULL, tenant TEXT NOT NULL, principal_id TEXT NOT NULL,
    started_at INTEGER, finished_at INTEGER, expires_at INTEGER, outcome TEXT, task TEXT NOT NULL, lines BLOB);
  CREATE INDEX executions_by_fingerprint ON executions (fingerprint) WHERE is_shared = 1;
  CREATE INDEX executions_open ON executions (worker) WHERE status IN ('QUEUED', 'IN_PROGRESS');
  CREATE INDEX executions_by_expiry ON executions (expires_at) WHERE expires_at IS NOT NULL;
  -- \`head\` never changes; \`tags\` are in it too.
  CREATE TABLE statements (
    id TEXT PRIMARY KEY, execution_id TEXT NOT NULL, principal_id TEXT NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL,
    strategy TEXT NOT NULL, submitted_at INTEGER NOT NULL, started_at INTEGER, finished_at INTEGER, expires_at INTEGER,
    error TEXT, head TEXT NOT NULL);
  CREATE INDEX statements_by_principal ON statements (principal_id, id);
  CREATE INDEX statements_by_execution ON statements (execution_id);
  CREATE INDEX statements_by_expiry ON statements (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE refused_fingerprints (fingerprint TEXT PRIMARY KEY, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE statement_workers (id TEXT PRIMARY KEY, process TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
  `,
  `
  CREATE TABLE tenants (name TEXT PRIMARY KEY, created_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE principals (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, role TEXT, is_platform_admin INTEGER NOT NULL,
    groups TEXT NOT NULL, created_at INTEGER NOT NULL, UNIQUE (tenant, name));
  -- \`hash\` is the SHA-256 of a token's text, which is nowhere.
  CREATE TABLE tokens (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, principal_id TEXT NOT NULL, name TEXT NOT NULL, scopes TEXT,
    created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER);
  CREATE INDEX tokens_by_principal ON tokens (principal_id);
  CREATE TABLE grants (
    tenant TEXT NOT NULL, product TEXT NOT NULL, principal TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, product, principal)) WITHOUT ROWID;
  CREATE TABLE audit_log (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, tenant TEXT NOT NULL, actor TEXT NOT NULL,
    action TEXT NOT NULL, target TEXT NOT NULL, outcome TEXT NOT NULL, correlation_id TEXT);
  CREATE INDEX audit_log_by_tenant ON audit_log (tenant, sequence);
  `,
  `
  -- \`request_id\` is '' for what was granted directly.
  CREATE TABLE grants_now (
    tenant TEXT NOT NULL, product TEXT NOT NULL, principal TEXT NOT NULL, request_id TEXT NOT NULL, role TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER, PRIMARY KEY (tenant, product, principal, request_id)) WITHOUT ROWID;
  INSERT INTO grants_now SELECT tenant, product, principal, '', role, created_at, NULL FROM grants;
  DROP TABLE grants;
  ALTER TABLE grants_now RENAME TO grants;
  -- Groups that were made; who belongs to them is said by \`principals.groups\`.
  CREATE TABLE groups (
    tenant TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (tenant, name)) WITHOUT ROWID;
  CREATE TABLE access_requests (
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, product TEXT NOT NULL, principal_id TEXT NOT NULL, status TEXT NOT NULL,
    body TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX access_requests_by_tenant ON access_requests (tenant, id);
  CREATE INDEX access_requests_pending ON access_requests (principal_id, product) WHERE status = 'pending';
  -- First answers by idempotency key, for a day; \`status\` is NULL until there is one.
  CREATE TABLE kept_answers (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, asked TEXT NOT NULL, worker TEXT NOT NULL,
    at INTEGER NOT NULL, status INTEGER, headers TEXT, body TEXT, bytes INTEGER NOT NULL DEFAULT 0);
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
  ALTER TABLE tokens ADD COLUMN parent_id TEXT;
  CREATE INDEX tokens_by_parent ON tokens (parent_id) WHERE parent_id IS NOT NULL;
  `,
  `
  -- Of a result while it is kept; \`kept_bytes\` has the sum of each principal.
  ALTER TABLE executions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE executions SET bytes = coalesce(outcome ->> '$.bytes', 0) WHERE status = 'SUCCESS';
  CREATE INDEX executions_kept ON executions (finished_at, id) WHERE bytes > 0;
  CREATE INDEX executions_kept_by_principal ON executions (principal_id, finished_at, id) WHERE bytes > 0;
  CREATE TABLE kept_bytes (principal_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
  INSERT INTO kept_bytes SELECT principal_id, SUM(bytes) FROM executions WHERE bytes > 0 GROUP BY principal_id;
  CREATE TRIGGER result_kept AFTER UPDATE OF bytes ON executions WHEN new.bytes <> old.bytes BEGIN
    INSERT INTO kept_bytes VALUES (new.principal_id, new.bytes - old.bytes)
      ON CONFLICT (principal_id) DO UPDATE SET bytes = bytes + excluded.bytes;
    DELETE FROM kept_bytes WHERE principal_id = new.principal_id AND bytes <= 0;
  END;
  CREATE TRIGGER result_dropped AFTER DELETE ON executions WHEN old.bytes > 0 BEGIN
    UPDATE kept_bytes SET bytes = bytes - old.bytes WHERE principal_id = old.principal_id;
  END;
  `,
  `
  -- Rises with every change of who may what: readers look here first.
  CREATE TABLE access_revision (revision INTEGER NOT NULL);
  INSERT INTO access_revision VALUES (0);
  ${['tokens', 'principals', 'grants']
    .flatMap((table) =>
      ['INSERT', 'UPDATE', 'DELETE'].map(
        (change) => `CREATE TRIGGER ${table}_${change.toLowerCase()} AFTER ${change} ON ${table}
    BEGIN UPDATE access_revision SET revision = revision + 1; END;`,
      ),
    )
    .join('\n  ')}
  `,
];

/** Marks the file as ours ("PLTH"), so that a database of another program is never taken for an empty state. */
export const APPLICATION_ID = 0x504c5448;
