/** Addresses outside of the tables of the APIs: health, metrics, and what describes the APIs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { StatementFigures } from '../../domain/statement-figures.ts';
import type { CacheFigures } from '../../foundation/bounded-cache.ts';
import type { Platform } from '../../operations/platform.ts';
import { readinessOf } from '../../operations/serve/readiness.ts';
import { originOf } from './answers/addresses.ts';
import { Problem } from './answers/problem.ts';
import type { Metrics } from './metrics.ts';
import { type OpenapiDocument, openapiDocument } from './openapi/openapi-document.ts';
import { REFERENCE_POLICY, referencePage } from './reference/reference-page.ts';
import type { Api, ProductCall } from './route.ts';

export interface OpenAddresses {
  readonly platformApi: Api;
  readonly productApi: Api<ProductCall>;
  readonly version: string;
  readonly metrics: Metrics;
  readonly platform: Pick<Platform, 'products' | 'lost' | 'publicUrl'>;
  /** Of every product that was asked something. */
  readonly statementFigures: () => readonly StatementFigures[];
  /** Of every product, by the name of the cache. */
  readonly cacheFigures: () => readonly Readonly<Record<string, CacheFigures>>[];
  /** Who may read the document of a product; the page beside it is the same for all products, and open. */
  readonly documentGate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

export function addOpenAddresses(server: FastifyInstance, open: OpenAddresses): void {
  const { platformApi, productApi, version, metrics } = open;
  server.get('/livez', async () => ({ status: 'ok' }));
  const readinessNow = readinessOf(open.platform);
  server.get('/readyz', async () => {
    const { usable, isReady, lacking } = await readinessNow();
    if (!isReady) {
      const what = [...new Set(lacking.map((each) => each.what))].join(' and ');
      throw new Problem(503, diagnostic('http.not-ready', { what }), {
        errors: lacking.map((each) => ({ path: each.what, message: 'cannot be used', code: each.code })),
      });
    }
    const lost = open.platform.products.length + open.platform.lost.length - usable;
    return { status: 'ok', products: usable, ...(lost === 0 ? {} : { lost }) };
  });
  server.get('/metrics', async (_, reply) =>
    reply
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(metrics.text(open.statementFigures(), open.cacheFigures())),
  );
  // What the tables say does not change while the server runs.
  const platform = openapiDocument(platformApi, { version, server: platformApi.base });
  const product = openapiDocument(productApi, { version, server: productApi.base });
  server.get('/platform-api/openapi.json', async () => platform);
  addReference(server, '/platform-api/reference', {
    document: platform,
    placeOf: (request) => ({
      base: `${originOf(open.platform, request)}${platformApi.base}`,
      documentPath: '/platform-api/openapi.json',
    }),
  });
  const base = productApi.base.replaceAll(/\{(\w+)\}/g, ':$1');
  const baseOf = ({ params }: FastifyRequest): string => {
    const { tenant, slug } = params as { readonly tenant: string; readonly slug: string };
    return productApi.base
      .replace('{tenant}', encodeURIComponent(tenant))
      .replace('{slug}', encodeURIComponent(slug));
  };
  server.get(`${base}/openapi.json`, { onRequest: open.documentGate }, async (request) => ({
    ...product,
    servers: [{ url: baseOf(request) }],
  }));
  addReference(server, `${base}/reference`, {
    document: product,
    placeOf: (request) => ({
      base: `${originOf(open.platform, request)}${baseOf(request)}`,
      documentPath: `${baseOf(request)}/openapi.json`,
    }),
  });
}

function addReference(
  server: FastifyInstance,
  path: string,
  {
    document,
    placeOf,
  }: {
    readonly document: OpenapiDocument;
    readonly placeOf: (request: FastifyRequest) => { readonly base: string; readonly documentPath: string };
  },
): void {
  let page: ReturnType<typeof referencePage> | undefined;
  server.get(path, async (request, reply) => {
    page ??= referencePage(document);
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', REFERENCE_POLICY)
      .header('referrer-policy', 'no-referrer')
      .send(page(placeOf(request)));
  });
}
