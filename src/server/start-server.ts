/** Puts the doors of the server together, listens, and runs what is due meanwhile. The one file of the server outside a room. */
import { readFileSync } from 'node:fs';
import type { Server as SecureServer } from 'node:tls';
import { Failure, failure } from '../domain/failure.ts';
import { LOCAL_ADMIN } from '../domain/local-admin.ts';
import type { Identity } from '../domain/principal.ts';
import { auditConfiguredAccess, unplannedAccess } from '../operations/access/audit-configured-access.ts';
import { JwtVerifier } from '../operations/access/jwt-verifier.ts';
import { TokenVerifier } from '../operations/access/token-verifier.ts';
import type { Platform, Product } from '../operations/platform.ts';
import { type Attendance, attendProducts } from '../operations/serve/attend-products.ts';
import type { SchedulerEvent } from '../operations/serve/keep-up-to-date.ts';
import { openPlatform } from '../operations/serve/open-platform.ts';
import type { RunningServer, ServerOptions } from '../operations/serve/running-server.ts';
import { answerGraphql, graphqlSdl } from './graphql/answer-graphql.ts';
import { explorerPage } from './graphql/explorer-page.ts';
import type { FailedCredentials } from './http/arrival/credential-guard.ts';
import { type HttpServer, httpServer } from './http/http-server.ts';
import { platformApi } from './http/platform-api.ts';
import { productAddresses } from './http/product-addresses.ts';
import { besideApi, productApi } from './http/product-api.ts';
import { readTls, type TlsPair } from './http/read-tls.ts';
import type { Authenticate, HttpServerOptions } from './http/server-state.ts';

type Log = ServerOptions['log'];

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;

/** Runs and statements that go on get this long when the server ends. */
const DRAIN_MS = 30_000;

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { host, auth, isForced } = options;
  if (auth === 'disabled' && !LOOPBACK.test(host) && !isForced) throw failure('server.unsafe-bind', { host });
  const pair = options.tls === undefined ? undefined : readTls(options.tls);
  const platform = await openPlatform(options);
  try {
    return await serve(platform, options, pair);
  } catch (error) {
    await platform.close();
    throw error;
  }
}

