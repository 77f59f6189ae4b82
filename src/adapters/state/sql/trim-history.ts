/*
 * History that is older than it is to be kept, a piece at a time: one long transaction would keep runs from saying that
 * they are alive. What something still needs stays, however old it is:
 *
 *   runs         those under way, the newest of each environment, its last whole run
 *   plans        of environments and of promotions that are kept, of snapshots, of pending restatements
 *   promotions   the present one of each environment; the others go with their plans
 *   leases       of tables with rows, of environments, and those that are held
 *   results      the newest of each check, and as many as rules learn from, as long as its environment is there
 *   incidents    those that are open
 *   events       those that were not dealt out to their subscribers, and those that are still to be sent
 *   profiles     the first and the newest of each model, as long as its environment is there
 */

import type { Environment } from '../../../domain/environment.ts';
import type { HistoryBounds } from '../../../domain/state-store.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { decompress } from './stored-text.ts';

const PIECE = 2_000;
/** As many as commands look at: `status`, and estimates of plans. */
const RUNS_KEPT = 50;
/** Of each check: rules about anomalies learn from what it measured before. */
const RESULTS_KEPT = 200;

/** Removes at most a piece of each; answers with how many rows went, 0 when nothing is left to remove. */
export function* trimHistory(state: StateSql, bounds: HistoryBounds): Steps<number> {
  const { runs, events, plans, statements, leases, auditLog, quality } = bounds;
  const planId = state.dialect.field('head', 'planId');
  const pieces: readonly Piece[] = [
    ['deliveries', 'id', 'finished_at < ?', events],
    ['inbox_items', 'id', 'at < ?', events],
    ['events', 'sequence', `at < ? AND ${IS_DEALT_OUT}`, events],
    ['audit_log', 'sequence', 'at < ?', auditLog],
    ['runs', 'id', `started_at < ? AND status <> 'running' AND id NOT IN (${KEPT_RUNS})`, runs],
    ['statements', 'id', "submitted_at < ? AND status NOT IN ('QUEUED', 'IN_PROGRESS')", statements],
    [
      'executions',
      'id',
      "status NOT IN ('QUEUED', 'IN_PROGRESS') AND coalesce(finished_at, 0) < ? AND NOT EXISTS (SELECT 1 FROM statements WHERE execution_id = executions.id)",
      statements,
    ],
    ['promotions', 'sequence', 'at < ? AND id NOT IN (SELECT promotion_id FROM environments)', plans],
    [
      'check_results',
      'id',
      `at < ? AND id NOT IN (SELECT latest_id FROM check_statuses) AND id NOT IN (${KEPT_RESULTS})`,
      quality,
    ],
    ['incidents', 'id', 'closed_at < ?', quality],
    ['profiles', 'id', `at < ? AND id NOT IN (${KEPT_PROFILES})`, quality],
  ];
  let gone = 0;
  for (const piece of pieces) gone += yield* removePiece(state, piece);
  gone += yield* removePiece(state, [
    'plans',
    'id',
    `created_at < ? AND status <> 'applying' AND id NOT IN ${state.dialect.listed}
     AND id NOT IN (SELECT plan_id FROM promotions) AND id NOT IN (SELECT plan_id FROM restatements)
     AND id NOT IN (SELECT ${planId} FROM snapshots WHERE ${planId} IS NOT NULL)`,
    plans,
    JSON.stringify(yield* definingPlans(state)),
  ]);
  gone += yield* removePiece(state, [
    'leases',
    'name',
    `holder IS NULL AND since < ? AND name NOT IN (SELECT 'table:' || key FROM intervals)
     AND name NOT IN (SELECT 'environment:' || name FROM environments)
     AND name NOT IN (SELECT 'table:' || key FROM restatements)`,
    leases,
  ]);
  return gone;
}

/** Where no process has dealt out events, those wait that happened after the first rule or follower came. */
const IS_DEALT_OUT = `
  sequence <= coalesce((SELECT sequence FROM notification_cursor), (SELECT MIN(since) FROM notification_settings), ${Number.MAX_SAFE_INTEGER})
  AND sequence NOT IN (SELECT sequence FROM deliveries WHERE finished_at IS NULL)`;

type Piece = readonly [table: string, key: string, where: string, ...values: (string | number)[]];

function removePiece(state: StateSql, [table, key, where, ...values]: Piece): Steps<number> {
  return state.run(
    `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${PIECE})`,
    ...values,
  );
}

const KEPT_RUNS = `
  SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at DESC) AS age FROM runs) AS aged WHERE age <= ${RUNS_KEPT}
  UNION ALL SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at DESC) AS age FROM runs WHERE status = 'succeeded' AND plan_id IS NULL
  ) AS whole WHERE age <= ${RUNS_KEPT}
  UNION ALL SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at) AS age FROM runs WHERE status = 'succeeded' AND plan_id IS NOT NULL
  ) AS first WHERE age = 1`;

const KEPT_RESULTS = `
  SELECT id FROM (
    SELECT r.id, row_number() OVER (PARTITION BY r.environment, r.check_name ORDER BY r.id DESC) AS age FROM check_results r
    JOIN check_statuses s ON s.environment = r.environment AND s.check_name = r.check_name
    WHERE r.outcome <> 'error'
  ) AS aged WHERE age <= ${RESULTS_KEPT}`;

const KEPT_PROFILES = ['MIN', 'MAX']
  .map(
    (end) =>
      `SELECT ${end}(id) FROM profiles WHERE environment IN (SELECT name FROM environments) GROUP BY environment, model`,
  )
  .join(' UNION ALL ');

/** Plans that store the semantics or the dq packs of an environment, which may be older than its own. */
function* definingPlans(state: StateSql): Steps<readonly string[]> {
  return (yield* state.rows('SELECT body FROM promotions')).flatMap(({ body }) => {
    const { semantics, dqPacks } = JSON.parse(decompress(body)) as Environment;
    return [...new Set([semantics, dqPacks])].flatMap((id) => id ?? []);
  });
}
