import type { CheckContext, CheckedTable, CheckWork } from './check-plan.ts';
import { type CheckedRows, rowCount, rowsWhere, selectFrom } from './checked-rows.ts';
import { conditionSql } from './condition-sql.ts';
import { countWork } from './count-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { querySql } from './query-sql.ts';
import { limited, NotExpressible } from './spelled.ts';

type FailedRows = CheckAssertion & { readonly kind: 'failed-rows' };

/** `failed rows`: rows that fulfil a condition, or all rows of a query, which filters do not touch. */
export async function failedRowsWork(
  check: PlannedCheck,
  { condition, query }: FailedRows,
  rows: CheckedRows,
  context: CheckContext,
): Promise<CheckWork> {
  const { table, dialect } = rows;
  const limit = check.definition.samplesLimit + 1;
  if (query !== undefined && rows.groups !== undefined)
    throw new NotExpressible('a whole query has no groups: write fail_condition');
  if (query !== undefined) return queryWork(check, query.value, table, context);
  const failing = await conditionSql(condition?.value ?? 'FALSE', table, context);
  return countWork(check, {
    expected: `no row where ${condition?.value.trim()}`,
    tested: rowCount(rows),
    wrong: rowsWhere(rows, failing, `failed rows\n${failing}`),
    sampleSql: limited(selectFrom('*', rows.scan, [failing]), limit, dialect),
  });
}

async function queryWork(
  check: PlannedCheck,
  text: string,
  table: CheckedTable,
  context: CheckContext,
): Promise<CheckWork> {
  const { dialect } = context;
  const query = await querySql(text, table.dialect, context);
  const from = `(${query}\n) AS failing`;
  return countWork(check, {
    expected: 'no row of the query',
    wrong: { scan: { from, where: undefined }, sql: 'COUNT(*)', column: '' },
    sampleSql: limited(`SELECT * FROM ${from}`, check.definition.samplesLimit + 1, dialect),
  });
}
