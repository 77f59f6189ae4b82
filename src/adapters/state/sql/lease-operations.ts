/*
 * Leases. A row per name is never removed, and its token grows with each grant: that tells an earlier holder from the
 * present one. A holder whose lease passed to another finds its name in `lost_leases`. Times are those of the clock
 * that all processes with this state use.
 */
import { LEASE_MS, type Lease, type LeaseAnswer } from '../../../domain/lease.ts';
import { promotionMark } from '../../../domain/promotion-mark.ts';
import { isGone, ownProcess } from './process-identity.ts';
import { replaceRow } from './replace-row.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';

const LEASE = replaceRow('leases', ['name'], ['holder', 'token', 'since', 'expires_at', 'who', 'process']);

export interface LeaseRequest {
  readonly names: readonly string[];
  readonly holder: string;
  readonly who: string;
  readonly now: number;
}

/** All of them or none; those already held by the same holder are extended and keep their token. */
export function* grantLeases(state: StateSql, { names, holder, who, now }: LeaseRequest): Steps<LeaseAnswer> {
  const until = now + LEASE_MS;
  const present: (Row | undefined)[] = [];
  for (const name of names) present.push(yield* state.row('SELECT * FROM leases WHERE name = ?', name));
  const taken = present.find(
    (row) => row !== undefined && isHeld(row) && row['holder'] !== holder && leaseOf(row).expiresAt > now,
  );
  if (taken !== undefined) {
    // A clock that was set back must not make a dead holder live for longer than a lease lasts.
    yield* state.run(
      'UPDATE leases SET expires_at = ? WHERE name = ? AND expires_at > ?',
      until,
      taken['name'] as string,
      until,
    );
    return { kind: 'held', by: leaseOf(taken) };
  }
  const leases: Lease[] = [];
  for (const [index, name] of names.entries()) {
    const before = present[index];
    const isOwn = before !== undefined && before['holder'] === holder;
    if (before !== undefined && isHeld(before) && !isOwn) {
      yield* state.run(
        'INSERT INTO lost_leases VALUES (?, ?) ON CONFLICT DO NOTHING',
        before['holder'] as string,
        name,
      );
    }
    const lease: Lease = {
      name,
      holder,
      token: isOwn ? (before['token'] as number) : ((before?.['token'] as number | undefined) ?? 0) + 1,
      since: isOwn ? (before['since'] as number) : now,
      expiresAt: now + LEASE_MS,
      who,
    };
    yield* state.run(
      LEASE,
      lease.name,
      lease.holder,
      lease.token,
      lease.since,
      until,
      lease.who,
      ownProcess(),
    );
    leases.push(lease);
  }
  return { kind: 'granted', leases };
}

/** Lets go of these names where the holder still has them; their tokens stay. */
export function* releaseLeases(state: StateSql, holder: string, names: readonly string[]): Steps<void> {
  for (const name of names) {
    yield* state.run('UPDATE leases SET holder = NULL WHERE name = ? AND holder = ?', name, holder);
    yield* state.run('DELETE FROM lost_leases WHERE run_id = ? AND name = ?', holder, name);
  }
}

export function* releaseAllLeases(state: StateSql, holder: string): Steps<void> {
  yield* state.run('UPDATE leases SET holder = NULL WHERE holder = ?', holder);
  yield* state.run('DELETE FROM lost_leases WHERE run_id = ?', holder);
}

/** Extends what the holder has; false when something it had passed to another. */
export function* extendLeases(state: StateSql, holder: string, now: number): Steps<boolean> {
  yield* state.run('UPDATE leases SET expires_at = ? WHERE holder = ?', now + LEASE_MS, holder);
  return (yield* state.row('SELECT 1 FROM lost_leases WHERE run_id = ? LIMIT 1', holder)) === undefined;
}

export function* leaseNamed(state: StateSql, name: string): Steps<Lease | undefined> {
  const row = yield* state.row('SELECT * FROM leases WHERE name = ? AND holder IS NOT NULL', name);
  return row === undefined ? undefined : leaseOf(row);
}

export function* heldLeases(state: StateSql): Steps<readonly Lease[]> {
  return (yield* state.rows('SELECT * FROM leases WHERE holder IS NOT NULL ORDER BY name')).map((row) =>
    leaseOf(row),
  );
}

/** The token of the last holder; 0 when the lease was never held. */
export function* lastToken(state: StateSql, name: string): Steps<number> {
  return (
    ((yield* state.row('SELECT token FROM leases WHERE name = ?', name))?.['token'] as number | undefined) ??
    0
  );
}

/** Of these names and tokens, those that the state is behind. */
export function* readBehind(
  state: StateSql,
  tokens: readonly (readonly [name: string, token: number])[],
): Steps<readonly (readonly [name: string, token: number])[]> {
  const rows = yield* state.rows(
    `SELECT name, token FROM leases WHERE name IN ${state.dialect.listed}`,
    JSON.stringify(tokens.map(([name]) => name)),
  );
  const known = new Map(rows.map((row) => [row['name'] as string, row['token'] as number]));
  return tokens.filter(([name, token]) => (known.get(name) ?? 0) < token);
}

/** A state that was put back from a copy knows smaller tokens than the warehouse has seen. */
export function* raiseTokens(
  state: StateSql,
  tokens: readonly (readonly [name: string, token: number])[],
): Steps<void> {
  for (const [name, token] of tokens)
    yield* state.run(
      `INSERT INTO leases (name, holder, token, since, expires_at, who) VALUES (?, NULL, ?, 0, 0, '')
       ON CONFLICT (name) DO UPDATE SET token = excluded.token WHERE leases.token < excluded.token`,
      name,
      token,
    );
}

function isHeld(row: Row): boolean {
  return row['holder'] !== null;
}

/** A lease whose holder's process is gone has expired, whatever its last heartbeat promised. */
function leaseOf(row: Row): Lease {
  return {
    name: row['name'] as string,
    holder: row['holder'] as string,
    token: row['token'] as number,
    since: row['since'] as number,
    expiresAt: isGone(row['process'] as string) ? 0 : (row['expires_at'] as number),
    who: row['who'] as string,
  };
}

/** The lease of an environment: one run at a time changes it. */
export function environmentLease(environment: string): string {
  return `environment:${environment}`;
}

/** The lease of a physical table, by its key. */
export function tableLease(key: string): string {
  return `table:${key}`;
}

/** What the environments show at this moment, promotions that were begun included. */
export function* presentMark(state: StateSql): Steps<string> {
  return promotionMark({
    environments: (yield* state.rows('SELECT name, promotion_id FROM environments')).map((row) => ({
      name: row['name'] as string,
      promotionId: row['promotion_id'] as string,
    })),
    begun: (yield* state.rows('SELECT environment, run_id FROM promotion_intents')).map((row) => ({
      environment: row['environment'] as string,
      runId: row['run_id'] as string,
    })),
  });
}
