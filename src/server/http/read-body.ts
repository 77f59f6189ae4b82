/** Bodies: JSON in UTF-8 as it is, and nothing that only looks like it. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Problem } from './problem.ts';

/** No question is nested deeper; a recursive reader behind this door needs no limit of its own. */
const DEPTH_MAX = 100;

/** Reads JSON bodies and refuses every other kind, packed ones included: what is unpacked has no limit that its length shows. */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    const problem = problemOfBody(request, bytes);
    if (problem !== undefined) done(problem, undefined);
    else parse(request, bytes.toString('utf8'), done);
  });
}

function problemOfBody({ headers }: FastifyRequest, bytes: Buffer): Problem | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new Problem(415, diagnostic('http.wrong-content', { found: `${encoding.slice(0, 40)} (packed)` }));
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '') ?? [];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    return new Problem(
      415,
      diagnostic('http.wrong-content', { found: `application/json in ${charset.slice(0, 40)}` }),
    );
  if (!isUtf8(bytes)) return unreadable('its body is no UTF-8');
  return isDeep(bytes) ? unreadable(`its body is nested deeper than ${DEPTH_MAX} levels`) : undefined;
}

const unreadable = (detail: string): Problem => new Problem(400, diagnostic('http.bad-request', { detail }));

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((character) =>
  character.charCodeAt(0),
);

/** Counts brackets outside of strings; whether they match is for the parser to say. */
export function isDeep(bytes: Uint8Array): boolean {
  if (bytes.length <= DEPTH_MAX) return false;
  let depth = 0;
  let isString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (isString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) isString = false;
    } else if (byte === QUOTE) isString = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > DEPTH_MAX) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}
