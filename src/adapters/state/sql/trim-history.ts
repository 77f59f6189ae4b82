/*
 * History that is older than it is to be kept, a piece at a time: one long transaction would keep runs from saying that
 * they are alive. What something still needs stays, however old it is:
 *
 *   runs         those under way, the newest of each environment, its last whole run
 *   plans        of environments and of promotions that are kept, of snapshots, of pending restatements
 *   promotions   the present one of each environment; the others go with their plans
 *   leases       of tables with rows, of environments, and those that are held
 */

import type { Environment } from '../../../domain/environment.ts';
import type { HistoryBounds } from '../../../domain/state-store.ts';
import type { StateSql, Steps } from './state-sql.ts';
import { decompress } from './stored-text.ts';

const PIECE = 2_000;
/** As many as commands look at: `status`, and estimates of plans. */
const RUNS_KEPT = 50;

/** Removes at most a piece of each; answers with how many rows went, 0 when nothing is left to remove. */
export function* trimHistory(state: StateSql, bounds: HistoryBounds): Steps<number> {
  const { runs, events, plans, statements, leases, auditLog } = bounds;
  const planId = state.words.field('head', 'planId');
  const pieces: readonly Piece[] = [
    ['events', 'sequence', 'at < ?', events],
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
  ];
  let gone = 0;
  for (const piece of pieces) gone += yield* removePiece(state, piece);
  gone += yield* removePiece(state, [
    'plans',
    'id',
    `created_at < ? AND status <> 'applying' AND id NOT IN ${state.words.listed}
     AND id NOT IN (SELECT plan_id FROM promotions) AND id NOT IN (SELECT plan_id FROM restatements)
     AND id NOT IN (SELECT ${planId} FROM snapshots WHERE ${planId} IS NOT NULL)`,
    plans,
    JSON.stringify(yield* semanticsPlans(state)),
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

/** Plans that store the semantics of an environment, which may be older than its own. */
function* semanticsPlans(state: StateSql): Steps<readonly string[]> {
  return (yield* state.rows('SELECT body FROM promotions')).flatMap(
    ({ body }) => (JSON.parse(decompress(body)) as Environment).semantics ?? [],
  );
}
