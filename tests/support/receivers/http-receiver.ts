/** A receiver of HTTP on this machine that behaves as receivers do. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type Behaviour =
  | 'takes'
  | 'fails'
  | 'hangs'
  | 'drops'
  | 'drips'
  | 'floods'
  | 'redirects'
  | 'asks-to-wait'
  | 'is-gone';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface HttpReceiver {
  readonly port: number;
  readonly received: readonly Received[];
  /** How often something connected, and how many of these connections are open. */
  readonly connections: { readonly made: number; readonly open: number };
  close(): Promise<void>;
}

export interface HttpReceiverOptions {
  readonly host?: string;
  /** What it answers when it takes a message. */
  readonly answer?: string;
  readonly status?: number;
  /** Where it redirects to. */
  readonly location?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

export async function httpReceiver(
  behaviour: Behaviour,
  options: HttpReceiverOptions = {},
): Promise<HttpReceiver> {
  const { host = '127.0.0.1', answer = 'ok', status = 200, location = '', tls } = options;
  const received: Received[] = [];
  const connections = { made: 0, open: 0 };
  const timers = new Set<NodeJS.Timeout>();
  const respond = (response: ServerResponse): void => {
    switch (behaviour) {
      case 'takes':
        response.writeHead(status, { 'content-type': 'text/plain' }).end(answer);
        return;
      case 'fails':
        response.writeHead(500).end('the stranger says: hunter2');
        return;
      case 'hangs':
        return;
      case 'drops':
        response.socket?.destroy();
        return;
      case 'drips': {
        response.writeHead(status).write(' ');
        timers.add(setInterval(() => response.write(' '), 100));
        return;
      }
      case 'floods': {
        response.writeHead(status);
        const piece = Buffer.alloc(65_536, 'x');
        const pump = (): void => {
          for (let left = 50; left > 0 && !response.destroyed && response.write(piece); left--);
        };
        response.on('drain', pump);
        pump();
        return;
      }
      case 'redirects':
        response.writeHead(307, { location }).end();
        return;
      case 'asks-to-wait':
        response.writeHead(429, { 'retry-after': '7' }).end();
        return;
      case 'is-gone':
        response.writeHead(410).end();
        return;
    }
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      });
      respond(response);
    });
  };
  const server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  server.on('connection', (socket) => {
    connections.made += 1;
    connections.open += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => (connections.open -= 1));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections,
    close: () =>
      new Promise((resolve) => {
        for (const timer of timers) clearInterval(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
