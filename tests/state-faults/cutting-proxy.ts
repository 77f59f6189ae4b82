import { connect, createServer, type Socket } from 'node:net';

/** Of a message that a store sends: the server does not get it; gets it and has no connection for its answer; or its answer is lost. */
export type CutMoment = 'before' | 'while' | 'after';

/** Lies between a store and its server, and cuts one connection at a chosen moment. */
export interface CuttingProxy {
  readonly port: number;
  /**
   * Cuts at the n-th message that the store sends from now on. `meanwhile` is done then, and the store gets no new
   * connection until it is done.
   */
  cutAt(n: number, moment: CutMoment, meanwhile?: () => Promise<void>): void;
  /** Whether it came to that. */
  isCut(): boolean;
  /** How many messages the store has sent since a cut was last asked for. */
  messages(): number;
  /** Throws what `meanwhile` threw. */
  close(): Promise<void>;
}

interface Cut {
  readonly n: number;
  readonly moment: CutMoment;
  readonly meanwhile: () => Promise<void>;
}

export const NEVER = Number.POSITIVE_INFINITY;

export async function cuttingProxy(to: number): Promise<CuttingProxy> {
  let cut: Cut = { n: NEVER, moment: 'before', meanwhile: async () => undefined };
  let messages = 0;
  let isShut = false;
  let shut: Promise<unknown> = Promise.resolve();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (isShut) {
      client.destroy();
      return;
    }
    const upstream = connect(to, '127.0.0.1');
    let isLast = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const endHere = (): void => {
      isShut = true;
      end();
      shut = cut.meanwhile().then(
        () => {
          isShut = false;
        },
        (error: unknown) => error,
      );
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
      const isCut = ++messages === cut.n;
      if (isCut && cut.moment === 'before') return endHere();
      isLast ||= isCut && cut.moment === 'after';
      upstream.write(data, isCut && cut.moment === 'while' ? endHere : undefined);
    });
    upstream.on('data', (data) => {
      if (isLast) endHere();
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAt: (n, moment, meanwhile = async () => undefined) => {
      messages = 0;
      cut = { n, moment, meanwhile };
    },
    isCut: () => messages >= cut.n,
    messages: () => messages,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      const problem = await shut;
      if (problem !== undefined) throw problem;
    },
  };
}
