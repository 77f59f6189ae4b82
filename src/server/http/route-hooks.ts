/** What every address does before and after its own work, from what its table says. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AnswerStore, KeptAnswer } from '../../domain/answer-store.ts';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { answerOnce } from './answers/conditional.ts';
import type { Idempotency } from './answers/idempotency.ts';
import { listOfPage, unboundCursor } from './answers/page.ts';
import { Problem } from './answers/problem.ts';
import { refuseUnacceptable } from './arrival/accept.ts';
import { coerceQuery } from './arrival/coerce-query.ts';
import type { Route, RouteCall } from './route.ts';

/** Whose request it is, and where its first answer is kept; undefined: nowhere. */
type AskerOf = (
  request: FastifyRequest,
) => { readonly principal: string; readonly store: AnswerStore } | undefined;

/** What is decided before the handler is asked. */
interface Gates<Asked extends RouteCall> {
  readonly idempotency: Idempotency;
  readonly askerOf: AskerOf;
  /** Throws when the caller may not ask the environment that the request names; of addresses below a product only. */
  readonly refuseEnvironment: (request: FastifyRequest, environment: string) => void;
  readonly callOf: (request: FastifyRequest, reply: FastifyReply) => Asked;
}

/** Schemas and hooks of one address, besides its gate. */
export function routeHooks<Asked extends RouteCall>(route: Route<Asked>, gates: Gates<Asked>) {
  const { query = {}, body, hasOptionalBody, method, hasTag = false } = route;
  const types = typesOf(route);
  const isPaged = Object.hasOwn(query, 'cursor');
  return {
    preValidation: async (request: FastifyRequest): Promise<void> => {
      for (const environment of environmentsIn(request)) gates.refuseEnvironment(request, environment);
      refuseUnacceptable(request.headers.accept, types);
      if (body === undefined) refuseBody(request.body);
      if (hasOptionalBody === true) request.body ??= hasNoBody(request) ? {} : request.body;
      request.query = coerceQuery(request.query as Record<string, unknown>, query);
      if (isPaged) unbind(route, request);
    },
    ...(isPaged
      ? {
          preSerialization: async (request: FastifyRequest, _: FastifyReply, payload: unknown) =>
            bound(route, request, payload),
        }
      : {}),
    schema: {
      querystring: { type: 'object', additionalProperties: false, properties: query },
      ...(body === undefined ? {} : { body }),
    },
    ...(method === 'POST' ? repeatable(route, gates) : {}),
    ...(hasTag
      ? {
          onSend: async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> =>
            answerOnce(request, reply, payload),
        }
      : {}),
  };
}

/** The environments that a request names, wherever it does: every address that takes one takes it under this name. */
function environmentsIn({ query, body }: FastifyRequest): readonly string[] {
  return [query, body].flatMap((part) => {
    const named = (part as Readonly<Record<string, unknown>> | null | undefined)?.['environment'];
    return (Array.isArray(named) ? named : [named]).filter((each) => typeof each === 'string');
  });
}

type Named = Pick<Route, 'operationId'>;

const listOfRequest = ({ operationId }: Named, { params, query }: FastifyRequest): string =>
  listOfPage(operationId, params, query as Record<string, unknown>);

/** A cursor of another list, of another tenant or of other filters would silently leave things out. */
function unbind(route: Named, request: FastifyRequest): void {
  const query = request.query as Record<string, unknown>;
  const { cursor } = query;
  if (typeof cursor === 'string')
    request.query = { ...query, cursor: unboundCursor(cursor, listOfRequest(route, request)) };
}

function bound(route: Named, request: FastifyRequest, payload: unknown): unknown {
  const { next_cursor: cursor } = (payload ?? {}) as { readonly next_cursor?: unknown };
  return typeof cursor === 'string'
    ? { ...(payload as object), next_cursor: `${listOfRequest(route, request)}${cursor}` }
    : payload;
}

/** Before anything of the body is read. */
export const refuseNotYet = (what: string, allow: string) => async (): Promise<void> => {
  throw new Problem(405, diagnostic('http.not-yet', { what }), { headers: { allow } });
};

/** Everything that an address may answer with when nothing is wrong. */
const typesOf = ({ answers }: Pick<Route, 'answers'>): readonly string[] => [
  ...new Set(
    Object.entries(answers).flatMap(([status, { types = ['application/json'] }]) =>
      Number(status) < 300 ? types : [],
    ),
  ),
];

/** Unlike the body `null`. */
const hasNoBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** Fields that are not in the schema are unknown ones. */
function refuseBody(body: unknown): void {
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
  if (body === undefined || body === null || isEmpty) return;
  throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'body', message: 'is not read here' }],
  });
}

/** What may be repeated under an Idempotency-Key. */
const repeatable = <Asked extends RouteCall>(
  route: Route<Asked>,
  { idempotency, askerOf, callOf }: Gates<Asked>,
) => ({
  preHandler: async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const asker = askerOf(request);
    const mayRepeat = async (answer: KeptAnswer): Promise<boolean> =>
      route.mayRepeat === undefined || route.mayRepeat(callOf(request, reply), answer);
    return asker && idempotency.replay(request, reply, { ...asker, route, mayRepeat });
  },
  onSend: async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    await idempotency.keep(request, reply, payload);
    return payload;
  },
});