/** What the first folder of a server configures for all. */
interface Settings {
  /** The part of addresses before the products. */
  readonly service: string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

async function serve(
  platform: Platform,
  options: ServerOptions,
  pair: TlsPair | undefined,
): Promise<RunningServer> {
  const { host, port, auth, log } = options;
  await auditAccess(platform, log);
  const settings = settingsOf(platform);
  const jwts =
    auth === 'required'
      ? await JwtVerifier.open(platform, {
          now: Date.now,
          onProblem: (problem) => log({ level: 'warn', event: 'jwks.unreachable', problem }),
        })
      : undefined;
  const http = httpServer({
    platform,
    ...(jwts === undefined ? {} : { authenticate: authenticator(platform, jwts) }),
    localAdmin: LOCAL_ADMIN,
    hosts: settings.hosts,
    origins: settings.origins,
    ...apisOf(platform, { service: settings.service, jwks: jwts?.jwks ?? { keys: [] }, log }),
    ...(pair === undefined ? {} : { tls: pair }),
    ...auditedRefusals(platform, log),
    log,
  });
  const attendance = await attendProducts(platform, {
    hasScheduler: options.hasScheduler,
    onScheduled: ({ slug }, reported) => log(scheduledLine(slug, reported)),
    onSchedulerLost: ({ slug }, error) =>
      log({ level: 'error', product: slug, event: 'scheduler.lost', error: wordsOf(error) }),
    onConsole: ({ slug }, said) => log({ level: 'info', product: slug, event: 'notification', said }),
    onDeliveryProblem: ({ slug }, error) =>
      log({ level: 'error', product: slug, event: 'delivery.lost', error: wordsOf(error) }),
  });
  for (const { slug, error } of platform.lost)
    log({ level: 'error', product: slug, event: 'product.lost', error: wordsOf(error) });
  try {
    await http.server.listen({ host, port });
  } catch (cause) {
    await attendance.end(0);
    throw failure('server.cannot-listen', { host, port, detail: (cause as Error).message }, { cause });
  }
  const url = listeningUrl(http, options);
  return {
    url,
    products: platform.products.map((product) => servedProduct(product, settings.service, url)),
    lost: platform.lost,
    reload: () => {
      if (options.tls === undefined) return;
      const renewed = readTls(options.tls);
      (http.server.server as unknown as SecureServer).setSecureContext(renewed);
    },
    ...endsOf(platform, http, attendance),
  };
}

/** Writes down, and logs, who has access that no plan has shown. */
async function auditAccess(platform: Platform, log: Log): Promise<void> {
  for (const product of [...platform.products])
    await platform.prepare(product, async () => {
      await auditConfiguredAccess(product);
      for (const { who, name, before, after } of await unplannedAccess(product))
        log({
          level: 'warn',
          product: product.slug,
          event: 'access.unplanned',
          who,
          key: name,
          before,
          after,
        });
    });
}

function settingsOf({ products: [first] }: Platform): Settings {
  const { service, hosts, cors } = first?.world.config.server ?? {};
  const { origins = [] } = (cors ?? {}) as { readonly origins?: readonly string[] };
  return {
    service: typeof service === 'string' ? service : 'plinth',
    hosts: Array.isArray(hosts) ? hosts.map(String) : [],
    origins,
  };
}

/** What is answered at which address. */
function apisOf(
  { limits }: Platform,
  { service, jwks, log }: { readonly service: string; readonly jwks: JwtVerifier['jwks']; readonly log: Log },
): Pick<HttpServerOptions, 'limits' | 'version' | 'platformApi' | 'productApi' | 'besideApi'> {
  const version = packageVersion();
  const graphql = {
    answer: answerGraphql,
    sdl: graphqlSdl,
    page: explorerPage,
    onBug: (error: unknown, correlationId: string) =>
      log({
        level: 'error',
        correlation_id: correlationId,
        error: wordsOf(error),
      }),
  };
  return {
    limits,
    version,
    platformApi: platformApi({ service, version, limits, startedAt: Date.now(), jwks }, []),
    productApi: productApi(service, graphql, { limits, version }),
    besideApi: besideApi(service, graphql),
  };
}

/** Refusals go into the audit log. Where that fails the caller is refused all the same; the log of the server says what is missing there. */
function auditedRefusals(
  platform: Platform,
  log: Log,
): Pick<HttpServerOptions, 'onDenied' | 'onFailedCredentials'> {
  return {
    onDenied: ({ identity, what, correlationId }) =>
      rememberDenial(platform, { identity, what, correlationId }).catch((error: unknown) =>
        log({ level: 'error', correlation_id: correlationId, denied: what, error: String(error) }),
      ),
    onFailedCredentials: (failed) =>
      rememberFailures(platform, failed).catch((error: unknown) =>
        log({ level: 'error', event: 'auth.failed', failed, error: String(error) }),
      ),
  };
}

function listeningUrl({ server }: HttpServer, { host, port, tls }: ServerOptions): string {
  const address = server.server.address();
  const taken = typeof address === 'object' ? address?.port : undefined;
  const scheme = tls === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${taken ?? port}`;
}

function servedProduct(product: Product, service: string, url: string): RunningServer['products'][number] {
  const { rest, graphql } = productAddresses(product, service);
  return {
    tenant: product.tenant,
    name: product.name,
    baseUrl: `${url}${rest}`,
    graphqlUrl: `${url}${graphql}`,
  };
}

function endsOf(
  platform: Platform,
  { server, drain }: HttpServer,
  attendance: Attendance,
): Pick<RunningServer, 'drain' | 'close'> {
  const close = once(async () => {
    await server.close();
    await platform.close();
  });
  return {
    // Together: a client that waits for a statement gets its present status, and need not wait for its end.
    drain: async () => {
      await Promise.all([drain(), attendance.end(DRAIN_MS)]);
      await close();
    },
    close: async () => {
      server.server.closeAllConnections();
      await attendance.end(0);
      await close();
    },
  };
}

/** With what went wrong, which is reported nowhere else. */
function scheduledLine(product: string, reported: SchedulerEvent): Readonly<Record<string, unknown>> {
  if (!('error' in reported)) return { level: 'info', product, event: reported.event };
  return { level: 'error', product, event: reported.event, error: wordsOf(reported.error) };
}

/** A failure is logged with its words, a bug also with its place. */
function wordsOf(error: unknown): string {
  if (error instanceof Failure) return `${error.code}: ${error.message}`;
  return String((error as Error | undefined)?.stack ?? error);
}

/** Ending twice is ending once. */
function once(end: () => Promise<void>): () => Promise<void> {
  let ending: Promise<void> | undefined;
  return () => {
    ending ??= end();
    return ending;
  };
}

/** The Data Product API takes tokens and JWTs as Bearer; the Platform API a JWT as Bearer and a token as apikey. */
function authenticator(platform: Platform, jwts: JwtVerifier): Authenticate {
  const tokens = new TokenVerifier(platform, Date.now);
  return async ({ kind, value }, door) => {
    const isJwt = value.split('.').length === 3;
    if (kind === 'bearer' && isJwt) return jwts.identityOf(value);
    if (kind === 'apikey' ? door === 'product' : door === 'platform') return undefined;
    return tokens.identityOf(value);
  };
}

/** Into the log of the first state of the caller's tenant. */
async function rememberDenial(
  { products }: Platform,
  {
    identity,
    what,
    correlationId,
  }: { readonly identity: Identity; readonly what: string; readonly correlationId: string },
): Promise<void> {
  const home = products.find(({ tenant }) => tenant === identity.tenant) ?? products[0];
  await home?.world.state.principals.appendAudit([
    {
      at: Date.now(),
      tenant: identity.tenant,
      actor: identity.principalId,
      action: what,
      target: '',
      outcome: 'denied',
      correlationId,
    },
  ]);
}

/** Into the log of the tenant whose addresses were tried, else of the first folder. */
async function rememberFailures({ products }: Platform, failed: readonly FailedCredentials[]): Promise<void> {
  for (const { address, tenant, count, correlationId } of failed) {
    const home = products.find((product) => product.tenant === tenant) ?? products[0];
    await home?.world.state.principals.appendAudit([
      {
        at: Date.now(),
        tenant: home.tenant,
        actor: '',
        action: 'authenticate',
        target: `${address}, ${count === 1 ? 'once' : `${count} times`}`,
        outcome: 'denied',
        correlationId,
      },
    ]);
  }
}

function packageVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string })
        .version;
    } catch {
      // The compiled program lies one folder deeper.
    }
  }
  return 'unknown';
}
