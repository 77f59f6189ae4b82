/*
 * The keeper: the one process that has a DuckDB file. It is started by whoever needs the file first, serves any number of clients
 * over a Unix socket, and ends a while after the last one left.
 *
 *   descriptor 3 ──▶ settings ──▶ open the file (the lock decides) ──▶ listen under a temporary name ──▶ rename
 *        └── the starter is its first client on that same descriptor; for `:memory:` its only one
 */
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createServer, Socket } from 'node:net';
import type { KeeperSettings } from './duckdb-config.ts';
import { Credit } from './keeper-reading.ts';
import { errorOf } from './keeper-refusal.ts';
import { KeeperSession, type TakeParts } from './keeper-session.ts';
import { OpenError, openWarehouse, type Warehouse } from './keeper-warehouse.ts';
import {
  type ClientFrame,
  driverVersion,
  type Hello,
  KEEPER_PROTOCOL,
  type KeeperFrame,
  receiveFrames,
  sendFrame,
  sendLines,
  type WireError,
} from './keeper-wire.ts';

interface Client {
  readonly socket: Socket;
  readonly who: string;
  readonly sessions: Map<number, KeeperSession>;
  /** Of the calls whose answers are under way, by their numbers. */
  readonly credits: Map<number, Credit>;
}

/** Of the driver that is loaded: the one on disk may change while the keeper runs. */
const driver = driverVersion();
const WATCH_MS = 50;
/** What readers had is given back within so long after they were stopped; far above the limit there is less time. */
const READERS_FIRST_MS = 2_500;
const READERS_FIRST_MS_FAR = 1_000;
const FAR = 1.25;
/** From when everything was stopped to the end of the keeper. */
const OBEY_MS = 1_000;
const BACKLOG_BYTES_MAX = 16 * 1024 ** 2;
/** Of one `read`, sent and not yet used. */
const CREDIT_BYTES = 1024 ** 2;
const READER_IDLE_MS = 30_000;
const HOLD_MS = 2;
/** A keeper with less address space than this is given up when an allocation fails: DuckDB's allocator never gives any back. */
const ADDRESS_LEFT_MIN = 512 * 1024 ** 2;
const COMPILED_MS = 100;
const LOST: WireError = {
  code: 'engine.lost',
  parameters: { detail: 'a statement of somebody else needed too much memory' },
  isRetryable: true,
};
/** How long the last frames may take to leave. */
const FLUSH_MS = 200;

const starter = new Socket({ fd: 3, readable: true, writable: true });
receiveFrames<ClientFrame>(starter, firstFrames());

/** The starter's first two frames: settings, then its own hello, which waits until the file is open. */
function firstFrames(): (frame: ClientFrame) => void {
  let opened: Promise<(frame: ClientFrame) => void> | undefined;
  return (frame) => {
    if (frame.kind === 'start') opened = keep(frame.settings);
    else void opened?.then((take) => take(frame));
  };
}

async function keep(settings: KeeperSettings): Promise<(frame: ClientFrame) => void> {
  let warehouse: Warehouse;
  try {
    warehouse = await openWarehouse(settings);
  } catch (thrown) {
    if (!(thrown instanceof OpenError)) throw thrown;
    sendFrame(starter, { kind: 'refused', error: thrown.error, isEnding: true });
    starter.end(() => process.exit(1));
    return () => undefined;
  }
  return serve(warehouse, settings);
}

