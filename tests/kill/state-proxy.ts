import { connect, createServer, type Socket } from 'node:net';

/** What a command says to the server of its state in one piece, for whose answer it waits. */
interface Message {
  /** Epoch milliseconds. */
  readonly at: number;
  answeredAt: number;
  /** Of a transaction that may change something. */
  readonly isCommit: boolean;
}

/** Lies between one command and the server of its state, counts the messages, and acts at one of them. */
export interface StateProxy {
  readonly port: number;
  readonly messages: readonly Message[];
  /** Whether it came to the message at which it acts. */
  hasActed(): boolean;
  close(): Promise<void>;
}

/** Acts when a message has come: before the server has it, or when the server has it and its answer is not told. */
export interface Act {
  readonly n: number;
  readonly moment: 'before' | 'after';
  readonly act: () => void;
}

const now = (): number => performance.timeOrigin + performance.now();

/** The connection of that message is cut, too. */
export async function stateProxy(to: number, wanted?: Act): Promise<StateProxy> {
  const messages: Message[] = [];
  const sockets = new Set<Socket>();
  let hasActed = false;
  const act = (): void => {
    hasActed = true;
    wanted?.act();
  };
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    let isReading = false;
    let last: Message | undefined;
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroySoon();
      });
    }
    client.on('data', (data) => {
      const text = data.toString('latin1');
      if (text.includes('BEGIN')) isReading = text.includes('READ ONLY');
      last = { at: now(), answeredAt: 0, isCommit: !isReading && text.includes('COMMIT') };
      const isIt = messages.push(last) === wanted?.n;
      if (!isIt) upstream.write(data);
      else if (wanted.moment === 'before') {
        act();
        client.destroy();
      } else {
        upstream.removeAllListeners('data');
        upstream.once('data', () => client.destroy());
        upstream.write(data, act);
      }
    });
    upstream.on('data', (data) => {
      if (last?.answeredAt === 0) last.answeredAt = now();
      client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    messages,
    hasActed: () => hasActed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
