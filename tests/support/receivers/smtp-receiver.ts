/** A receiver of mail on this machine: npm's smtp-server where it behaves, and bare sockets where it does not. */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Behaviour } from './http-receiver.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  /** As it came over the line. */
  readonly source: string;
}

export interface SmtpReceiver {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  readonly connections: { readonly made: number; readonly open: number };
  close(): Promise<void>;
}

export interface SmtpReceiverOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Encrypted from the beginning, not by STARTTLS. */
  readonly isImplicit?: boolean;
  readonly login?: { readonly user: string; readonly password: string };
  /** Recipients that are refused, with the code. */
  readonly refused?: Readonly<Record<string, number>>;
}

const codeError = (responseCode: number): Error =>
  Object.assign(new Error('not here: hunter2'), { responseCode });

export async function smtpReceiver(
  behaviour: Behaviour,
  options: SmtpReceiverOptions = {},
): Promise<SmtpReceiver> {
  const connections = { made: 0, open: 0 };
  const count = (socket: Socket): void => {
    connections.made += 1;
    connections.open += 1;
    socket.on('error', () => undefined);
    socket.on('close', () => (connections.open -= 1));
  };
  if (['hangs', 'drips', 'floods'].includes(behaviour)) return bareReceiver(behaviour, connections, count);
  const received: ReceivedMail[] = [];
  const { tls, isImplicit = false, login, refused = {} } = options;
  const server = new SMTPServer({
    ...(tls ?? {}),
    secure: isImplicit,
    disabledCommands: [...(tls === undefined ? ['STARTTLS'] : []), ...(login === undefined ? ['AUTH'] : [])],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    onAuth(auth, _session, done) {
      const isRight = auth.username === login?.user && auth.password === login?.password;
      done(isRight ? null : codeError(535), isRight ? { user: auth.username } : undefined);
    },
    onRcptTo({ address }, _session, done) {
      const code =
        refused[address] ?? (behaviour === 'is-gone' ? 550 : behaviour === 'fails' ? 451 : undefined);
      done(code === undefined ? null : codeError(code));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (behaviour === 'drops') {
          for (const socket of sockets) socket.destroy();
          return;
        }
        received.push({
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          to: session.envelope.rcptTo.map(({ address }) => address),
          isEncrypted: session.secure,
          user: session.user as string | undefined,
          source: Buffer.concat(chunks).toString('latin1'),
        });
        done(null);
      });
    },
  });
  const sockets = new Set<Socket>();
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    count(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function bareReceiver(
  behaviour: Behaviour,
  connections: SmtpReceiver['connections'],
  count: (socket: Socket) => void,
): Promise<SmtpReceiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    count(socket);
    if (behaviour === 'drips') {
      const timer = setInterval(() => socket.write('220-wait\r\n'), 50);
      socket.on('close', () => clearInterval(timer));
    }
    if (behaviour === 'floods') {
      const piece = `220-${'x'.repeat(60_000)}\r\n`;
      const pump = (): void => {
        for (let left = 50; left > 0 && !socket.destroyed && socket.write(piece); left--);
      };
      socket.on('drain', pump);
      pump();
    }
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received: [],
    connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
