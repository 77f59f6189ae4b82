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
import { decompress, type StateDatabase } from './database.ts';

const PIECE = 2_000;
/** As many as commands look at: `status`, and estimates of plans. */
const RUNS_KEPT = 50;

/** Removes at most a piece of each; answers with how many rows went, 0 when nothing is left to remove. */
export function trimHistory(database: StateDatabase, bounds: HistoryBounds): number {
  const { runs, events, plans, statements, leases, auditLog } = bounds;
  let gone = 0;
  const remove = (
    table: string,
    key: string,
    where: string,
    ...values: readonly (string | number)[]
  ): void => {
    gone += database.run(
      `DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${PIECE})`,
      ...values,
    );
  };
  remove('events', 'sequence', 'at < ?', events);
  remove('audit_log', 'sequence', 'at < ?', auditLog);
  remove('runs', 'id', `started_at < ? AND status <> 'running' AND id NOT IN (${KEPT_RUNS})`, runs);
  remove('statements', 'id', "submitted_at < ? AND status NOT IN ('QUEUED', 'IN_PROGRESS')", statements);
  remove(
    'executions',
    'id',
    "status NOT IN ('QUEUED', 'IN_PROGRESS') AND coalesce(finished_at, 0) < ? AND NOT EXISTS (SELECT 1 FROM statements WHERE execution_id = executions.id)",
    statements,
  );
  remove('promotions', 'sequence', 'at < ? AND id NOT IN (SELECT promotion_id FROM environments)', plans);
  remove(
    'plans',
    'id',
    `created_at < ? AND status <> 'applying' AND id NOT IN (SELECT value FROM json_each(?))
     AND id NOT IN (SELECT plan_id FROM promotions) AND id NOT IN (SELECT plan_id FROM restatements)
     AND id NOT IN (SELECT head ->> '$.planId' FROM snapshots WHERE head ->> '$.planId' IS NOT NULL)`,
    plans,
    JSON.stringify(semanticsPlans(database)),
  );
  remove(
    'leases',
    'name',
    `holder IS NULL AND since < ? AND name NOT IN (SELECT 'table:' || key FROM intervals)
     AND name NOT IN (SELECT 'environment:' || name FROM environments)
     AND name NOT IN (SELECT 'table:' || key FROM restatements)`,
    leases,
  );
  return gone;
}

const KEPT_RUNS = `
  SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at DESC) AS age FROM runs) WHERE age <= ${RUNS_KEPT}
  UNION ALL SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at DESC) AS age FROM runs WHERE status = 'succeeded' AND plan_id IS NULL
  ) WHERE age <= ${RUNS_KEPT}
  UNION ALL SELECT id FROM (
    SELECT id, row_number() OVER (PARTITION BY environment ORDER BY started_at) AS age FROM runs WHERE status = 'succeeded' AND plan_id IS NOT NULL
  ) WHERE age = 1`;

/** Plans that store the semantics of an environment, which may be older than its own. */
function semanticsPlans(database: StateDatabase): readonly string[] {
  return database
    .all('SELECT body FROM promotions')
    .flatMap(({ body }) => (JSON.parse(decompress(body)) as Environment).semantics ?? []);
}

/** How much of the file is empty: bytes, and the part of all. */
export function readEmptyPart(database: StateDatabase): { readonly bytes: number; readonly part: number } {
  const of = (pragma: string): number =>
    Number(Object.values(database.get(`PRAGMA ${pragma}`) ?? {})[0] ?? 0);
  const [free, all] = [of('freelist_count'), of('page_count')];
  return { bytes: free * of('page_size'), part: all === 0 ? 0 : free / all };
}
