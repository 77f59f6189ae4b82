import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** An RFC 3339 time behind the `?`, or a date at midnight UTC; undefined when it is not there. */
export function timeIn(query: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const written = query[name];
  if (typeof written !== 'string') return undefined;
  const at = TIME.test(written) ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at))
    throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
      errors: [{ path: `querystring/${name}`, message: 'is not a time such as 2025-06-15T12:00:00Z' }],
    });
  return at;
}
