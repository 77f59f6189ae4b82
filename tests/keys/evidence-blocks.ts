import { by, differs, type Evidence, type EvidenceOf, says, shown } from './evidence.ts';
import { type KeyProject, PROJECT } from './project.ts';

const BY_DAY = { kind: 'INCREMENTAL_BY_TIME_RANGE', options: ['time_column day'] };
const KINDS = 'tests/materialize/materialize-kinds.test.ts';
const HISTORY = 'tests/materialize/materialize-history.test.ts';

/** Properties of a MODEL block, as they follow their name. */
export const MODEL_EVIDENCE: EvidenceOf = {
  name: by('src/compiler/load/load-model-file.test.ts', 'gives every property'),
  kind: by('src/compiler/load/load-model-file.test.ts', 'gives every property'),
  blueprints: by(
    'src/compiler/load/load-model-file.test.ts',
    'each blueprint is a model with its own variables',
  ),
  dialect: differs('postgres', 'info'),
  cron: differs("'@hourly'", 'plan'),
  cron_tz: differs("'Asia/Tokyo'", 'plan', { around: { ...BY_DAY, properties: ["cron '0 14 * * *'"] } }),
  interval_unit: differs('hour', 'plan', { around: BY_DAY }),
  start: differs("'2023-12-01'", 'plan', { around: BY_DAY }),
  end: differs("'2024-01-05'", 'plan', { around: BY_DAY }),
  grain: differs('id', 'info'),
  grains: differs('(id, (day, region))', 'info'),
  owner: differs('gert', 'info'),
  description: differs("'what it is'", 'info'),
  tags: differs('(gold)', 'info'),
  terms: shown((word) => `(${word})`),
  columns: differs('(id TEXT, day DATE, region TEXT, amount INT)', 'info'),
  column_descriptions: differs("(id = 'a number')", 'info'),
  column_tags: shown((word) => `(id = (${word}))`),
  audits: by(
    'tests/audits/execute-audits.test.ts',
    'rows that are held back and rows that are published add up, in the result and in the log',
  ),
  assertions: differs('(not_null(columns := (id)))', 'info'),
  depends_on: differs('(m.customers)', 'info'),
  partitioned_by: by(
    'tests/materialize/materialize-kinds.test.ts',
    'partitions with new rows are replaced as a whole, also that of NULL; the others stay',
  ),
  session_properties: says('(x = 1)', 'model.setting-locked'),
  stamp: by('src/compiler/plan/draft-snapshots.test.ts', '%s', 'stamp'),
  enabled: differs('false', 'info'),
  allow_partials: differs('true', 'plan', { around: BY_DAY }),
  gateway: says('nowhere', 'model.wrong-value'),
  ignored_rules: differs('(no-missing-owner)', 'diagnostics', {
    around: { config: { ...PROJECT.config, linter: { rules: ['no-missing-owner'] } } },
  }),
  signals: by('tests/faults/plan-world.test.ts', 'hold back what they do not let through, and say so'),
  freshness: by('tests/keys/config-effects.test.ts', 'a model that is older than its freshness is stale'),
};

const MERGED = {
  kind: 'INCREMENTAL_BY_UNIQUE_KEY',
  options: ['unique_key id'],
};
const UNMANAGED = { kind: 'INCREMENTAL_UNMANAGED', options: [] };
const PARTITIONS = { kind: 'INCREMENTAL_BY_PARTITION', options: [], properties: ['partitioned_by region'] };
const BY_TIME = {
  kind: 'SCD_TYPE_2_BY_TIME',
  options: ['unique_key id', 'updated_at_name day'],
};
const BY_COLUMN = { kind: 'SCD_TYPE_2_BY_COLUMN', options: ['unique_key id', 'columns (region)'] };

/** What every incremental kind has. */
const changes = (around: Partial<KeyProject>): EvidenceOf => ({
  on_destructive_change: differs('allow', 'shrunk', { around: forwardOnly(around) }),
  on_additive_change: differs('error', 'replanned', { around: forwardOnly(around) }),
  auto_restatement_cron: differs("'@weekly'", 'later', { around }),
});
const schemaChanges = (around: Partial<KeyProject>): EvidenceOf => {
  const { auto_restatement_cron: _, ...rest } = changes(around);
  return rest;
};
const forwardOnly = (around: Partial<KeyProject>): Partial<KeyProject> => ({
  ...around,
  config: { ...PROJECT.config, plan: { forward_only: true } },
});
const restated = (around: Partial<KeyProject>, value = 'true'): Evidence =>
  differs(value, 'restated', { around });
const NAMES = by(HISTORY, 'names, types and zones of the periods');
/** Every variant of a history is compared with an oracle. */
const ORACLE = by(HISTORY, 'histories equal those of the oracle');

