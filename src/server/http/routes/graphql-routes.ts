/** The addresses of the GraphQL door; what answers them is handed in, since rooms do not know one another. */
import { Readable } from 'node:stream';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Identity } from '../../../domain/principal.ts';
import { checkOwnStatement } from '../../../operations/ask/statement-result.ts';
import type { Product } from '../../../operations/platform.ts';
import { Problem } from '../answers/problem.ts';
import type { JsonSchema, ProductCall, Route } from '../route.ts';
import { ENVIRONMENT } from '../schemas/name-schemas.ts';
import { askerAfterWait } from './statement-routes.ts';

/** What the GraphQL room offers. */
export interface GraphqlDoor {
  readonly answer: (
    product: Product,
    identity: Identity,
    asked: {
      readonly request: {
        readonly query: string;
        readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
        readonly operationName?: string | null | undefined;
        readonly environment?: string | undefined;
      };
      readonly signal: AbortSignal;
      readonly onBug: (error: unknown) => void;
    },
  ) => Promise<{
    readonly isExecuted: boolean;
    readonly body: unknown;
    /** In its place, where it is long. */
    readonly chunks?: AsyncIterable<Buffer>;
  }>;
  /** The schema for one caller, in the schema definition language. */
  readonly sdl: (product: Product, identity: Identity, environment: string | undefined) => Promise<string>;
  /** The HTML page, and what it may load; the same for every caller and every product. */
  readonly page: { readonly html: string; readonly policy: string };
  readonly onBug: (error: unknown, correlationId: string) => void;
}

const QUERY: JsonSchema = { type: 'string', minLength: 1, maxLength: 200_000 };
const NAME: JsonSchema = { type: ['string', 'null'], maxLength: 500 };

const BODY: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['query'],
  properties: {
    query: QUERY,
    variables: { type: ['object', 'null'] },
    operationName: NAME,
    extensions: { type: ['object', 'null'], description: 'sent by the client; ignored' },
    environment: ENVIRONMENT,
  },
  examples: [{ query: '{ orders(limit: 5) { status revenue } }' }],
};

const ANSWER: JsonSchema = {
  type: 'object',
  properties: {
    data: {},
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          message: { type: 'string' },
          locations: { type: 'array', items: { type: 'object', additionalProperties: { type: 'integer' } } },
          path: { type: 'array', items: { type: ['string', 'integer'] } },
          extensions: { type: 'object', additionalProperties: true },
        },
      },
    },
    extensions: { type: 'object', additionalProperties: true },
  },
};

const RESPONSE_TYPE = 'application/graphql-response+json';

const ANSWERS: Route['answers'] = {
  200: { description: 'data, errors, or both', schema: ANSWER, types: ['application/json', RESPONSE_TYPE] },
  400: {
    description: `nothing was executed; only for clients that accept ${RESPONSE_TYPE}`,
    schema: ANSWER,
    types: [RESPONSE_TYPE],
  },
};

type Fields = Readonly<Record<string, unknown>>;

async function answer(door: GraphqlDoor, call: ProductCall, fields: Fields): Promise<unknown> {
  const { product, identity, signal, request, reply, correlationId } = call;
  const { isExecuted, body, chunks } = await door.answer(product, identity, {
    request: {
      query: fields['query'] as string,
      variables: fields['variables'] as Readonly<Record<string, unknown>> | null | undefined,
      operationName: fields['operationName'] as string | null | undefined,
      environment: fields['environment'] as string | undefined,
    },
    signal,
    onBug: (error) => door.onBug(error, correlationId),
  });
  const asker = await askerAfterWait(call);
  if (asker !== identity) for (const id of statementsIn(body)) await checkOwnStatement(product, asker, id);
  const isSpecific = (request.headers.accept ?? '').includes(RESPONSE_TYPE);
  return reply
    .code(isSpecific && !isExecuted ? 400 : 200)
    .type(isSpecific ? `${RESPONSE_TYPE}; charset=utf-8` : 'application/json; charset=utf-8')
    .send(chunks === undefined ? JSON.stringify(body) : Readable.from(chunks));
}

/** Ids of the statements that an answer has the rows of. */
function statementsIn(body: unknown): readonly string[] {
  const { extensions } = body as {
    readonly extensions?: { readonly statements?: readonly { readonly id: string }[] };
  };
  return extensions?.statements?.map(({ id }) => id) ?? [];
}

/** `POST /query/semantic/graphql` of the Data Product API. */
export function graphqlApiRoutes(door: GraphqlDoor): readonly Route<ProductCall>[] {
  return [posting(door, '/query/semantic/graphql', 'queryGraphql')];
}

/** `…/graphql` beside the API: the usual address of GraphQL clients, and a page for browsers. */
export function graphqlRoutes(door: GraphqlDoor): readonly Route<ProductCall>[] {
  return [
    posting(door, '', 'graphql'),
    {
      method: 'GET',
      path: '',
      operationId: 'graphqlPage',
      summary: 'Ask by GraphQL in the address, or get the page to explore it',
      tag: 'query',
      access: 'query:read',
      isOpenTo: isForPeople,
      query: {
        query: QUERY,
        variables: { type: 'string', maxLength: 200_000, description: 'JSON' },
        operationName: { type: 'string', maxLength: 500 },
        environment: ENVIRONMENT,
      },
      answers: {
        200: {
          description: 'the answer, or the page',
          schema: ANSWER,
          types: ['application/json', RESPONSE_TYPE, 'text/html'],
        },
      },
      handle: async (call) => {
        const { request, reply, query } = call;
        if (isForPeople(request))
          return reply
            .header('content-security-policy', door.page.policy)
            .header('referrer-policy', 'no-referrer')
            .header('x-content-type-options', 'nosniff')
            .type('text/html; charset=utf-8')
            .send(door.page.html);
        if (query['query'] === undefined)
          throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
            errors: [{ path: 'querystring/query', message: 'is missing' }],
          });
        return answer(door, call, { ...query, ...textVariables(query['variables'] as string | undefined) });
      },
    },
  ];
}

const posting = (door: GraphqlDoor, path: string, operationId: string): Route<ProductCall> => ({
  method: 'POST',
  path,
  operationId,
  summary: 'Ask by GraphQL',
  tag: 'query',
  access: 'query:read',
  body: BODY,
  answers: ANSWERS,
  handle: (call) => answer(door, call, call.body as Fields),
});

/** A browser that shows a page, and asks nothing. */
const isForPeople = ({
  headers,
  url,
}: {
  readonly headers: { readonly accept?: string | undefined };
  readonly url: string;
}): boolean => (headers.accept ?? '').includes('text/html') && !/[?&]query=/.test(url);

function textVariables(text: string | undefined): { readonly variables?: unknown } {
  if (text === undefined) return {};
  try {
    const variables: unknown = JSON.parse(text);
    if (typeof variables === 'object' && !Array.isArray(variables)) return { variables };
  } catch {
    // Reported below, like any other JSON that is not an object.
  }
  throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'querystring/variables', message: 'is not a JSON object' }],
  });
}
