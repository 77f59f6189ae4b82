/** Results of checks, incidents and profiles: the reading half. Lists are JSON texts, which cross threads as they are. */
import type { MeasuredValue, QualityReader } from '../../../domain/quality-store.ts';
import type { Row, SqlValue, StateSql, Steps } from './state-sql.ts';
import { decompress } from './stored-text.ts';

type RequestOf<Name extends keyof QualityReader> = Parameters<QualityReader[Name]>[0];

export function* readLatestResults(
  state: StateSql,
  { environment, models, at }: RequestOf<'latestResults'>,
): Steps<string> {
  const among = models === undefined ? '' : ` AND s.model IN ${state.dialect.listed}`;
  const then = `(SELECT id FROM check_results WHERE environment = s.environment AND check_name = s.check_name AND at <= ? ORDER BY id DESC LIMIT 1)`;
  const rows = yield* state.rows(
    `SELECT r.body FROM check_statuses s JOIN check_results r ON r.id = ${at === undefined ? 's.latest_id' : then}
     WHERE s.environment = ?${among} ORDER BY s.check_name`,
    ...(at === undefined ? [] : [at]),
    environment,
    ...(models === undefined ? [] : [JSON.stringify(models)]),
  );
  return listOf(rows);
}

export function* readOutcomesSince(
  state: StateSql,
  { environment }: RequestOf<'outcomesSince'>,
): Steps<readonly (readonly [string, number])[]> {
  const own = 'environment = s.environment AND check_name = s.check_name';
  const rows = yield* state.rows(
    `SELECT s.check_name, (SELECT min(at) FROM check_results WHERE ${own}
       AND id > coalesce((SELECT max(id) FROM check_results WHERE ${own} AND outcome <> r.outcome), '')) AS since
     FROM check_statuses s JOIN check_results r ON r.id = s.latest_id
     WHERE s.environment = ? AND r.outcome <> 'pass' ORDER BY s.check_name`,
    environment,
  );
  return rows.map((row) => [row['check_name'] as string, row['since'] as number]);
}

/** Asked with every question: bodies of checks that pass are not read. */
export function* readTroubles(
  state: StateSql,
  { environment, models }: RequestOf<'troubles'>,
): Steps<string> {
  const among = `environment = ? AND model IN ${state.dialect.listed}`;
  const named = JSON.stringify(models);
  const notPassing = `SELECT latest_id FROM check_statuses WHERE ${among} AND (outcome IS NULL OR outcome <> 'pass' OR evaluated_id <> latest_id)`;
  const results = yield* state.rows(
    `SELECT body FROM check_results WHERE id IN (${notPassing}) AND outcome <> 'pass'`,
    environment,
    named,
  );
  const incidents = yield* state.rows(
    `SELECT body FROM incidents WHERE ${among} AND closed_at IS NULL`,
    environment,
    named,
  );
  return `{"results":${listOf(results)},"incidents":${bodiesOf(incidents)}}`;
}

export function* readResults(
  state: StateSql,
  { environment, check, model, runId, outcomes, since, before, from, notOf, limit }: RequestOf<'results'>,
): Steps<string> {
  const filter = filterOf([
    ['environment = ?', environment],
    ['check_name = ?', check],
    ['model = ?', model],
    ['run_id = ?', runId],
    [`outcome IN ${state.dialect.listed}`, outcomes && JSON.stringify(outcomes)],
    ['at >= ?', since],
    ['id < ?', before],
    ['id >= ?', from],
    ['data_version <> ?', notOf],
  ]);
  const sql = `SELECT body FROM check_results WHERE ${filter.where} ORDER BY id DESC LIMIT ?`;
  return listOf(yield* state.rows(sql, ...filter.values, limit));
}

export function* readResult(state: StateSql, id: string): Steps<string | undefined> {
  return textOf(yield* state.row('SELECT body FROM check_results WHERE id = ?', id));
}

export function* readHistory(
  state: StateSql,
  { environment, checks, limit }: RequestOf<'history'>,
): Steps<readonly (readonly [string, readonly MeasuredValue[]])[]> {
  const oldest = `SELECT id FROM check_results WHERE environment = ? AND check_name = wanted.value AND value IS NOT NULL AND outcome <> 'error'
    ORDER BY id DESC LIMIT 1 OFFSET ?`;
  const rows = yield* state.rows(
    `SELECT check_name, at, r.value, outcome, data_version FROM ${state.dialect.elements('?', 'wanted')}
     CROSS JOIN check_results r WHERE environment = ? AND check_name = wanted.value AND r.value IS NOT NULL AND outcome <> 'error' AND r.id >= coalesce((${oldest}), '')
     ORDER BY check_name, r.id`,
    JSON.stringify([...new Set(checks)]),
    environment,
    environment,
    Math.max(limit, 1) - 1,
  );
  const values = Map.groupBy(rows, (row) => row['check_name'] as string);
  return [...values].map(([check, each]) => [
    check,
    each.map((row) => ({
      at: row['at'] as number,
      value: row['value'] as number,
      outcome: row['outcome'] as MeasuredValue['outcome'],
      dataVersion: row['data_version'] as string,
    })),
  ]);
}

export function* readIncidents(
  state: StateSql,
  { environment, isOpen, check, model, before, limit }: RequestOf<'incidents'>,
): Steps<string> {
  const filter = filterOf([
    ['environment = ?', environment],
    ['check_name = ?', check],
    ['model = ?', model],
    ['id < ?', before],
  ]);
  const open = isOpen === undefined ? '' : ` AND closed_at IS ${isOpen ? '' : 'NOT '}NULL`;
  const rows = yield* state.rows(
    `SELECT body FROM incidents WHERE ${filter.where}${open} ORDER BY id DESC LIMIT ?`,
    ...filter.values,
    limit,
  );
  return bodiesOf(rows);
}

export function* readIncident(state: StateSql, id: string): Steps<string | undefined> {
  return (yield* state.row('SELECT body FROM incidents WHERE id = ?', id))?.['body'] as string | undefined;
}

export function* readProfiles(
  state: StateSql,
  { environment, model, before, limit }: RequestOf<'profiles'>,
): Steps<string> {
  const filter = filterOf([
    ['environment = ?', environment],
    ['model = ?', model],
    ['id < ?', before],
  ]);
  const sql = `SELECT body FROM profiles WHERE ${filter.where} ORDER BY id DESC LIMIT ?`;
  return listOf(yield* state.rows(sql, ...filter.values, limit));
}

export function* readProfile(state: StateSql, id: string): Steps<string | undefined> {
  return textOf(yield* state.row('SELECT body FROM profiles WHERE id = ?', id));
}

export function* readBaseline(
  state: StateSql,
  { environment, model }: RequestOf<'baseline'>,
): Steps<string | undefined> {
  const sql = 'SELECT body FROM profiles WHERE environment = ? AND model = ? ORDER BY id LIMIT 1';
  return textOf(yield* state.row(sql, environment, model));
}

const listOf = (rows: readonly Row[]): string => `[${rows.map((row) => decompress(row['body'])).join(',')}]`;
const bodiesOf = (rows: readonly Row[]): string => `[${rows.map((row) => row['body'] as string).join(',')}]`;
const textOf = (row: Row | undefined): string | undefined => row && decompress(row['body']);

function filterOf(conditions: readonly (readonly [sql: string, value: SqlValue | undefined])[]): {
  readonly where: string;
  readonly values: readonly SqlValue[];
} {
  const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: given.map(({ sql }) => sql).join(' AND '), values: given.map(({ value }) => value) };
}
