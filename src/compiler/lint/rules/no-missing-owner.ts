import { missingPart } from '../missing-part.ts';

export const noMissingOwner = missingPart('owner', {
  why: 'When a model breaks, its owner has to know.',
  examples: {
    bad: {
      'models/orders.sql': 'MODEL (name «marts.orders», kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL, owner mara);\nSELECT order_id FROM raw.orders\n',
    },
  },
  has: ({ owner }) => owner !== undefined,
});
