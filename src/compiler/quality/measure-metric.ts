/*
 * A metric is one or two numbers that the engine counts, and arithmetic on them here: percentages are counts and the
 * number of rows, so that rules share them.
 */
import type { DqMetric, DqValidity } from '../../domain/dq-pack.ts';
import type { AnswerColumn } from '../../domain/engine.ts';
import { quoteName } from '../../foundation/sql/quote.ts';
import { type Facts, isRefusal, type Measure, type QueryRefusal } from './check-plan.ts';
import {
  type CheckedRows,
  COUNTED,
  columnOf,
  columnValue,
  countedValues,
  rowCount,
  rowsWhere,
  selectFrom,
} from './checked-rows.ts';
import { castTo, countWhere, spelled } from './spelled.ts';
import {
  conditionsOf,
  familyIn,
  lengthOf,
  type ValueConditions,
  type ValueSql,
  wrongType,
} from './validity.ts';

/** What a metric of a table turned out to be. */
export interface MeasuredMetric {
  /** `null` when there is nothing to measure: then `reason` says what. */
  readonly value: number | null | QueryRefusal;
  readonly reason?: string;
  readonly rowsTested?: number;
  readonly rowsFailed?: number;
}

/** How a metric is measured. */
export interface MetricPlan {
  readonly measures: readonly Measure[];
  readonly read: (facts: Facts) => MeasuredMetric;
  /** Fetches the rows that the metric counts as wrong, all of their columns; absent where no single row is. */
  readonly failing?: string;
}

/** Throws `NotExpressible` when a column is missing or its type does not fit. */
export function metricPlan(rows: CheckedRows, metric: DqMetric, validity: DqValidity): MetricPlan {
  const total = rowCount(rows);
  const columns = metric.columns.map(({ value }) => columnOf(rows, value));
  const [column] = columns;
  const [sort, unit] = metric.name.split('_') as [string, string | undefined];
  if (column === undefined)
    return { measures: [total], read: (facts) => counted(facts, total, total, undefined) };
  switch (sort) {
    case 'missing':
    case 'invalid':
    case 'valid':
      return conditionPlan(rows, column, { sort, isPercent: unit === 'percent', validity });
    case 'duplicate':
    case 'distinct':
    case 'unique':
      return frequencyPlan(rows, columns, { sort, isPercent: unit === 'percent' });
    default:
      return aggregatePlan(rows, column, metric);
  }
}

function conditionPlan(
  rows: CheckedRows,
  column: AnswerColumn,
  {
    sort,
    isPercent,
    validity,
  }: { sort: 'missing' | 'invalid' | 'valid'; isPercent: boolean; validity: DqValidity },
): MetricPlan {
  const total = rowCount(rows);
  const conditions = conditionsOf(columnValue(rows, column), validity);
  const measure = withCounts(rows, column, conditions[sort], {
    validity,
    sort,
    isCostly: conditions.isCostly,
  });
  const failing = sort === 'valid' ? `NOT ${conditions.valid}` : conditions[sort];
  return {
    measures: [total, measure],
    read: (facts) => counted(facts, total, measure, { isPercent, isGood: sort === 'valid' }),
    failing: selectFrom('*', rows.scan, [failing]),
  };
}

/** Counts rows, or adds up the counts of values where that saves looking into texts. */
function withCounts(
  rows: CheckedRows,
  column: AnswerColumn,
  condition: string,
  {
    validity,
    sort,
    isCostly,
  }: { validity: DqValidity; sort: keyof ValueConditions & string; isCostly: boolean },
): Measure {
  const measure = rowsWhere(rows, condition, column.name);
  const value = countedValue(rows, column);
  if (!isCostly && familyIn(value) !== 'text') return measure;
  const perValue = conditionsOf(value, validity)[sort as 'missing'];
  const count = quoteName(COUNTED.rows, rows.dialect);
  const sql = `COALESCE(SUM(CASE WHEN ${perValue} THEN ${count} ELSE 0 END), 0)`;
  return { ...measure, byValue: fromCounts(rows, column, { sql, isCostly }) };
}

const countedValue = (rows: CheckedRows, column: AnswerColumn): ValueSql => ({
  ...columnValue(rows, column),
  sql: quoteName(COUNTED.value, rows.dialect),
});

function fromCounts(
  rows: CheckedRows,
  column: AnswerColumn,
  { sql, isCostly }: { readonly sql: string; readonly isCostly: boolean },
): NonNullable<Measure['byValue']> {
  const scan = countedValues(rows, [column], { isKey: false });
  return { scan, sql, isCostly, model: rows.table.name };
}

function frequencyPlan(
  rows: CheckedRows,
  columns: readonly AnswerColumn[],
  { sort, isPercent }: { sort: 'duplicate' | 'distinct' | 'unique'; isPercent: boolean },
): MetricPlan {
  const { dialect } = rows;
  const total = rowCount(rows);
  const scan = countedValues(rows, columns, { isKey: true });
  const count = quoteName(COUNTED.rows, dialect);
  const column = columns.map(({ name }) => name).join(', ');
  const number = (sql: string): Measure => ({ scan, sql, column });
  if (sort === 'distinct') {
    const distinct = number('COUNT(*)');
    return { measures: [total, distinct], read: (facts) => counted(facts, total, distinct, undefined) };
  }
  const more = `${count} > 1`;
  const measure = number(countWhere(sort === 'duplicate' ? more : `${count} = 1`, dialect));
  const repeated = number(`COALESCE(SUM(CASE WHEN ${more} THEN ${count} ELSE 0 END), 0)`);
  return {
    measures: [total, measure, repeated],
    read: (facts) => {
      const found = counted(facts, total, measure, { isPercent, isGood: false });
      const failed = facts.number(repeated);
      return typeof failed === 'number' ? { ...found, rowsFailed: failed } : found;
    },
    failing: repeatedRows(rows, columns),
  };
}

