/** Requests that no route sees: bytes that are no HTTP, addresses that cannot be looked up, headers that mean two things. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { diagnostic } from '../../domain/diagnostics/catalog.ts';
import { Problem, problemBody, sendProblem } from './problem.ts';

const HOST = /^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Answers name addresses by the Host of the request: it must be one host, and nothing that could be read as more. */
export function refuseOddHost({ headers, raw }: FastifyRequest): void {
  const { host } = headers;
  if (host === undefined || !HOST.test(host) || isTwice(raw.rawHeaders, 'host'))
    throw new Problem(400, diagnostic('http.bad-request', { detail: 'its Host is not one host' }));
}

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

/** To be told of every answer. */
export function rememberEarlyAnswer({ raw }: FastifyRequest): void {
  if (!raw.complete) answeredEarly.add(raw.socket);
}

/** Bytes that are no HTTP get an answer and lose the connection. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answering } = socket as Socket & { readonly _httpMessage?: { headersSent: boolean } };
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') return;
  // In the middle of an answer another one would be read as its rest.
  if (answering?.headersSent === true || answeredEarly.has(socket)) {
    socket.destroy();
    return;
  }
  const [status, phrase, detail] = BROKEN[error.code ?? ''] ?? [400, 'Bad Request', 'it is no HTTP'];
  const body = JSON.stringify(
    problemBody(status, diagnostic('http.bad-request', { detail }), { errors: [], correlationId: '' }),
  );
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  // Who still sends what nobody reads is not waited for.
  socket.setTimeout(1000, () => socket.destroy());
}

/** Expectations other than 100-continue, which Node meets by itself. */
export function refuseExpectations(server: Server): void {
  server.on('checkExpectation', (_, response) => {
    const what = diagnostic('http.bad-request', { detail: 'its Expect cannot be met' });
    response.writeHead(417, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify(problemBody(417, what, { errors: [], correlationId: '' })));
  });
}
