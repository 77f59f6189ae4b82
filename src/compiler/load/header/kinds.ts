import type {
  CsvSettings,
  History,
  Incremental,
  ModelKind,
  SchemaChangePolicy,
} from '../../../domain/model-kind.ts';
import type { SourceRange } from '../../../foundation/diagnostics/diagnostic.ts';
import {
  type BlockKey,
  type BlockReader,
  cutProperties,
  report,
  reportUnused,
  suggestion,
  unused,
} from './block.ts';
import { type KindOptions, OPTION_READERS } from './kind-options.ts';
import { part, rangeOf, type Slice, sizeOf, unwrap } from './slice.ts';
import { substituteVariables, type Variables } from './substitute-variables.ts';
import { type NamedValue, plainText, wrong } from './values.ts';

/** What model_defaults says about every incremental kind that does not say it itself. */
export interface KindDefaults {
  readonly onDestructiveChange?: SchemaChangePolicy | undefined;
  readonly onAdditiveChange?: SchemaChangePolicy | undefined;
  readonly batchConcurrency?: number | undefined;
}

type Options = Readonly<Record<string, BlockKey<never>>>;

interface KindGrammar {
  readonly options: Options;
  /** Loads, but cannot be built. */
  readonly isLater?: true;
  /** Undefined when something required is missing (it is reported). */
  readonly build: (options: KindOptions, defaults: KindDefaults, need: Need) => ModelKind | undefined;
}

type Need = <Value>(value: Value | undefined, option: string, reason: string) => Value | undefined;

const real = (...names: readonly string[]): Options => Object.fromEntries(names.map((name) => [name, {}]));

const DIALECT: Options = { dialect: unused('the dialect of the model counts') };
const SCHEMA_CHANGES = real('on_destructive_change', 'on_additive_change');
const CHANGES: Options = { ...SCHEMA_CHANGES, ...real('auto_restatement_cron') };
const NOT_AGAIN: Options = {
  auto_restatement_cron: unused('intervals of this kind are never filled again by themselves'),
};
const INCREMENTAL: Options = {
  ...CHANGES,
  ...DIALECT,
  ...real('batch_size', 'batch_concurrency', 'lookback', 'forward_only', 'disable_restatement'),
};
const HISTORY: Options = {
  ...SCHEMA_CHANGES,
  ...NOT_AGAIN,
  ...DIALECT,
  ...real('unique_key', 'valid_from_name', 'valid_to_name', 'invalidate_hard_deletes', 'time_data_type'),
  ...real('batch_size', 'forward_only', 'disable_restatement', 'updated_at_name'),
};

const byTime: KindGrammar = {
  options: { ...HISTORY, ...real('updated_at_as_valid_from') },
  build: (o, d, need) => {
    const history = historyOf(o, d, need);
    return (
      history && {
        kind: 'scd-type-2-by-time',
        updatedAtName: o.updatedAtName ?? 'updated_at',
        updatedAtAsValidFrom: o.updatedAtAsValidFrom ?? false,
        ...history,
      }
    );
  },
};

