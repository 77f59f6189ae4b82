import type { HeldGroup, HeldLimits } from '../../domain/quarantine.ts';
import { relationSql, relationText, tableKey } from '../../domain/relation.ts';
import { instantOf } from '../../runtime/execute/held-outcomes.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { heldTablesOf, type Quarantine } from './held-tables-of.ts';

export interface ListedQuarantine {
  readonly environment: string;
  /** Only of this model. */
  readonly model?: string;
  /** What a reader's policies leave of a model's rows; absent: everything is counted. */
  readonly limitsOf?: (model: string) => HeldLimits | undefined;
}

/** What is held back in an environment, by model, run, interval and reasons: newest first. */
export async function listQuarantine(
  world: OpenedWorldReader,
  { environment, model, limitsOf }: ListedQuarantine,
): Promise<readonly HeldGroup[]> {
  const found = await heldTablesOf(world, environment, model);
  const groups = await Promise.all(found.map((each) => groupsOf(world, each, limitsOf?.(each.model))));
  return groups.flat().sort((a, b) => b.since - a.since || order(a, b));
}

async function groupsOf(
  { engine }: OpenedWorldReader,
  { model, table, relation }: Quarantine,
  limits: HeldLimits | undefined,
): Promise<readonly HeldGroup[]> {
  const where = limits?.condition === undefined ? '' : ` WHERE (\n${limits.condition}\n)`;
  const keys = 'plinth__run_id, plinth__audits, plinth__interval_start, plinth__interval_end';
  const { rows } = await engine.query(
    `SELECT plinth__run_id, plinth__audits, CAST(plinth__interval_start AS VARCHAR), CAST(plinth__interval_end AS VARCHAR), COUNT(*), CAST(MIN(plinth__at) AS VARCHAR) FROM ${relationSql(relation, engine.dialect)}${where} GROUP BY ${keys}`,
  );
  return rows.map(([runId, audits, start, end, count, since]) => ({
    model,
    table,
    place: relationText(relation),
    runId: String(runId),
    audits: (audits as readonly unknown[]).map(String),
    interval: { start: instantOf(start), end: instantOf(end) },
    rows: Number(count),
    since: instantOf(since),
  }));
}

function order(a: HeldGroup, b: HeldGroup): number {
  const text = ({ table, interval, audits }: HeldGroup): string =>
    `${tableKey(table)} ${String(interval.start).padStart(16)} ${audits.join(',')}`;
  return text(a) < text(b) ? -1 : 1;
}
