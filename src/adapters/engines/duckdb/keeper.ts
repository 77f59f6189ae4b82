/*
 * The keeper: the one process that has a DuckDB file. The first process that needs the file starts it. It serves any number of clients
 * over a Unix socket, and ends a while after the last one left.
 *
 *   descriptor 3 ──▶ settings ──▶ open the file (the lock decides) ──▶ listen under a temporary name ──▶ rename
 *        └── the starter is its first client on that same descriptor; for `:memory:` its only one
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createServer, type Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { ConcurrentCalls } from './concurrent-calls.ts';
import type { KeeperSettings } from './duckdb-config.ts';
import { type Fatality, fatalityOf, ownFault } from './duckdb-errors.ts';
import { Credit } from './keeper-reading.ts';
import { errorOf } from './keeper-refusal.ts';
import { KeeperSession, type TakeParts } from './keeper-session.ts';
import { OpenError, openWarehouse, type Warehouse } from './keeper-warehouse.ts';
import { LOST, watchInspections, watchMemory } from './keeper-watch.ts';
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
/** What a client that is gone had under way is over within this time, or the keeper ends. */
const LEAVE_MS = 2_000;
const BACKLOG_BYTES_MAX = 16 * 1024 ** 2;
/** Of one `read`, sent and not yet used. */
const CREDIT_BYTES = 1024 ** 2;
const READER_IDLE_MS = 30_000;
const HOLD_MS = 2;
/** A keeper with less address space than this is given up when an allocation fails: DuckDB's allocator never gives any back. */
const ADDRESS_LEFT_MIN = 512 * 1024 ** 2;
const COMPILED_MS = 100;
const BROUGHT_DOWN: WireError = { ...LOST, parameters: { detail: 'another statement brought it down' } };
/** How long a socket that was removed is missed. */
const LISTENING_MS = 1_000;
/** How long the last frames may take to leave. */
const FLUSH_MS = 200;

// DuckDB makes its files as the process says: the warehouse, its log, what does not fit into memory, and what statements copy to.
process.umask(0o077);
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
  const concurrent = new ConcurrentCalls<KeeperSession>();
  const leaving = new Set<Promise<unknown>>();
  let idle: NodeJS.Timeout | undefined;
  let isEnding = false;
  let server = createServer(takeSocket);
  const socketPath = settings.socket;
  let inode = socketPath === undefined ? undefined : listen(server, socketPath);
  if (socketPath !== undefined) setInterval(() => void listenAgain(socketPath), LISTENING_MS).unref();
  watchMemory({ residentMax: settings.residentMax, running, end });
  watchInspections({ running, end });
  // The end of a keeper is a kill, so the next one's quick start is prepared while this one is up.
  setTimeout(flushCompileCache, COMPILED_MS).unref();
  process.on('SIGTERM', () => end());
  restartIdle();
  return takeFrames(starter);

  /** Clients find a socket only when a keeper listens on it; a keeper killed earlier may have left one behind. */
  function listen(listener: Server, path: string): Promise<number> {
    const temporary = `${path}.${process.pid}`;
    rmSync(temporary, { force: true });
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(temporary, () => {
        renameSync(temporary, path);
        resolve(statSync(path).ino);
      });
    });
  }

  function takeSocket(socket: Socket): void {
    receiveFrames<ClientFrame>(socket, takeFrames(socket));
  }

  /** A cleaner of temporary folders may have removed the socket: then no process finds the keeper, and none can open the file. */
  async function listenAgain(path: string): Promise<void> {
    await inode;
    if (isEnding || existsSync(path)) return;
    const next = createServer(takeSocket);
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      inode = Promise.resolve(await listen(next, path));
    } catch {
      // A full disk, say: the next look tries again.
      next.close();
      return;
    }
    // Closing removes the name that it listened under first, which is free again.
    server.close();
    server = next;
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
        const leave = concurrent.enter(own, call);
        const result = own.call(call, partsOf(client, id)).finally(() => {
          leave();
          if (call.kind === 'read') client.credits.delete(id);
        });
        answer(client, id, result, own);
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
      case 'tokens':
        answer(
          client,
          frame.id,
          warehouse.prepareBooks([]).then(() => warehouse.fences.tokens()),
        );
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
      ...(settings.files === undefined ? {} : { files: settings.files }),
      handleFailure: (error, fatality) => handleFailure(session, error, fatality),
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
  function handleFailure(
    session: KeeperSession | undefined,
    error: WireError,
    fatality?: Fatality,
  ): WireError {
    if (fatality !== undefined) {
      setImmediate(() => end(BROUGHT_DOWN));
      return fatality === 'own' ? ownFault(error) : BROUGHT_DOWN;
    }
    if (error.code !== 'engine.out-of-memory' || error.isRetryable !== undefined) return error;
    const isSpent = settings.addressMax - addressBytes() < ADDRESS_LEFT_MIN;
    if (isSpent) setImmediate(() => end(LOST));
    const lacked = { ...error, isRetryable: true };
    const others = running().filter((other) => other !== session);
    // Queries are done again anyway: a write that lacks memory finds it when it is repeated.
    if (session?.isReading !== true) for (const other of others) if (other.isReading) other.stop(lacked);
    const isShared = others.length > 0 || (session !== undefined && concurrent.ranConcurrently(session));
    return isSpent || isShared ? lacked : error;
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
      (thrown: unknown) => {
        const error = errorOf(thrown);
        // A session has handled it already.
        const reported = session === undefined ? handleFailure(undefined, error, fatalityOf(thrown)) : error;
        sendFrame(client.socket, { kind: 'failed', id, error: reported });
      },
    );
  }

  function leave(client: Client): void {
    clients.delete(client);
    const sessions = [...client.sessions.values()];
    const gone = Promise.all(sessions.map((session) => session.end())).finally(() => {
      leaving.delete(gone);
      restartIdle();
    });
    leaving.add(gone);
    // Some work of DuckDB ignores interrupts, and no client waits for it any longer.
    setTimeout(() => {
      if (sessions.some((session) => session.isRunning)) end(BROUGHT_DOWN);
    }, LEAVE_MS).unref();
  }

  function restartIdle(): void {
    clearTimeout(idle);
    if (clients.size > 0 || leaving.size > 0) return;
    idle = setTimeout(() => end(), settings.idleMs);
  }

  /** The name goes first, so that no client finds a keeper that is about to end; then the file is free for the next one. */
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
        // A plain exit would wait for DuckDB's threads, and forever for a statement that ignores the interrupt.
        process.kill(process.pid, 'SIGKILL');
      })();
    });
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
