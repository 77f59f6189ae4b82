/** Sends requests with fetch: retries where that is safe, and makes an error of everything that is not an answer. */
import { DataProductError, type ProblemEntry } from './data-product-error.ts';
import { expect, Unexpected } from './unexpected.ts';

/** What is asked, and how the answer is read. `path` has the segments below the base address, as they are meant. */
export interface ClientRequest<Read> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** 200 when absent. */
  readonly accepted?: readonly number[];
  /** `application/json` when absent. */
  readonly accept?: string;
  readonly idempotencyKey?: string | undefined;
  /** The tag that what is changed must have. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Throws an `Unexpected` when the answer is not what the API promises. */
  readonly read: (answer: ClientAnswer) => Read;
}

export interface ClientAnswer {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly token: string;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly fetch: typeof fetch;
}

const RETRIED: ReadonlySet<number> = new Set([429, 502, 503]);
const PLAIN_HINT = 'the server does not speak TLS: begin fqdn with http:// if that is meant';
const RETRY_AFTER_MAX_MS = 30_000;

interface Attempt {
  readonly response: Response;
  readonly bytes: Uint8Array;
}

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  get timeoutMs(): number {
    return this.#options.timeoutMs;
  }

  async send<Read>(request: ClientRequest<Read>): Promise<Read> {
    // One key for all attempts: a server that did the work before the answer was lost does not do it again.
    const key = request.idempotencyKey ?? crypto.randomUUID();
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= this.#options.retries;
      const answer = await this.#attempt(request, key, isLast);
      const pauseMs = answer === undefined ? 0 : pauseAfter(answer.response);
      if (answer !== undefined && (pauseMs === undefined || isLast)) return this.#read(request, answer);
      const backoffMs = 200 * 2 ** attempt * (0.5 + Math.random() / 2);
      await sleep(Math.max(backoffMs, pauseMs ?? 0), request.signal);
    }
  }

  /** Undefined when the connection broke and there is another attempt. A timeout is not tried again: it would take as long once more. */
  async #attempt(
    request: ClientRequest<unknown>,
    key: string,
    isLast: boolean,
  ): Promise<Attempt | undefined> {
    const timeout = AbortSignal.timeout(this.#options.timeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const { fetch } = this.#options;
      const response = await fetch(this.#address(request), {
        method: request.method,
        headers: this.#headers(request, key),
        // Following a redirect would send the token to the address it names.
        redirect: 'manual',
        signal,
        ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      });
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (error) {
      if (isLast || signal.aborted || !(error instanceof TypeError))
        throw this.#lost(request, error, timeout);
      return undefined;
    }
  }

  /** Text as it comes, for as long as the caller listens; an answer that is not a stream is an error before the first piece. */
  async *stream(
    path: readonly string[],
    params: Readonly<Record<string, unknown>>,
    given?: AbortSignal,
  ): AsyncGenerator<string> {
    const request = { method: 'GET', path, params, signal: given, read: () => undefined } as const;
    const leave = new AbortController();
    const signal = given === undefined ? leave.signal : AbortSignal.any([leave.signal, given]);
    try {
      const { fetch } = this.#options;
      const response = await fetch(this.#address(request), {
        headers: { ...this.#headers(request, ''), accept: 'text/event-stream' },
        redirect: 'manual',
        signal,
      });
      if (response.status !== 200)
        throw this.#refusal(request, { response, bytes: new Uint8Array(await response.arrayBuffer()) });
      const found = contentTypeOf(response);
      if (found !== 'text/event-stream' || response.body === null)
        throw this.#unexpected(request, response, `it is ${found || 'of no type'}, not a stream of events`);
      yield* response.body.pipeThrough(new TextDecoderStream());
    } catch (error) {
      if (error instanceof DataProductError) throw error;
      throw this.#lost(request, error, leave.signal);
    } finally {
      leave.abort();
    }
  }

  #address({ path, params = {} }: ClientRequest<unknown>): string {
    const given = Object.entries(params).filter(
      ([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0),
    );
    const query = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const address = [this.#options.baseUrl, ...path.map(encodeURIComponent)].join('/');
    return query === '' ? address : `${address}?${query}`;
  }

  #headers(
    { method, body, ifMatch, accept = 'application/json' }: ClientRequest<unknown>,
    key: string,
  ): Readonly<Record<string, string>> {
    return {
      authorization: `Bearer ${this.#options.token}`,
      accept,
      ...(method === 'POST' ? { 'idempotency-key': key } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
  }

  #read<Read>(request: ClientRequest<Read>, { response, bytes }: Attempt): Read {
    const { accepted = [200] } = request;
    if (!accepted.includes(response.status)) throw this.#refusal(request, { response, bytes });
    try {
      return request.read({ contentType: contentTypeOf(response), bytes });
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error;
      throw this.#unexpected(request, response, error.message);
    }
  }

  #refusal(request: ClientRequest<unknown>, { response, bytes }: Attempt): DataProductError {
    const { status } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304))
      return this.#unexpected(request, response, 'it is a redirect, and none is followed');
    const problem = parsed(bytes) as
      | {
          readonly detail?: unknown;
          readonly code?: unknown;
          readonly hint?: unknown;
          readonly errors?: unknown;
          readonly correlation_id?: unknown;
        }
      | undefined
      | null;
    if (typeof problem?.detail !== 'string') {
      const kind = contentTypeOf(response) || 'no content type';
      return this.#unexpected(request, response, `${status} with ${kind} and no problem in it`);
    }
    return new DataProductError(status, this.#redacted(problem.detail), {
      code: textOf(problem.code),
      hint: textOf(problem.hint),
      errors: Array.isArray(problem.errors) ? (problem.errors as readonly ProblemEntry[]) : undefined,
      correlationId: textOf(problem.correlation_id),
    });
  }

  #unexpected(
    request: ClientRequest<unknown>,
    { status, headers }: Response,
    what: string,
  ): DataProductError {
    return new DataProductError(
      status,
      this.#redacted(`the answer to ${request.method} ${this.#address(request)} makes no sense: ${what}`),
      {
        code: 'client.unexpected-answer',
        correlationId: headers.get('platform-correlation-id') ?? undefined,
      },
    );
  }

  #lost(request: ClientRequest<unknown>, cause: unknown, timeout: AbortSignal): DataProductError {
    const why = timeout.aborted
      ? `it took longer than ${this.#options.timeoutMs} ms`
      : request.signal?.aborted === true
        ? 'it was aborted'
        : wordsOf(cause);
    return new DataProductError(
      0,
      this.#redacted(`${request.method} ${this.#address(request)} got no answer: ${why}`),
      {
        code: 'client.no-answer',
        cause,
        hint: /wrong version number/i.test(why) ? PLAIN_HINT : undefined,
      },
    );
  }

  #redacted(text: string): string {
    const { token } = this.#options;
    // A shorter text is not a secret, and may be part of any word.
    return token.length >= 8 ? text.replaceAll(token, '***') : text;
  }
}

