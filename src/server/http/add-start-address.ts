/** `/` for browsers: a browser gets a page, any other client the 404 of an address that does not exist. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/failure.ts';
import { permits } from '../../domain/permissions.ts';
import type { Identity } from '../../domain/principal.ts';
import { appliedIfAny } from '../../operations/catalog/applied-product.ts';
import { productPage } from '../../operations/catalog/product-page.ts';
import { visibleProduct } from '../../operations/catalog/visible-product.ts';
import type { Product } from '../../operations/platform.ts';
import { readinessOf } from '../../operations/serve/readiness.ts';
import { linkTo } from './answers/addresses.ts';
import { preferredType } from './arrival/accept.ts';
import { readCredential } from './arrival/credential.ts';
import { knownRequest, rateName } from './known-request.ts';
import { START_POLICY, type StartProduct, startPage } from './reference/start-page.ts';
import type { ServerState } from './server-state.ts';

export function addStartAddress(server: FastifyInstance, state: ServerState): void {
  const { platform, version } = state.options;
  const readinessNow = readinessOf(platform);
  server.get('/', async (request, reply) => {
    if (!isBrowser(request)) return reply.callNotFound();
    const identity = await readerOf(request, state);
    if (identity !== undefined) {
      knownRequest(request).identity = identity;
      reply.headers(state.rate.take(rateName(identity)));
    }
    const [{ isReady, lacking }, products] = await Promise.all([
      readinessNow(),
      identity === undefined ? undefined : productsFor(identity, state),
    ]);
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', START_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('vary', 'accept, authorization, apikey')
      .send(
        startPage({
          version,
          isReady,
          lacking: [...new Set(lacking.map(({ what }) => what))],
          products,
          links: {
            'Platform API reference': linkTo(platform, '/platform-api/reference'),
            'Platform OpenAPI': linkTo(platform, '/platform-api/openapi.json'),
            health: linkTo(platform, '/readyz'),
          },
        }),
      );
  });
}

/** A client that prefers HTML to JSON; one that takes anything is a program. */
const isBrowser = ({ headers }: FastifyRequest): boolean =>
  preferredType(headers.accept ?? '', ['application/json', 'text/html']) === 'text/html';

/** Undefined without a credential where one is needed. A wrong one is refused as everywhere. */
async function readerOf(request: FastifyRequest, state: ServerState): Promise<Identity | undefined> {
  const { kind } = readCredential(request.raw.rawHeaders);
  if (kind === 'none' && state.options.authenticate !== undefined) return undefined;
  return state.identityOf(request, kind === 'apikey' ? 'platform' : 'product');
}

async function productsFor(identity: Identity, state: ServerState): Promise<readonly StartProduct[]> {
  const seen = state.options.platform.products.filter((product) =>
    permits(identity, 'metadata:read', product),
  );
  return Promise.all(seen.map((product) => shownProduct(product, identity, state)));
}

async function shownProduct(
  product: Product,
  identity: Identity,
  { options }: ServerState,
): Promise<StartProduct> {
  const { config } = product.world;
  const { tenant, slug } = product;
  const existing = await stateFor(product, identity);
  const link = (base: string, path: string): string =>
    linkTo(
      options.platform,
      `${base.replace('{tenant}', encodeURIComponent(tenant)).replace('{slug}', encodeURIComponent(slug))}${path}`,
    );
  return {
    slug,
    title: config.displayName ?? config.name,
    version: config.version,
    description: config.description,
    ...(existing === undefined ? {} : { state: existing }),
    links: {
      'API reference': link(options.productApi.base, '/reference'),
      OpenAPI: link(options.productApi.base, '/openapi.json'),
      ...(options.besideApi === undefined ? {} : { GraphQL: link(options.besideApi.base, '') }),
    },
  };
}

/** The same models as the list of the metadata group; undefined when the caller may not ask, or state or warehouse do not answer. */
async function stateFor(product: Product, identity: Identity): Promise<StartProduct['state']> {
  try {
    const applied = await appliedIfAny(product, identity, undefined);
    const { environment, health } = await productPage(product, undefined);
    if (applied === undefined) return { environment, health, models: [] };
    const { models } = await visibleProduct(product, applied, identity);
    return {
      environment,
      health,
      models: models.map(({ name, kind, columns, description }) => ({
        name,
        kind: kind.kind,
        columns: columns.length,
        description,
      })),
    };
  } catch (error) {
    // What is wrong is shown as health of the server, and by the address that answers with data.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
