/** Posts a text to a URL that a person named: one request, no redirects, and only as much of the answer as is needed. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { portOf } from '../../../domain/channel-address.ts';
import { codeOf, guardedConnection, type Reaching } from './guarded-connection.ts';
import { SendProblem } from './send-problem.ts';

const BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 16_384;
/** How long an answer's body may take once its status is known. */
const BODY_MS = 2000;

export interface Posted {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The beginning of the answer's body, or all of it. */
  readonly text: string;
}

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Ends when the status is known and the body is read, too long, or too slow; a receiver that has answered has the message. */
export async function guardedPost(
  { url: text, headers, body }: Posting,
  reaching: Reaching,
  signal: AbortSignal,
): Promise<Posted> {
  const url = new URL(text);
  const isEncrypted = url.protocol === 'https:';
  const socket = await guardedConnection(
    { host: url.hostname, port: portOf(url), isEncrypted },
    reaching,
    signal,
  );
  try {
    const answer = await answerOf(socket, { url, headers, body }, signal);
    const retryAfter = answer.headers['retry-after'];
    return { status: answer.statusCode ?? 0, retryAfter, text: await beginningOf(answer) };
  } finally {
    socket.destroy();
  }
}

function answerOf(
  socket: Socket,
  { url, headers, body }: { readonly url: URL } & Omit<Posting, 'url'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        signal.aborted
          ? signal.reason
          : new SendProblem(`the receiver broke off (${codeOf(cause)})`, { cause }),
      );
    const sent = request({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      maxHeaderSize: HEADER_BYTES_MAX,
      setHost: false,
      headers: {
        ...headers,
        host: url.host,
        'content-length': String(Buffer.byteLength(body)),
        connection: 'close',
      },
    });
    sent.on('error', fail);
    sent.once('close', () => fail(new Error('closed')));
    sent.once('response', (answer) => {
      // Heard by `beginningOf`; an answer that breaks off later has its status.
      answer.on('error', () => undefined);
      resolve(answer);
    });
    sent.end(body);
  });
}

function beginningOf(answer: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8', 0, Math.min(bytes, BYTES_MAX)));
    };
    const timer = setTimeout(end, BODY_MS);
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= BYTES_MAX) end();
    });
    answer.once('close', end);
  });
}
