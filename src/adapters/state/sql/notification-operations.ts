/*
 * The log of events is the outbox. One process at a time deals it out; what it writes and how far it came are one change, so that
 * a process that is killed at any moment has dealt out an event with all its deliveries, or not at all:
 *
 *   events behind the cursor ──fanOut──▶ deliveries, inbox items, the cursor at the last of them
 *                                             │
 *                 claim: one process a subscriber, what waits for its time first, then what goes in its turn, by sequence
 *                                             └──send──▶ settle: delivered, retrying at a time, dead, suppressed
 */
import {
  ATTEMPTS_KEPT,
  type DeliveryStatus,
  type NewDelivery,
  type NewInboxItem,
  type Settlement,
} from '../../../domain/delivery.ts';
import { entityTag, isExpected } from '../../../domain/entity-tag.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { ClaimedQueue, NotificationStore, SettingKind } from '../../../domain/notification-store.ts';
import { appendEvents, readLastSequence } from './event-operations.ts';
import { insertRows } from './insert-rows.ts';
import { deliveryOf } from './notification-reading.ts';
import type { StateSql, Steps } from './state-sql.ts';

interface StoredSetting {
  readonly id: string;
  readonly ownerId: string;
  readonly target?: string;
  readonly party?: string;
}

export function* putSetting(
  state: StateSql,
  kind: SettingKind,
  { setting, index }: { readonly setting: Readonly<Record<string, unknown>>; readonly index: StoredSetting },
  request: {
    readonly isNew?: boolean;
    readonly expected?: readonly string[] | undefined;
    readonly most: number;
    readonly events: readonly NewEvent[];
  },
): Steps<'done' | 'differs' | 'exists' | 'full'> {
  const before = yield* bodyOf(state, kind, index.id);
  if (before !== undefined && request.isNew === true) return 'exists';
  if (!isExpected(before && entityTag(JSON.parse(before)), request.expected)) return 'differs';
  const body = JSON.stringify(setting);
  if (before === undefined) {
    const owned = yield* state.row(
      'SELECT COUNT(*) AS owned FROM notification_settings WHERE kind = ? AND owner_id = ?',
      kind,
      index.ownerId,
    );
    if ((owned?.['owned'] as number) >= request.most) return 'full';
    const since = kind === 'rule' || kind === 'follower' ? yield* readLastSequence(state) : null;
    yield* state.run(
      'INSERT INTO notification_settings (kind, id, owner_id, target, party, since, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
      kind,
      index.id,
      index.ownerId,
      index.target ?? null,
      index.party ?? null,
      since,
      body,
    );
  } else
    yield* state.run(
      'UPDATE notification_settings SET owner_id = ?, body = ? WHERE kind = ? AND id = ?',
      index.ownerId,
      body,
      kind,
      index.id,
    );
  yield* appendEvents(state, request.events);
  return 'done';
}

export function* removeSetting(
  state: StateSql,
  kind: SettingKind,
  id: string,
  { expected, events }: Parameters<NotificationStore['removeSetting']>[2],
): Steps<'done' | 'missing' | 'differs'> {
  const before = yield* bodyOf(state, kind, id);
  if (before === undefined) return 'missing';
  if (!isExpected(entityTag(JSON.parse(before)), expected)) return 'differs';
  yield* state.run('DELETE FROM notification_settings WHERE kind = ? AND id = ?', kind, id);
  yield* appendEvents(state, events);
  return 'done';
}

function* bodyOf(state: StateSql, kind: SettingKind, id: string): Steps<string | undefined> {
  const sql = 'SELECT body FROM notification_settings WHERE kind = ? AND id = ?';
  return (yield* state.row(sql, kind, id))?.['body'] as string | undefined;
}

