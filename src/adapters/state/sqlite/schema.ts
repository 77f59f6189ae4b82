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
];

/** Marks the file as ours ("PLTH"), so that a database of another program is never taken for an empty state. */
export const APPLICATION_ID = 0x504c5448;
