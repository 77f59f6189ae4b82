import type { JsonSchema } from '../route.ts';

/** Text behind the `?` as the numbers and booleans its schema asks for; what does not look like one stays text, and is refused by the schema. */
export function coerceQuery(
  query: Readonly<Record<string, unknown>>,
  schemas: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, unknown>> {
  const coerced: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    const type = Object.hasOwn(schemas, name) ? schemas[name]?.['type'] : undefined;
    coerced[name] =
      type === 'array' && typeof value === 'string'
        ? value.split(',')
        : typeof value === 'string'
          ? asTyped(value, type)
          : value;
  }
  return coerced;
}

function asTyped(value: string, type: unknown): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value))
    return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
