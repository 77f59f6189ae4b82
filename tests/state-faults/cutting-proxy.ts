import { connect, createServer, type Socket } from 'node:net';

/** Lies between a store and its server, and cuts one connection at a chosen moment. */
export interface CuttingProxy {
  readonly port: number;
  /** Cuts at the n-th message that the store sends from now on: before the server has it, or when the server answers. */
  cutAt(n: number, moment: 'before' | 'after'): void;
  /** Whether it came to that. */
  isCut(): boolean;
  close(): Promise<void>;
}

export async function cuttingProxy(to: number): Promise<CuttingProxy> {
  let left = Number.POSITIVE_INFINITY;
  let moment: 'before' | 'after' = 'before';
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    let isLast = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', (data) => {
      if (--left === 0) {
        if (moment === 'before') return end();
        isLast = true;
      }
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isLast) end();
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAt: (n, at) => {
      left = n;
      moment = at;
    },
    isCut: () => left <= 0,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
