/** Bodies: JSON in UTF-8 as it is, and nothing that only looks like it. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';

/** Room for a question with 100 levels of and/or, which are two of JSON each; a recursive reader behind this door needs no limit of its own. */
const DEPTH_MAX = 256;

/** Reads JSON bodies and refuses every other kind, packed ones included: what is unpacked has no limit that its length shows. */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    const problem = problemOfBody(request, bytes);
    if (problem !== undefined) {
      done(problem, undefined);
      return;
    }
    const text = bytes.toString('utf8');
    parse(request, text, (error, value) => {
      if (error !== null && isJson(text)) done(poisonous(), undefined);
      else done(error, value);
    });
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The parser refuses keys that could become a prototype of something: they are fields that no address has. */
const poisonous = (): Problem =>
  new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'body', message: 'has a key __proto__, or constructor with a prototype' }],
  });

function problemOfBody({ headers }: FastifyRequest, bytes: Buffer): Problem | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return new Problem(415, diagnostic('http.wrong-content', { found: `${encoding.slice(0, 40)} (packed)` }));
  const charset = (headers['content-type'] ?? '')
    .match(/;\s*charset\s*=\s*"?([^";\s]+)/gi)
    ?.map((written) => written.replace(/^.*=\s*"?/, ''))
    .find((name) => !/^utf-?8$/i.test(name));
  if (charset !== undefined)
    return new Problem(
      415,
      diagnostic('http.wrong-content', { found: `application/json in ${charset.slice(0, 40)}` }),
    );
  if (!isUtf8(bytes)) return unreadable('its body is no UTF-8');
  return isDeep(bytes) ? new Problem(400, diagnostic('http.too-deep', { limit: DEPTH_MAX })) : undefined;
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