/** Every kind by its name in the block, with the options it has. */
export const KINDS: Readonly<Record<string, KindGrammar>> = {
  VIEW: {
    options: {
      materialized: {
        notYet: 'the engine has no materialized views, so this is a plain one; kind FULL keeps rows',
        unless: 'false',
      },
    },
    build: (o) => ({ kind: 'view', materialized: o.materialized ?? false }),
  },
  FULL: { options: {}, build: () => ({ kind: 'full' }) },
  INCREMENTAL_BY_TIME_RANGE: {
    options: {
      ...INCREMENTAL,
      ...real('time_column', 'auto_restatement_intervals', 'strict_time'),
      partition_by_time_column: unused('the engine does not partition tables'),
    },
    build: (o, d, need) => {
      const timeColumn = need(o.timeColumn, 'time_column', 'it says to which interval a row belongs');
      return (
        timeColumn && {
          kind: 'incremental-by-time-range',
          timeColumn,
          strictTime: o.strictTime ?? 'warn',
          partitionByTimeColumn: o.partitionByTimeColumn ?? true,
          ...(o.autoRestatementIntervals === undefined
            ? {}
            : { autoRestatementIntervals: o.autoRestatementIntervals }),
          ...incrementalOf(o, d, false),
        }
      );
    },
  },
  INCREMENTAL_BY_UNIQUE_KEY: {
    options: {
      ...INCREMENTAL,
      ...real('unique_key', 'when_matched', 'merge_filter'),
      batch_concurrency: unused('batches of this kind run one after another'),
    },
    build: (o, d, need) => {
      const uniqueKey = need(o.uniqueKey, 'unique_key', 'it says which rows replace which');
      return (
        uniqueKey && {
          kind: 'incremental-by-unique-key',
          uniqueKey,
          ...(o.whenMatched === undefined ? {} : { whenMatched: o.whenMatched }),
          ...(o.mergeFilter === undefined ? {} : { mergeFilter: o.mergeFilter }),
          ...incrementalOf(o, d, false),
          batchConcurrency: 1,
        }
      );
    },
  },
  INCREMENTAL_BY_PARTITION: {
    options: { ...CHANGES, ...real('disable_restatement', 'forward_only') },
    build: (o, d) => ({
      kind: 'incremental-by-partition',
      ...incrementalOf({ ...o, forwardOnly: true }, d, true),
    }),
  },
  INCREMENTAL_UNMANAGED: {
    options: {
      ...SCHEMA_CHANGES,
      ...NOT_AGAIN,
      ...real('insert_overwrite', 'forward_only', 'disable_restatement'),
    },
    build: (o, d) => ({
      kind: 'incremental-unmanaged',
      insertOverwrite: o.insertOverwrite ?? false,
      ...incrementalOf({ ...o, disableRestatement: o.disableRestatement ?? true }, d, true),
    }),
  },
  SCD_TYPE_2: byTime,
  SCD_TYPE_2_BY_TIME: byTime,
  SCD_TYPE_2_BY_COLUMN: {
    options: { ...HISTORY, ...real('columns', 'execution_time_as_valid_from') },
    build: (o, d, need) => {
      const columns = need(o.columns, 'columns', 'they are watched for changes');
      const history = historyOf(o, d, need);
      return (
        columns &&
        history && {
          kind: 'scd-type-2-by-column',
          columns,
          executionTimeAsValidFrom: o.executionTimeAsValidFrom ?? false,
          ...(o.updatedAtName === undefined ? {} : { updatedAtName: o.updatedAtName }),
          ...history,
        }
      );
    },
  },
  SEED: {
    options: { ...real('path', 'csv_settings'), batch_size: unused('a seed is loaded at once') },
    build: (o, _, need) => {
      const path = need(o.path, 'path', 'it is the CSV file to load');
      return path === undefined
        ? undefined
        : { kind: 'seed', path, csv: { ...CSV_DEFAULTS, ...o.csv }, batchSize: o.batchSize ?? 1000 };
    },
  },
  EMBEDDED: { options: {}, build: () => ({ kind: 'embedded' }) },
  EXTERNAL: { options: {}, build: () => ({ kind: 'external' }) },
  MANAGED: { isLater: true, options: real('disable_restatement'), build: () => ({ kind: 'managed' }) },
  CUSTOM: {
    isLater: true,
    options: {
      ...real('materialization', 'materialization_properties', 'forward_only', 'disable_restatement'),
      ...real('batch_size', 'batch_concurrency', 'lookback', 'auto_restatement_cron'),
      ...real('auto_restatement_intervals'),
    },
    build: (o, _, need) => {
      const materialization = need(
        o.materialization,
        'materialization',
        'it names the code that builds the model',
      );
      return materialization === undefined
        ? undefined
        : { kind: 'custom', materialization, properties: o.properties ?? {} };
    },
  },
};

