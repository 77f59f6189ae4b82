/*
 * Failing rows of a write that was rolled back, kept where people can look at them: their own transaction, after the
 * one that failed. A row is one JSON text, because audits answer with any columns.
 */
import { physicalRelation, type Relation, relationText, type TableId } from '../../domain/relation.ts';
import { quoteName, quoteText } from '../../foundation/sql/quote.ts';
import type { FailedAudit } from './run-audits.ts';
import type { RunContext } from './run-context.ts';
import { withRetries } from './with-retries.ts';

const COLUMNS = [
  { name: 'run_id', type: 'VARCHAR' },
  { name: 'audit', type: 'VARCHAR' },
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'failed_rows', type: 'BIGINT' },
  { name: 'row', type: 'VARCHAR' },
] as const;

/** Where the failing rows of a table's audits are kept: beside it. */
export function failedRowsRelation(table: TableId, identifierMax?: number): Relation {
  return physicalRelation({ ...table, version: `${table.version}__failed` }, identifierMax);
}

/** Replaces what an earlier run left; answers with the table's name. */
export async function keepFailedRows(
  context: RunContext,
  table: TableId,
  failed: readonly FailedAudit[],
): Promise<string> {
  const { engine, clock } = context.world;
  const relation = failedRowsRelation(table, engine.capabilities.identifierMax);
  const text = (value: string): string => quoteText(value, engine.dialect);
  const at = new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '');
  const tuples = failed.flatMap(({ name, count, columns, rows }) =>
    rows.map((row) => {
      const shown = Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null]));
      const values = [text(context.execution.run.id), text(name), `CAST(${text(at)} AS TIMESTAMP)`, count];
      return `(${[...values, text(JSON.stringify(shown))].join(', ')})`;
    }),
  );
  await withRetries(context, () =>
    engine.write([], async (session) => {
      const sent = [
        session.createSchemas([relation]),
        session.createTable(relation, COLUMNS),
        session.remove(relation),
      ];
      const names = COLUMNS.map(({ name }) => name);
      const listed = names.map((name) => quoteName(name, engine.dialect)).join(', ');
      if (tuples.length > 0)
        sent.push(
          session.insert(
            relation,
            names,
            `SELECT * FROM (VALUES ${tuples.join(', ')}) AS failing(${listed})`,
          ),
        );
      await Promise.all(sent);
    }),
  );
  return relationText(relation);
}
