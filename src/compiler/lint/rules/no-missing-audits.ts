import { isStored, missingPart } from '../missing-part.ts';

export const noMissingAudits = missingPart('audits', {
  why: 'Without audits a model publishes whatever its query returns.',
  examples: {
    bad: {
      'models/orders.sql': 'MODEL (name «marts.orders», kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL, audits (not_null(columns := (order_id))));\nSELECT order_id FROM raw.orders\n',
    },
    unless: [
      {
        because: 'an embedded model has no rows of its own',
        files: {
          'models/orders.sql': 'MODEL (name marts.orders, kind EMBEDDED);\nSELECT order_id FROM raw.orders\n',
        },
      },
    ],
  },
  has: ({ audits }) => audits.length > 0,
  applies: isStored,
});
