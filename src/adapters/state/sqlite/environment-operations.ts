import type { Environment } from '../../../domain/environment.ts';
import type { TableId } from '../../../domain/relation.ts';
import { tableKey } from '../../../domain/relation.ts';
import type { NewEvent, PromotionIntent } from '../../../domain/state-store.ts';
import { compress, decompress, type Row, type StateDatabase } from './database.ts';
import { appendEvents } from './event-operations.ts';
import { refuseLostRun } from './journal-operations.ts';
import { presentMark } from './lease-operations.ts';
import { forgetUnusedContents, markDeployed, settleSnapshots } from './snapshot-operations.ts';

/** An environment as it crosses threads: JSON of what was promoted, and when it expires now. */
export interface StoredEnvironment {
  readonly body: string;
  readonly expiresAt: number | null;
}

const CURRENT = `SELECT promotions.body, environments.expires_at FROM environments
  JOIN promotions ON promotions.id = environments.promotion_id`;

export function readEnvironment(database: StateDatabase, name: string): StoredEnvironment | undefined {
  const row = database.get(`${CURRENT} WHERE environments.name = ?`, name);
  return row === undefined ? undefined : storedOf(row);
}

/** What says whether an environment is still the one that was read before. */
export function readCurrentPromotion(
  database: StateDatabase,
  name: string,
): { readonly id: string; readonly expiresAt: number | null } | undefined {
  const row = database.get('SELECT promotion_id, expires_at FROM environments WHERE name = ?', name);
  if (row === undefined) return undefined;
  return { id: row['promotion_id'] as string, expiresAt: row['expires_at'] as number | null };
}

export function readEnvironments(database: StateDatabase): readonly StoredEnvironment[] {
  return database.all(`${CURRENT} ORDER BY environments.name`).map(storedOf);
}

function storedOf(row: Row): StoredEnvironment {
  return { body: decompress(row['body']), expiresAt: row['expires_at'] as number | null };
}

/** JSON of the environment each time it was promoted, newest first. */
export function readPromotions(
  database: StateDatabase,
  environment: string,
  limit: number | undefined,
): readonly { readonly body: string; readonly at: number }[] {
  return database
    .all(
      'SELECT body, at FROM promotions WHERE environment = ? ORDER BY sequence DESC LIMIT ?',
      environment,
      limit ?? -1,
    )
    .map((row) => ({ body: decompress(row['body']), at: row['at'] as number }));
}

export function beginPromotion(database: StateDatabase, { target, runId }: PromotionIntent): string {
  refuseLostRun(database, runId, target.name);
  removeIntent(database, target.name);
  const mark = presentMark(database);
  database.run(
    'INSERT OR REPLACE INTO promotion_intents (environment, run_id, body) VALUES (?, ?, ?)',
    target.name,
    runId,
    compress(JSON.stringify(target)),
  );
  return mark;
}

/** Once told, always told: whoever repeats it, having looked long ago, must not undo a later promotion. */
export function finishPromotion(
  database: StateDatabase,
  target: Environment,
  { at, events }: { readonly at: number; readonly events: readonly NewEvent[] },
): void {
  const isTold = database.get('SELECT 1 FROM promotions WHERE id = ?', target.promotionId) !== undefined;
  if (isTold) removeIntentOf(database, target);
  else addPromotion(database, target, at);
  appendEvents(database, events);
}

export function addPromotion(database: StateDatabase, target: Environment, at: number): void {
  database.run(
    'INSERT INTO promotions (id, environment, at, plan_id, body) VALUES (?, ?, ?, ?, ?)',
    target.promotionId,
    target.name,
    at,
    target.planId,
    compress(JSON.stringify(target)),
  );
  database.run(
    'INSERT OR REPLACE INTO environments (name, promotion_id, expires_at) VALUES (?, ?, ?)',
    target.name,
    target.promotionId,
    target.expiresAt ?? null,
  );
  const fingerprints = target.entries.map(({ fingerprint }) => fingerprint);
  settleSnapshots(database, fingerprints, target.planId);
  if (target.name === 'prod') markDeployed(database, fingerprints);
  removeIntent(database, target.name);
}

export function dropPromotion(database: StateDatabase, environment: string, runId: string): void {
  database.run('DELETE FROM promotion_intents WHERE environment = ? AND run_id = ?', environment, runId);
}

/** A promotion that is shown again, because the warehouse lost it, is in the history already. */
function removeIntentOf(database: StateDatabase, { name, promotionId }: Environment): void {
  const begun = readPromotionIntents(database).find(({ target }) => target.name === name);
  if (begun?.target.promotionId === promotionId) removeIntent(database, name);
}

/** Whosever it is: the caller has the environment. */
function removeIntent(database: StateDatabase, environment: string): void {
  database.run('DELETE FROM promotion_intents WHERE environment = ?', environment);
}

export function readPromotionIntents(database: StateDatabase): readonly PromotionIntent[] {
  return database.all('SELECT * FROM promotion_intents ORDER BY environment').map((row) => ({
    target: JSON.parse(decompress(row['body'])) as Environment,
    runId: row['run_id'] as string,
  }));
}

export function invalidate(database: StateDatabase, environment: string, events: readonly NewEvent[]): void {
  database.run('UPDATE environments SET expires_at = 0 WHERE name = ?', environment);
  appendEvents(database, events);
}

/** Leases stay: a table that comes back under the same name must not meet an old token. */
export function forget(
  database: StateDatabase,
  gone: {
    readonly environments: readonly string[];
    readonly fingerprints: readonly string[];
    readonly tables: readonly TableId[];
  },
  events: readonly NewEvent[],
): void {
  for (const name of gone.environments) {
    database.run('DELETE FROM environments WHERE name = ?', name);
    database.run('DELETE FROM promotions WHERE environment = ?', name);
    removeIntent(database, name);
  }
  for (const fingerprint of gone.fingerprints) {
    database.run('DELETE FROM snapshots WHERE fingerprint = ?', fingerprint);
  }
  for (const table of gone.tables) {
    database.run('DELETE FROM intervals WHERE key = ?', tableKey(table));
    database.run('DELETE FROM restatements WHERE key = ?', tableKey(table));
  }
  forgetUnusedContents(database);
  appendEvents(database, events);
}
