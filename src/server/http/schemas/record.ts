import type { JsonSchema } from '../route.ts';

type Fields = Readonly<Record<string, JsonSchema>>;

/** An object that has all of the first fields, and may have the others. */
export const record = (required: Fields, optional: Fields = {}): JsonSchema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...optional },
});

export const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [...[schema['type']].flat(), 'null'],
});

export const listing = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const choice = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const about = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description });

export const TEXT: JsonSchema = { type: 'string' };
export const COUNT: JsonSchema = { type: 'integer', minimum: 0 };
export const FLAG: JsonSchema = { type: 'boolean' };
export const TIME: JsonSchema = { type: 'string', format: 'date-time' };
export const TEXTS: JsonSchema = listing(TEXT);
/** An object whose fields others decide. */
export const OPEN: JsonSchema = { type: 'object', additionalProperties: true };
