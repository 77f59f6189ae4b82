import type { FastifyReply } from 'fastify';
import { apiWords } from '../../../domain/diagnostics/api-words.ts';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';

/** An answer that is an error: `application/problem+json`. */
export class Problem extends Error {
  readonly status: number;
  readonly what: Diagnostic;
  readonly errors: readonly ProblemDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    what: Diagnostic,
    {
      errors = [],
      headers = {},
    }: {
      readonly errors?: readonly ProblemDetail[];
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(what.message);
    this.status = status;
    this.what = telling(apiWords(what), errors);
    this.errors = errors;
    this.headers = headers;
  }
}

/** One thing that is wrong, and where. */
export interface ProblemDetail {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  /** Offsets in the text that was sent. */
  readonly position?: { readonly start: number; readonly end: number };
}

/** Many clients show the detail and nothing else: it names the first thing that is wrong with a request. */
function telling(what: Diagnostic, [first, ...more]: readonly ProblemDetail[]): Diagnostic {
  if (what.code !== 'http.invalid' || first === undefined) return what;
  const named = `${what.message.slice(0, -1)}: ${first.path} ${first.message}`;
  return { ...what, message: `${named}${more.length === 0 ? '' : ', …'}.` };
}

const TITLES: Readonly<Record<number, string>> = {
  202: 'Not finished yet',
  400: 'Bad request',
  401: 'Not authenticated',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  408: 'Too slow',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Too large',
  414: 'Address too long',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  421: 'Asked under another name',
  422: 'Cannot be done as asked',
  428: 'Precondition required',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  502: 'The warehouse failed',
  503: 'Not available',
};

/** What is wrong with a question, all at once; the first thing decides on the status. */
export function refused(diagnostics: readonly Diagnostic[], status?: number): Problem {
  const [first] = diagnostics;
  if (first === undefined) throw new Error('nothing is wrong');
  return new Problem(status ?? statusOf(first.code), first, { errors: diagnostics.map(detailOf) });
}

function detailOf(what: Diagnostic): ProblemDetail {
  const { code, message, hint, at } = apiWords(what);
  return {
    path: at?.file ?? '',
    message,
    code,
    ...(hint === undefined ? {} : { hint }),
    ...(at === undefined ? {} : { position: { start: at.start, end: at.end } }),
  };
}

/** Statuses of failures; those of an engine are 502, of what is missing 404, of anything else that has a code 422. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/^policy\./, 403],
  [/^auth\.(?:ambiguous-credentials)$/, 400],
  [/^auth\.too-many$/, 429],
  [/^auth\./, 401],
  [/^(?:access\.forbidden|perspective\.withheld)$/, 403],
  [/^access\.(?:exists|decided|has-role|from-config|has-principals)$/, 409],
  [/^(?:access|perspective)\.changed$/, 412],
  [/^perspective\.(?:ambiguous|taken|too-many)$/, 409],
  [/\.unknown$|\.not-found$|^cli\.unknown-(?:run|plan)$|^notification\.no-target$/, 404],
  [/^(?:statement\.(?:too-many|suspended)|activity\.too-many-plans|dq\.too-many-runs)$/, 429],
  [/^statement\.(?:not-finished)$/, 202],
  [/^statement\.(?:no-result|failed|cancelled)$/, 409],
  [/^statement\.expired$/, 410],
  [/^(?:statement\.closing|server\.not-served)$/, 503],
  [
    /^(?:environment\.moved|plan\.widens-access|environment\.busy|lease\.|state\.busy|activity\.run-elsewhere)/,
    409,
  ],
  [/^engine\.(?:locked|lost|keeper-differs|warehouse-gone)$/, 503],
  [/^engine\./, 502],
  [/^state\./, 503],
];

export function statusOf(code: string): number {
  return STATUSES.find(([pattern]) => pattern.test(code))?.[1] ?? 422;
}

/** Seconds after which it may go better. */
const RETRY_AFTER: Readonly<Record<number, string>> = { 429: '1', 503: '5' };

/** Whatever was thrown, as what the caller may know of it. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Failure) {
    const { diagnostic: what } = error;
    const status = statusOf(what.code);
    const later = RETRY_AFTER[status];
    return new Problem(status, what, {
      errors: [detailOf(what)],
      ...(later === undefined ? {} : { headers: { 'retry-after': later } }),
    });
  }
  return new Problem(500, diagnostic('http.bug', {}));
}

export function sendProblem(reply: FastifyReply, problem: Problem, correlationId: string): FastifyReply {
  const { status, what, errors, headers } = problem;
  return reply
    .code(status)
    .headers(headers)
    .type('application/problem+json')
    .send(JSON.stringify(problemBody(status, what, { errors, correlationId })));
}

export function problemBody(
  status: number,
  what: Diagnostic,
  { errors, correlationId }: { readonly errors: readonly ProblemDetail[]; readonly correlationId: string },
): { readonly hint?: string; readonly [field: string]: unknown } {
  return {
    type: `urn:plinth:error:${what.code}`,
    title: TITLES[status] ?? 'Error',
    status,
    detail: what.message,
    code: what.code,
    ...(what.hint === undefined ? {} : { hint: what.hint }),
    errors,
    correlation_id: correlationId,
  };
}