/** Rows whose key occurs more than once. */
function repeatedRows({ scan, dialect }: CheckedRows, columns: readonly AnswerColumn[]): string {
  const quoted = columns.map(({ name }) => quoteName(name, dialect));
  const keys = quoted.map((name) => `${name} IS NOT NULL`);
  const repeated = selectFrom(quoted.join(', '), scan, keys);
  const joined = quoted.map((name) => `checked.${name} = repeated.${name}`).join(' AND ');
  return `SELECT checked.* FROM (${selectFrom('*', scan)}) AS checked JOIN (${repeated} GROUP BY ${quoted.join(', ')} HAVING COUNT(*) > 1) AS repeated ON ${joined}`;
}

/** SQL functions of the metrics that are one. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  avg: 'avg',
  min: 'min',
  max: 'max',
  sum: 'sum',
  stddev: 'stddev_samp',
  stddev_samp: 'stddev_samp',
  stddev_pop: 'stddev_pop',
  variance: 'var_samp',
  var_samp: 'var_samp',
  var_pop: 'var_pop',
  median: 'median',
  percentile: 'quantile_cont',
};

function aggregatePlan(rows: CheckedRows, column: AnswerColumn, metric: DqMetric): MetricPlan {
  const total = rowCount(rows);
  const sql = aggregateSql(columnValue(rows, column), metric);
  const counts = lengthOfCounted(rows, column, metric);
  const measure: Measure = {
    scan: rows.scan,
    sql,
    column: column.name,
    ...(counts === undefined ? {} : { byValue: fromCounts(rows, column, { sql: counts, isCostly: true }) }),
  };
  return {
    measures: [total, measure],
    read: (facts) => {
      const found = counted(facts, total, measure, undefined);
      if (typeof found.value === 'number' && Number.isNaN(found.value))
        return {
          ...found,
          value: {
            code: 'quality.nan',
            message: `${metric.name}(${column.name}) is NaN: ${column.name} has values that are not numbers`,
          },
        };
      return found.value === null ? { ...found, reason: `${column.name} has no value to measure` } : found;
    },
  };
}

/** Lengths from the counts of a column's texts; undefined for all else. */
function lengthOfCounted(rows: CheckedRows, column: AnswerColumn, metric: DqMetric): string | undefined {
  const value = countedValue(rows, column);
  if (!metric.name.endsWith('_length') || familyIn(value) !== 'text') return undefined;
  if (metric.name !== 'avg_length') return aggregateSql(value, metric);
  const count = quoteName(COUNTED.rows, rows.dialect);
  const sum = (sql: string): string => castTo('DOUBLE', `SUM(${sql})`, rows.dialect);
  return `${sum(`${lengthOf(value, metric.name)} * ${count}`)} / ${sum(`CASE WHEN ${value.sql} IS NOT NULL THEN ${count} END`)}`;
}

function aggregateSql(value: ValueSql, metric: DqMetric): string {
  const { column, dialect } = value;
  if (metric.name.endsWith('_length'))
    return spelled(metric.name.slice(0, 3), [lengthOf(value, metric.name)], dialect);
  const family = familyIn(value);
  if (family !== 'number' && family !== 'boolean') throw wrongType(metric.name, column, 'a number');
  const number =
    family === 'boolean' ? `CASE WHEN ${value.sql} THEN 1 WHEN NOT ${value.sql} THEN 0 END` : value.sql;
  // Percentiles between two values are between them also where the type has no fractions.
  const isBetween = metric.name === 'median' || metric.name === 'percentile';
  const measured = isBetween ? castTo('DOUBLE', number, dialect) : number;
  const more = metric.name === 'percentile' ? [String(metric.argument ?? 0.5)] : [];
  return spelled(FUNCTIONS[metric.name] as string, [measured, ...more], dialect);
}

/** A count, or the percentage of the rows that it is. */
function counted(
  facts: Facts,
  total: Measure,
  measure: Measure,
  kind: { readonly isPercent: boolean; readonly isGood: boolean } | undefined,
): MeasuredMetric {
  const [rows, count] = [facts.number(total), facts.number(measure)];
  if (isRefusal(rows)) return { value: rows };
  const tested = rows === null ? {} : { rowsTested: rows };
  if (count === null || isRefusal(count) || kind === undefined) return { value: count, ...tested };
  const failed = { rowsFailed: kind.isGood ? (rows ?? 0) - count : count };
  if (!kind.isPercent) return { value: count, ...tested, ...failed };
  if (rows === null || rows === 0)
    return { value: null, reason: 'there are no rows to take a percentage of', ...tested, ...failed };
  return { value: (100 * count) / rows, ...tested, ...failed };
}

/** The text of a metric: `missing_percent(email)`. */
export function metricText({ name, columns, argument }: DqMetric): string {
  if (columns.length === 0) return name;
  return `${name}(${[...columns.map(({ value }) => value), ...(argument === undefined ? [] : [argument])].join(', ')})`;
}
