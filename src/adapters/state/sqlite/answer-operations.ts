import type { AnswerStore, KeptAnswer, KeyedRequest, KeyOutcome } from '../../../domain/answer-store.ts';
import type { StateDatabase } from './database.ts';

export function beginAnswer(
  database: StateDatabase,
  { name, asked, worker, at }: KeyedRequest,
  { canRepeat, since }: Parameters<AnswerStore['begin']>[1],
): KeyOutcome {
  const row = database.get('SELECT * FROM kept_answers WHERE name = ?', name);
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
  database.run(
    'INSERT OR REPLACE INTO kept_answers (name, asked, worker, at) VALUES (?, ?, ?, ?)',
    name,
    asked,
    worker,
    at,
  );
  return { kind: 'begun' };
}

/** Not when another process has taken it over. */
export function keepAnswer(
  database: StateDatabase,
  { name, worker }: Pick<KeyedRequest, 'name' | 'worker'>,
  { status, headers, text }: KeptAnswer,
): void {
  database.run(
    'UPDATE kept_answers SET status = ?, headers = ?, body = ?, bytes = ? WHERE name = ? AND worker = ?',
    status,
    JSON.stringify(headers),
    text,
    text.length,
    name,
    worker,
  );
}

export function dropAnswer(
  database: StateDatabase,
  { name, worker }: Pick<KeyedRequest, 'name' | 'worker'>,
): void {
  database.run('DELETE FROM kept_answers WHERE name = ? AND worker = ?', name, worker);
}

export function sweepAnswers(
  database: StateDatabase,
  { since, bytesMax }: Parameters<AnswerStore['sweep']>[0],
): void {
  database.run('DELETE FROM kept_answers WHERE at < ?', since);
  const total = database.get('SELECT sum(bytes) AS bytes FROM kept_answers')?.['bytes'];
  if (typeof total !== 'number' || total <= bytesMax) return;
  database.run(
    `DELETE FROM kept_answers WHERE status IS NOT NULL AND sequence <= (
       SELECT max(sequence) FROM (
         SELECT sequence, sum(bytes) OVER (ORDER BY sequence DESC) AS reached FROM kept_answers) WHERE reached > ?)`,
    bytesMax,
  );
}