export function* attendNotifications(
  state: StateSql,
  { home, claims, targets }: Parameters<NotificationStore['attend']>[0],
): Steps<{ readonly sequence: number; readonly targets: Readonly<Record<string, number>> } | undefined> {
  const present = yield* state.row('SELECT sequence, home FROM notification_cursor');
  if (present !== undefined && present['home'] !== home && !claims) return undefined;
  const last = yield* readLastSequence(state);
  let sequence = present?.['sequence'] as number | undefined;
  if (sequence === undefined) {
    const first = yield* state.row('SELECT MIN(since) AS since FROM notification_settings');
    sequence = (first?.['since'] as number | null | undefined) ?? last;
    yield* state.run("INSERT INTO notification_cursor VALUES ('log', ?, ?)", sequence, home);
  } else yield* state.run('UPDATE notification_cursor SET home = ? WHERE home <> ?', home, home);
  yield* insertRows(
    state,
    { table: 'notification_targets', columns: ['name', 'since'], onConflict: '(name) DO NOTHING' },
    [...new Set(targets)].map((name) => [name, last]),
  );
  const rows = yield* state.rows(
    `SELECT name, since FROM notification_targets WHERE name IN ${state.dialect.listed}`,
    JSON.stringify(targets),
  );
  return {
    sequence,
    targets: Object.fromEntries(rows.map((row) => [row['name'] as string, row['since'] as number])),
  };
}

export function* fanOut(
  state: StateSql,
  { from, to, deliveries, inbox, now }: Parameters<NotificationStore['fanOut']>[0],
): Steps<boolean> {
  const moved = yield* state.run('UPDATE notification_cursor SET sequence = ? WHERE sequence = ?', to, from);
  if (moved === 0) return false;
  yield* insertDeliveries(state, deliveries, now);
  yield* insertInbox(state, inbox);
  return true;
}

function* insertDeliveries(state: StateSql, deliveries: readonly NewDelivery[], now: number): Steps<void> {
  yield* insertRows(
    state,
    {
      table: 'deliveries',
      columns: [
        ...['id', 'sequence', 'event', 'severity', 'subscriber', 'owner_id', 'status', 'due_at', 'batch'],
        'created_at',
      ],
      onConflict: '(id) DO NOTHING',
    },
    deliveries.map(({ id, sequence, event, severity, subscriber, ownerId, dueAt, batch }) => [
      ...[id, sequence, event, severity, subscriber, ownerId, 'pending', dueAt ?? null, batch ?? null],
      now,
    ]),
  );
  const due = new Map<string, number>();
  for (const { subscriber, dueAt = now } of deliveries)
    due.set(subscriber, Math.min(dueAt, due.get(subscriber) ?? dueAt));
  yield* insertRows(
    state,
    {
      table: 'delivery_queues',
      columns: ['subscriber', 'due_at'],
      onConflict:
        '(subscriber) DO UPDATE SET due_at = excluded.due_at WHERE excluded.due_at < delivery_queues.due_at',
    },
    [...due],
  );
}

function insertInbox(state: StateSql, inbox: readonly NewInboxItem[]): Steps<void> {
  return insertRows(
    state,
    {
      table: 'inbox_items',
      columns: ['id', 'principal_id', 'sequence', 'at', 'severity', 'because'],
      onConflict: '(id) DO NOTHING',
    },
    inbox.map(({ id, principalId, sequence, at, severity, because }) => [
      ...[id, principalId, sequence, at, severity],
      JSON.stringify(because),
    ]),
  );
}

/** What a process that is gone was sending is sent again: nothing says that it arrived. */
export function* claimDeliveries(
  state: StateSql,
  { token, now, subscribers, each }: Parameters<NotificationStore['claim']>[0],
): Steps<readonly ClaimedQueue[]> {
  const queues = yield* state.rows(
    `SELECT subscriber FROM delivery_queues WHERE due_at <= ? AND (token IS NULL OR token < ?) ORDER BY due_at, subscriber LIMIT ?`,
    now,
    token,
    subscribers,
  );
  const claimed: ClaimedQueue[] = [];
  for (const { subscriber } of queues as readonly { readonly subscriber: string }[]) {
    const waited = yield* state.rows(
      `SELECT * FROM deliveries WHERE subscriber = ? AND finished_at IS NULL AND due_at IS NOT NULL AND due_at <= ?
       ORDER BY due_at, sequence LIMIT ?`,
      subscriber,
      now,
      each,
    );
    const inTurn = yield* state.rows(
      `SELECT * FROM deliveries WHERE subscriber = ? AND finished_at IS NULL AND due_at IS NULL ORDER BY sequence LIMIT ?`,
      subscriber,
      Math.max(1, each - waited.length),
    );
    const deliveries = [...waited, ...inTurn].map(deliveryOf).sort((a, b) => a.sequence - b.sequence);
    if (deliveries.length === 0) {
      yield* release(state, subscriber, now);
      continue;
    }
    yield* state.run('UPDATE delivery_queues SET token = ? WHERE subscriber = ?', token, subscriber);
    yield* state.run(
      `UPDATE deliveries SET status = 'sending' WHERE id IN ${state.dialect.listed}`,
      JSON.stringify(deliveries.map(({ id }) => id)),
    );
    claimed.push({ subscriber, deliveries: deliveries.map((one) => ({ ...one, status: 'sending' })) });
  }
  return claimed;
}

