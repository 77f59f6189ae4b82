import type { AnswerStore, KeptAnswer, KeyedRequest, KeyOutcome } from '../../../domain/answer-store.ts';
import type { StateSql, Steps } from './state-sql.ts';

export function* beginAnswer(
  state: StateSql,
  { name, asked, worker, at }: KeyedRequest,
  { canRepeat, since }: Parameters<AnswerStore['begin']>[1],
): Steps<KeyOutcome> {
  const row = yield* state.row('SELECT * FROM kept_answers WHERE name = ?', name);
  if (row !== undefined && (row['at'] as number) >= since) {
    if (row['asked'] !== asked) return { kind: 'other' };
    if (row['status'] !== null) {
      const headers = JSON.parse(row['headers'] as string) as KeptAnswer['headers'];
      return {
        kind: 'kept',
        answer: { status: row['status'] as number, headers, text: row['body'] as string },
      };
    }
    // Its own process asks again only when it has given the first one up.
    if (!canRepeat && row['worker'] !== worker) return { kind: 'unfinished' };
  }
  if (row !== undefined) yield* state.run('DELETE FROM kept_answers WHERE name = ?', name);
  yield* state.run(
    'INSERT INTO kept_answers (name, asked, worker, at) VALUES (?, ?, ?, ?)',
    name,
    asked,
    worker,
    at,
  );
  return { kind: 'begun' };
}

/** Not when another process has taken it over. */
export function* keepAnswer(
  state: StateSql,
  { name, worker }: Pick<KeyedRequest, 'name' | 'worker'>,
  { status, headers, text }: KeptAnswer,
): Steps<void> {
  yield* state.run(
    'UPDATE kept_answers SET status = ?, headers = ?, body = ?, bytes = ? WHERE name = ? AND worker = ?',
    status,
    JSON.stringify(headers),
    text,
    text.length,
    name,
    worker,
  );
}

export function* dropAnswer(
  state: StateSql,
  { name, worker }: Pick<KeyedRequest, 'name' | 'worker'>,
): Steps<void> {
  yield* state.run('DELETE FROM kept_answers WHERE name = ? AND worker = ?', name, worker);
}

export function* sweepAnswers(
  state: StateSql,
  { since, bytesMax }: Parameters<AnswerStore['sweep']>[0],
): Steps<void> {
  yield* state.run('DELETE FROM kept_answers WHERE at < ?', since);
  const total = (yield* state.row('SELECT sum(bytes) AS bytes FROM kept_answers'))?.['bytes'];
  if (typeof total !== 'number' || total <= bytesMax) return;
  yield* state.run(
    `DELETE FROM kept_answers WHERE status IS NOT NULL AND sequence <= (
       SELECT max(sequence) FROM (
         SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS reached FROM kept_answers) AS newest WHERE reached > ?)`,
    bytesMax,
  );
}
