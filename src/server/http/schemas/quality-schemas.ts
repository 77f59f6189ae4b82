/** What the dq group answers with, field by field. */
import { CHECK_OUTCOMES } from '../../../domain/check-result.ts';
import { DQ_DIMENSIONS } from '../../../domain/dq-pack.ts';
import { FRESHNESS_STATES } from '../../../domain/product-health.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, OPEN, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
const FIGURE: JsonSchema = { type: 'number' };
const NUMBER = orNull(FIGURE);
const OUTCOME = about(
  choice(...CHECK_OUTCOMES),
  '`error`: the engine refused to evaluate it; `not_evaluated`: something that it needs is missing',
);
const DIMENSION = choice(...DQ_DIMENSIONS);
const SEVERITY = choice('error', 'warning');
const IDENTITY: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  check: about(TEXT, '`pack/rule`, and `/column` for each column of a rule about several'),
  pack: TEXT,
  rule: TEXT,
  model: TEXT,
  columns: about(orNull(TEXTS), 'columns that it is about; null: any'),
  dimension: DIMENSION,
  severity: SEVERITY,
  owner: NULLABLE,
  environment: TEXT,
};

const TOTALS: Readonly<Record<string, JsonSchema>> = {
  rules: COUNT,
  unchecked: about(COUNT, 'rules that no check has looked at yet'),
  checks: COUNT,
  outcomes: record(Object.fromEntries(CHECK_OUTCOMES.map((outcome) => [outcome, COUNT]))),
  score: about(NUMBER, 'share of the evaluated checks that pass, 0 to 1'),
};

export const QUALITY_SUMMARY: JsonSchema = record({
  environment: TEXT,
  as_of: about(orNull(TIME), 'when the newest of the results was found'),
  ...TOTALS,
  dimensions: listing(record({ dimension: DIMENSION, ...TOTALS })),
  open_incidents: COUNT,
});

export const CHECK_RESULT: JsonSchema = record(
  {
    ...IDENTITY,
    outcome: OUTCOME,
    value: about(NUMBER, 'what was measured'),
    expected: TEXT,
    reason: NULLABLE,
    is_learning: about(FLAG, 'it only lacks earlier results to compare with'),
    rows_tested: orNull(COUNT),
    rows_failed: orNull(COUNT),
    sql: NULLABLE,
    run_id: TEXT,
    trigger: choice('change', 'schedule', 'demand'),
    changed_by: about(NULLABLE, 'the run that wrote the data'),
    data_version: TEXT,
    at: TIME,
    ms: COUNT,
    has_sample: FLAG,
    withheld: about(FLAG, 'policies hide what it reads: only outcome and expectation are shown'),
  },
  {
    groups: listing(record({ key: { type: 'array', items: {} }, value: NUMBER, outcome: OUTCOME })),
    groups_tested: COUNT,
    learned: about(OPEN, 'bounds that an anomaly rule learned'),
    baseline: { type: 'number' },
  },
);

export const SAMPLE: JsonSchema = record({
  id: TEXT,
  check: TEXT,
  model: TEXT,
  columns: about(TEXTS, 'without those that policies mask'),
  rows: listing({ type: 'array', items: {} }),
  is_part: about(FLAG, 'more rows failed'),
  withheld: FLAG,
});

const RULE_PARTS: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  pack: TEXT,
  rule: TEXT,
  model: TEXT,
  text: about(NULLABLE, 'as it is written; null for callers from whom something of the model is hidden'),
  description: NULLABLE,
  dimension: DIMENSION,
  severity: SEVERITY,
  owner: NULLABLE,
  tags: TEXTS,
  schedule: about(NULLABLE, 'cron, beside "after each change"'),
  enabled: FLAG,
  outcome: about({ enum: [...CHECK_OUTCOMES, null] }, 'the worst of `latest`; null before the first check'),
  checked_at: orNull(TIME),
  latest: about(listing(CHECK_RESULT), 'the newest result of each of its checks'),
};

export const RULE: JsonSchema = record(RULE_PARTS);
export const WHOLE_RULE: JsonSchema = record({
  ...RULE_PARTS,
  results: about(listing(CHECK_RESULT), 'newest first, at most 20 of each check'),
});

