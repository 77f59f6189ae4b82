import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import type { YamlMap } from '../../../foundation/yaml/tree.ts';
import { type RuleDraft, refused, rule, rules, type Translation } from './imported-check.ts';
import { ruleColumns, unquoted } from './names-in-rules.ts';
import { plainData } from './plain-data.ts';
import type { SodaCheck } from './soda-check.ts';
import { named } from './soda-metric.ts';
import { inverse, readThreshold, thresholdSql, thresholdText } from './threshold.ts';

const BY_HAND = 'write the rule by hand; plinth schema dq prints what rules can say';

const SCHEMA_OPTIONS: Readonly<Record<string, string>> = {
  'when required column missing': 'required_columns',
  'when forbidden column present': 'forbidden_columns',
  'when wrong column type': 'types',
};

/** Columns that must be there or must not, and their types; one rule for each level. */
export function translateSchema(check: SodaCheck, shared: DataRecord): Translation {
  const differs: string[] = [];
  const drafts = (['fail', 'warn'] as const).flatMap((level): readonly RuleDraft[] => {
    const node = check.node(level);
    if (node?.kind !== 'map') return [];
    const options: Record<string, Data> = {};
    for (const { key, value } of node.entries) {
      const option = SCHEMA_OPTIONS[key.text];
      if (option === undefined) differs.push(`"${key.text}" has no counterpart and is left out`);
      else if (option === 'types' && value.kind === 'map') options[option] = plainData(value);
      else if (value.kind === 'list') options[option] = plainData(value);
      else differs.push(`"${key.text}" is not understood and is left out`);
    }
    if (Object.keys(options).length === 0) return [];
    return [rule('schema', { ...shared, ...(level === 'warn' ? { severity: 'warning' } : {}), ...options })];
  });
  if (drafts.length > 0) return rules(drafts.length === 1 ? drafts : named(drafts, 'schema'), differs);
  return refused(
    differs[0] ?? 'the check says nothing about columns',
    'name the columns: schema: {required_columns: […], types: {…}}',
  );
}

const REFERENCE = /^values in (\([^)]*\)|\S+) must (not )?exist in (\S+) (\([^)]*\)|\S+)$/i;

/** Values that must, or must not, be in another table. */
export function translateReference(
  check: SodaCheck,
  shared: DataRecord,
  tableOf: (name: string) => string,
): Translation {
  const [, from = '', not = '', table = '', to = ''] = REFERENCE.exec(check.text) ?? [];
  const list = (text: string): string | undefined =>
    ruleColumns(
      text
        .replace(/^\(|\)$/g, '')
        .split(',')
        .map((each) => each.trim()),
    );
  const [columns, targets] = [list(from), list(to)];
  if (columns === undefined || targets === undefined || table === '')
    return refused('the reference is not understood', BY_HAND);
  return rules([rule(`values in (${columns}) must ${not}exist in ${tableOf(table)} (${targets})`, shared)]);
}

const SAME = /^row_count same as (\S+)(?: \[([^\]]+)\])?(?: in (\S+))?$/i;

/** As many rows as another table. */
export function translateSameCount(
  check: SodaCheck,
  shared: DataRecord,
  tableOf: (name: string) => string,
): Translation {
  const [, table = '', part, source] = SAME.exec(check.text) ?? [];
  if (table === '') return refused('the other table is not understood', BY_HAND);
  if (source !== undefined)
    return refused(
      `the other table is in the data source ${source}`,
      'bring it in as a model, then compare with that',
    );
  if (part !== undefined)
    return refused(
      `the rows of the other table are those of its filter ${part}`,
      'make a model of these rows, then compare with that',
    );
  return rules([rule(`row_count same as ${tableOf(table)}`, shared)]);
}

