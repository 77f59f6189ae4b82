import { connect, type Socket } from 'node:net';

// A client that costs next to nothing: on two cores its own work would be measured with the server's. One request at a time,
// kept alive, answers with a Content-Length; that is what JSON answers of Fastify are.

/** A request that is ready to be written, so that measuring it does not measure making it. */
export function requestBytes(
  target: { readonly url: URL; readonly headers?: Readonly<Record<string, string>> },
  method: string,
  path: string,
  json?: unknown,
): Buffer {
  const body = json === undefined ? '' : JSON.stringify(json);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${target.url.host}`];
  for (const [name, value] of Object.entries(target.headers ?? {})) lines.push(`${name}: ${value}`);
  if (json !== undefined)
    lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** One kept-alive connection; `ask` again only after the answer. */
export class HttpConnection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #read: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open({ hostname, port }: URL): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  ask(request: Buffer): Promise<Answer> {
    if (this.#waiting !== undefined) throw new Error('one request at a time');
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#read = this.#read.length === 0 ? chunk : Buffer.concat([this.#read, chunk]);
    const end = this.#read.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = this.#read.toString('latin1', 0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    if (Number.isNaN(length)) {
      this.#fail(new Error(`an answer without a length: ${head}`));
      return;
    }
    const start = end + 4;
    if (this.#read.length < start + length) return;
    const answer = { status: Number(head.slice(9, 12)), body: this.#read.subarray(start, start + length) };
    this.#read = this.#read.subarray(start + length);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}
