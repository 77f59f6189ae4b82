/*
 * Pages of other sites may ask when config.yaml names their site. Nothing is sent with a request of theirs but what the
 * page itself puts in (no cookies, no certificates), so the answer does not allow credentials.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const HEADERS =
  'accept, apikey, authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, platform-correlation-id, x-request-id';
const SHOWN =
  'content-disposition, etag, idempotency-replayed, location, platform-correlation-id, retry-after, www-authenticate';
/** Browsers keep an answer no longer than this. */
const KEPT_SECONDS = '7200';

/** Adds what a browser asks for; true when the request was only its question whether it may, which is answered then. */
export function corsOf(
  origins: readonly string[],
): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const named = new Set(origins);
  return ({ headers, method }, reply) => {
    if (named.size === 0) return false;
    reply.header('vary', 'origin');
    const { origin } = headers;
    if (origin === undefined || !named.has(origin)) return false;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', SHOWN);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
    reply
      .header('access-control-allow-methods', METHODS)
      .header('access-control-allow-headers', HEADERS)
      .header('access-control-max-age', KEPT_SECONDS)
      .code(204)
      .send();
    return true;
  };
}