const INCIDENT_PARTS: Readonly<Record<string, JsonSchema>> = {
  ...IDENTITY,
  state: choice('open', 'closed'),
  summary: about(TEXT, 'empty for callers from whom policies hide what the check reads'),
  failures: COUNT,
  opened_at: TIME,
  opened_by: about(TEXT, 'the result that opened it'),
  closed_at: orNull(TIME),
  closed_by: NULLABLE,
};

export const INCIDENT: JsonSchema = record(INCIDENT_PARTS);
export const WHOLE_INCIDENT: JsonSchema = record({
  ...INCIDENT_PARTS,
  results: about(listing(CHECK_RESULT), 'of its check, newest first, at most 20'),
});

export const GATE: JsonSchema = record({
  environment: TEXT,
  decision: choice('allow', 'warn', 'block'),
  reasons: about(
    listing(
      record({
        effect: choice('warn', 'block'),
        kind: choice('check', 'unchecked', 'incident', 'audit', 'run'),
        model: TEXT,
        name: about(TEXT, 'of the check, rule, audit or run'),
        id: about(TEXT, 'of the result, rule, incident or run'),
        outcome: TEXT,
      }),
    ),
    'what blocks first',
  ),
  models: about(TEXTS, 'what the references mean, with all that it is made of'),
});

const WHEN = orNull(TIME);
const SECONDS = orNull({ type: 'integer' });
const CELLS = { type: 'array', items: {} } as const;

const DRIFT = orNull(
  record({
    profile: about(TEXT, 'the profile that it is compared with'),
    psi: orNull(FIGURE),
    null_rate: about(FIGURE, 'difference of the shares of NULL, -1 to 1'),
    new_values: TEXTS,
    vanished_values: TEXTS,
    is_drifted: FLAG,
  }),
);

const COUNTED = (what: string) => listing(record({ [what]: NULLABLE, rows: COUNT }));

export const PROFILE: JsonSchema = record({
  id: TEXT,
  model: TEXT,
  environment: TEXT,
  run_id: TEXT,
  at: TIME,
  ms: COUNT,
  data_version: TEXT,
  rows: orNull(COUNT),
  bytes: orNull(COUNT),
  columns: listing(
    record(
      {
        name: TEXT,
        type: TEXT,
        family: choice('number', 'text', 'time', 'boolean', 'other'),
        nulls: about(orNull(COUNT), 'null where policies filter the rows'),
        is_approximate: FLAG,
        drift: record({ previous: DRIFT, baseline: DRIFT }),
      },
      {
        distinct: COUNT,
        duplicates: COUNT,
        min: TEXT,
        max: TEXT,
        avg: FIGURE,
        sum: FIGURE,
        stddev: FIGURE,
        quartiles: listing(FIGURE),
        zeros: COUNT,
        negatives: COUNT,
        histogram: listing(record({ from: FIGURE, to: FIGURE, rows: COUNT })),
        top_values: COUNTED('value'),
        lengths: record({ min: FIGURE, max: FIGURE, avg: FIGURE }),
        empties: COUNT,
        patterns: COUNTED('pattern'),
        withheld: about(FLAG, 'policies hide its values: only numbers of rows are shown'),
      },
    ),
  ),
  withheld: about(FLAG, 'policies filter its rows: only names and types of columns are shown'),
});

export const AUDIT: JsonSchema = record({
  audit: TEXT,
  model: about(NULLABLE, 'null for an audit that stands alone'),
  models: about(TEXTS, 'those that it reads'),
  description: NULLABLE,
  owner: NULLABLE,
  arguments: about(orNull(OPEN), 'SQL by name; null for callers who may not read the SQL of the model'),
  blocking: FLAG,
  on_failure: choice('stop', 'quarantine'),
  standalone: FLAG,
  skipped: FLAG,
  status: about(
    { enum: ['passed', 'failed', 'warned', 'quarantined', 'skipped', null] },
    'when it last ran; null: the last 200 runs have no record of it',
  ),
  failed_rows: orNull(COUNT),
  run_id: NULLABLE,
  at: WHEN,
});

