import type { JsonSchema } from '../route.ts';

/** What every list answers with. */
export const listSchemaOf = (items: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['items', 'next_cursor'],
  properties: { items: { type: 'array', items }, next_cursor: { type: ['string', 'null'] } },
});
