import type { Api, Call, JsonSchema, Route, RouteAnswer } from './route.ts';

/** OpenAPI 3.1 of an API, from the same schemas that validate its requests. */
export function openapiDocument<Asked extends Call>(
  api: Api<Asked>,
  { version, server }: { readonly version: string; readonly server: string },
): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of api.routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: api.title, description: api.description, version },
    servers: [{ url: server }],
    paths,
    components: {
      schemas: { Problem: PROBLEM },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apikey: { type: 'apiKey', in: 'header', name: 'apikey' },
      },
    },
  };
}

function operationOf<Asked extends Call>(route: Route<Asked>): unknown {
  const parameters = [...pathParameters(route.path), ...queryParameters(route)];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    ...(route.access === 'public' ? { security: [] } : { security: [{ bearer: [] }, { apikey: [] }] }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [status, answerOf(answer)]),
      ),
      default: {
        description: 'what went wrong',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function answerOf({ description, schema, types = ['application/json'] }: RouteAnswer): unknown {
  if (schema === undefined && types.length === 1 && types[0] === 'application/json') return { description };
  return {
    description,
    content: Object.fromEntries(
      types.map((type) => [type, type.includes('json') && schema !== undefined ? { schema } : {}]),
    ),
  };
}

function pathParameters(path: string): readonly unknown[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 256 },
  }));
}

function queryParameters<Asked extends Call>({ query = {} }: Route<Asked>): readonly unknown[] {
  return Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    schema,
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
  }));
}

const PROBLEM: JsonSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'errors', 'correlation_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    hint: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          code: { type: 'string' },
          hint: { type: 'string' },
        },
      },
    },
    correlation_id: { type: 'string' },
  },
};