/** Milliseconds to wait before the next attempt; undefined when the answer is to be taken as it is. */
function pauseAfter({ status, headers }: Response): number | undefined {
  if (!RETRIED.has(status)) return undefined;
  const written = headers.get('retry-after')?.trim() ?? '';
  const wanted = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - Date.now();
  const pauseMs = Number.isNaN(wanted) ? 0 : Math.max(0, wanted);
  return pauseMs > RETRY_AFTER_MAX_MS ? undefined : pauseMs;
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    // A caller that has aborted learns it from the next attempt, which fails at once.
    const leave = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener('abort', leave, { once: true });
  });
}

const contentTypeOf = ({ headers }: Response): string =>
  (headers.get('content-type')?.split(';')[0] ?? '').trim().toLowerCase();

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function wordsOf(cause: unknown): string {
  const { message, cause: inner } = cause as {
    readonly message?: string;
    readonly cause?: { readonly message?: string };
  };
  return (inner?.message || message || String(cause)).trim();
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The JSON object of an answer that has at least these fields. */
export function objectOf(
  { contentType, bytes }: ClientAnswer,
  names: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  expect(
    contentType === 'application/json' || contentType.endsWith('+json'),
    `it is ${contentType || 'of no type'}, not JSON`,
  );
  const value = parsed(bytes);
  expect(value !== undefined, 'it says that it is JSON, and is not');
  expect(typeof value === 'object' && value !== null && !Array.isArray(value), 'it is not a JSON object');
  for (const name of names) expect(name in (value as object), `it has no ${name}`);
  return value as Readonly<Record<string, unknown>>;
}
