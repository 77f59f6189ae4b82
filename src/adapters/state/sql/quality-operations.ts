/** Results of checks, incidents and profiles: the writing half. What a result changes is said by the domain. */
import type { CheckResult, Incident } from '../../../domain/check-result.ts';
import {
  type CheckStatus,
  checkStatusAfter,
  type EvaluatedOutcome,
  retiredIncident,
} from '../../../domain/check-status.ts';
import type { NewEvent } from '../../../domain/event.ts';
import type { TableProfile } from '../../../domain/table-profile.ts';
import { appendEvents } from './event-operations.ts';
import { insertRows } from './insert-rows.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { compress } from './stored-text.ts';

export function* recordResults(
  state: StateSql,
  results: readonly CheckResult[],
  events: readonly NewEvent[],
): Steps<readonly Incident[]> {
  const fresh = yield* unknownOf(state, 'check_results', results);
  if (fresh.length === 0 && results.length > 0) return [];
  const raised: NewEvent[] = [];
  const incidents = new Map<string, Incident>();
  for (const [environment, each] of Map.groupBy(fresh, (result) => result.environment)) {
    const statuses = new Map(yield* readStatuses(state, environment, each));
    for (const result of each) {
      const { status, incident, events: own } = checkStatusAfter(statuses.get(result.check), result);
      statuses.set(result.check, status);
      if (incident !== undefined) incidents.set(incident.id, incident);
      raised.push(...own);
    }
    yield* saveStatuses(state, environment, statuses);
  }
  yield* saveResults(state, fresh);
  yield* saveIncidents(state, [...incidents.values()]);
  yield* appendEvents(state, [...raised, ...events]);
  return [...incidents.values()];
}

export function* retireChecks(
  state: StateSql,
  {
    environment,
    checks,
    at,
  }: { readonly environment: string; readonly checks: readonly string[]; readonly at: number },
): Steps<readonly Incident[]> {
  const named = `environment = ? AND check_name IN ${state.dialect.listed}`;
  const names = JSON.stringify(checks);
  const open = yield* state.rows(
    `SELECT body FROM incidents WHERE closed_at IS NULL AND ${named} ORDER BY id`,
    environment,
    names,
  );
  const retired = open.map((row) => retiredIncident(JSON.parse(row['body'] as string) as Incident, at));
  const incidents = retired.map(({ incident }) => incident);
  yield* state.run(`DELETE FROM check_statuses WHERE ${named}`, environment, names);
  yield* saveIncidents(state, incidents);
  yield* appendEvents(
    state,
    retired.map(({ event }) => event),
  );
  return incidents;
}

export function* recordProfiles(
  state: StateSql,
  profiles: readonly TableProfile[],
  events: readonly NewEvent[],
): Steps<void> {
  const fresh = yield* unknownOf(state, 'profiles', profiles);
  if (fresh.length === 0 && profiles.length > 0) return;
  yield* insertRows(
    state,
    { table: 'profiles', columns: ['id', 'environment', 'model', 'run_id', 'at', 'body'] },
    fresh.map((profile) => [
      profile.id,
      profile.environment,
      profile.model,
      profile.runId,
      profile.at,
      compress(JSON.stringify(profile)),
    ]),
  );
  yield* appendEvents(state, events);
}

/** Of an environment that is gone: what was recorded in it becomes history, and nothing in it is open. */
export function* forgetCheckStatuses(state: StateSql, environment: string): Steps<void> {
  yield* state.run('DELETE FROM check_statuses WHERE environment = ?', environment);
  yield* state.run('DELETE FROM incidents WHERE environment = ? AND closed_at IS NULL', environment);
}

/** Each once, by id: the order of time. */
function* unknownOf<Recorded extends { readonly id: string }>(
  state: StateSql,
  table: 'check_results' | 'profiles',
  recorded: readonly Recorded[],
): Steps<readonly Recorded[]> {
  const byId = new Map(recorded.map((each) => [each.id, each]));
  const known = yield* state.rows(
    `SELECT id FROM ${table} WHERE id IN ${state.dialect.listed}`,
    JSON.stringify([...byId.keys()]),
  );
  for (const { id } of known) byId.delete(id as string);
  return [...byId.values()].sort((one, two) => (one.id < two.id ? -1 : 1));
}

function* readStatuses(
  state: StateSql,
  environment: string,
  results: readonly CheckResult[],
): Steps<readonly (readonly [string, CheckStatus])[]> {
  const names = JSON.stringify([...new Set(results.map(({ check }) => check))]);
  const named = `environment = ? AND check_name IN ${state.dialect.listed}`;
  const open = yield* state.rows(
    `SELECT check_name, body FROM incidents WHERE closed_at IS NULL AND ${named}`,
    environment,
    names,
  );
  const incidents = new Map(
    open.map((row) => [row['check_name'], JSON.parse(row['body'] as string) as Incident]),
  );
  return (yield* state.rows(`SELECT * FROM check_statuses WHERE ${named}`, environment, names)).map((row) => {
    const incident = incidents.get(row['check_name'] as string);
    const { evaluated_id: id, outcome } = row;
    const status: CheckStatus = {
      latestId: row['latest_id'] as string,
      model: row['model'] as string,
      ...(id === null ? {} : { evaluated: { id: id as string, outcome: outcome as EvaluatedOutcome } }),
      ...(incident === undefined ? {} : { incident }),
    };
    return [row['check_name'] as string, status];
  });
}

function saveStatuses(
  state: StateSql,
  environment: string,
  statuses: ReadonlyMap<string, CheckStatus>,
): Steps<void> {
  return insertRows(
    state,
    {
      table: 'check_statuses',
      columns: ['environment', 'check_name', 'model', 'latest_id', 'evaluated_id', 'outcome'],
      onConflict: `(environment, check_name) DO UPDATE SET model = excluded.model, latest_id = excluded.latest_id,
        evaluated_id = excluded.evaluated_id, outcome = excluded.outcome`,
    },
    [...statuses].map(([check, { model, latestId, evaluated }]) => [
      environment,
      check,
      model,
      latestId,
      evaluated?.id ?? null,
      evaluated?.outcome ?? null,
    ]),
  );
}

function saveResults(state: StateSql, results: readonly CheckResult[]): Steps<void> {
  return insertRows(
    state,
    {
      table: 'check_results',
      columns: [
        ...['id', 'environment', 'check_name', 'model', 'run_id', 'at', 'outcome', 'value', 'data_version'],
        'body',
      ],
    },
    results.map((result) => [
      result.id,
      result.environment,
      result.check,
      result.model,
      result.runId,
      result.at,
      result.outcome,
      result.value ?? null,
      result.dataVersion,
      compress(JSON.stringify(result)),
    ]),
  );
}

/** Those that are closed go first: a check of which one closes and another opens has one open at a time. */
function saveIncidents(state: StateSql, incidents: readonly Incident[]): Steps<void> {
  const ordered = incidents.toSorted(
    (one, two) => Number(one.closedAt === undefined) - Number(two.closedAt === undefined),
  );
  return insertRows(
    state,
    {
      table: 'incidents',
      columns: ['id', 'environment', 'check_name', 'model', 'opened_at', 'closed_at', 'body'],
      onConflict: '(id) DO UPDATE SET closed_at = excluded.closed_at, body = excluded.body',
    },
    ordered.map((incident) => [
      incident.id,
      incident.environment,
      incident.check,
      incident.model,
      incident.openedAt,
      incident.closedAt ?? null,
      JSON.stringify(incident),
    ]),
  );
}
