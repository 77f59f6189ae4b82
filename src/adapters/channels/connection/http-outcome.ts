import type { SendOutcome } from '../../../domain/channel.ts';
import type { Posted } from './guarded-post.ts';

const DAY_MS = 86_400_000;
const GONE = 410;

/** What a status says of a message. `refuses`: whether a status of the kind 4xx is for good; 410 always is. */
export function httpOutcome(
  { status, retryAfter }: Pick<Posted, 'status' | 'retryAfter'>,
  {
    at,
    refuses,
    detail,
  }: { readonly at: number; readonly refuses: boolean; readonly detail?: string | undefined },
): SendOutcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const retryAfterMs = retryAfterOf(retryAfter, at);
  return {
    kind: 'failed',
    status,
    reason: `${wordsOf(status)}${detail === undefined ? '' : ` (${detail})`}`,
    isPermanent: status === GONE || (refuses && status >= 400 && status < 500 && !PASSING.has(status)),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Request timeout, too early, too many requests. */
const PASSING = new Set([408, 425, 429]);

const wordsOf = (status: number): string =>
  status >= 300 && status < 400
    ? `the receiver answered ${status}, and redirects are not followed`
    : `the receiver answered ${status}`;

/** Seconds or a date, at most a day; undefined for anything else. */
export function retryAfterOf(text: string | undefined, at: number): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text.trim())
    ? Number(text) * 1000
    : DATE.test(text)
      ? Date.parse(text) - at
      : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), DAY_MS);
}

/** The date of HTTP as it is sent; `Date.parse` alone takes much more. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
