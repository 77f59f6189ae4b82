/** Which errors an address may answer with, and what they look like: the door's own by rule, the others by its table. */
import { catalog, diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { problemBody } from '../answers/problem.ts';
import type { Api, JsonSchema, Route, RouteCall } from '../route.ts';
import type { OpenapiResponse } from './openapi-response.ts';

interface DocumentedProblem {
  readonly description: string;
  readonly codes: readonly (keyof typeof catalog)[];
  readonly headers?: readonly string[];
}

/** By status; the codes are the usual ones, `docs/errors.md` has all. */
const PROBLEMS: Readonly<Record<number, DocumentedProblem>> = {
  400: {
    description: 'the request cannot be read, or has more than one credential',
    codes: ['http.bad-request', 'http.too-deep', 'http.bad-cursor', 'auth.ambiguous-credentials'],
  },
  401: {
    description: 'the credential is missing, unknown, expired or revoked',
    codes: ['auth.missing', 'auth.invalid'],
    headers: ['WWW-Authenticate'],
  },
  403: {
    description: 'permission denied, whether it exists or not',
    codes: ['access.forbidden', 'policy.no-access'],
  },
  404: { description: 'not found', codes: ['http.not-found'] },
  405: { description: 'the address has other methods', codes: ['http.wrong-method'], headers: ['Allow'] },
  406: { description: 'Accept names none of the types of the answer', codes: ['http.not-acceptable'] },
  408: { description: 'the request came too slowly; the connection is closed', codes: ['http.bad-request'] },
  409: {
    description: 'it conflicts with the present state',
    codes: ['environment.busy', 'access.exists', 'http.key-unfinished'],
  },
  410: { description: 'it existed, and has expired', codes: ['statement.expired'] },
  412: { description: 'it has changed since the caller saw it', codes: ['access.changed'] },
  413: { description: 'the body is too large', codes: ['http.too-large'] },
  414: { description: 'a part of the address is too long', codes: ['http.bad-request'] },
  415: { description: 'the body is not JSON, or is compressed', codes: ['http.wrong-content'] },
  421: {
    description: 'the server has no authentication and got a request under another host name than its own',
    codes: ['http.foreign-host'],
  },
  422: {
    description: 'the request can be read but is not valid: `errors` lists all problems',
    codes: ['http.invalid', 'http.key-reused'],
  },
  428: { description: 'the caller must name the version it has seen, with If-Match', codes: [] },
  429: {
    description:
      'too many requests, statements or unread answers of this caller, or too many unknown credentials from this address',
    codes: [
      'http.too-many',
      'http.too-many-answers',
      'statement.too-many',
      'statement.suspended',
      'auth.too-many',
    ],
    headers: ['Retry-After'],
  },
  431: { description: 'the headers are too large', codes: ['http.bad-request'] },
  502: { description: 'the warehouse failed', codes: ['engine.lost'] },
  503: {
    description: 'the server is shutting down, or its state or warehouse is in use',
    codes: ['http.draining'],
    headers: ['Retry-After'],
  },
};

const EVERYWHERE = [400, 406, 408, 421, 422, 431, 503];

/** Statuses of errors that this address may have. */
export function problemStatuses<Asked extends RouteCall>(
  { method, path, access, answers, isConditional }: Route<Asked>,
  { base }: Pick<Api<Asked>, 'base'>,
): readonly number[] {
  const ofProduct = base.includes('{slug}');
  const statuses = new Set([
    ...EVERYWHERE,
    ...(access === 'public' ? [] : [401, 429]),
    ...(access === 'public' || (access === 'known' && !ofProduct) ? [] : [403]),
    ...(ofProduct || path.includes('{') ? [404, 414] : []),
    ...(method === 'GET' ? [] : [409, 413, 415]),
    ...(ofProduct && !path.startsWith('/metadata') ? [502] : []),
    ...(isConditional === true ? [412] : []),
    ...Object.keys(answers).map(Number),
  ]);
  return [...statuses].filter((status) => status >= 400).sort((a, b) => a - b);
}

/** `components.responses` of a document. */
export const problemResponses = (): Readonly<Record<string, OpenapiResponse>> =>
  Object.fromEntries(
    Object.entries(PROBLEMS).map(([status, { description, codes, headers = [] }]) => [
      `Problem${status}`,
      {
        description,
        ...(headers.length === 0
          ? {}
          : {
              headers: Object.fromEntries(
                headers.map((name) => [name, { schema: { type: 'string' }, required: status !== '503' }]),
              ),
            }),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            ...(codes.length === 0
              ? {}
              : {
                  examples: Object.fromEntries(codes.map((code) => [code, exampleOf(Number(status), code)])),
                }),
          },
        },
      },
    ]),
  );

/** Placeholders of the words are those of the catalog. */
function exampleOf(
  status: number,
  code: keyof typeof catalog,
): { readonly value: { readonly hint?: string } } {
  const entry = catalog[code] as { readonly message: string; readonly explain: string };
  const names = [...entry.message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const what = diagnostic(code, Object.fromEntries(names.map((name) => [name, `{${name}}`])) as never);
  return {
    ...{ summary: entry.explain },
    value: problemBody(status, what, { errors: [], correlationId: '7d1f3f0e-0c1b-4d3e-9a55-0f6f5a3c2b1a' }),
  };
}

export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'An error. `code` is stable and explained by `plinth explain`.',
  required: ['type', 'title', 'status', 'detail', 'code', 'errors', 'correlation_id'],
  properties: {
    type: { type: 'string', description: 'a URN with the code' },
    title: { type: 'string', description: 'what the status means' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'what is wrong, in a sentence' },
    code: { type: 'string', pattern: '^[a-z]+(-[a-z]+)*\\.[a-z0-9]+(-[a-z0-9]+)*$' },
    hint: { type: 'string', description: 'how to fix it' },
    errors: {
      type: 'array',
      description: 'all problems, one by one',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string', description: 'where: body/name, querystring/limit, a file' },
          message: { type: 'string' },
          code: { type: 'string' },
          hint: { type: 'string' },
          position: {
            type: 'object',
            description: 'offsets in the text that was sent',
            required: ['start', 'end'],
            properties: { start: { type: 'integer' }, end: { type: 'integer' } },
          },
        },
      },
    },
    correlation_id: { type: 'string', description: 'the same as in the header and the log' },
  },
};
