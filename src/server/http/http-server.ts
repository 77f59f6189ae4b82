/*
 * The HTTP door. A request goes through
 *
 *   correlation id ─▶ credential ─▶ identity ─▶ tenant or product ─▶ permission ─▶ rate ─▶ schema ─▶ handler ─▶ JSON or problem+json
 *
 * in this order: who may not ask learns nothing of what is wrong with the question.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { isInScope, permits, permitsTenant } from '../../domain/permissions.ts';
import { permittedEnvironment } from '../../operations/access/callers.ts';
import { statementFigures } from '../../operations/ask/statement-figures.ts';
import { notServed, type Product } from '../../operations/platform.ts';
import { cacheFigures } from '../../operations/serve/cache-figures.ts';
import { addStartAddress } from './add-start-address.ts';
import { linkLocations } from './answers/addresses.ts';
import { Problem, problemOf, sendProblem } from './answers/problem.ts';
import {
  answerBadAddress,
  answerBrokenRequest,
  refuseAmbiguous,
  refuseSpecial,
  refuseZero,
  rememberEarlyAnswer,
} from './arrival/broken-request.ts';
import { genReqId } from './arrival/correlation.ts';
import { corsOf } from './arrival/cors.ts';
import { leaveSignal } from './arrival/leave-signal.ts';
import { ownHostsOnly } from './arrival/own-hosts-only.ts';
import { readJsonBodies } from './arrival/read-json-bodies.ts';
import { requestProblem } from './arrival/request-problem.ts';
import { knownRequest, pathOf, rateName } from './known-request.ts';
import { addOpenAddresses } from './open-addresses.ts';
import type { Api, ProductCall, Route, RouteCall } from './route.ts';
import { refuseNotYet, routeHooks } from './route-hooks.ts';
import { type HttpServerOptions, ServerState } from './server-state.ts';

/** The server before it listens. */
export interface HttpServer {
  readonly server: FastifyInstance;
  /** From now on requests are refused; resolves when those before are answered. */
  drain(): Promise<void>;
}

/** Builds the server; `listen` starts it. */
export function httpServer(options: HttpServerOptions): HttpServer {
  const server = newServer(options);
  const state = new ServerState(options);
  server.decorateRequest('known', null);
  addArrival(server, state);
  linkLocations(server, options.platform);
  addDeparture(server, state);
  addOpenAddresses(server, {
    ...options,
    metrics: state.metrics,
    platform: options.platform,
    statementFigures: () => options.platform.products.flatMap((product) => statementFigures(product) ?? []),
    cacheFigures: () => options.platform.products.map(({ caches }) => cacheFigures(caches)),
    documentGate: productGate({ access: 'metadata:read', operationId: 'openapi' }, state),
  });
  addStartAddress(server, state);
  mount(server, options.platformApi, state, (route) => platformGate(route, state));
  for (const api of [options.productApi, options.besideApi])
    if (api !== undefined) mount(server, api, state, (route) => productGate(route, state));
  return {
    server,
    async drain() {
      state.isDraining = true;
      state.draining.abort();
      while (state.metrics.inFlight > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

/** With its limits; requests that HTTP itself refuses are answered like all others. */
function newServer({ limits, tls }: HttpServerOptions): FastifyInstance {
  // A slow sender gets its 408 soon after the time is over, and not half a minute later.
  const arrival = {
    headersTimeout: limits.requestMsMax,
    connectionsCheckingInterval: Math.min(1000, limits.requestMsMax),
    requireHostHeader: false,
  };
  const server = Fastify({
    ...(tls === undefined ? { http: arrival } : { https: { ...arrival, cert: tls.cert, key: tls.key } }),
    genReqId,
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMsMax,
    keepAliveTimeout: 10_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 256, ignoreTrailingSlash: false, caseSensitive: true },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        allErrors: true,
        useDefaults: false,
        allowUnionTypes: true,
      },
    },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: answerBadAddress,
  } as object) as FastifyInstance;
  server.server.maxConnections = limits.connectionsMax;
  refuseSpecial(server.server);
  readJsonBodies(server);
  return server;
}

/** What every request is asked before its address is looked up. */
function addArrival(server: FastifyInstance, state: ServerState): void {
  const { authenticate, hosts, origins } = state.options;
  const refuseForeign = authenticate === undefined ? ownHostsOnly(hosts, origins) : undefined;
  const cors = corsOf(origins);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('platform-correlation-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    state.metrics.inFlight++;
    // Also when the caller goes before the end, of which the framework says nothing.
    reply.raw.once('close', () => state.metrics.inFlight--);
    knownRequest(request).startedAt = performance.now();
    refuseAmbiguous(request);
    refuseForeign?.(request);
    if (cors(request, reply)) return;
    refuseZero(request);
    if (!KNOWN_METHODS.includes(request.method))
      throw new Problem(
        405,
        diagnostic('http.wrong-method', { method: request.method, path: pathOf(request) }),
        { headers: { allow: KNOWN_METHODS.join(', ') } },
      );
    if (state.isDraining && request.url !== '/livez') {
      reply.header('connection', 'close');
      throw new Problem(503, diagnostic('http.draining', {}), { headers: { 'retry-after': '5' } });
    }
    done();
  });
}

/** What happens to every answer, problems included. */
function addDeparture(server: FastifyInstance, state: ServerState): void {
  const { limits, log } = state.options;
  server.addHook('onSend', (request, reply, payload, done) => {
    state.answers.admit(request, reply, payload);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    rememberEarlyAnswer(request);
    state.observe(request, reply);
    done();
  });
  server.addHook('onClose', () => state.guard.tell());
  server.setErrorHandler((error, request, reply) => {
    const problem = requestProblem(error, limits, request.headers['content-type']) ?? problemOf(error);
    if (problem.status === 403) state.rememberDenial(request);
    if (problem.status >= 500)
      log({
        level: 'error',
        correlation_id: request.id,
        error: String((error as Error).stack ?? error),
      });
    return sendProblem(reply, problem, request.id);
  });
  server.setNotFoundHandler((request, reply) =>
    sendProblem(reply, new Problem(404, diagnostic('http.not-found', { path: pathOf(request) })), request.id),
  );
}

