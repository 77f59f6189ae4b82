import type { EventReader, NewEvent, StoredEvent } from '../../../domain/event.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { beginsWith, prefixRange } from './text-prefix.ts';

/** Adds to the log, inside the transaction of the change that the events tell of. */
export function* appendEvents(state: StateSql, events: readonly NewEvent[]): Steps<void> {
  for (const { at, event, environment, runId, model, data } of events) {
    yield* state.run(
      'INSERT INTO events (at, event, environment, run_id, model, data) VALUES (?, ?, ?, ?, ?, ?)',
      at,
      event,
      environment ?? null,
      runId ?? null,
      model ?? null,
      JSON.stringify(data ?? null),
    );
  }
}

export function* readEvents(
  state: StateSql,
  { after = 0, environment, runId, model, types, limit }: Parameters<EventReader['events']>[0],
): Steps<readonly StoredEvent[]> {
  const conditions = ['sequence > ?'];
  const parameters: (string | number)[] = [after];
  if (environment !== undefined) {
    conditions.push('environment = ?');
    parameters.push(environment);
  }
  if (runId !== undefined) {
    conditions.push('run_id = ?');
    parameters.push(runId);
  }
  if (model !== undefined) {
    conditions.push('model = ?');
    parameters.push(model);
  }
  if (types !== undefined) {
    const each = types.map((type) => (type.endsWith('*') ? beginsWith('event') : 'event = ?'));
    conditions.push(`(${each.join(' OR ') || 'FALSE'})`);
    for (const type of types)
      parameters.push(...(type.endsWith('*') ? prefixRange(type.slice(0, -1)) : [type]));
  }
  const sql = `SELECT * FROM events WHERE ${conditions.join(' AND ')} ORDER BY sequence LIMIT ?`;
  return (yield* state.rows(sql, ...parameters, limit)).map((row) => ({
    sequence: row['sequence'] as number,
    at: row['at'] as number,
    event: row['event'] as string,
    ...(row['environment'] === null ? {} : { environment: row['environment'] as string }),
    ...(row['run_id'] === null ? {} : { runId: row['run_id'] as string }),
    ...(row['model'] === null ? {} : { model: row['model'] as string }),
    data: JSON.parse(row['data'] as string),
  }));
}

export function* readLastSequence(state: StateSql): Steps<number> {
  return (
    ((yield* state.row('SELECT MAX(sequence) AS last FROM events'))?.['last'] as number | null | undefined) ??
    0
  );
}
