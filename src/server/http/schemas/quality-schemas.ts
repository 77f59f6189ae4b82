/** What the dq group answers with, field by field. */
import { CHECK_OUTCOMES } from '../../../domain/check-result.ts';
import { DQ_DIMENSIONS } from '../../../domain/dq-pack.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, OPEN, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
const NUMBER = orNull({ type: 'number' });
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
