import type { CsvSettings, SchemaChangePolicy, TimeColumn } from '../../../domain/model-kind.ts';
import { parseCron } from '../../../foundation/time/cron.ts';
import { type BlockReader, report } from './block.ts';
import { readCsvSettings } from './csv-settings.ts';
import { declaredType } from './declared-type.ts';
import { columnName } from './names.ts';
import {
  isSymbol,
  itemsOf,
  rangeOf,
  type Slice,
  sizeOf,
  splitAtCommas,
  textOf,
  tokenAt,
  unwrap,
} from './slice.ts';
import {
  expressionText,
  type NamedValue,
  plainText,
  readBoolean,
  readChoice,
  readExpressions,
  readProperties,
  readText,
  readWhole,
  wrong,
} from './values.ts';

/** The options of a kind as far as they were given; which of them a kind has is in `kinds.ts`. */
export interface KindOptions {
  materialized?: boolean | undefined;
  timeColumn?: TimeColumn | undefined;
  strictTime?: 'warn' | 'error' | undefined;
  partitionByTimeColumn?: boolean | undefined;
  autoRestatementCron?: string | undefined;
  autoRestatementIntervals?: number | undefined;
  lookback?: number | undefined;
  batchSize?: number | undefined;
  batchConcurrency?: number | undefined;
  forwardOnly?: boolean | undefined;
  disableRestatement?: boolean | undefined;
  onDestructiveChange?: SchemaChangePolicy | undefined;
  onAdditiveChange?: SchemaChangePolicy | undefined;
  uniqueKey?: readonly string[] | undefined;
  whenMatched?: string | undefined;
  mergeFilter?: string | undefined;
  insertOverwrite?: boolean | undefined;
  validFromName?: string | undefined;
  validToName?: string | undefined;
  updatedAtName?: string | undefined;
  updatedAtAsValidFrom?: boolean | undefined;
  executionTimeAsValidFrom?: boolean | undefined;
  invalidateHardDeletes?: boolean | undefined;
  timeDataType?: string | undefined;
  columns?: '*' | readonly string[] | undefined;
  path?: string | undefined;
  csv?: Partial<CsvSettings> | undefined;
  materialization?: string | undefined;
  properties?: Readonly<Record<string, string>> | undefined;
}

type ReadOption = (reader: BlockReader, named: NamedValue, into: KindOptions) => void;

const POLICIES = ['error', 'warn', 'allow', 'ignore'] as const;

/** How each option is read, by its name in the block. */
export const OPTION_READERS: Readonly<Record<string, ReadOption>> = {
  materialized: (r, n, into) => (into.materialized = readBoolean(r, n)),
  time_column: (r, n, into) => (into.timeColumn = readTimeColumn(r, n)),
  strict_time: (r, n, into) => (into.strictTime = readChoice(r, n, ['warn', 'error'])),
  partition_by_time_column: (r, n, into) => (into.partitionByTimeColumn = readBoolean(r, n)),
  auto_restatement_cron: (r, n, into) => (into.autoRestatementCron = readCron(r, n)),
  auto_restatement_intervals: (r, n, into) => (into.autoRestatementIntervals = readWhole(r, n, 1)),
  lookback: (r, n, into) => (into.lookback = readWhole(r, n, 0)),
  batch_size: (r, n, into) => (into.batchSize = readWhole(r, n, 1)),
  batch_concurrency: (r, n, into) => (into.batchConcurrency = readWhole(r, n, 1)),
  forward_only: (r, n, into) => (into.forwardOnly = readBoolean(r, n)),
  disable_restatement: (r, n, into) => (into.disableRestatement = readBoolean(r, n)),
  on_destructive_change: (r, n, into) => (into.onDestructiveChange = readChoice(r, n, POLICIES)),
  on_additive_change: (r, n, into) => (into.onAdditiveChange = readChoice(r, n, POLICIES)),
  unique_key: (r, n, into) => (into.uniqueKey = readExpressions(r, n, 'a column or a list of columns')),
  when_matched: (r, n, into) => (into.whenMatched = readClauses(r, n)),
  merge_filter: (r, n, into) =>
    (into.mergeFilter = sizeOf(n.value) > 0 ? textOf(n.value) : wrong(r, n, 'a condition')),
  insert_overwrite: (r, n, into) => (into.insertOverwrite = readBoolean(r, n)),
  valid_from_name: (r, n, into) => (into.validFromName = readColumn(r, n)),
  valid_to_name: (r, n, into) => (into.validToName = readColumn(r, n)),
  updated_at_name: (r, n, into) => (into.updatedAtName = readColumn(r, n)),
  updated_at_as_valid_from: (r, n, into) => (into.updatedAtAsValidFrom = readBoolean(r, n)),
  execution_time_as_valid_from: (r, n, into) => (into.executionTimeAsValidFrom = readBoolean(r, n)),
  invalidate_hard_deletes: (r, n, into) => (into.invalidateHardDeletes = readBoolean(r, n)),
  time_data_type: (r, n, into) => (into.timeDataType = readTypeText(r, n)),
  columns: (r, n, into) => (into.columns = readWatchedColumns(r, n)),
  path: (r, n, into) => (into.path = readText(r, n, 'a path in quotes')?.replaceAll('\\', '/')),
  csv_settings: (r, n, into) => (into.csv = readCsvSettings(r, n)),
  materialization: (r, n, into) => (into.materialization = readText(r, n, 'the name of a materialization')),
  materialization_properties: (r, n, into) => (into.properties = readProperties(r, n)),
  // SQLMesh lets a kind repeat the dialect; the model's own is used.
  dialect: () => undefined,
};

