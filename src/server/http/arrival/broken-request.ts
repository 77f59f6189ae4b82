/** Requests that no route sees: bytes that are not HTTP, addresses that cannot be looked up, headers that mean two things. */
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../../../foundation/diagnostics/diagnostic.ts';
import { Problem, problemBody, sendProblem } from '../answers/problem.ts';

const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Those who ask whether the server is well may be as old as HTTP/1.0, which has no Host. */
const HEALTH = /^\/(?:livez|readyz|metrics)$/;

/** What a proxy in front could read otherwise: the host of the request, and where it ends. */
export function refuseAmbiguous({ headers, raw }: FastifyRequest): void {
  const { host, 'transfer-encoding': coding } = headers;
  const { url = '', httpVersion } = raw;
  // Answers name addresses by the Host: it must be one host, and nothing that could be read as more.
  const isHost = host === undefined ? httpVersion === '1.0' && HEALTH.test(url) : HOST.test(host);
  if (!isHost || isTwice(raw.rawHeaders, 'host')) throw ambiguous('its Host is not one host');
  if (!url.startsWith('/')) {
    const [, authority] = /^\w+:\/\/([^/?#]*)/.exec(url) ?? [];
    if (authority !== undefined && authority.toLowerCase() !== host?.toLowerCase())
      throw ambiguous('its address is of another host than its Host');
  }
  // The parser also takes lists that end with it, and takes it from HTTP/1.0, which has no chunks.
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0'))
    throw ambiguous('its Transfer-Encoding is not chunked alone');
}

/** A reader behind this one might stop at a zero character. */
export function refuseZero({ url }: FastifyRequest): void {
  if (/%00/.test(url))
    throw new Problem(422, diagnostic('http.invalid', { count: 'one thing' }), {
      errors: [{ path: 'url', message: 'holds the character U+0000' }],
    });
}

const ambiguous = (detail: string): Problem =>
  new Problem(400, diagnostic('http.bad-request', { detail }), { headers: { connection: 'close' } });

function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const each = rawHeaders[i] as string;
    if (each.length === name.length && each.toLowerCase() === name && ++count > 1) return true;
  }
  return false;
}

/** Addresses that cannot be looked up; no hook has seen the request. */
export function answerBadAddress(
  { code }: { readonly code?: string },
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const isLong = code === 'FST_ERR_MAX_PARAM_LENGTH';
  const detail = isLong ? 'its address is too long' : 'its address is not well formed';
  reply.header('platform-correlation-id', request.id).header('cache-control', 'no-store');
  return sendProblem(
    reply,
    new Problem(isLong ? 414 : 400, diagnostic('http.bad-request', { detail })),
    request.id,
  );
}

const BROKEN: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'its headers are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large', 'its chunks are mostly extensions'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'it came too slowly'],
};

/** Connections whose request was answered before its body came; there is nothing more to say on them. */
const answeredEarly = new WeakSet<Socket>();

/** Called for every answer. */
export function rememberEarlyAnswer({ raw }: FastifyRequest): void {
  if (!raw.complete) answeredEarly.add(raw.socket);
}

/** Bytes that are not HTTP get an answer and lose the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answering } = socket as Socket & { readonly _httpMessage?: { headersSent: boolean } };
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') return;
  // In the middle of an answer another one would be read as its rest.
  if (answering?.headersSent === true || answeredEarly.has(socket)) {
    socket.destroy();
    return;
  }
  const [status, phrase, detail] = BROKEN[error.code ?? ''] ?? [400, 'Bad Request', 'it is not HTTP'];
  endWith(socket, `${status} ${phrase}`, diagnostic('http.bad-request', { detail }));
}

/** No id of the caller was read: it gets one of ours. */
function problemWithId(status: number, what: Diagnostic): { readonly id: string; readonly body: string } {
  const id = randomUUID();
  return { id, body: JSON.stringify(problemBody(status, what, { errors: [], correlationId: id })) };
}

function endWith(socket: Duplex, status: string, what: Diagnostic, headers = ''): void {
  const { id, body } = problemWithId(Number.parseInt(status, 10), what);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nPlatform-Correlation-Id: ${id}\r\n${headers}Connection: close\r\n\r\n${body}`,
  );
  // A client that still sends is not waited for: its bytes are not read.
  if (socket instanceof Socket) socket.setTimeout(1000, () => socket.destroy());
}

/** What Node asks about: expectations other than 100-continue, which it meets by itself, and tunnels. */
export function refuseSpecial(server: Server): void {
  server.on('connect', ({ url = '' }, socket) => {
    const what = diagnostic('http.wrong-method', { method: 'CONNECT', path: url.slice(0, 200) });
    endWith(socket, '405 Method Not Allowed', what, 'Allow: GET, HEAD, OPTIONS\r\n');
  });
  server.on('checkExpectation', (_, response) => {
    const what = diagnostic('http.bad-request', { detail: 'its Expect cannot be met' });
    const { id, body } = problemWithId(417, what);
    response.writeHead(417, { 'content-type': 'application/problem+json', 'platform-correlation-id': id });
    response.end(body);
  });
}
