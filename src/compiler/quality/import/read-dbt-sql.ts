import type { Data, DataRecord } from '../../../foundation/yaml/data.ts';
import { configOf, filledText } from './dbt-jinja.ts';
import { type CheckDraft, type ForeignFile, refused, rule, rules } from './imported-check.ts';
import { lineAt } from './plain-data.ts';
import type { DbtWorld } from './read-dbt.ts';
import { readThreshold, thresholdText } from './threshold.ts';

/** A singular test: a query whose rows are failures, as failed rows of the first table that it names. */
export function readDbtSql(file: ForeignFile, world: DbtWorld): readonly CheckDraft[] {
  const name = file.path.replace(/^.*\//, '').replace(/\.sql$/, '');
  const definition = /\{%-?\s*(?:test|macro)\s+(\w+)/.exec(file.text);
  if (definition !== null) {
    const at = { file: file.path, line: lineAt(file.text, definition.index), text: `test ${definition[1]}` };
    return [
      {
        at,
        translation: refused(
          'it defines a generic test with Jinja',
          'write it as an audit with arguments (audits/*.sql), or compile each use with dbt',
        ),
      },
    ];
  }
  const { values, rest } = configOf(file.text);
  const filled = filledText(rest, world);
  const at = { file: file.path, line: 1, text: name };
  if (filled.unknown !== undefined)
    return [
      {
        at: { ...at, line: lineAt(file.text, filled.unknown.at) },
        translation: refused(
          `the template ${filled.unknown.template} is filled in by dbt only`,
          /^\{\{-?\s*var\(/.test(filled.unknown.template)
            ? 'give its value with --variable NAME=VALUE'
            : 'compile the test with dbt, and import the compiled SQL',
        ),
      },
    ];
  const [table] = filled.tables;
  if (table === undefined)
    return [
      {
        at,
        translation: refused(
          'the query names no table by ref() or source()',
          'name its table by one of them',
        ),
      },
    ];
  const query = filled.text
    .replace(/[\s;]+$/, '')
    .replace(/^\s*\n/, '')
    .trim();
  const left = Object.keys(values).filter((key) => !KNOWN.includes(key));
  return [
    {
      at,
      table,
      translation: rules(
        [rule('failed rows', { name, ...optionsOf(values), fail_query: query }, query)],
        left.map((key) => `${key} has no counterpart and is left out`),
      ),
    },
  ];
}

const KNOWN = [
  'severity', 'error_if', 'warn_if', 'enabled', 'tags', 'store_failures', 'schema', 'alias', 'meta',
]; // biome-ignore format: a table

/** What `config()` says in our words. */
function optionsOf(values: Readonly<Record<string, string>>): DataRecord {
  const options: Record<string, Data> = {};
  const isWarning = values['severity']?.toLowerCase() === 'warn';
  if (isWarning) options['severity'] = 'warning';
  const bad = thresholdOf(isWarning ? values['warn_if'] : values['error_if']);
  const warn = isWarning ? undefined : thresholdOf(values['warn_if']);
  if (bad !== undefined) options['fail'] = `when ${thresholdText(bad, 'none')}`;
  if (bad !== undefined && warn !== undefined) options['warn'] = `when ${thresholdText(warn, 'none')}`;
  if (values['enabled']?.toLowerCase() === 'false') options['enabled'] = false;
  const tags = [...(values['tags'] ?? '').matchAll(/['"]([^'"]+)['"]/g)].map(([, tag]) => tag as string);
  if (tags.length > 0) options['tags'] = tags;
  return options;
}

const thresholdOf = (text: string | undefined): ReturnType<typeof readThreshold> =>
  text === undefined ? undefined : readThreshold(text);
