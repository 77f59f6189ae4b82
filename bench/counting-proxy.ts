import { connect, createServer } from 'node:net';

/** Lies between a program and the server of its state, and counts how often the program waits for an answer. */
export interface CountingProxy {
  readonly port: number;
  /** Turns from the server's words to the program's, all connections together, since the last call. */
  takeTrips(): number;
  close(): void;
}

/** Times that are taken through it are not those of a program that talks to the server itself. */
export async function countingProxy(to: number): Promise<CountingProxy> {
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1');
    let isAnswered = true;
    client.setNoDelay(true).on('data', (data) => {
      if (isAnswered) trips++;
      isAnswered = false;
      upstream.write(data);
    });
    upstream.setNoDelay(true).on('data', (data) => {
      isAnswered = true;
      client.write(data);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // A program that ends cuts its connections.
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    takeTrips() {
      const taken = trips;
      trips = 0;
      return taken;
    },
    close: () => void server.close(),
  };
}