function serve(warehouse: Warehouse, settings: KeeperSettings): (frame: ClientFrame) => void {
  const clients = new Set<Client>();
  const leaving = new Set<Promise<unknown>>();
  let idle: NodeJS.Timeout | undefined;
  let isEnding = false;
  const server = createServer((socket) => {
    receiveFrames<ClientFrame>(socket, takeFrames(socket));
  });
  const socketPath = settings.socket;
  const inode = socketPath === undefined ? undefined : listen(socketPath);
  watchMemory();
  // The end of a keeper is a kill, so the next one's quick start is prepared while this one is up.
  setTimeout(flushCompileCache, COMPILED_MS).unref();
  process.on('SIGTERM', () => end());
  restartIdle();
  return takeFrames(starter);

  /** Clients find a socket only when somebody listens on it; a keeper killed earlier may have left one behind. */
  function listen(path: string): Promise<number> {
    const temporary = `${path}.${process.pid}`;
    rmSync(temporary, { force: true });
    return new Promise((resolve) => {
      server.listen(temporary, () => {
        renameSync(temporary, path);
        resolve(statSync(path).ino);
      });
    });
  }

  function takeFrames(socket: Socket): (frame: ClientFrame) => void {
    let client: Client | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      if (client !== undefined) leave(client);
    });
    return (frame) => {
      if (client !== undefined) take(client, frame);
      else if (frame.kind === 'hello') client = welcome(socket, frame);
      else socket.destroy();
    };
  }

  function welcome(socket: Socket, hello: Hello): Client | undefined {
    const differs = difference(hello);
    // A client may be gone before its first word was read.
    if (isEnding || socket.destroyed) {
      socket.destroy();
      return undefined;
    }
    if (differs !== undefined) {
      const isIdle = clients.size === 0;
      const names = [...clients].map(({ who }) => who).join(', ');
      sendFrame(socket, {
        kind: 'refused',
        isEnding: isIdle,
        error: {
          code: 'engine.keeper-differs',
          parameters: { database: settings.database, difference: differs, pid: process.pid, clients: names },
        },
      });
      socket.end();
      if (isIdle) end();
      return undefined;
    }
    clearTimeout(idle);
    const client: Client = {
      socket,
      who: `${hello.who} (process ${hello.pid})`,
      sessions: new Map(),
      credits: new Map(),
    };
    clients.add(client);
    // The name must be in place before the first client knows of the keeper: the next one looks for it at once.
    void Promise.resolve(inode).then(() => sendFrame(socket, { kind: 'welcome', pid: process.pid }));
    return client;
  }

  function difference(hello: Hello): string | undefined {
    if (hello.protocol !== KEEPER_PROTOCOL) return 'protocol';
    if (hello.duckdb !== driver) return 'DuckDB version';
    if (!warehouse.isThere()) return 'file, which was deleted or replaced';
    return hello.options === settings.optionsHash ? undefined : 'project folder or connection options';
  }

  function take(client: Client, frame: ClientFrame): void {
    switch (frame.kind) {
      case 'call': {
        const { id, session, call } = frame;
        const own = sessionOf(client, session);
        const result = own.call(call, partsOf(client, id));
        answer(
          client,
          id,
          call.kind === 'read' ? result.finally(() => client.credits.delete(id)) : result,
          own,
        );
        return;
      }
      case 'taken':
        client.credits.get(frame.id)?.give(frame.bytes);
        return;
      case 'raise':
        answer(
          client,
          frame.id,
          warehouse.prepareBooks([]).then(async () => {
            await warehouse.fences.raise(frame.fences);
            return null;
          }),
        );
        return;
      case 'versions':
        answer(client, frame.id, warehouse.versions.of(frame.tables));
        return;
      case 'identity':
        answer(client, frame.id, warehouse.identity(frame.proposed));
        return;
      case 'cancel':
        client.sessions.get(frame.session)?.stop({ code: 'engine.cancelled', parameters: {} });
        return;
      case 'hello':
      case 'start':
        client.socket.destroy();
    }
  }

  /** Lines wait for their own client's credit, rows for the socket: others on it must not wait for a slow reader. */
  function partsOf(client: Client, id: number): TakeParts {
    const credit = new Credit(CREDIT_BYTES, READER_IDLE_MS);
    return {
      rows: (rows) => sendWithin(client.socket, { kind: 'rows', id, rows }),
      columns(columns, versions) {
        client.credits.set(id, credit);
        const known = versions === undefined ? {} : { versions };
        sendFrame(client.socket, { kind: 'columns', id, columns, ...known });
      },
      lines(lines) {
        sendLines(client.socket, id, lines);
        return credit.take(lines.length);
      },
      release: () => credit.release(),
      fail: (error) => sendFrame(client.socket, { kind: 'failed', id, error }),
    };
  }

  function sessionOf(client: Client, number: number): KeeperSession {
    const known = client.sessions.get(number);
    if (known !== undefined) return known;
    const session: KeeperSession = new KeeperSession({
      ...warehouse,
      judge: (error, isFatal) => judge(session, error, isFatal),
    });
    client.sessions.set(number, session);
    return session;
  }

  function running(): readonly KeeperSession[] {
    return [...clients].flatMap(({ sessions }) =>
      [...sessions.values()].filter((session) => session.isRunning),
    );
  }

  /** DuckDB may have given up the database. What lacks memory beside others may be innocent; and where no address space is left nothing works any more. */
  function judge(session: KeeperSession, error: WireError, isFatal: boolean): WireError {
    if (isFatal) setImmediate(() => end(error));
    if (error.code !== 'engine.out-of-memory' || error.isRetryable !== undefined) return error;
    const isSpent = settings.addressMax - addressBytes() < ADDRESS_LEFT_MIN;
    if (isSpent) setImmediate(() => end(LOST));
    return isSpent || running().some((other) => other !== session) ? { ...error, isRetryable: true } : error;
  }

  function answer(client: Client, id: number, result: Promise<KeeperAnswer>, session?: KeeperSession): void {
    result.then(
      (value) => {
        if (session?.hasMore === true) hold(client.socket);
        else process.nextTick(() => client.socket.uncork());
        try {
          sendFrame(client.socket, { kind: 'done', id, value });
        } catch (thrown) {
          sendFrame(client.socket, { kind: 'failed', id, error: unsendable(thrown) });
        }
      },
      (thrown: unknown) => sendFrame(client.socket, { kind: 'failed', id, error: errorOf(thrown) }),
    );
  }

  function leave(client: Client): void {
    clients.delete(client);
    const gone = Promise.all([...client.sessions.values()].map((session) => session.end())).finally(() => {
      leaving.delete(gone);
      restartIdle();
    });
    leaving.add(gone);
  }

  function restartIdle(): void {
    clearTimeout(idle);
    if (clients.size > 0 || leaving.size > 0) return;
    idle = setTimeout(() => end(), settings.idleMs);
  }

  /** The name goes first, so that nobody finds a keeper that is about to end; then the file is free for the next one. */
  function end(error?: WireError): void {
    if (isEnding) return;
    isEnding = true;
    void Promise.resolve(inode).then((own) => {
      if (socketPath !== undefined && statSync(socketPath, { throwIfNoEntry: false })?.ino === own)
        rmSync(socketPath, { force: true });
      // What the process said last is only of interest when it did not end like this.
      if (socketPath !== undefined && error === undefined) rmSync(`${socketPath}.log`, { force: true });
      server.close();
      if (error !== undefined) for (const { socket } of clients) sendFrame(socket, { kind: 'ending', error });
      void (async () => {
        await Promise.race([
          Promise.all([...clients].map(({ socket }) => new Promise<void>((sent) => socket.end(sent)))),
          new Promise((resolve) => setTimeout(resolve, FLUSH_MS)),
        ]);
        // With a statement under way the file is left as by a kill, which it survives. Closing deletes the log by its name: that of
        // a file that was deleted or replaced belongs to the next keeper.
        if (clients.size === 0 && leaving.size === 0 && warehouse.isThere()) await warehouse.close();
        // A plain exit would wait for DuckDB's threads, and for a statement that does not obey for ever.
        process.kill(process.pid, 'SIGKILL');
      })();
    });
  }

  /**
   * DuckDB's own limit does not cover everything it allocates: beyond ours, what runs is stopped, first what only reads for
   * somebody, a moment later the rest, and if that does not help, the keeper.
   */
  function watchMemory(): void {
    let since: number | undefined;
    const suspects = new Set<KeeperSession>();
    let hadReaders = false;
    setInterval(() => {
      const resident = process.memoryUsage.rss();
      if (resident <= settings.residentMax) {
        since = undefined;
        hadReaders = false;
        suspects.clear();
        return;
      }
      const megabytes = Math.round(resident / 1024 ** 2);
      const all = running();
      since ??= Date.now();
      const readers = all.filter((session) => session.isReading);
      for (const session of all) suspects.add(session);
      hadReaders ||= readers.length > 0;
      const isFar = resident > settings.residentMax * FAR;
      const firstMs = !hadReaders ? 0 : isFar ? READERS_FIRST_MS_FAR : READERS_FIRST_MS;
      const stopped = Date.now() - since < firstMs ? readers : all;
      const error: WireError = {
        code: 'engine.out-of-memory',
        parameters: { detail: `the process that keeps the database has grown to ${megabytes} MB` },
        // Of several statements only one may be to blame; alone, each may fit.
        isRetryable: suspects.size > 1,
      };
      for (const session of stopped) session.stop(error);
      if (Date.now() - since < Math.max(firstMs, OBEY_MS) + OBEY_MS) return;
      // Whoever still runs did not obey; the others lose the keeper through no fault of theirs.
      for (const session of all) session.blame(error);
      end(all.length === 0 ? error : LOST);
    }, WATCH_MS).unref();
  }
}

/** Address space of this process; 0 where it is not limited. */
function addressBytes(): number {
  if (process.platform !== 'linux') return 0;
  return 1024 * Number(/^VmSize:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
}

/** Answers of a session that has more to do wait a moment for the next ones: a client wakes up once and not for each. */
function hold(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  setTimeout(() => socket.uncork(), HOLD_MS);
}

type KeeperAnswer = Extract<KeeperFrame, { readonly kind: 'done' }>['value'];

/** A frame is one text, and a text has a greatest length. */
function unsendable(thrown: unknown): WireError {
  return {
    code: 'engine.statement-failed',
    parameters: { detail: `a part of the answer is too large to be sent: ${String(thrown)}` },
  };
}

function sendWithin(socket: Socket, frame: KeeperFrame): Promise<void> {
  sendFrame(socket, frame);
  if (socket.destroyed || socket.writableLength < BACKLOG_BYTES_MAX) return Promise.resolve();
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.on('drain', go);
    socket.on('close', go);
  });
}
