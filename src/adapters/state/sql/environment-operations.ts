import { type Environment, storedEnvironment } from '../../../domain/environment.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { TableId } from '../../../domain/relation.ts';
import { tableKey } from '../../../domain/relation.ts';
import type { PromotionIntent } from '../../../domain/state-store.ts';
import { appendEvents } from './event-operations.ts';
import { refuseLostRun } from './journal-operations.ts';
import { presentMark } from './lease-operations.ts';
import { forgetCheckStatuses } from './quality-operations.ts';
import { replaceRow } from './replace-row.ts';
import { forgetUnusedContents, markDeployed, settleSnapshots } from './snapshot-operations.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';
import { compress, decompress } from './stored-text.ts';

/** An environment as it crosses threads: JSON of what was promoted, and when it expires now. */
export interface StoredEnvironment {
  readonly body: string;
  readonly expiresAt: number | null;
}

const CURRENT = `SELECT promotions.body, environments.expires_at FROM environments
  JOIN promotions ON promotions.id = environments.promotion_id`;

export function* readEnvironment(state: StateSql, name: string): Steps<StoredEnvironment | undefined> {
  const row = yield* state.row(`${CURRENT} WHERE environments.name = ?`, name);
  return row === undefined ? undefined : storedOf(row);
}

/** What says whether an environment is still the one that was read before. */
export function* readCurrentPromotion(
  state: StateSql,
  name: string,
): Steps<{ readonly id: string; readonly expiresAt: number | null } | undefined> {
  const row = yield* state.row('SELECT promotion_id, expires_at FROM environments WHERE name = ?', name);
  if (row === undefined) return undefined;
  return { id: row['promotion_id'] as string, expiresAt: row['expires_at'] as number | null };
}

export function* readEnvironments(state: StateSql): Steps<readonly StoredEnvironment[]> {
  return (yield* state.rows(`${CURRENT} ORDER BY environments.name`)).map(storedOf);
}

function storedOf(row: Row): StoredEnvironment {
  return { body: decompress(row['body']), expiresAt: row['expires_at'] as number | null };
}

/** JSON of the environment each time it was promoted, newest first. */
export function* readPromotions(
  state: StateSql,
  environment: string,
  limit: number | undefined,
): Steps<readonly { readonly body: string; readonly at: number }[]> {
  return (yield* state.rows(
    `SELECT body, at FROM promotions WHERE environment = ? ORDER BY sequence DESC ${limit === undefined ? '' : 'LIMIT ?'}`,
    environment,
    ...(limit === undefined ? [] : [limit]),
  )).map((row) => ({ body: decompress(row['body']), at: row['at'] as number }));
}

export function* beginPromotion(state: StateSql, { target, runId }: PromotionIntent): Steps<string> {
  yield* refuseLostRun(state, runId, target.name);
  yield* removeIntent(state, target.name);
  const mark = yield* presentMark(state);
  yield* state.run(
    replaceRow('promotion_intents', ['environment'], ['run_id', 'body']),
    target.name,
    runId,
    compress(JSON.stringify(target)),
  );
  return mark;
}

/** Idempotent: a caller that repeats it later must not undo a promotion that came after. */
export function* finishPromotion(
  state: StateSql,
  target: Environment,
  { at, events }: { readonly at: number; readonly events: readonly NewEvent[] },
): Steps<void> {
  const isFinished =
    (yield* state.row('SELECT 1 FROM promotions WHERE id = ?', target.promotionId)) !== undefined;
  if (isFinished) yield* removeIntentOf(state, target);
  else yield* addPromotion(state, target, at);
  yield* appendEvents(state, events);
}

export function* addPromotion(state: StateSql, target: Environment, at: number): Steps<void> {
  yield* state.run(
    'INSERT INTO promotions (id, environment, at, plan_id, body) VALUES (?, ?, ?, ?, ?)',
    target.promotionId,
    target.name,
    at,
    target.planId,
    compress(JSON.stringify(target)),
  );
  yield* state.run(
    replaceRow('environments', ['name'], ['promotion_id', 'expires_at']),
    target.name,
    target.promotionId,
    target.expiresAt ?? null,
  );
  const fingerprints = target.entries.map(({ fingerprint }) => fingerprint);
  yield* settleSnapshots(state, fingerprints, target.planId);
  if (target.name === 'prod') yield* markDeployed(state, fingerprints);
  yield* removeIntent(state, target.name);
}

export function* dropPromotion(state: StateSql, environment: string, runId: string): Steps<void> {
  yield* state.run('DELETE FROM promotion_intents WHERE environment = ? AND run_id = ?', environment, runId);
}

/** A promotion that is shown again, because the warehouse lost it, is in the history already. */
function* removeIntentOf(state: StateSql, { name, promotionId }: Environment): Steps<void> {
  const begun = (yield* readPromotionIntents(state)).find(({ target }) => target.name === name);
  if (begun?.target.promotionId === promotionId) yield* removeIntent(state, name);
}

/** Whosever it is: the caller has the environment. */
function* removeIntent(state: StateSql, environment: string): Steps<void> {
  yield* state.run('DELETE FROM promotion_intents WHERE environment = ?', environment);
}

export function* readPromotionIntents(state: StateSql): Steps<readonly PromotionIntent[]> {
  return (yield* state.rows('SELECT * FROM promotion_intents ORDER BY environment')).map((row) => ({
    target: storedEnvironment(JSON.parse(decompress(row['body']))),
    runId: row['run_id'] as string,
  }));
}

export function* invalidate(state: StateSql, environment: string, events: readonly NewEvent[]): Steps<void> {
  yield* state.run('UPDATE environments SET expires_at = 0 WHERE name = ?', environment);
  yield* appendEvents(state, events);
}

/** Leases stay: a table that comes back under the same name must not meet an old token. */
export function* forget(
  state: StateSql,
  gone: {
    readonly environments: readonly string[];
    readonly fingerprints: readonly string[];
    readonly tables: readonly TableId[];
  },
  events: readonly NewEvent[],
): Steps<void> {
  for (const name of gone.environments) {
    yield* state.run('DELETE FROM environments WHERE name = ?', name);
    yield* state.run('DELETE FROM promotions WHERE environment = ?', name);
    yield* forgetCheckStatuses(state, name);
    yield* removeIntent(state, name);
  }
  for (const fingerprint of gone.fingerprints) {
    yield* state.run('DELETE FROM snapshots WHERE fingerprint = ?', fingerprint);
  }
  for (const table of gone.tables) {
    yield* state.run('DELETE FROM intervals WHERE key = ?', tableKey(table));
    yield* state.run('DELETE FROM restatements WHERE key = ?', tableKey(table));
  }
  yield* forgetUnusedContents(state);
  yield* appendEvents(state, events);
}