const history = (around: Partial<KeyProject>): EvidenceOf => ({
  ...schemaChanges(around),
  forward_only: differs('false', 'replanned', { around }),
  disable_restatement: restated(around, 'false'),
  batch_size: differs('1', 'plan', { around }),
  unique_key: says('nothing', 'model.unknown-column-in-block', { around }),
  valid_from_name: NAMES,
  valid_to_name: by(HISTORY, 'names, types and zones of the periods', 'valid_from_name'),
  time_data_type: NAMES,
  updated_at_name: NAMES,
  invalidate_hard_deletes: ORACLE,
});

/** Options of each kind, as they follow their name. */
export const KIND_EVIDENCE: Readonly<Record<string, EvidenceOf>> = {
  INCREMENTAL_BY_TIME_RANGE: {
    ...changes(BY_DAY),
    time_column: says('nothing', 'model.unknown-column-in-block', { around: BY_DAY }),
    lookback: differs('2', 'later', { around: BY_DAY }),
    batch_size: differs('2', 'plan', { around: BY_DAY }),
    batch_concurrency: differs('2', 'plan', {
      around: { ...BY_DAY, options: [...BY_DAY.options, 'batch_size 1'] },
    }),
    forward_only: differs('true', 'replanned', { around: BY_DAY }),
    disable_restatement: restated(BY_DAY),
    auto_restatement_intervals: differs('2', 'later', {
      around: { ...BY_DAY, options: [...BY_DAY.options, "auto_restatement_cron '@weekly'"] },
    }),
    strict_time: by(
      'tests/materialize/materialize.test.ts',
      'with strict_time error such rows stop the write',
    ),
  },
  INCREMENTAL_BY_UNIQUE_KEY: {
    ...changes(MERGED),
    unique_key: says('nothing', 'model.unknown-column-in-block', { around: MERGED }),
    lookback: differs('2', 'later', { around: MERGED }),
    batch_size: differs('2', 'plan', { around: MERGED }),
    forward_only: differs('true', 'replanned', { around: MERGED }),
    disable_restatement: restated(MERGED),
    when_matched: by(KINDS, 'when_matched and merge_filter with macros'),
    merge_filter: by(KINDS, 'when_matched and merge_filter with macros'),
  },
  INCREMENTAL_BY_PARTITION: {
    ...changes(PARTITIONS),
    disable_restatement: restated(PARTITIONS),
    forward_only: says('true', 'model.conflicting-properties', { around: PARTITIONS }),
  },
  INCREMENTAL_UNMANAGED: {
    ...schemaChanges(UNMANAGED),
    insert_overwrite: by(KINDS, 'with insert_overwrite the partitions of the new rows are replaced'),
    forward_only: differs('false', 'replanned', { around: UNMANAGED }),
    disable_restatement: restated(UNMANAGED, 'false'),
  },
  ...Object.fromEntries(
    ['SCD_TYPE_2', 'SCD_TYPE_2_BY_TIME'].map((kind) => [
      kind,
      {
        ...history({ ...BY_TIME, kind }),
        updated_at_as_valid_from: NAMES,
      },
    ]),
  ),
  SCD_TYPE_2_BY_COLUMN: {
    ...history(BY_COLUMN),
    columns: says('(nothing)', 'model.unknown-column-in-block', { around: BY_COLUMN }),
    execution_time_as_valid_from: ORACLE,
  },
  SEED: {
    path: says("'../seeds/none.csv'", 'seed.missing-file', { around: { kind: 'SEED', options: [] } }),
    csv_settings: differs("(delimiter = ';')", 'sql', {
      around: { kind: 'SEED', options: ["path '../seeds/orders.csv'"] },
    }),
  },
};

const SEED = (value: string): Evidence =>
  differs(value, 'sql', { around: { kind: 'SEED', options: ["path '../seeds/orders.csv'"] } });

/** `csv_settings` of a SEED. */
export const CSV_EVIDENCE: EvidenceOf = {
  delimiter: SEED("';'"),
  quotechar: SEED("'|'"),
  doublequote: SEED('false'),
  escapechar: SEED("'!'"),
  skipinitialspace: SEED('true'),
  lineterminator: SEED("'\\r\\n'"),
  encoding: SEED("'latin-1'"),
  na_values: SEED("('none')"),
  keep_default_na: SEED('false'),
};

/** Properties of an AUDIT block. */
export const AUDIT_EVIDENCE: EvidenceOf = {
  name: by('src/compiler/load/load-audit-file.test.ts', 'holds any number of audits with their settings'),
  dialect: by('src/compiler/load/load-audit-file.test.ts', 'holds any number of audits with their settings'),
  skip: by('src/compiler/plan/audited-tables.test.ts', 'is asked for when it is no longer skipped'),
  blocking: differs('false', 'info'),
  standalone: differs('true', 'info'),
  on_failure: by('tests/audits/audits-quarantine.test.ts', 'a built-in audit over the whole table'),
  defaults: by('src/compiler/load/load-audit-file.test.ts', 'holds any number of audits with their settings'),
  description: differs("'why'", 'info'),
  owner: differs('gert', 'info'),
  tags: differs('(gold)', 'info'),
  depends_on: differs('(m.customers)', 'info'),
};