/** The queue is due when the next of it is, behind those that are due already; without any it goes. */
function* release(state: StateSql, subscriber: string, now: number): Steps<void> {
  const open = 'FROM deliveries WHERE subscriber = ? AND finished_at IS NULL';
  const inTurn = yield* state.row(`SELECT 1 ${open} AND due_at IS NULL LIMIT 1`, subscriber);
  const next = inTurn
    ? now
    : (yield* state.row(`SELECT MIN(due_at) AS due ${open} AND due_at IS NOT NULL`, subscriber))?.['due'];
  if (next === null || next === undefined)
    yield* state.run('DELETE FROM delivery_queues WHERE subscriber = ?', subscriber);
  else
    yield* state.run(
      'UPDATE delivery_queues SET token = NULL, due_at = ? WHERE subscriber = ?',
      next,
      subscriber,
    );
}

export function* settleDeliveries(
  state: StateSql,
  settlements: readonly Settlement[],
  { now, released }: Parameters<NotificationStore['settle']>[1],
): Steps<void> {
  for (const { id, status, dueAt, attempt } of settlements) {
    const row = yield* state.row('SELECT attempts, attempted, finished_at FROM deliveries WHERE id = ?', id);
    if (row === undefined || row['finished_at'] !== null) continue;
    const attempts = JSON.parse(row['attempts'] as string) as readonly unknown[];
    const isOpen = status === 'retrying' || status === 'pending';
    yield* state.run(
      'UPDATE deliveries SET status = ?, due_at = ?, finished_at = ?, attempts = ?, attempted = ? WHERE id = ?',
      status,
      dueAt ?? null,
      isOpen ? null : now,
      JSON.stringify([...attempts, ...(attempt === undefined ? [] : [attempt])].slice(-ATTEMPTS_KEPT)),
      (row['attempted'] as number) + (attempt === undefined ? 0 : 1),
      id,
    );
  }
  if (released === undefined) return;
  const { subscriber, token } = released;
  const queue = yield* state.row('SELECT token FROM delivery_queues WHERE subscriber = ?', subscriber);
  // Another process may have taken the queue over: it goes on with it.
  if (queue?.['token'] === token) yield* release(state, subscriber, now);
}

export function* reviveDeliveries(
  state: StateSql,
  { ids, statuses, now }: Parameters<NotificationStore['revive']>[0],
): Steps<readonly string[]> {
  const rows = yield* state.rows(
    `SELECT * FROM deliveries WHERE id IN ${state.dialect.listed} AND status IN ${state.dialect.listed} ORDER BY id`,
    JSON.stringify(ids),
    JSON.stringify(statuses satisfies readonly DeliveryStatus[]),
  );
  const found = rows.map(deliveryOf);
  yield* state.run(
    `UPDATE deliveries SET status = 'pending', due_at = NULL, batch = NULL, finished_at = NULL WHERE id IN ${state.dialect.listed}`,
    JSON.stringify(found.map(({ id }) => id)),
  );
  yield* insertRows(
    state,
    {
      table: 'delivery_queues',
      columns: ['subscriber', 'due_at'],
      onConflict:
        '(subscriber) DO UPDATE SET due_at = excluded.due_at WHERE excluded.due_at < delivery_queues.due_at',
    },
    [...new Set(found.map(({ subscriber }) => subscriber))].map((subscriber) => [subscriber, now]),
  );
  return found.map(({ id }) => id);
}

export function* markInboxRead(
  state: StateSql,
  { principalId, ids, upTo, at }: Parameters<NotificationStore['markRead']>[0],
): Steps<number> {
  const named = ids === undefined ? '' : ` AND id IN ${state.dialect.listed}`;
  const until = upTo === undefined ? '' : ' AND id <= ?';
  return yield* state.run(
    `UPDATE inbox_items SET read_at = ? WHERE principal_id = ? AND read_at IS NULL${named}${until}`,
    at,
    principalId,
    ...(ids === undefined ? [] : [JSON.stringify(ids)]),
    ...(upTo === undefined ? [] : [upTo]),
  );
}
