/** What the query group answers with, field by field. */
import { STATEMENT_STATUSES } from '../../../domain/statement.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, FLAG, listing, orNull, record, TEXT, TEXTS, TIME } from './record.ts';
import { EXAMPLE_TRUST, TRUST } from './trust-schema.ts';

const NULLABLE = orNull(TEXT);

const COLUMN: JsonSchema = record({
  name: TEXT,
  type: about(TEXT, 'one word for the family: integer, decimal, text, date, timestamp …'),
  engine_type: about(TEXT, 'as the warehouse spells it'),
  nullable: about(FLAG, 'true: no query proves that a column of its result has no empty cells'),
  precision: orNull(COUNT),
  scale: orNull(COUNT),
  semantic: about(
    orNull(
      record({
        model: NULLABLE,
        member: TEXT,
        kind: choice('dimension', 'time', 'measure', 'compare'),
        format: NULLABLE,
        title: NULLABLE,
        granularity: NULLABLE,
      }),
    ),
    'the member that it shows; null in plain SQL',
  ),
});

const EXAMPLE_COLUMNS = [
  {
    name: 'status',
    type: 'text',
    engine_type: 'VARCHAR',
    nullable: true,
    precision: null,
    scale: null,
    semantic: null,
  },
  {
    name: 'revenue',
    type: 'decimal',
    engine_type: 'DECIMAL(18,2)',
    nullable: true,
    precision: 18,
    scale: 2,
    semantic: null,
  },
];

const EXAMPLE_RESULT = {
  cols: EXAMPLE_COLUMNS,
  row_count: 2,
  truncated: false,
  next: null,
  rows: [
    ['paid', '1204.50'],
    ['open', '310.00'],
  ],
};

export const RESULT_SCHEMA: JsonSchema = {
  ...record(
    {
      cols: listing(COLUMN),
      rows: about(
        listing({ type: 'array', items: {} }),
        'cells in the order of `cols`; decimals and integers beyond 2^53 are strings, times ISO 8601',
      ),
      row_count: about(COUNT, 'of the whole result'),
      truncated: FLAG,
      next: about(NULLABLE, 'the address of the next page'),
    },
    { trust: about(TRUST, 'where the statement is not beside it') },
  ),
  examples: [EXAMPLE_RESULT],
};

const AT = '/plinth/tenants/default/data-products/default-shop/api/v1/query/statement/01m7kjhm5hb39r0x';

export const STATEMENT_SCHEMA: JsonSchema = {
  ...record(
    {
      id: TEXT,
      status: { type: 'string', enum: STATEMENT_STATUSES },
      version: about(COUNT, 'grows with every change; the ETag of the statement'),
      strategy: choice('execute', 'from_cache', 'await_primary'),
      query_type: choice('sql', 'semantic-sql', 'semantic-query', 'metric'),
      sql: about(TEXT, 'as it was submitted; for questions without SQL, the SQL they became'),
      fingerprint: TEXT,
      environment: TEXT,
      submitted_at: TIME,
      started_at: orNull(TIME),
      finished_at: orNull(TIME),
      expires_at: about(orNull(TIME), 'when the result is deleted'),
      progress: about(
        { type: ['number', 'null'], minimum: 0, maximum: 1 },
        'the share that is done: 0 before it begins, 1 when it succeeded, null where nothing tells how far it is',
      ),
      stats: record({
        queued_ms: orNull({ type: 'number' }),
        exec_ms: orNull({ type: 'number' }),
        rows: orNull(COUNT),
        bytes: orNull(COUNT),
        total: about(orNull(COUNT), 'rows without the limit, when they were asked for'),
        rollup: about(NULLABLE, 'the rollup that answered'),
      }),
      columns: orNull(listing(COLUMN)),
      row_count: orNull(COUNT),
      truncated: FLAG,
      depends_on: about(TEXTS, 'models that it reads'),
      trust: TRUST,
      tags: TEXTS,
      notes: TEXTS,
      error: orNull(record({ code: TEXT, message: TEXT, hint: NULLABLE })),
      _links: record({ self: TEXT, result: TEXT, cancel: TEXT }),
    },
    { result: RESULT_SCHEMA, principal_id: about(TEXT, 'who asked') },
  ),
  examples: [
    {
      id: '01m7kjhm5hb39r0x',
      status: 'SUCCESS',
      version: 3,
      strategy: 'execute',
      query_type: 'semantic-sql',
      sql: 'SELECT …',
      fingerprint: '5b1f8a0c9d7e4f21',
      environment: 'prod',
      submitted_at: '2025-06-15T12:00:00.000Z',
      started_at: '2025-06-15T12:00:00.001Z',
      finished_at: '2025-06-15T12:00:00.006Z',
      expires_at: '2025-06-16T12:00:00.006Z',
      progress: 1,
      stats: { queued_ms: 1, exec_ms: 5, rows: 2, bytes: 34, total: null, rollup: null },
      columns: EXAMPLE_COLUMNS,
      row_count: 2,
      truncated: false,
      depends_on: ['marts.orders'],
      trust: EXAMPLE_TRUST,
      tags: [],
      notes: [],
      error: null,
      _links: { self: AT, result: `${AT}/result`, cancel: `${AT}/cancel` },
      result: EXAMPLE_RESULT,
    },
  ],
};

export const TRANSPILED: JsonSchema = record({
  query_type: TEXT,
  sql: TEXT,
  columns: listing(record({ name: TEXT, type: TEXT })),
  depends_on: TEXTS,
  notes: TEXTS,
});