type Gate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function platformGate(route: Route, state: ServerState): Gate {
  const { access, scope } = route;
  return async (request, reply) => {
    if (access === 'public') return;
    const identity = await state.identityOf(request, 'platform');
    knownRequest(request).identity = identity;
    reply.headers(state.rate.take(rateName(identity)));
    const { tenant } = request.params as { readonly tenant?: string };
    const hasScope = scope === undefined || isInScope(identity, scope);
    const isAllowed =
      access === 'known' ||
      (access === 'platform-admin'
        ? identity.isPlatformAdmin && isInScope(identity, 'admin')
        : tenant !== undefined &&
          permitsTenant(identity, tenant, access === 'tenant-admin' ? 'admin' : 'viewer'));
    if (!isAllowed || !hasScope)
      throw state.deny(request, `${route.operationId} of ${tenant ?? 'the platform'}`);
  };
}

/** A product that does not exist is as forbidden as one the caller may not know. */
function productGate(
  { access, operationId, isOpenTo }: Pick<Route<ProductCall>, 'access' | 'operationId' | 'isOpenTo'>,
  state: ServerState,
): Gate {
  return async (request, reply) => {
    if (isOpenTo?.(request) === true) return;
    const identity = await state.identityOf(request, 'product');
    knownRequest(request).identity = identity;
    reply.headers(state.rate.take(rateName(identity)));
    const { tenant, slug } = request.params as { readonly tenant: string; readonly slug: string };
    const product = state.options.platform.product(tenant, slug);
    const scope = access === 'known' || access === 'public' ? 'metadata:read' : access;
    if (scope === 'tenant-viewer' || scope === 'tenant-admin' || scope === 'platform-admin')
      throw new Error(`${operationId} is not an address of a tenant`);
    const isAllowed = permits(identity, scope, { tenant, slug });
    const lost = state.options.platform.lost.find((each) => each.tenant === tenant && each.slug === slug);
    if (lost !== undefined && (isAllowed || identity.isPlatformAdmin)) throw notServed(lost);
    if (product === undefined && identity.isPlatformAdmin)
      throw new Problem(404, diagnostic('http.not-found', { path: pathOf(request) }));
    if (!isAllowed || product === undefined) throw state.deny(request, `${operationId} of ${tenant}/${slug}`);
    knownRequest(request).product = product;
  };
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const KNOWN_METHODS: readonly string[] = [...METHODS, 'OPTIONS'];

function mount<Asked extends RouteCall>(
  server: FastifyInstance,
  api: Api<Asked>,
  state: ServerState,
  gateOf: (route: Route<Asked>) => Gate,
): void {
  const methods = new Map<string, Set<string>>();
  const addressOf = ({ path }: Route<Asked>): string => `${api.base}${path}`.replaceAll(/\{(\w+)\}/g, ':$1');
  const allowOf = (url: string): string => {
    const own = api.routes.filter((route) => addressOf(route) === url && route.notYet === undefined);
    const names = new Set<string>(own.map(({ method }) => method));
    return [...names, ...(names.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
  };
  for (const route of api.routes) {
    const url = addressOf(route);
    methods.set(url, (methods.get(url) ?? new Set()).add(route.method));
    server.route({
      method: route.method,
      url,
      onRequest:
        route.notYet === undefined
          ? gateOf(route)
          : [gateOf(route), refuseNotYet(route.notYet, allowOf(url))],
      ...routeHooks(route, {
        idempotency: state.idempotency,
        askerOf: (request) => state.askerOf(request),
        refuseEnvironment: (request, environment) => {
          const { product, identity } = knownRequest(request);
          if (product !== undefined) permittedEnvironment(product, identity, environment);
        },
        callOf: (request, reply) => callOf(request, reply, state) as unknown as Asked,
      }),
      handler: async (request, reply) => route.handle(callOf(request, reply, state) as unknown as Asked),
    });
  }
  for (const [url, own] of methods) {
    if (own.has('GET')) own.add('HEAD');
    const allow = allowOf(url);
    server.route({
      method: METHODS.filter((method) => !own.has(method)),
      url,
      // Before the body, of which nothing is wanted.
      onRequest: async (request) => {
        throw new Problem(
          405,
          diagnostic('http.wrong-method', { method: request.method, path: pathOf(request) }),
          { headers: { allow } },
        );
      },
      handler: () => undefined,
    });
    server.route({
      method: 'OPTIONS',
      url,
      handler: (_, reply) => reply.code(204).header('allow', allow).send(),
    });
  }
}

function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  state: ServerState,
): RouteCall & { product?: Product } {
  const { options, draining } = state;
  const { identity, product } = knownRequest(request);
  let signal: AbortSignal | undefined;
  return {
    platform: options.platform,
    identity,
    ...(product === undefined ? {} : { product }),
    path: request.params as Record<string, string>,
    query: request.query as Record<string, unknown>,
    body: request.body,
    correlationId: request.id,
    get signal() {
      signal ??= leaveSignal(request.raw.socket, reply);
      return signal;
    },
    draining: draining.signal,
    // Who cannot be identified at this moment, for whatever reason, is shown nothing more.
    again: () =>
      state.identityOf(request, product === undefined ? 'platform' : 'product').catch(() => undefined),
    request,
    reply,
  };
}