/** A cron expression, checked; the text is returned as written. */
export function readCron(reader: BlockReader, named: NamedValue): string | undefined {
  const text = readText(reader, named, "a cron expression such as '@daily'");
  if (text === undefined) return undefined;
  const cron = parseCron(text);
  if (!('reason' in cron)) return text;
  if (cron.length === cron.text.length) return wrong(reader, named, cron.expected);
  const field = CRON_FIELDS[(text.slice(0, cron.offset).match(/\S+\s/g) ?? []).length] ?? 'field';
  const value = text.slice(cron.offset, cron.offset + cron.length);
  const whole = rangeOf(named.value);
  const start = whole.start + 1 + cron.offset;
  // A macro may have put the text there; then its place is not known so exactly.
  const isVerbatim = textOf(named.value).slice(1, -1) === text && whole.end - whole.start === text.length + 2;
  report(
    reader,
    'model.wrong-value',
    {
      property: `the ${field} of ${named.property}`,
      value: value === '' ? 'empty' : `'${value}'`,
      expected: cron.expected,
    },
    isVerbatim ? { ...whole, start, end: start + cron.length } : whole,
  );
  return undefined;
}

const CRON_FIELDS = ['minute', 'hour', 'day of month', 'month', 'day of week'];

function readColumn(reader: BlockReader, named: NamedValue): string | undefined {
  return columnName(named.value, reader) ?? wrong(reader, named, 'a column name');
}

function readTimeColumn(reader: BlockReader, named: NamedValue): TimeColumn | undefined {
  const items = itemsOf(named.value);
  const first = items[0];
  const expected = "a column, or a column with its format such as (ds, '%Y-%m-%d')";
  if (first === undefined || items.length > 2) return wrong(reader, named, expected);
  const column = columnName(first, reader) ?? plainText(first, reader) ?? expressionColumn(first);
  if (column === undefined) return wrong(reader, named, expected, first);
  const second = items[1];
  if (second === undefined) return { column };
  const format = plainText(second, reader);
  return format === undefined ? wrong(reader, named, 'a format in quotes', second) : { column, format };
}

/** A nested field (`record.ds`) is a time column in some engines. */
function expressionColumn(slice: Slice): string | undefined {
  const text = textOf(slice);
  return /^[\w"`.]+$/.test(text) ? text : undefined;
}

/** WHEN clauses, with the parentheses around all of them taken off. */
function readClauses(reader: BlockReader, named: NamedValue): string | undefined {
  const clauses = unwrap(named.value) ?? named.value;
  const first = tokenAt(clauses, 0);
  const isClause = (first.kind === 'word' && first.text.toUpperCase() === 'WHEN') || first.kind === 'at';
  if (sizeOf(clauses) === 0 || !isClause) return wrong(reader, named, '(WHEN MATCHED THEN UPDATE SET …)');
  return textOf(clauses);
}

function readTypeText(reader: BlockReader, named: NamedValue): string | undefined {
  const text = sizeOf(named.value) === 1 ? plainText(named.value, reader) : textOf(named.value);
  return text === undefined || text === ''
    ? wrong(reader, named, 'a type such as TIMESTAMP')
    : declaredType(text, reader.dialect);
}

function readWatchedColumns(reader: BlockReader, named: NamedValue): '*' | readonly string[] | undefined {
  const inner = unwrap(named.value) ?? named.value;
  if (sizeOf(inner) === 1 && (isSymbol(tokenAt(inner, 0), '*') || textOf(inner) === "'*'")) return '*';
  if (sizeOf(inner) === 0) return wrong(reader, named, 'a list of columns, or * for all');
  return splitAtCommas(inner).map((item) => columnName(item, reader) ?? expressionText(item, reader));
}
