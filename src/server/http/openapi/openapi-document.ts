import { conditionParameters } from '../answers/conditional.ts';
import type { Api, JsonSchema, Route, RouteAnswer, RouteCall } from '../route.ts';
import { pathSchema } from '../schemas/name-schemas.ts';
import { PROBLEM_SCHEMA, problemResponses, problemStatuses } from './documented-problems.ts';
import { openapiLinksOf } from './openapi-links.ts';
import type { OpenapiResponse } from './openapi-response.ts';

export interface OpenapiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenapiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly OpenapiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly security: readonly unknown[];
  readonly responses: Readonly<Record<string, OpenapiResponse | { readonly $ref: string }>>;
}

/** As much of OpenAPI 3.1 as the APIs use. */
export interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, OpenapiResponse>>;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** OpenAPI 3.1 of an API, from the same schemas that validate its requests; every status that an address may have is in it. */
export function openapiDocument<Asked extends RouteCall>(
  api: Api<Asked>,
  { version, server }: { readonly version: string; readonly server: string },
): OpenapiDocument {
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const route of api.routes) {
    if (route.notYet !== undefined) continue;
    const path = paths[route.path] ?? {};
    paths[route.path] = { ...path, [route.method.toLowerCase()]: operationOf(route, api) };
  }
  const used = new Set(api.routes.map(({ tag }) => tag));
  return {
    openapi: '3.1.0',
    info: { title: api.title, description: api.description, version },
    servers: [{ url: server }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? '' })),
    paths,
    components: {
      schemas: { Problem: PROBLEM_SCHEMA },
      responses: problemResponses(),
      headers: {
        CorrelationId: {
          description: "the caller's Platform-Correlation-Id or X-Request-Id, or a new one",
          required: true,
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: api.takesApikey === true ? 'a JWT' : 'a token (`plt_…`) or a JWT',
        },
        ...(api.takesApikey === true
          ? { apikey: { type: 'apiKey', in: 'header', name: 'apikey', description: 'a token (`plt_…`)' } }
          : {}),
      },
    },
  };
}

const TAGS: Readonly<Record<string, string>> = {
  apps: 'Data products and apps of a tenant.',
  tenants: 'Tenants of the platform.',
  principals: 'Users, service accounts and groups.',
  tokens: 'API tokens: made, listed and revoked; their text is shown once.',
  grants: 'Who has which role on a product.',
  access: 'Asking for a role on a product, and deciding.',
  audit: 'Decisions about access, and the principals they concern.',
  about: 'The server itself, and the caller.',
  metadata: 'What the product is, what it is made of, and what hangs on what.',
  query: 'Questions in, statements and results out.',
  activity: 'Plans, runs and everything that happened.',
};

/** Who may, in words. */
const ACCESS: Readonly<Record<string, string>> = {
  public: 'Every client, without a credential.',
  known: 'Every caller with a credential.',
  'tenant-viewer': 'Every principal of the tenant.',
  'tenant-admin': 'Administrators of the tenant.',
  'platform-admin': 'Administrators of the platform.',
};

const accessOf = ({ access, scope }: Pick<Route, 'access' | 'scope'>): string =>
  `${ACCESS[access] ?? `Callers who have \`${access}\` on the product.`}${scope === undefined ? '' : ` A token with scopes needs \`${scope}\`.`}`;

const IDEMPOTENCY_KEY: OpenapiParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'for 24 hours the same request with the same key gets the same answer',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

function operationOf<Asked extends RouteCall>(route: Route<Asked>, api: Api<Asked>): OpenapiOperation {
  const parameters = [
    ...pathParameters(route.path),
    ...queryParameters(route),
    ...(route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...conditionParameters(route),
  ];
  const links = openapiLinksOf(route, api);
  const credentials = api.takesApikey === true ? [{ bearer: [] }, { apikey: [] }] : [{ bearer: [] }];
  const statuses = new Set([...Object.keys(route.answers).map(Number), ...problemStatuses(route, api)]);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: accessOf(route),
    tags: [route.tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.hasOptionalBody !== true,
            content: { 'application/json': { schema: route.body } },
          },
        }),
    security: route.access === 'public' ? [] : credentials,
    responses: Object.fromEntries(
      [...statuses].map((status) => [status, responseOf(status, route.answers[status], links[status])]),
    ),
  };
}

function responseOf(
  status: number,
  answer: RouteAnswer | undefined,
  links: unknown,
): OpenapiOperation['responses'][string] {
  if (answer === undefined) return { $ref: `#/components/responses/Problem${status}` };
  if (status >= 400) return problemAnswer(answer);
  return {
    ...answerOf(answer, status),
    headers: {
      'Platform-Correlation-Id': { $ref: '#/components/headers/CorrelationId' },
      ...(status === 201 || status === 202
        ? { Location: { description: 'where it is', schema: { type: 'string' } } }
        : {}),
    },
    ...(links === undefined ? {} : { links }),
  };
}

/** The door itself may refuse with a status that the address has a meaning of its own for. */
function problemAnswer({ description, schema, types = [] }: RouteAnswer): OpenapiResponse {
  const own = types.filter((type) => type !== 'application/problem+json');
  return {
    description,
    content: {
      ...Object.fromEntries(own.map((type) => [type, schema === undefined ? {} : { schema }])),
      'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  };
}

function answerOf(
  { description, schema, types = ['application/json'] }: RouteAnswer,
  status: number,
): OpenapiResponse {
  if (status === 204 || status === 304) return { description };
  return {
    description,
    content: Object.fromEntries(
      types.map((type) => [
        type,
        type === 'application/problem+json'
          ? { schema: { $ref: '#/components/schemas/Problem' } }
          : type.includes('json') && !type.includes('ndjson') && schema !== undefined
            ? { schema }
            : {},
      ]),
    ),
  };
}

function pathParameters(path: string): readonly OpenapiParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchema(path, name),
  }));
}

function queryParameters<Asked extends RouteCall>({ query = {} }: Route<Asked>): readonly OpenapiParameter[] {
  return Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(typeof description === 'string' ? { description } : {}),
    schema,
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
  }));
}
