/** Bodies: JSON in UTF-8 as it is, and nothing that only looks like it. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import { Problem } from '../answers/problem.ts';
import { DEPTH_MAX, type JsonFault, jsonFault } from './json-faults.ts';

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
const poisonous = (): Problem => invalid('has a key __proto__, or constructor with a prototype');

const invalid = (message: string): Problem =>
  new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
    errors: [{ path: 'body', message }],
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
  if (!isUtf8(bytes)) return unreadable('its body is not UTF-8');
  const fault = jsonFault(bytes);
  return fault === undefined ? undefined : problemOfFault(fault);
}

function problemOfFault(fault: JsonFault): Problem {
  switch (fault.kind) {
    case 'deep':
      return new Problem(400, diagnostic('http.too-deep', { limit: DEPTH_MAX }));
    case 'twice':
      return invalid(`has the key ${JSON.stringify(fault.key.slice(0, 100))} twice`);
    case 'zero':
      return invalid('holds the character U+0000');
    case 'surrogate':
      return invalid('holds half of a pair of surrogates');
  }
}

const unreadable = (detail: string): Problem => new Problem(400, diagnostic('http.bad-request', { detail }));
