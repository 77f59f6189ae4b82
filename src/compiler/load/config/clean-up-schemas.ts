/** What is removed after a while: `janitor` says when tables go, `retention` when history does. */
import { object, optional, withoutEffect } from '../../../foundation/yaml/collection-schemas.ts';
import { flag, number } from '../../../foundation/yaml/scalar-schemas.ts';
import { durationText } from '../yaml/checked-text.ts';

export const janitorSchema = object(
  {
    snapshot_ttl: optional(durationText(), 'How long unused tables are kept; 1 week.'),
    warn_on_delete_failure: withoutEffect(
      flag(),
      'what cannot be dropped is always named and stays for the next time',
    ),
    expired_snapshots_batch_size: withoutEffect(
      number({ isInteger: true, min: 1 }),
      'all that is unused is dropped in one transaction',
    ),
  },
  { name: 'janitor' },
);

export const retentionSchema = object(
  {
    runs: optional(durationText(), 'How long records of runs are kept; 90 days.'),
    events: optional(durationText(), 'How long the log of events is kept; 30 days.'),
    plans: optional(
      durationText(),
      'How long plans are kept, and promotions that a rollback can go back to; 90 days.',
    ),
    statements: optional(durationText(), 'How long ended statements are kept at most; 7 days.'),
    leases: optional(durationText(), 'How long leases of tables that are gone are kept; 30 days.'),
    audit_log: optional(durationText(), 'How long the audit log is kept; 1 year.'),
    quality: optional(
      durationText(),
      'How long results of checks, closed incidents and profiles are kept; 90 days. The newest of each check and model stay.',
    ),
  },
  { name: 'retention' },
);
