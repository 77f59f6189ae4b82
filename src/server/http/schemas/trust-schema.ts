/** The trust block: what is known of the data behind an answer, field by field. */
import { FRESHNESS_STATES } from '../../../domain/product-health.ts';
import type { JsonSchema } from '../route.ts';
import { about, COUNT, choice, listing, orNull, record, TEXT, TIME } from './record.ts';

const NULLABLE = orNull(TEXT);
const SEVERITY = choice('error', 'warning');

export const TRUST: JsonSchema = {
  ...record({
    promotion_id: TEXT,
    promoted_at: orNull(TIME),
    as_of: about(orNull(TIME), 'when the rest of this was known: when the question was asked'),
    data_version: about(
      NULLABLE,
      'the same as long as no table behind the answer changes; null before there are rows, and where tables change without Plinth',
    ),
    newest: about(orNull(TIME), 'how new the rows are: of the models that it reads the least new'),
    age_seconds: about(orNull({ type: 'integer' }), 'from `newest` to `as_of`'),
    max_age: about(NULLABLE, 'what `slo.freshness` promises for this data'),
    freshness: about(
      { enum: [...FRESHNESS_STATES, null] },
      '`late`: older than promised, `stale`: older than twice of that; null: nothing is promised',
    ),
    failing_checks: about(
      orNull(
        listing(
          record({
            check: TEXT,
            model: TEXT,
            dimension: TEXT,
            severity: SEVERITY,
            outcome: choice('fail', 'error', 'warn', 'not_evaluated'),
            result_id: TEXT,
            at: TIME,
          }),
        ),
      ),
      'checks whose newest result is not a pass, on columns that the answer used or that these are made of; the worst first, at most 20. null without the scope `activity:read`',
    ),
    failing_checks_total: orNull(COUNT),
    open_incidents: about(
      orNull(listing(record({ id: TEXT, check: TEXT, model: TEXT, severity: SEVERITY, opened_at: TIME }))),
      'on the same columns; the newest first, at most 20',
    ),
    open_incidents_total: orNull(COUNT),
  }),
  description: 'what the answer rests on',
};

export const EXAMPLE_TRUST = {
  promotion_id: '01m7kjaa0000000',
  promoted_at: '2025-06-15T06:00:00.000Z',
  as_of: '2025-06-15T12:00:00.000Z',
  data_version: '12:8834512',
  newest: '2025-06-15T00:00:00.000Z',
  age_seconds: 43200,
  max_age: '26h',
  freshness: 'fresh',
  failing_checks: [
    {
      check: 'orders_dq/customer_known',
      model: 'marts.orders',
      dimension: 'completeness',
      severity: 'warning',
      outcome: 'warn',
      result_id: 'c_01m7kjab000000.00001',
      at: '2025-06-15T06:00:02.000Z',
    },
  ],
  failing_checks_total: 1,
  open_incidents: [],
  open_incidents_total: 0,
};
