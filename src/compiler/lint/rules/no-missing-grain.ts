import { isStored, missingPart } from '../missing-part.ts';

export const noMissingGrain = missingPart('grain', {
  why: 'The grain says which columns identify a row.',
  examples: {
    bad: {
      'models/orders.sql': 'MODEL (name «marts.orders», kind FULL);\nSELECT order_id FROM raw.orders\n',
    },
    good: {
      'models/orders.sql':
        'MODEL (name marts.orders, kind FULL, grain order_id);\nSELECT order_id FROM raw.orders\n',
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
  has: ({ grains }) => grains.length > 0,
  applies: isStored,
});