/** Rows that a condition or a query finds. */
export function translateFailedRows(check: SodaCheck, shared: DataRecord): Translation {
  const condition = check.string('fail condition');
  const query = check.string('fail query')?.replace(/[\s;]+$/, '');
  if (condition === undefined && query === undefined)
    return refused('it has neither a fail condition nor a fail query', 'add one of them');
  const [fail, warn] = [check.level('fail'), check.level('warn')];
  if (fail === 'unreadable' || warn === 'unreadable')
    return refused('the condition to warn or fail at does not compare with numbers', BY_HAND);
  const levels: Record<string, Data> = {};
  if (fail !== undefined) levels['fail'] = `when ${thresholdText(fail, 'none')}`;
  if (warn !== undefined && fail !== undefined) levels['warn'] = `when ${thresholdText(warn, 'none')}`;
  if (warn !== undefined && fail === undefined) {
    levels['severity'] = 'warning';
    levels['fail'] = `when ${thresholdText(warn, 'none')}`;
  }
  const body: DataRecord =
    query === undefined ? { fail_condition: condition as string } : { fail_query: query };
  return rules(
    named([rule('failed rows', { ...shared, ...levels, ...body })], nameOf(condition ?? query ?? '')),
  );
}

const nameOf = (sql: string): string => {
  const line = `failed rows: ${sql.replace(/\s+/g, ' ').trim()}`;
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

/** A query with one row for each group, and conditions on its columns: a query of the groups that fail. */
export function translateGroupBy(check: SodaCheck, shared: DataRecord): Translation {
  const query = check.string('query')?.replace(/[\s;]+$/, '');
  const checks = check.node('checks');
  const fields = check.node('fields');
  check.take('group_limit');
  if (query === undefined || checks?.kind !== 'list')
    return refused('the query or the checks of the groups are missing', 'add them');
  const drafts: RuleDraft[] = [];
  for (const item of checks.items) {
    const entry = item.kind === 'map' ? item.entries[0] : undefined;
    const text = (item.kind === 'scalar' ? item.text : (entry?.key.text ?? '')).trim();
    const made = groupRules(
      { text, query, settings: entry?.value.kind === 'map' ? entry.value : undefined },
      shared,
    );
    if (made === undefined)
      return refused(`the check ${text} of the groups does not compare with numbers`, BY_HAND);
    drafts.push(...made);
  }
  if (drafts.length === 0) return refused('no check of the groups is written', 'add one');
  return rules(drafts, [
    fields?.kind === 'list'
      ? 'one result for all groups, with the groups that fail as its rows, in place of one result for each group'
      : undefined,
  ]);
}

function groupRules(
  { text, query, settings }: { text: string; query: string; settings: YamlMap | undefined },
  { name, ...shared }: DataRecord,
): readonly RuleDraft[] | undefined {
  const [, metric = '', rest = ''] = /^([^\s<>=()]+)\s*(.*)$/.exec(text) ?? [];
  const plain = settings === undefined ? {} : (plainData(settings) as DataRecord);
  const condition = (key: string): ReturnType<typeof readThreshold> =>
    typeof plain[key] === 'string'
      ? readThreshold((plain[key] as string).replace(/^when\s+/, ''))
      : undefined;
  const [fail, warn] = [condition('fail'), condition('warn')];
  const holds = readThreshold(rest) ?? (fail && inverse(fail));
  const wanted = [
    ...(holds === undefined ? [] : [{ holds, isWarning: false }]),
    ...(warn === undefined ? [] : [{ holds: inverse(warn), isWarning: true }]),
  ];
  if (wanted.length === 0) return undefined;
  const title = [name, typeof plain['name'] === 'string' ? plain['name'] : text].filter(Boolean).join(': ');
  const drafts = wanted.map(({ holds: each, isWarning }) => {
    const sql = thresholdSql(each, `checked.${unquoted(metric)}`);
    return sql === undefined
      ? undefined
      : rule('failed rows', {
          name: isWarning && wanted.length > 1 ? `${title} (warning)` : title,
          ...shared,
          ...(isWarning ? { severity: 'warning' } : {}),
          fail_query: `SELECT * FROM (\n${query}\n) AS checked\nWHERE NOT COALESCE(${sql}, FALSE)`,
        });
  });
  return drafts.some((draft) => draft === undefined)
    ? undefined
    : drafts.filter((draft) => draft !== undefined);
}
