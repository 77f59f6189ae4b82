/*
 * What a reader may know of a result. Outcomes are for every reader of the product; values, rows and SQL follow the policies:
 *
 *   nothing of the model is hidden             ─▶ everything
 *   some columns are masked                    ─▶ checks that read other columns; samples without the masked ones
 *   rows are filtered, or the check reads      ─▶ outcome and expectation only
 *   a masked column or, by its filter or SQL,
 *   perhaps one; or another table, and
 *   anything of any model is hidden
 */
import type { CheckResult, FailingSample, Incident } from './check-result.ts';

/** Columns of a model, in lower case, that a reader may not see as they are. */
export type HiddenOfModel = 'none' | 'all' | ReadonlySet<string>;

export interface CheckReader {
  hidden(model: string): HiddenOfModel;
  /** Nothing of any model is hidden. */
  readonly isOpen: boolean;
}

export type VisibleResult = Omit<CheckResult, 'sql'> & { readonly sql?: string; readonly isWithheld?: true };

/** The result as its reader may see it. */
export function visibleResult(result: CheckResult, reader: CheckReader): VisibleResult {
  if (!mayKnow(result, reader)) return withheld(result);
  const hidden = reader.hidden(result.model);
  if (typeof hidden === 'string' || result.sample === undefined) return result;
  return { ...result, sample: withoutColumns(result.sample, hidden) };
}

export function visibleIncident(incident: Incident, reader: CheckReader): Incident {
  return mayKnow(incident, reader) ? incident : { ...incident, summary: '' };
}

/** What a rule does not pass is as telling as a row: a filter on a masked column would count its values. */
export function mayKnow(
  { model, columns, readsMore }: Pick<CheckResult, 'model' | 'columns' | 'readsMore'>,
  reader: CheckReader,
): boolean {
  const hidden = reader.hidden(model);
  // Its SQL may read other tables, too.
  if (columns === undefined || readsMore === 'tables') return reader.isOpen;
  if (readsMore === 'rows') return hidden === 'none';
  if (typeof hidden === 'string') return hidden === 'none';
  return columns.every((column) => !hidden.has(column.toLowerCase()));
}

function withheld(result: CheckResult): VisibleResult {
  const { id, check, pack, rule, model, dimension, severity, owner, columns } = result;
  const { environment, runId, trigger, changedBy, at, ms, dataVersion, outcome, expected, isLearning } =
    result;
  return {
    ...{ id, check, pack, rule, model, dimension, severity },
    ...{ environment, runId, trigger, at, ms, dataVersion, outcome, expected },
    ...(owner === undefined ? {} : { owner }),
    ...(columns === undefined ? {} : { columns }),
    ...(changedBy === undefined ? {} : { changedBy }),
    ...(isLearning === undefined ? {} : { isLearning }),
    isWithheld: true,
  };
}

function withoutColumns(sample: FailingSample, hidden: ReadonlySet<string>): FailingSample {
  const kept = sample.columns.flatMap((column, index) => (hidden.has(column.toLowerCase()) ? [] : [index]));
  return {
    columns: kept.map((index) => sample.columns[index] as string),
    rows: sample.rows.map((row) => kept.map((index) => row[index])),
    isPart: sample.isPart,
  };
}