const CSV_DEFAULTS: CsvSettings = {
  delimiter: ',',
  quotechar: '"',
  doublequote: true,
  skipinitialspace: false,
  encoding: 'utf-8',
  naValues: [],
  keepDefaultNa: true,
};

function incrementalOf(o: KindOptions, d: KindDefaults, isForwardOnly: boolean): Incremental {
  const batchConcurrency = o.batchConcurrency ?? d.batchConcurrency;
  return {
    lookback: o.lookback ?? 0,
    ...(o.batchSize === undefined ? {} : { batchSize: o.batchSize }),
    ...(batchConcurrency === undefined ? {} : { batchConcurrency }),
    ...(o.autoRestatementCron === undefined ? {} : { autoRestatementCron: o.autoRestatementCron }),
    forwardOnly: o.forwardOnly ?? isForwardOnly,
    disableRestatement: o.disableRestatement ?? false,
    onDestructiveChange: o.onDestructiveChange ?? d.onDestructiveChange ?? 'error',
    onAdditiveChange: o.onAdditiveChange ?? d.onAdditiveChange ?? 'allow',
  };
}

function historyOf(o: KindOptions, d: KindDefaults, need: Need): History | undefined {
  const uniqueKey = need(o.uniqueKey, 'unique_key', 'it says which rows are versions of the same thing');
  return (
    uniqueKey && {
      ...incrementalOf(
        { ...o, disableRestatement: o.disableRestatement ?? true },
        { ...d, batchConcurrency: undefined },
        true,
      ),
      uniqueKey,
      validFromName: o.validFromName ?? 'valid_from',
      validToName: o.validToName ?? 'valid_to',
      timeDataType: o.timeDataType ?? 'TIMESTAMP',
      invalidateHardDeletes: o.invalidateHardDeletes ?? false,
    }
  );
}

/** A kind and the words it was written with. */
export interface ReadKind {
  /** As in the block, upper case. */
  readonly word: string;
  /** Undefined when the kind is not usable; what is wrong was reported. */
  readonly kind?: ModelKind | undefined;
  /** Where the value of each option stands. */
  readonly ranges: ReadonlyMap<string, SourceRange>;
}

/** Reads `INCREMENTAL_BY_TIME_RANGE (time_column ds, …)`. */
/** What other tools call kinds. */
const KINDS_ELSEWHERE: Readonly<Record<string, string>> = {
  TABLE: 'FULL is a table that is rebuilt each time',
  INCREMENTAL:
    'INCREMENTAL_BY_TIME_RANGE (time_column …), INCREMENTAL_BY_UNIQUE_KEY (unique_key …) and INCREMENTAL_BY_PARTITION say how it grows',
  EPHEMERAL: 'EMBEDDED is a part of the models that read it',
  SNAPSHOT: 'SCD_TYPE_2_BY_TIME and SCD_TYPE_2_BY_COLUMN keep what rows were before',
  MATERIALIZED_VIEW: 'FULL is a table that is rebuilt each time, VIEW is not stored',
};
const kindElsewhere = (word: string): string | undefined =>
  Object.hasOwn(KINDS_ELSEWHERE, word) ? KINDS_ELSEWHERE[word] : undefined;

