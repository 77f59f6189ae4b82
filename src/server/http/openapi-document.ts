import type { Api, Call, JsonSchema, Route, RouteAnswer } from './route.ts';

/** OpenAPI 3.1 of an API, from the same schemas that validate its requests. */
export function openapiDocument<Asked extends Call>(
  api: Api<Asked>,
  { version, server }: { readonly version: string; readonly server: string },
): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  const credentials = api.takesApikey === true ? [{ bearer: [] }, { apikey: [] }] : [{ bearer: [] }];
  for (const route of api.routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operationOf(route, credentials) };
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
        ...(api.takesApikey === true ? { apikey: { type: 'apiKey', in: 'header', name: 'apikey' } } : {}),
      },
    },
  };
}

function operationOf<Asked extends Call>(route: Route<Asked>, credentials: readonly unknown[]): unknown {
  const parameters = [...pathParameters(route.path), ...queryParameters(route)];
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    ...(route.access === 'public' ? { security: [] } : { security: credentials }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [
          status,
          answerOf(Number(status) < 400 ? answer : withProblem(answer)),
        ]),
      ),
      default: {
        description: 'what went wrong',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

/** The door itself may refuse with the same status. */
const withProblem = (answer: RouteAnswer): RouteAnswer => ({
  ...answer,
  types: [...new Set([...(answer.types ?? ['application/json']), 'application/problem+json'])],
});

function answerOf({ description, schema, types = ['application/json'] }: RouteAnswer): unknown {
  if (schema === undefined && types.length === 1 && types[0] === 'application/json') return { description };
  return {
    description,
    content: Object.fromEntries(
      types.map((type) => [
        type,
        type === 'application/problem+json'
          ? { schema: { $ref: '#/components/schemas/Problem' } }
          : type.includes('json') && schema !== undefined
            ? { schema }
            : {},
      ]),
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
