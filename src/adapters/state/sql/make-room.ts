/** Room for results: when the results of a principal, or of all, have more bytes than they may, the oldest go. */
import type { RoomRequest } from '../../../domain/state-store.ts';
import type { Row, StateSql, Steps } from './state-sql.ts';
import { dropResult } from './statement-operations.ts';
import type { Outcome } from './statement-reading.ts';

const AT_ONCE = 100;

/** Drops the oldest results until what is being written fits beside the rest; nothing when it fits nowhere. */
export function* makeRoom(
  state: StateSql,
  { principalId, own, all, now }: RoomRequest,
): Steps<{ readonly names: readonly string[]; readonly isEnough: boolean }> {
  if (own.writing > own.max || all.writing > all.max) return { names: [], isEnough: false };
  const names: string[] = [];
  const drop = function* (over: number, oldest: () => Steps<readonly Row[]>): Steps<void> {
    for (let left = over; left > 0; ) {
      const rows = yield* oldest();
      if (rows.length === 0) return;
      for (const { id, bytes, outcome } of rows) {
        if (left <= 0) return;
        left -= bytes as number;
        const { name } = JSON.parse(outcome as string) as Outcome;
        if (name !== undefined) names.push(name);
        yield* dropResult(state, id as string);
        yield* state.run(
          'UPDATE statements SET expires_at = ?, version = version + 1 WHERE execution_id = ? AND expires_at > ?',
          now,
          id as string,
          now,
        );
      }
    }
  };
  const ofPrincipal = yield* state.row('SELECT bytes FROM kept_bytes WHERE principal_id = ?', principalId);
  yield* drop(((ofPrincipal?.['bytes'] as number | undefined) ?? 0) + own.writing - own.max, () =>
    state.rows(
      `SELECT id, bytes, outcome FROM executions WHERE principal_id = ? AND bytes > 0 ORDER BY finished_at, id LIMIT ${AT_ONCE}`,
      principalId,
    ),
  );
  const ofAll = (yield* state.row('SELECT coalesce(SUM(bytes), 0) AS bytes FROM kept_bytes'))?.[
    'bytes'
  ] as number;
  yield* drop(ofAll + all.writing - all.max, () =>
    state.rows(
      `SELECT id, bytes, outcome FROM executions WHERE bytes > 0 ORDER BY finished_at, id LIMIT ${AT_ONCE}`,
    ),
  );
  return { names, isEnough: true };
}
