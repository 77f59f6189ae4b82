/** What the activity group answers with, field by field. */
import type { JsonSchema } from '../route.ts';
import { IMPACT_PARTS } from './impact.ts';
import { CHANGE } from './metadata-schemas.ts';
import { about, COUNT, choice, FLAG, listing, OPEN, orNull, record, TEXT, TEXTS, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
/** Half-open; a time at midnight is a date. */
const INTERVALS = about(listing(TEXTS), 'pairs of times, half-open');
const PLAN_STATUS = choice('planned', 'applying', 'applied', 'failed', 'interrupted');
const RUN_STATUS = choice('running', 'succeeded', 'failed', 'interrupted', 'cancelled');
const ERROR = record({ code: TEXT, message: TEXT }, { hint: NULLABLE, file: NULLABLE });

export const PLAN_SUMMARY: JsonSchema = record({
  id: TEXT,
  environment: TEXT,
  created_at: TIME,
  who: TEXT,
  status: PLAN_STATUS,
  changes: about(COUNT, 'how many'),
  stages: about(COUNT, 'how many'),
});

const SEEN = {
  anyOf: [
    record({ rows: about(TEXT, '`all`, `none`, or the conditions'), masked: TEXTS }),
    about(TEXTS, 'values of a key of config.yaml'),
  ],
};
const WIDER = record(
  {
    who: about(TEXT, 'a group, a principal, or `*` for all callers'),
    kind: choice('semantic', 'access'),
    name: about(TEXT, 'the semantic model, or the key of config.yaml'),
    reason: TEXT,
    before: SEEN,
    after: SEEN,
  },
  { models: about(TEXTS, 'models that SQL may read from then on') },
);

const PLAN_PARTS: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  status: PLAN_STATUS,
  plan_id: TEXT,
  environment: TEXT,
  created_at: TIME,
  execution_time: TIME,
  changes: listing(CHANGE),
  wider_access: about(
    listing(WIDER),
    'who sees more than before, and of what; with an entry it is applied with `allow_wider_access` only',
  ),
  missing: listing(record({ model: TEXT, intervals: INTERVALS })),
  restatements: listing(record({ model: TEXT, version: TEXT, intervals: INTERVALS })),
  stages: listing(
    record(
      {
        id: TEXT,
        kind: choice('statements', 'create-schemas', 'migrate', 'backfill', 'audit', 'promote', 'clean-up'),
        needs: about(TEXTS, 'stages that come before'),
      },
      {
        when: TEXT,
        statements: COUNT,
        schemas: TEXTS,
        model: TEXT,
        version: TEXT,
        models: listing(record({ model: TEXT, version: TEXT, intervals: INTERVALS })),
        audited_views: TEXTS,
        reason: TEXT,
        environment: TEXT,
        views: TEXTS,
        removed: { type: 'array', items: {} },
        tables: listing(record({ model: TEXT, version: TEXT, object: {} })),
        environments: TEXTS,
      },
    ),
  ),
};
const STATEMENTS_CHANGED = {
  statements_changed: listing(choice('before_all', 'after_all')),
  access_changed: about(
    FLAG,
    'whether `access` in config.yaml has changed since the environment was applied',
  ),
};

export const PLAN: JsonSchema = record({ ...PLAN_PARTS, who: TEXT }, STATEMENTS_CHANGED);

export const PREVIEW: JsonSchema = record(
  {
    ...PLAN_PARTS,
    explained: about({}, 'what each stage would do, in words'),
    ...IMPACT_PARTS,
    perspectives: about(
      listing(
        record({
          id: TEXT,
          slug: TEXT,
          name: TEXT,
          owner: TEXT,
          because: TEXT,
          rewrite: about(orNull(OPEN), 'a query with the new names, and the renames'),
        }),
      ),
      'perspectives that it breaks, of those that the caller may see',
    ),
    who: TEXT,
    estimates: about(listing(OPEN), 'how long models take, by what they took before'),
    warnings: listing(record({ code: TEXT, message: TEXT, hint: NULLABLE })),
  },
  STATEMENTS_CHANGED,
);

const MODEL_RESULT: JsonSchema = record(
  {
    name: TEXT,
    status: choice('built', 'failed', 'skipped', 'up-to-date'),
    intervals: INTERVALS,
    rows: orNull(COUNT),
    ms: { type: 'number', minimum: 0 },
    error: orNull(ERROR),
    audits: listing(
      record(
        { name: TEXT, status: TEXT, failed_rows: orNull(COUNT) },
        { sample: TEXT, sample_rows: listing(OPEN) },
      ),
    ),
  },
  {
    balance: record({ input: COUNT, published: COUNT, quarantined: COUNT }),
    rows_outside: COUNT,
    because: TEXT,
  },
);

const RUN_PARTS: Readonly<Record<string, JsonSchema>> = {
  id: TEXT,
  run_id: TEXT,
  environment: TEXT,
  kind: TEXT,
  status: RUN_STATUS,
  plan_id: NULLABLE,
  who: TEXT,
  started_at: TIME,
  ended_at: orNull(TIME),
  execution_time: TIME,
  models: listing(MODEL_RESULT),
};

/** A run in a list, or as it was when it began: `models` may be empty. */
export const RUN: JsonSchema = record(RUN_PARTS);

export const WHOLE_RUN: JsonSchema = record({
  ...RUN_PARTS,
  selection: about({}, 'what it was limited to'),
  error: orNull(ERROR),
});

export const MODEL_ACTIVITY: JsonSchema = record({
  name: TEXT,
  environment: TEXT,
  status: choice('built', 'failed', 'skipped', 'up-to-date'),
  run_id: TEXT,
  started_at: TIME,
  ended_at: orNull(TIME),
  rows: orNull(COUNT),
  ms: { type: 'number', minimum: 0 },
  error: orNull(ERROR),
  built_at: orNull(TIME),
  built_rows: orNull(COUNT),
  failures: COUNT,
});
