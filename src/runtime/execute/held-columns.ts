/*
 * What a quarantine table has beside the columns of its model: which run held a row back, from which interval, and the audits
 * that it fails.
 */
import type { TableColumn } from '../../domain/engine.ts';
import type { HeldSelection } from '../../domain/quarantine.ts';
import type { Relation } from '../../domain/relation.ts';
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import type { TableWrite } from './materialize/table-write.ts';

/** In this order, behind the model's own. */
export const HELD_COLUMNS = [
  { name: 'plinth__run_id', type: 'VARCHAR' },
  { name: 'plinth__audits', type: 'VARCHAR[]' },
  { name: 'plinth__interval_start', type: 'TIMESTAMP' },
  { name: 'plinth__interval_end', type: 'TIMESTAMP' },
  { name: 'plinth__at', type: 'TIMESTAMP' },
] as const satisfies readonly TableColumn[];

/** Whether a column of a quarantine table is one of those above. */
export function isHeldColumn(name: string): boolean {
  return HELD_COLUMNS.some((column) => column.name === name.toLowerCase());
}

/** SQL of a selection of held rows; `TRUE` for all of them. */
export function heldCondition({ runId, audit, where }: HeldSelection, dialect: Dialect): string {
  const parts = [
    ...(runId === undefined ? [] : [`plinth__run_id = ${quoteText(runId, dialect)}`]),
    ...(audit === undefined ? [] : [`LIST_CONTAINS(plinth__audits, ${quoteText(audit, dialect)})`]),
    ...(where === undefined ? [] : [`(\n${where}\n)`]),
  ];
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
}

/** Names of a relation's columns in lower case, none when it does not exist; asked inside the transaction, which may have made it a batch ago. */
export async function columnsInside(
  { session, sending, dialect }: Pick<TableWrite, 'session' | 'sending' | 'dialect'>,
  { catalog, schema, name }: Relation,
): Promise<ReadonlySet<string>> {
  const text = (value: string): string => quoteText(value, dialect);
  const inCatalog = catalog === undefined ? '' : ` AND table_catalog = ${text(catalog)}`;
  const { rows } = await sending.send(
    session.query(
      `SELECT LOWER(column_name) FROM information_schema.columns WHERE table_schema = ${text(schema)} AND table_name = ${text(name)}${inCatalog}`,
    ),
  );
  return new Set(rows.map(([column]) => String(column)));
}
