import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { ServerLimits } from '../../../domain/server-limits.ts';
import { Problem, type ProblemDetail } from '../answers/problem.ts';

interface Complaint {
  readonly instancePath: string;
  readonly message?: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

interface FrameworkError {
  readonly code?: string;
  readonly statusCode?: number;
  readonly message: string;
  readonly validation?: readonly Complaint[];
  readonly validationContext?: string;
}

/** What the framework found wrong with a request; undefined when the request is not to blame. */
export function requestProblem(
  error: unknown,
  { bodyBytes }: Pick<ServerLimits, 'bodyBytes'>,
  contentType?: string,
): Problem | undefined {
  const { code, statusCode, message, validation, validationContext } = error as FrameworkError;
  if (validation !== undefined) {
    const errors = validation.slice(0, 100).map((each) => detailOf(each, validationContext ?? 'body'));
    const count = errors.length === 1 ? 'one thing' : `${errors.length} things`;
    return new Problem(422, diagnostic('http.invalid', { count }), { errors });
  }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(413, diagnostic('http.too-large', { limit: bodyBytes }));
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        415,
        diagnostic('http.wrong-content', { found: contentType?.slice(0, 100) || 'nothing' }),
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Problem(400, diagnostic('http.bad-request', { detail: 'it has no body' }));
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Problem(400, diagnostic('http.bad-request', { detail: 'its body is not JSON' }));
    case 'ECONNRESET':
      return new Problem(400, diagnostic('http.bad-request', { detail: 'its body was broken off' }));
    default:
      if (statusCode === undefined || statusCode >= 500 || code?.startsWith('FST_') !== true)
        return undefined;
      return new Problem(400, diagnostic('http.bad-request', { detail: message.replace(/\.$/, '') }));
  }
}

function detailOf(
  { instancePath, message = 'is wrong', keyword, params }: Complaint,
  context: string,
): ProblemDetail {
  const field = params['additionalProperty'] ?? params['missingProperty'];
  const path = `${context}${instancePath}${typeof field === 'string' ? `/${field}` : ''}`;
  if (keyword === 'additionalProperties') return { path, message: 'is not known here' };
  if (keyword === 'required') return { path, message: 'is missing' };
  if (keyword === 'enum')
    return { path, message: `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}` };
  return { path, message };
}
