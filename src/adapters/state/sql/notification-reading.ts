/** Channels, rules, followers, preferences, deliveries and inboxes: the reading half. */
import type { Delivery, InboxItem } from '../../../domain/delivery.ts';
import type { NotificationReader, SettingFilter, SettingKind } from '../../../domain/notification-store.ts';
import type { Row, SqlValue, StateSql, Steps } from './state-sql.ts';

type RequestOf<Name extends 'deliveries' | 'inbox'> = Parameters<NotificationReader[Name]>[0];

/** As JSON, which crosses threads as it is. */
export function* readSettings(
  state: StateSql,
  kind: SettingKind,
  { id, ownerId, target, parties }: SettingFilter,
): Steps<string> {
  const filter = whereOf([
    ['kind = ?', kind],
    ['id = ?', id],
    ['owner_id = ?', ownerId],
    ['target = ?', target],
    [`party IN ${state.dialect.listed}`, parties && JSON.stringify(parties)],
  ]);
  const sql = `SELECT body, since FROM notification_settings WHERE ${filter.where} ORDER BY id`;
  return `[${(yield* state.rows(sql, ...filter.values)).map(settingText).join(',')}]`;
}

const settingText = (row: Row): string => {
  const body = row['body'] as string;
  return row['since'] === null ? body : `${body.slice(0, -1)},"since":${row['since']}}`;
};

export function* readDeliveries(
  state: StateSql,
  { id, ownerId, statuses, subscriber, before, limit }: RequestOf<'deliveries'>,
): Steps<readonly Delivery[]> {
  const filter = whereOf([
    ['id = ?', id],
    ['owner_id = ?', ownerId],
    [`status IN ${state.dialect.listed}`, statuses && JSON.stringify(statuses)],
    ['subscriber = ?', subscriber],
    ['id < ?', before],
  ]);
  const sql = `SELECT * FROM deliveries WHERE ${filter.where} ORDER BY id DESC LIMIT ?`;
  return (yield* state.rows(sql, ...filter.values, limit)).map(deliveryOf);
}

export function deliveryOf(row: Row): Delivery {
  return {
    id: row['id'] as string,
    sequence: row['sequence'] as number,
    event: row['event'] as string,
    severity: row['severity'] as Delivery['severity'],
    subscriber: row['subscriber'] as string,
    ownerId: row['owner_id'] as string,
    status: row['status'] as Delivery['status'],
    ...numberIn(row, 'due_at', 'dueAt'),
    ...numberIn(row, 'batch', 'batch'),
    createdAt: row['created_at'] as number,
    ...numberIn(row, 'finished_at', 'finishedAt'),
    attempts: JSON.parse(row['attempts'] as string),
    attempted: row['attempted'] as number,
  };
}

export function* readInbox(
  state: StateSql,
  { principalId, isUnread, before, limit }: RequestOf<'inbox'>,
): Steps<readonly InboxItem[]> {
  const filter = whereOf([
    ['principal_id = ?', principalId],
    ['id < ?', before],
  ]);
  const read = isUnread === undefined ? '' : ` AND read_at IS ${isUnread ? '' : 'NOT '}NULL`;
  const sql = `SELECT * FROM inbox_items WHERE ${filter.where}${read} ORDER BY id DESC LIMIT ?`;
  return (yield* state.rows(sql, ...filter.values, limit)).map((row) => ({
    id: row['id'] as string,
    principalId: row['principal_id'] as string,
    sequence: row['sequence'] as number,
    at: row['at'] as number,
    severity: row['severity'] as InboxItem['severity'],
    because: JSON.parse(row['because'] as string),
    ...numberIn(row, 'read_at', 'readAt'),
  }));
}

export function* readBacklog(state: StateSql): Steps<{ readonly sequence: number; readonly open: number }> {
  const cursor = yield* state.row('SELECT sequence FROM notification_cursor');
  const open = yield* state.row('SELECT COUNT(*) AS open FROM deliveries WHERE finished_at IS NULL');
  return { sequence: (cursor?.['sequence'] as number | undefined) ?? 0, open: open?.['open'] as number };
}

function numberIn<Name extends string>(
  row: Row,
  column: string,
  name: Name,
): { readonly [Key in Name]?: number } {
  const value = row[column];
  return (value === null || value === undefined ? {} : { [name]: value }) as { [Key in Name]?: number };
}

/** The conditions that were given; TRUE without any. */
function whereOf(conditions: readonly (readonly [sql: string, value: SqlValue | undefined])[]): {
  readonly where: string;
  readonly values: readonly SqlValue[];
} {
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return {
    where: given.map(({ sql }) => sql).join(' AND ') || 'TRUE',
    values: given.map(({ value }) => value),
  };
}
