import { missingPart } from '../missing-part.ts';

export const noMissingDescription = missingPart('description', {
  why: 'People and agents choose models by what is written about them.',
  examples: {
    bad: {
      'models/orders.sql': 'MODEL (name «marts.orders», kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        "MODEL (name marts.orders, kind FULL, description 'One row per order');\nSELECT order_id FROM raw.orders\n",
    },
  },
  has: ({ description }) => description !== undefined && description.trim() !== '',
});
