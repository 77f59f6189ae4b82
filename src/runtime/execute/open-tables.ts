/*
 * What a run knows of the tables whose leases it holds. No other process can write them from now on (older tokens are
 * refused), so what the ledger said once stays true as long as the run adds its own writes to it.
 */

import type { Fence, LedgerRow } from '../../domain/engine.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import { unionRanges } from '../../foundation/time/ranges.ts';
import type { OpenTable, OpenTables } from './prepared-tables.ts';
import type { RunContext } from './run-context.ts';

/** What `LedgerSummary.dataVersion` says of a table that was never written. */
export const NEVER_WRITTEN = '0:0';

/** Shuts out older holders, then reads what they left behind. */
export async function openTables(context: RunContext, fences: readonly Fence[]): Promise<OpenTables> {
  const { engine } = context.world;
  const pending = new Map(context.restatements.map((entry) => [tableKey(entry.table), entry]));
  const since = new Map(
    fences.flatMap(({ table }) => {
      const entry = pending.get(tableKey(table));
      return entry === undefined ? [] : [[tableKey(table), entry.sinceToken] as const];
    }),
  );
  // The first holder ever of a table's lease has no earlier holder to fence, and recovery has read the ledger just before the run.
  const older = fences.filter(({ table, token }) => token > 1 || context.knownTables.has(tableKey(table)));
  if (older.length > 0) await engine.raiseFences(older);
  const summaries =
    older.length > 0 ? await engine.ledger({ tables: older.map(({ table }) => table), since }) : [];
  const byKey = new Map(summaries.map((summary) => [tableKey(summary.table), summary]));
  return new Map(
    fences.map((fence) => {
      const key = tableKey(fence.table);
      const summary = byKey.get(key);
      return [
        key,
        {
          fence,
          filled: summary?.filled ?? [],
          filledSince: summary?.filledSince ?? [],
          pending: pending.get(key)?.ranges ?? [],
          dataVersion: summary?.dataVersion ?? NEVER_WRITTEN,
          foundLater: [],
          summary,
        },
      ];
    }),
  );
}

/** The table among those that are open; asking for another one is a bug. */
export function openTable(tables: OpenTables, table: TableId): OpenTable {
  const found = tables.get(tableKey(table));
  if (found === undefined) throw new Error(`${tableKey(table)} is written without its lease`);
  return found;
}

/** A committed write of our own. */
export function addOwnRows(tables: OpenTables, rows: readonly LedgerRow[]): void {
  for (const row of rows) {
    const table = openTable(tables, row.table);
    if (row.range.start < row.range.end) table.filled = unionRanges(table.filled, [row.range]);
    table.dataVersion = versionWith(table.dataVersion, row.dataVersion);
  }
}

/** The data version of a table once its ledger has another row. */
export function versionWith(dataVersion: string, added: string): string {
  const [count = '0', xor = '0'] = dataVersion.split(':');
  return `${Number(count) + 1}:${BigInt(xor) ^ BigInt(added)}`;
}
