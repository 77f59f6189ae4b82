import type { HeldLimits, HeldRows, HeldSelection } from '../../domain/quarantine.ts';
import { relationSql } from '../../domain/relation.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { heldCondition, isHeldColumn } from '../../runtime/execute/held-columns.ts';
import { instantOf } from '../../runtime/execute/held-outcomes.ts';
import type { OpenedWorldReader } from '../open-world.ts';
import { heldTableOf } from './held-tables-of.ts';

export interface ShownQuarantine {
  readonly environment: string;
  readonly model: string;
  /** A condition of its own is not allowed here: it would tell what a mask hides. */
  readonly selection: Omit<HeldSelection, 'where'>;
  readonly limit: number;
  /** What the reader's policies leave; absent: everything, for who has the folder and the warehouse. */
  readonly limits?: HeldLimits;
}

/** Rows that are held back, each with the audits that it fails; masked values never leave the engine. */
export async function showQuarantine(
  world: OpenedWorldReader,
  { environment, model, selection, limit, limits }: ShownQuarantine,
): Promise<HeldRows> {
  const { engine } = world;
  const found = await heldTableOf(world, { environment, model });
  const columns = found.columns.filter(({ name }) => !isHeldColumn(name));
  const shown = columns.map(({ name }) => {
    const quoted = quoteName(name, engine.dialect);
    const mask = limits?.masks.get(name.toLowerCase());
    return mask === undefined ? quoted : `(\n${mask}\n) AS ${quoted}`;
  });
  const conditions = [
    heldCondition(selection, engine.dialect),
    ...(limits?.condition === undefined ? [] : [`(\n${limits.condition}\n)`]),
  ];
  const from = `FROM ${relationSql(found.relation, engine.dialect)} WHERE ${conditions.join(' AND ')}`;
  const own = [
    'plinth__run_id',
    'plinth__audits',
    'CAST(plinth__interval_start AS VARCHAR)',
    'CAST(plinth__interval_end AS VARCHAR)',
    'CAST(plinth__at AS VARCHAR)',
  ];
  const [counted, answer] = await Promise.all([
    engine.query(`SELECT COUNT(*) ${from}`),
    engine.query(
      `SELECT ${[...own, ...shown].join(', ')} ${from} ORDER BY plinth__at DESC, plinth__interval_start, plinth__audits LIMIT ${Math.trunc(limit)}`,
    ),
  ]);
  return {
    model: found.model,
    columns: answer.columns.slice(own.length),
    total: Number(counted.rows[0]?.[0] ?? 0),
    rows: answer.rows.map(([runId, audits, start, end, at, ...cells]) => ({
      runId: String(runId),
      audits: (audits as readonly unknown[]).map(String),
      interval: { start: instantOf(start), end: instantOf(end) },
      at: instantOf(at),
      cells,
    })),
  };
}
