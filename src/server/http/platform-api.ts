import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ServerLimits } from '../../domain/server-limits.ts';
import { isoInstant } from '../../foundation/time/iso.ts';
import { mayFind } from '../../operations/access/may-find.ts';
import type { Product } from '../../operations/platform.ts';
import { productState } from '../../operations/serve/product-state.ts';
import { linkTo, originOf } from './answers/addresses.ts';
import { tagged } from './answers/conditional.ts';
import { PAGE_QUERY, page } from './answers/page.ts';
import { Problem } from './answers/problem.ts';
import { productAddresses } from './product-addresses.ts';
import type { Api, JsonSchema, Route, RouteCall } from './route.ts';
import { accessRoutes } from './routes/access-routes.ts';
import { directoryRoutes } from './routes/directory-routes.ts';
import { grantRoutes } from './routes/grant-routes.ts';
import { groupRoutes } from './routes/group-routes.ts';
import { tokenRoutes } from './routes/token-routes.ts';
import { HEALTH, LIMITS, ME, VERSION } from './schemas/platform-schemas.ts';

export interface PlatformApiOptions {
  readonly service: string;
  readonly version: string;
  readonly limits: ServerLimits;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** What verifies the JWTs that the server signs. */
  readonly jwks: { readonly keys: readonly unknown[] };
}

/** The API of the platform's own resources. */
export function platformApi(options: PlatformApiOptions, more: readonly Route[]): Api {
  return {
    title: 'Platform API',
    description: 'Resources of the platform, by tenant.',
    base: '/platform-api/v1',
    takesApikey: true,
    routes: [
      ...[
        ...appRoutes(options),
        ...directoryRoutes,
        ...groupRoutes,
        ...tokenRoutes,
        ...grantRoutes,
        ...accessRoutes,
      ].map(tagged),
      ...deployRoutes,
      keyRoute(options),
      ...aboutRoutes(options),
      ...more,
    ],
  };
}

const APP: JsonSchema = {
  type: 'object',
  required: ['name', 'type', 'tenant', 'state', 'endpoints', 'tags', 'health', 'links'],
  properties: {
    name: { type: 'string' },
    type: { type: 'string', enum: ['data-product', 'app'] },
    tenant: { type: 'string' },
    display_name: { type: ['string', 'null'] },
    description: { type: ['string', 'null'] },
    owner: { type: ['string', 'null'] },
    version: { type: ['string', 'null'] },
    state: {
      type: 'string',
      enum: ['active', 'deploying', 'failed', 'stopped'],
      description: 'of the last deployment to the default environment; stopped when there was none',
    },
    endpoints: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
    tags: { type: 'array', items: { type: 'string' } },
    created_at: { type: 'string' },
    updated_at: { type: 'string' },
    health: HEALTH,
    links: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

function appRoutes(options: PlatformApiOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/tenants/{tenant}/resources/apps',
      operationId: 'listApps',
      summary:
        'The apps of a tenant that the caller may use, and those that every principal of the tenant may find',
      tag: 'apps',
      access: 'tenant-viewer',
      query: {
        ...PAGE_QUERY,
        type: { type: 'string', enum: ['data-product', 'app'] },
        state: { type: 'string', enum: ['active', 'deploying', 'failed', 'stopped'] },
        tag: { type: 'string', maxLength: 200 },
        owner: { type: 'string', maxLength: 200 },
        q: { type: 'string', maxLength: 200, description: 'words in the name, display name or description' },
      },
      answers: {
        200: {
          description: 'apps',
          schema: {
            type: 'object',
            required: ['items', 'next_cursor'],
            properties: { items: { type: 'array', items: APP }, next_cursor: { type: ['string', 'null'] } },
          },
        },
      },
      handle: async (call) => {
        const apps = await Promise.all(
          visibleProducts(call)
            .toSorted((a, b) => (a.name < b.name ? -1 : 1))
            .map((product) => appOf(product, options, call)),
        );
        return page(
          apps.filter((app) => matches(app, call.query)),
          { query: call.query, keyOf: ({ name }) => name },
        );
      },
    },
    {
      method: 'GET',
      path: '/tenants/{tenant}/resources/apps/{name}',
      operationId: 'getApp',
      summary: 'One app',
      tag: 'apps',
      access: 'tenant-viewer',
      answers: { 200: { description: 'the app', schema: APP } },
      handle: async (call) => {
        const found = visibleProducts(call).find(({ name }) => name === call.path['name']);
        if (found === undefined)
          throw new Problem(404, diagnostic('http.not-found', { path: call.request.url.slice(0, 200) }));
        return appOf(found, options, call);
      },
    },
  ];
}

/** Addresses of the design whose work is still to come. */
const deployRoutes: readonly Route[] = (
  [
    ['POST', '/tenants/{tenant}/resources/apps', 'deployApp', 'Deploying a bundle'],
    ['PUT', '/tenants/{tenant}/resources/apps/{name}', 'replaceApp', 'Deploying a bundle'],
    ['DELETE', '/tenants/{tenant}/resources/apps/{name}', 'deleteApp', 'Removing an app'],
  ] as const
).map(([method, path, operationId, notYet]) => ({
  method,
  path,
  operationId,
  summary: notYet,
  tag: 'apps',
  access: 'tenant-admin',
  notYet,
  answers: {},
  handle: () => Promise.reject(new Error('it was refused before')),
}));