export function readKind(
  reader: BlockReader,
  named: NamedValue,
  variables: Variables,
  defaults: KindDefaults,
): ReadKind | undefined {
  const text = plainText(part(named.value, 0, 1), reader);
  if (text === undefined || sizeOf(named.value) === 0)
    return wrong(reader, named, 'a model kind such as FULL');
  const word = text.toUpperCase();
  const grammar = Object.hasOwn(KINDS, word) ? KINDS[word] : undefined;
  const nameRange = rangeOf(part(named.value, 0, 1));
  if (grammar === undefined) {
    report(
      reader,
      'model.unknown-kind',
      { kind: text },
      nameRange,
      kindElsewhere(word) ?? suggestion(reader, word, Object.keys(KINDS)),
    );
    return undefined;
  }
  const rest = part(named.value, 1, sizeOf(named.value));
  const list = sizeOf(rest) === 0 ? undefined : unwrap(rest);
  if (sizeOf(rest) > 0 && list === undefined) {
    wrong(reader, named, `options of ${word} in parentheses`, rest);
    return { word, ranges: new Map() };
  }
  const options: KindOptions = {};
  const given =
    list === undefined
      ? new Map<string, SourceRange>()
      : readOptions(reader, list, word, grammar, variables, options);
  if (grammar.isLater === true) report(reader, 'model.kind-not-yet', { kind: word }, nameRange);
  const need: Need = (value, option, reason) => {
    if (value === undefined && !given.has(option))
      report(reader, 'model.missing-option', { option, kind: word, reason }, nameRange);
    return value;
  };
  return { word, kind: grammar.build(options, defaults, need), ranges: given };
}

const GREEDY = ['when_matched', 'merge_filter'];
/** Values that keep their macros: they are expanded when the statement is made. */
const LATE = new Set(['merge_filter', 'when_matched']);

function readOptions(
  reader: BlockReader,
  list: Slice,
  word: string,
  grammar: KindGrammar,
  variables: Variables,
  into: KindOptions,
): ReadonlyMap<string, SourceRange> {
  const given = new Map<string, SourceRange>();
  const isName = (name: string): boolean => Object.hasOwn(OPTION_READERS, name);
  for (const option of cutProperties(list, reader, { greedy: GREEDY, isName })) {
    const key = Object.hasOwn(grammar.options, option.name) ? grammar.options[option.name] : undefined;
    if (key === undefined) {
      unknownOption(reader, option.name, word, grammar, option.nameRange);
      continue;
    }
    if (given.has(option.name)) {
      report(reader, 'model.duplicate-property', { property: option.name }, option.nameRange);
      continue;
    }
    given.set(option.name, sizeOf(option.value) === 0 ? option.nameRange : rangeOf(option.value));
    reportUnused(reader, option, key);
    if (option.name === 'forward_only' && word === 'INCREMENTAL_BY_PARTITION')
      report(
        reader,
        'model.conflicting-properties',
        { first: word, second: 'forward_only', reason: 'models of this kind are always forward-only' },
        option.nameRange,
        'remove forward_only',
      );
    const value = substituteVariables(option.value, variables, reader, {
      keepUnknown: LATE.has(option.name),
      bare: option.name === 'time_column',
    });
    if (value !== undefined)
      OPTION_READERS[option.name]?.(
        reader,
        { property: option.name, nameRange: option.nameRange, value },
        into,
      );
  }
  return given;
}

function unknownOption(
  reader: BlockReader,
  option: string,
  kind: string,
  grammar: KindGrammar,
  at: SourceRange,
): void {
  if (kind === 'CUSTOM') return;
  const names = Object.keys(grammar.options).filter(
    (name) => grammar.options[name]?.withoutEffect === undefined,
  );
  const hint =
    suggestion(reader, option, names) ??
    (names.length === 0 ? `${kind} has no options` : `options of ${kind} are ${names.join(', ')}`);
  report(reader, 'model.unknown-option', { option, kind }, at, hint);
}

/** The word of a model's kind, for messages about a kind that came from a default. */
export function kindWord(kind: ModelKind): string {
  return kind.kind.toUpperCase().replaceAll('-', '_');
}

/** The first token of a kind: what `not-for-kind` and its like talk about. */
export function isStored(kind: ModelKind): boolean {
  switch (kind.kind) {
    case 'view':
      return kind.materialized;
    case 'embedded':
    case 'external':
      return false;
    default:
      return true;
  }
}
