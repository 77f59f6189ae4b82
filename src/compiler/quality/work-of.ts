import { anomalyWork } from './anomaly-work.ts';
import { changeWork } from './change-work.ts';
import type { CheckContext, CheckedTable, CheckWork } from './check-plan.ts';
import { type CheckedRows, columnOf, rowsOf } from './checked-rows.ts';
import { distributionWork } from './distribution-work.ts';
import { failedRowsWork } from './failed-rows-work.ts';
import { freshnessWork } from './freshness-work.ts';
import { groupWork } from './group-work.ts';
import { metricWork } from './metric-work.ts';
import type { CheckAssertion, PlannedCheck } from './planned-check.ts';
import { referenceWork } from './reference-work.ts';
import { sameCountWork } from './same-count-work.ts';
import { schemaWork } from './schema-work.ts';
import { NotExpressible } from './spelled.ts';

/** What a check asks and how it decides. A check that cannot be evaluated is an error with a reason. */
export async function workOf(check: PlannedCheck, context: CheckContext): Promise<CheckWork> {
  const table = context.tableOf(check.model);
  if (table === undefined)
    return unevaluated(check, 'not_evaluated', `there is no table of ${check.model} yet`);
  try {
    return await evaluated(check, table, context);
  } catch (error) {
    if (error instanceof NotExpressible) return unevaluated(check, 'error', error.message);
    throw error;
  }
}

async function evaluated(
  check: PlannedCheck,
  table: CheckedTable,
  context: CheckContext,
): Promise<CheckWork> {
  const { assertion } = check;
  if (assertion === undefined)
    return unevaluated(check, 'not_evaluated', `${table.name} has no column that the rule is for`);
  const rows = await rowsOf(table, check.filters, context);
  if (assertion.kind !== 'group-by') return onRows(check, assertion, rows, context);
  const groups = assertion.columns.map(({ value }) => columnOf(rows, value));
  if (!GROUPED.has(assertion.rule.kind))
    throw new NotExpressible(`rules of the kind ${assertion.rule.kind} cannot be evaluated by group`);
  return groupWork(await onRows(check, assertion.rule, { ...rows, groups }, context), rows, groups);
}

/** Rules that are decided from aggregates, which a group can have, too. */
const GROUPED: ReadonlySet<string> = new Set(['metric', 'freshness', 'failed-rows']);

async function onRows(
  check: PlannedCheck,
  assertion: Exclude<CheckAssertion, { kind: 'group-by' }>,
  rows: CheckedRows,
  context: CheckContext,
): Promise<CheckWork> {
  switch (assertion.kind) {
    case 'metric':
      return metricWork(check, assertion, rows);
    case 'freshness':
      return freshnessWork(check, assertion, rows, context.now);
    case 'failed-rows':
      return failedRowsWork(check, assertion, rows, context);
    case 'change':
      return changeWork(check, assertion, rows, context);
    case 'reference':
    case 'row-count-same': {
      const other = context.tableOf(assertion.model.value);
      if (other === undefined)
        return unevaluated(check, 'not_evaluated', `there is no table of ${assertion.model.value} yet`);
      if (assertion.kind === 'reference') return referenceWork(check, assertion, rows, other, context);
      // Filters are written in the dialect of the rule's own model.
      const { dialect } = rows.table;
      return sameCountWork(check, rows, await rowsOf({ ...other, dialect }, check.filters, context));
    }
    case 'anomaly':
      return anomalyWork(check, assertion, rows, context);
    case 'distribution':
      return distributionWork(check, assertion, rows, context);
    case 'schema':
      return schemaWork(check, assertion, rows.table, context.dialect);
  }
}

function unevaluated(check: PlannedCheck, outcome: 'error' | 'not_evaluated', reason: string): CheckWork {
  return {
    check,
    expected: check.definition.text.value,
    measures: [],
    queries: [],
    decide: () => ({ outcome, reason }),
  };
}
