/** What one server knows while it runs, and what it was started with. */
import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import type { Identity } from '../../domain/principal.ts';
import type { ServerLimits } from '../../domain/server-limits.ts';
import type { Platform } from '../../operations/platform.ts';
import { AnswerRoom } from './answers/answer-room.ts';
import { Idempotency } from './answers/idempotency.ts';
import { Problem } from './answers/problem.ts';
import { type Credential, readCredential } from './arrival/credential.ts';
import { CredentialGuard, type FailedCredentials, sourceOf } from './arrival/credential-guard.ts';
import { RateLimit } from './arrival/rate-limit.ts';
import { knownRequest, pathOf } from './known-request.ts';
import { Metrics } from './metrics.ts';
import type { Api, ProductCall } from './route.ts';

/** Says who shows a credential: undefined when it is unknown. */
export type Authenticate = (
  credential: Exclude<Credential, { readonly kind: 'none' }>,
  door: 'platform' | 'product',
) => Promise<Identity | undefined>;

export interface HttpServerOptions {
  readonly platform: Platform;
  /** Absent: every caller is this one. */
  readonly authenticate?: Authenticate;
  readonly localAdmin: Identity;
  /** Names under which it is asked beside loopback ones; only used where every caller is the local administrator. */
  readonly hosts: readonly string[];
  /** Sites whose pages may ask. */
  readonly origins: readonly string[];
  readonly limits: ServerLimits;
  readonly platformApi: Api;
  readonly productApi: Api<ProductCall>;
  /** Addresses of products outside of their API: other doors. */
  readonly besideApi?: Api<ProductCall>;
  readonly version: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Called with every denial; must not fail. */
  readonly onDenied: (denial: {
    readonly identity: Identity;
    readonly what: string;
    readonly correlationId: string;
  }) => void;
  /** Called once a minute with the unknown credentials, and when the server closes; must not fail. */
  readonly onFailedCredentials: (failed: readonly FailedCredentials[]) => Promise<void>;
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** An answer of which nothing is taken may stand still for so many times as long as a request may take to arrive. */
const STALLS = 10;

export class ServerState {
  readonly options: HttpServerOptions;
  readonly metrics = new Metrics();
  isDraining = false;
  readonly draining = new AbortController();
  readonly rate: RateLimit;
  readonly guard: CredentialGuard;
  readonly idempotency: Idempotency;
  readonly answers: AnswerRoom;

  constructor(options: HttpServerOptions) {
    this.options = options;
    this.idempotency = new Idempotency(Date.now, randomUUID(), (error) =>
      options.log({ level: 'error', event: 'answer.not-kept', error: String(error) }),
    );
    const { answerBytesMax, requestMsMax } = options.limits;
    this.answers = new AnswerRoom(answerBytesMax, STALLS * requestMsMax);
    this.rate = new RateLimit(options.limits.requestsPerSecond, () => performance.now());
    this.guard = new CredentialGuard({
      perMinute: options.limits.failedCredentialsPerMinute,
      now: () => performance.now(),
      onFailed: options.onFailedCredentials,
    });
    this.metrics.credentials = this.guard.counts;
  }

  observe(request: FastifyRequest, reply: FastifyReply): void {
    const { startedAt, identity } = knownRequest(request);
    const seconds = (performance.now() - startedAt) / 1000;
    const route = request.routeOptions.url ?? 'none';
    this.metrics.observe({ method: request.method, route, status: reply.statusCode, seconds });
    this.options.log({
      level: 'info',
      correlation_id: request.id,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(seconds * 10_000) / 10,
      ...(identity === undefined ? {} : { principal: identity.principalId, tenant: identity.tenant }),
    });
  }

  async identityOf(request: FastifyRequest, door: 'platform' | 'product'): Promise<Identity> {
    const credential = readCredential(request.raw.rawHeaders);
    const { authenticate, localAdmin } = this.options;
    if (authenticate === undefined) return localAdmin;
    const identity =
      credential.kind === 'none'
        ? undefined
        : await this.guard.pass(`${door} ${credential.kind} ${credential.value}`, sourceOf(request), () =>
            authenticate(credential, door),
          );
    if (identity !== undefined) return identity;
    const code = credential.kind === 'none' ? 'auth.missing' : 'auth.invalid';
    throw new Problem(401, diagnostic(code, {}), {
      headers: { 'www-authenticate': 'Bearer realm="plinth"' },
    });
  }

  /** First answers of the platform are kept by the tenant that they are about, where it has a folder. */
  askerOf(request: FastifyRequest) {
    const { identity, product } = knownRequest(request);
    const { tenant } = request.params as { readonly tenant?: string };
    const { products } = this.options.platform;
    const home = product ?? products.find((each) => each.tenant === tenant) ?? products[0];
    return home && { principal: identity.principalId, store: home.world.state.answers };
  }

  deny(request: FastifyRequest, what: string): Problem {
    knownRequest(request).denied = what;
    return new Problem(403, diagnostic('access.forbidden', {}));
  }

  /** Also what a handler denies. */
  rememberDenial(request: FastifyRequest): void {
    const { identity, denied } = knownRequest(request);
    if (identity === undefined) return;
    const what = denied ?? `${request.method} ${pathOf(request)}`;
    this.options.onDenied({ identity, what, correlationId: request.id });
  }
}