const HELD_PARTS: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  model: TEXT,
  run_id: about(TEXT, 'the run that held them back'),
  audits: about(TEXTS, 'those that each of these rows fails'),
  rows: about(orNull(COUNT), 'how many there are'),
  interval: about(orNull(listing(TIME)), 'which they were held back from'),
  since: TIME,
  withheld: about(
    FLAG,
    'policies hide rows of the model, or what one of the audits reads: neither rows nor their number are shown',
  ),
};

export const HELD: JsonSchema = record(HELD_PARTS);
export const WHOLE_HELD: JsonSchema = record({
  ...HELD_PARTS,
  columns: about(listing(record({ name: TEXT, type: TEXT })), 'without those that policies mask'),
  sample: about(listing(CELLS), 'rows, the newest first; cells in the order of `columns`'),
  is_part: about(FLAG, 'there are more'),
});

const CLOCKS: Readonly<Record<string, JsonSchema>> = {
  data_time: about(WHEN, 'where its filled time ends'),
  source_time: about(WHEN, 'how new what it reads is'),
  load_time: about(WHEN, 'when a run last wrote it'),
  publish_time: about(WHEN, 'since when readers see these rows'),
  served_time: about(TIME, 'now'),
};

export const FRESHNESS: JsonSchema = record({
  environment: TEXT,
  as_of: TIME,
  product: about(
    orNull(
      record({
        state: choice(...FRESHNESS_STATES),
        max_age: TEXT,
        model: NULLABLE,
        newest: WHEN,
        age_seconds: SECONDS,
        slowest_hop: about(
          orNull(record({ model: TEXT, added_seconds: COUNT, path: TEXTS })),
          'where on the way most of the age was added',
        ),
        budget: about(
          orNull(record({ since: TIME, broken_seconds: COUNT, allowed_seconds: COUNT, is_spent: FLAG })),
          'how long the promise was broken, and how long it may be, in 30 days',
        ),
      }),
    ),
    'what `slo.freshness` promises and what became of it; null: nothing is promised',
  ),
  items: about(
    listing(
      record({
        model: TEXT,
        status: { enum: ['fine', 'due', 'late', 'stale', 'waiting', 'running', 'broken', null] },
        freshness: about(NULLABLE, 'the age that its rows may have'),
        newest: about(WHEN, 'how new its rows are'),
        age_seconds: SECONDS,
        ...CLOCKS,
      }),
    ),
    'models by name',
  ),
  next_cursor: NULLABLE,
});

export const TEST: JsonSchema = record(
  {
    name: TEXT,
    description: NULLABLE,
    file: TEXT,
    line: orNull(COUNT),
    model: about(NULLABLE, 'null: it tests a semantic query'),
    status: choice('passed', 'failed', 'broken', 'not-run'),
    ms: orNull(COUNT),
    error: orNull(record({ code: TEXT, message: TEXT })),
  },
  {
    differences: about(
      listing(OPEN),
      'rows that are missing, unexpected or different; absent where policies hide anything from the caller',
    ),
  },
);

export const FINDING: JsonSchema = record({
  code: TEXT,
  severity: choice('error', 'warning', 'note'),
  message: TEXT,
  file: NULLABLE,
  line: orNull(COUNT),
  column: orNull(COUNT),
  end_line: orNull(COUNT),
  end_column: orNull(COUNT),
  hint: NULLABLE,
});

export const LINT: JsonSchema = record({
  rules: about(COUNT, 'how many rules looked'),
  rules_known: COUNT,
  items: listing(FINDING),
  next_cursor: NULLABLE,
});

export const CHECK_RUN: JsonSchema = record({
  id: about(TEXT, '`run_id` of its results'),
  environment: TEXT,
  status: choice('running', 'finished', 'failed', 'interrupted'),
  models: about(COUNT, 'how many it looks at'),
  started_at: TIME,
  ended_at: WHEN,
  outcomes: about(
    orNull(record(Object.fromEntries(CHECK_OUTCOMES.map((outcome) => [outcome, COUNT])))),
    'how many checks ended in each way; null while it runs',
  ),
  opened_incidents: about(TEXTS, 'ids'),
  closed_incidents: about(TEXTS, 'ids'),
  error: orNull(record({ code: TEXT, message: TEXT })),
});