function aboutRoutes({ version, limits, startedAt }: PlatformApiOptions): readonly Route[] {
  const about = (
    path: string,
    operationId: string,
    summary: string,
    schema: JsonSchema,
    handle: (call: RouteCall) => unknown,
  ): Route => ({
    method: 'GET',
    path,
    operationId,
    summary,
    tag: 'about',
    access: 'known',
    answers: { 200: { description: summary, schema } },
    handle: async (call) => handle(call),
  });
  return [
    about('/me', 'getMe', 'Who the caller is', ME, ({ identity }) => whoIs(identity)),
    about('/limits', 'getLimits', 'What the server accepts', LIMITS, () => limitsBody(limits)),
    about('/version', 'getVersion', 'The program that answers', VERSION, () => ({
      version,
      apis: { platform: 'v1', data_product: 'v1' },
      node: process.versions.node,
      started_at: isoInstant(startedAt),
    })),
  ];
}

const keyRoute = ({ jwks }: PlatformApiOptions): Route => ({
  method: 'GET',
  path: '/jwks.json',
  operationId: 'getKeys',
  summary: 'The public keys of the JWTs that this server signs',
  tag: 'about',
  access: 'public',
  answers: {
    200: {
      description: 'a JWK set',
      schema: { type: 'object', required: ['keys'], properties: { keys: { type: 'array' } } },
    },
  },
  handle: async () => jwks,
});

/** Named as in `server.limits` of config.yaml. */
const limitsBody = ({ statements, ...limits }: ServerLimits) => ({
  requests_per_second: limits.requestsPerSecond,
  failed_credentials_per_minute: limits.failedCredentialsPerMinute,
  body_bytes: limits.bodyBytes,
  request_seconds: limits.requestMsMax / 1000,
  connections: limits.connectionsMax,
  answer_bytes: limits.answerBytesMax,
  sql_bytes: statements.sqlBytesMax,
  parameters: statements.parametersMax,
  statement_seconds_default: statements.timeoutMs / 1000,
  statement_seconds_max: statements.timeoutMsMax / 1000,
  statements_running: statements.runningMax,
  statements_queued: statements.queuedMax,
  page_rows: statements.pageRowsMax,
  results_bytes: statements.resultsBytesMax,
  results_bytes_each: statements.resultsBytesMaxEach,
  result_hours: statements.keptMs / 3_600_000,
});

function whoIs(identity: Identity): unknown {
  return {
    id: identity.principalId,
    name: identity.name,
    kind: identity.kind,
    tenant: identity.tenant,
    is_platform_admin: identity.isPlatformAdmin,
    tenant_role: identity.tenantRole ?? null,
    product_roles: identity.productRoles,
    groups: identity.groups,
    token_id: identity.tokenId ?? null,
    scopes: identity.scopes ?? null,
  };
}

function visibleProducts({ platform, identity, path }: RouteCall): readonly Product[] {
  return platform.products.filter(
    (product) => product.tenant === path['tenant'] && mayFind(identity, product),
  );
}

interface App {
  readonly name: string;
  readonly [field: string]: unknown;
}

async function appOf(product: Product, { service }: PlatformApiOptions, call: RouteCall): Promise<App> {
  const { world, tenant, name } = product;
  const { config } = world;
  const isUsable = permits(call.identity, 'metadata:read', product);
  const environment = await world.state.snapshots.environment(config.environments.defaultTarget);
  const at = addressesOf(product, service, call);
  const [last] = await world.state.journal.runs({ environment: config.environments.defaultTarget, limit: 1 });
  return {
    name,
    type: 'data-product',
    tenant,
    display_name: config.displayName ?? null,
    description: config.description ?? null,
    owner: config.owner ?? null,
    version: config.version ?? null,
    state: await productState(world),
    endpoints: { rest: at.rest, graphql: at.graphql, sql: `${at.rest}/query/statement`, mcp: null, ui: null },
    tags: config.tags,
    created_at: isoInstant(product.createdAt),
    updated_at: isoInstant(last?.endedAt ?? last?.startedAt ?? product.createdAt),
    health: {
      status: environment === undefined ? 'empty' : last?.status === 'failed' ? 'degraded' : 'healthy',
      last_run: last === undefined || !isUsable ? null : { id: last.id, status: last.status },
    },
    links: {
      self: linkTo(call.platform, `/platform-api/v1/tenants/${tenant}/resources/apps/${name}`),
      api: at.rest,
      openapi: `${at.rest}/openapi.json`,
      reference: `${at.rest}/reference`,
      ...(isUsable
        ? {}
        : { access_requests: linkTo(call.platform, `/platform-api/v1/tenants/${tenant}/access-requests`) }),
    },
  };
}

function addressesOf(
  product: Product,
  service: string,
  { request, platform }: RouteCall,
): { rest: string; graphql: string } {
  const { rest, graphql } = productAddresses(product, service);
  const origin = originOf(platform, request);
  return { rest: `${origin}${rest}`, graphql: `${origin}${graphql}` };
}

function matches(app: App, { type, state, tag, owner, q }: RouteCall['query']): boolean {
  const has = (field: unknown): boolean =>
    typeof field === 'string' && field.toLowerCase().includes(String(q).toLowerCase());
  return (
    (type === undefined || app['type'] === type) &&
    (state === undefined || app['state'] === state) &&
    (tag === undefined || (app['tags'] as readonly string[]).includes(String(tag))) &&
    (owner === undefined || app['owner'] === owner) &&
    (q === undefined || has(app.name) || has(app['display_name']) || has(app['description']))
  );
}
