import type { ExampleFiles } from './lint-rule.ts';

/** The model that examples of rules are about when its own text does not matter. */
export const EXAMPLE_MODEL: ExampleFiles = {
  'models/a.sql':
    'MODEL (name marts.a, kind FULL, grain order_id);\nSELECT order_id, amount, status, order_date FROM raw.orders\n',
};
