import type { Api, JsonSchema, Route, RouteCall } from '../route.ts';

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Where an answer leads: what a POST made, or a list has first, is found by its id or name below the same path. */
export function openapiLinksOf<Asked extends RouteCall>(
  { path, answers }: Route<Asked>,
  { routes }: Pick<Api<Asked>, 'routes'>,
): Readonly<Record<string, Readonly<Record<string, Link>>>> {
  const found: Record<string, Record<string, Link>> = {};
  for (const [status, { schema }] of Object.entries(answers)) {
    if (schema === undefined || Number(status) >= 300) continue;
    for (const route of routes) {
      if (route.notYet !== undefined) continue;
      const [, name] = new RegExp(`^${escaped(path)}/\\{(\\w+)\\}(?:/[^{}]*)?$`).exec(route.path) ?? [];
      const place = name === undefined ? undefined : placeOf(schema, name);
      if (name === undefined || place === undefined) continue;
      const given = [...path.matchAll(/\{(\w+)\}/g)].map(([, each]) => [each, `$request.path.${each}`]);
      found[status] = {
        ...found[status],
        [route.operationId]: {
          operationId: route.operationId,
          parameters: { ...Object.fromEntries(given), [name]: place },
        },
      };
    }
  }
  return found;
}

const escaped = (path: string): string => path.replaceAll(/[{}.$]/g, '\\$&');

function placeOf(schema: JsonSchema, name: string): string | undefined {
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties === undefined) return undefined;
  if (Object.hasOwn(properties, name)) return `$response.body#/${name}`;
  const items = properties['items']?.['items'] as JsonSchema | undefined;
  const fields = items?.['properties'] as Readonly<Record<string, unknown>> | undefined;
  return fields !== undefined && Object.hasOwn(fields, name) ? `$response.body#/items/0/${name}` : undefined;
}
