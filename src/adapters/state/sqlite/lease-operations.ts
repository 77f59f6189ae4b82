/*
 * Leases. A row per name stays for ever and its token grows with each grant, so whoever held it before can be told
 * from whoever holds it now. A holder whose lease passed to another finds its name in `lost_leases`.
 */
import { LEASE_MS, type Lease, type LeaseAnswer } from '../../../domain/lease.ts';
import { promotionMark } from '../../../domain/promotion-mark.ts';
import type { Row, StateDatabase } from './database.ts';
import { isGone, ownProcess } from './process-identity.ts';

export interface LeaseRequest {
  readonly names: readonly string[];
  readonly holder: string;
  readonly who: string;
  readonly now: number;
}

/** All of them or none; those already held by the same holder are extended and keep their token. */
export function grantLeases(database: StateDatabase, { names, holder, who, now }: LeaseRequest): LeaseAnswer {
  const present = names.map((name) => database.get('SELECT * FROM leases WHERE name = ?', name));
  const taken = present.find(
    (row) => row !== undefined && isHeld(row) && row['holder'] !== holder && leaseOf(row).expiresAt > now,
  );
  if (taken !== undefined) {
    // A clock that was set back must not make a dead holder live for longer than a lease lasts.
    database.run(
      'UPDATE leases SET expires_at = ? WHERE name = ? AND expires_at > ?',
      now + LEASE_MS,
      taken['name'] as string,
      now + LEASE_MS,
    );
    return { kind: 'held', by: leaseOf(taken) };
  }
  const leases = names.map((name, index): Lease => {
    const before = present[index];
    const isOwn = before !== undefined && before['holder'] === holder;
    if (before !== undefined && isHeld(before) && !isOwn) {
      database.run('INSERT OR IGNORE INTO lost_leases VALUES (?, ?)', before['holder'] as string, name);
    }
    const lease: Lease = {
      name,
      holder,
      token: isOwn ? (before['token'] as number) : ((before?.['token'] as number | undefined) ?? 0) + 1,
      since: isOwn ? (before['since'] as number) : now,
      expiresAt: now + LEASE_MS,
      who,
    };
    database.run(
      'INSERT OR REPLACE INTO leases (name, holder, token, since, expires_at, who, process) VALUES (?, ?, ?, ?, ?, ?, ?)',
      lease.name,
      lease.holder,
      lease.token,
      lease.since,
      lease.expiresAt,
      lease.who,
      ownProcess(),
    );
    return lease;
  });
  return { kind: 'granted', leases };
}

/** Lets go of these names where the holder still has them; their tokens stay. */
export function releaseLeases(database: StateDatabase, holder: string, names: readonly string[]): void {
  for (const name of names) {
    database.run('UPDATE leases SET holder = NULL WHERE name = ? AND holder = ?', name, holder);
    database.run('DELETE FROM lost_leases WHERE run_id = ? AND name = ?', holder, name);
  }
}

export function releaseAllLeases(database: StateDatabase, holder: string): void {
  database.run('UPDATE leases SET holder = NULL WHERE holder = ?', holder);
  database.run('DELETE FROM lost_leases WHERE run_id = ?', holder);
}

/** Extends what the holder has; false when something it had passed to another. */
export function extendLeases(database: StateDatabase, holder: string, now: number): boolean {
  database.run('UPDATE leases SET expires_at = ? WHERE holder = ?', now + LEASE_MS, holder);
  return database.get('SELECT 1 FROM lost_leases WHERE run_id = ? LIMIT 1', holder) === undefined;
}

export function leaseNamed(database: StateDatabase, name: string): Lease | undefined {
  const row = database.get('SELECT * FROM leases WHERE name = ? AND holder IS NOT NULL', name);
  return row === undefined ? undefined : leaseOf(row);
}

export function heldLeases(database: StateDatabase): readonly Lease[] {
  return database.all('SELECT * FROM leases WHERE holder IS NOT NULL ORDER BY name').map(leaseOf);
}

/** The token of the last holder; 0 when nobody ever held it. */
export function lastToken(database: StateDatabase, name: string): number {
  return (
    (database.get('SELECT token FROM leases WHERE name = ?', name)?.['token'] as number | undefined) ?? 0
  );
}

/** Of these names and tokens, those that the state is behind. */
export function readBehind(
  database: StateDatabase,
  tokens: readonly (readonly [name: string, token: number])[],
): readonly (readonly [name: string, token: number])[] {
  const rows = database.all(
    `SELECT value ->> 0 AS wanted, value ->> 1 AS newest FROM json_each(?)
     LEFT JOIN leases ON name = value ->> 0 WHERE coalesce(token, 0) < value ->> 1`,
    JSON.stringify(tokens),
  );
  return rows.map((row) => [row['wanted'] as string, row['newest'] as number]);
}

/** A state that was put back from a copy knows smaller tokens than the warehouse has seen. */
export function raiseTokens(
  database: StateDatabase,
  tokens: readonly (readonly [name: string, token: number])[],
): void {
  for (const [name, token] of tokens)
    database.run(
      `INSERT INTO leases (name, holder, token, since, expires_at, who) VALUES (?, NULL, ?, 0, 0, '')
       ON CONFLICT (name) DO UPDATE SET token = max(token, excluded.token)`,
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
export function presentMark(database: StateDatabase): string {
  return promotionMark({
    environments: database.all('SELECT name, promotion_id FROM environments').map((row) => ({
      name: row['name'] as string,
      promotionId: row['promotion_id'] as string,
    })),
    begun: database.all('SELECT environment, run_id FROM promotion_intents').map((row) => ({
      environment: row['environment'] as string,
      runId: row['run_id'] as string,
    })),
  });
}
