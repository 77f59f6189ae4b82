import { DQ_METRICS } from '../../../domain/dq-pack.ts';
import type { DataRecord } from '../../../foundation/yaml/data.ts';
import { type RuleDraft, refused, rule, rules, type Translation } from './imported-check.ts';
import { ruleColumns } from './names-in-rules.ts';
import type { SodaCheck } from './soda-check.ts';
import { isTranslation, levelRule, levelsOf } from './soda-levels.ts';
import { validityOptions } from './soda-validity.ts';
import { inverse, isDuration, readThreshold, type Threshold, thresholdSql } from './threshold.ts';

/** `avg(size) > 5` in parts: the metric, its arguments as written, and the rest. */
export interface SodaMetric {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rest: string;
}

const METRIC = /^([^\s<>=()[\],]+)\s*(?:\(([^()]*)\))?\s*(.*)$/;
const BY_HAND = 'write the rule by hand; plinth schema dq prints what rules can say';

export function readMetric(text: string): SodaMetric | undefined {
  const match = METRIC.exec(text);
  if (match === null) return undefined;
  const [, name = '', columns, rest = ''] = match;
  return {
    name,
    columns:
      columns === undefined || columns.trim() === '' ? [] : columns.split(',').map((each) => each.trim()),
    rest: rest.trim(),
  };
}

/** How our rules write a metric of Soda with its columns. */
export function metricText({ name, columns }: SodaMetric): string | undefined {
  if (!(DQ_METRICS as readonly string[]).includes(name)) return undefined;
  if (columns.length === 0) return name;
  const last = columns.at(-1) as string;
  const argument = name === 'percentile' && Number.isFinite(Number(last)) ? last : undefined;
  const written = ruleColumns(argument === undefined ? columns : columns.slice(0, -1));
  return written && `${name}(${written}${argument === undefined ? '' : `, ${argument}`})`;
}

/** A metric with a threshold: built in, or defined by the check with an expression or a query. */
export function translateMetric(check: SodaCheck, shared: DataRecord): Translation {
  const metric = readMetric(check.text);
  if (metric === undefined) return refused('the check is not understood', BY_HAND);
  if (metric.name.startsWith('$'))
    return refused(
      'check templates are filled in by Soda Library only',
      'write the template out as failed rows',
    );
  if (metric.rest !== '' && readThreshold(metric.rest) === undefined)
    return refused(`the threshold ${metric.rest} does not compare with numbers`, BY_HAND);
  const levels = levelsOf(check, readThreshold(metric.rest));
  if (isTranslation(levels)) return levels;
  const expression = check.endingWith('expression');
  const query = check.endingWith('query');
  if (check.endingWith('sql_file') !== undefined)
    return refused('the query stands in a file of its own', 'put its text behind "query" in the check');
  if (expression !== undefined || query !== undefined)
    return ownMetric(check, { expression, query, levels, shared });
  if (metric.name === 'freshness') return freshness(metric, levels, shared);
  const text = metricText(metric);
  if (text === undefined)
    return refused(`${metric.name} is not a metric of ours`, 'measure it with a query in failed rows');
  if (isDuration(levels.holds)) return refused(`${metric.name} is not a duration`, BY_HAND);
  const validity = validityOptions(check, metric.name, metric.columns[0]);
  if ('kind' in validity) return validity;
  const unit = metric.name.endsWith('_percent') ? undefined : 'none';
  const draft = levelRule(text, levels, { unit, options: { ...shared, ...validity.options } });
  return rules([draft], validity.differs);
}

function freshness(
  metric: SodaMetric,
  levels: Exclude<ReturnType<typeof levelsOf>, Translation>,
  shared: DataRecord,
): Translation {
  const column = ruleColumns(metric.columns.slice(0, 1));
  if (column === undefined) return refused('freshness needs a column of times', BY_HAND);
  if (!isDuration(levels.holds))
    return refused('the threshold is not a duration', 'write for instance freshness(updated_at) < 26h');
  const differs = metric.columns.length > 1 ? [`the age is that of now and not of ${metric.columns[1]}`] : [];
  return rules([levelRule(`freshness(${column})`, levels, { unit: undefined, options: shared })], differs);
}

/** `freshness using updated_at < 1d`, the form before `freshness(updated_at) < 1d`. */
export function translateFreshnessUsing(check: SodaCheck, shared: DataRecord): Translation {
  const [, column = '', variable, rest = ''] =
    /^freshness using (\S+)(?: with (\S+))?(?: (.+))?$/i.exec(check.text) ?? [];
  const levels = levelsOf(check, readThreshold(rest));
  if (isTranslation(levels)) return levels;
  const columns = variable === undefined ? [column] : [column, variable];
  return freshness({ name: 'freshness', columns, rest }, levels, shared);
}

/** A metric of the check's own: a query whose one row is a failure when the measured value is wrong. */
function ownMetric(
  check: SodaCheck,
  {
    expression,
    query,
    levels,
    shared,
  }: {
    readonly expression: string | undefined;
    readonly query: string | undefined;
    readonly levels: Exclude<ReturnType<typeof levelsOf>, Translation>;
    readonly shared: DataRecord;
  },
): Translation {
  const { filter, ...options } = shared;
  const where = [check.where, filter].filter((each) => typeof each === 'string');
  const rows = where.length === 0 ? '' : ` WHERE ${where.map((each) => `(${each})`).join(' AND ')}`;
  const columns =
    query === undefined
      ? `SELECT ${expression} AS measured FROM ${check.table}${rows}`
      : query.replace(/[\s;]+$/, '');
  const name = query === undefined ? 'measured' : readMetric(check.text)?.name;
  const ruleOf = (holds: Threshold, isWarning: boolean): RuleDraft | undefined => {
    const condition = thresholdSql(holds, `checked.${name}`);
    return condition === undefined
      ? undefined
      : rule('failed rows', {
          ...options,
          ...(isWarning ? { severity: 'warning' } : {}),
          fail_query: `SELECT * FROM (\n${columns}\n) AS checked\nWHERE NOT COALESCE(${condition}, FALSE)`,
        });
  };
  const drafts = [
    ruleOf(levels.holds, levels.isWarning),
    levels.warn === undefined ? undefined : ruleOf(inverse(levels.warn), true),
  ];
  const made = drafts.filter((draft) => draft !== undefined);
  if (made.length === 0) return refused('the threshold is a duration, and the metric is a number', BY_HAND);
  return rules(named(made, check.text), [
    'our result shows the row with the wrong value and not the value of each run; a NULL counts as wrong',
  ]);
}

/** Failed rows have no words of their own, so the words of the check name them. */
export function named(drafts: readonly RuleDraft[], text: string): readonly RuleDraft[] {
  return drafts.map((draft, at) =>
    draft.options['name'] === undefined
      ? { ...draft, options: { name: at === 0 ? text : `${text} (warning)`, ...draft.options } }
      : at === 0
        ? draft
        : { ...draft, options: { ...draft.options, name: `${String(draft.options['name'])} (warning)` } },
  );
}
