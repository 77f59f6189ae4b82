import type { Socket } from 'node:net';
import { diagnostic } from '../../../domain/diagnostics/catalog.ts';
import type { Answer } from '../../../domain/engine.ts';
import { Failure } from '../../../domain/failure.ts';
import {
  type CallAnswer,
  type ClientFrame,
  type KeeperFrame,
  receiveFrames,
  type SessionCall,
  sendFrame,
  type WireError,
  type WireFence,
} from './keeper-wire.ts';
import { LineQueue } from './line-queue.ts';

interface Waiting {
  readonly resolve: (value: CallAnswer) => void;
  readonly reject: (reason: Failure) => void;
  readonly parts: Answer['rows'][];
  /** Of a `read`. */
  readonly lines?: LineQueue;
}

/** The text of a query has no file. */
const QUERY_FILE = '<query>';

/** The failure that a keeper's error stands for. */
export function failureOf({ code, parameters, isRetryable, hint, at }: WireError): Failure {
  const where = at === undefined ? undefined : { file: QUERY_FILE, ...at };
  return new Failure(
    diagnostic(code, parameters as never, { hint, at: where }),
    isRetryable === undefined ? {} : { isRetryable },
  );
}

const LOST: WireError = {
  code: 'engine.lost',
  parameters: { detail: 'the process that keeps the database ended' },
  isRetryable: true,
};

/** One socket to a keeper, with many sessions on it. It holds the event loop only while something is asked. */
export class KeeperClient {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  readonly #freeSessions: number[] = [];
  #sessions = 0;
  #lastCall = 0;
  #end: WireError | undefined;
  /** The keeper's process id. */
  readonly pid: number;

  constructor(socket: Socket, pid: number) {
    this.#socket = socket;
    this.pid = pid;
    socket.on('close', () => this.#lose());
    socket.on('error', () => this.#lose());
    socket.unref();
  }

  /** Takes over a socket whose `welcome` has been read; `take` gets every later frame. */
  take(frame: KeeperFrame): void {
    switch (frame.kind) {
      case 'rows':
        this.#waiting.get(frame.id)?.parts.push(frame.rows);
        return;
      case 'columns':
        this.#waiting.get(frame.id)?.lines?.begin(frame);
        return;
      case 'done': {
        const waiting = this.#answered(frame.id);
        waiting?.resolve(joined(frame.value, waiting.parts));
        return;
      }
      case 'failed':
        this.#answered(frame.id)?.reject(failureOf(frame.error));
        return;
      case 'ending':
        this.#end = frame.error;
        return;
      case 'welcome':
      case 'refused':
        return;
    }
  }

  takeLines(id: number, lines: Buffer): void {
    this.#waiting.get(id)?.lines?.add(lines);
  }

  get isLost(): boolean {
    return this.#socket.destroyed;
  }

  /** An unused session; its number names a queue in the keeper. */
  takeSession(): number {
    return this.#freeSessions.pop() ?? ++this.#sessions;
  }

  returnSession(session: number): void {
    this.#freeSessions.push(session);
  }

  call(session: number, call: SessionCall): Promise<CallAnswer> {
    return this.#ask((id) => ({ kind: 'call', id, session, call }));
  }

  /** Asks for an answer of any length; the queue gets it, and its end. */
  read(session: number, asked: Omit<Extract<SessionCall, { kind: 'read' }>, 'kind'>): LineQueue {
    const lines = new LineQueue((bytes) => sendFrame(this.#socket, { kind: 'taken', id, bytes }));
    const id = this.#lastCall + 1;
    const call = { kind: 'read', ...asked } as const;
    this.#ask((number) => ({ kind: 'call', id: number, session, call }), lines).then(
      () => lines.end(),
      (failure: Failure) => lines.end(failure),
    );
    return lines;
  }

  raise(fences: readonly WireFence[]): Promise<CallAnswer> {
    return this.#ask((id) => ({ kind: 'raise', id, fences }));
  }

  async versions(tables: readonly string[]): Promise<readonly string[]> {
    return (await this.#ask((id) => ({ kind: 'versions', id, tables }))) as readonly string[];
  }

  async tokens(): Promise<ReadonlyMap<string, number>> {
    const words = (await this.#ask((id) => ({ kind: 'tokens', id }))) as readonly string[];
    return new Map(
      words.flatMap((table, index) => (index % 2 === 0 ? [[table, Number(words[index + 1])] as const] : [])),
    );
  }

  identity(proposed: string): Promise<CallAnswer> {
    return this.#ask((id) => ({ kind: 'identity', id, proposed }));
  }

  cancel(session: number): void {
    sendFrame(this.#socket, { kind: 'cancel', session });
  }

  /** The last resort against a statement that does not obey an interrupt. */
  kill(): void {
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
    this.#socket.destroy();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) {
        resolve();
        return;
      }
      this.#socket.ref();
      this.#socket.once('close', () => resolve());
      this.#socket.destroy();
    });
  }

  #ask(frame: (id: number) => ClientFrame, lines?: LineQueue): Promise<CallAnswer> {
    const id = ++this.#lastCall;
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(failureOf(this.#end ?? LOST));
        return;
      }
      if (this.#waiting.size === 0) this.#socket.ref();
      this.#waiting.set(id, { resolve, reject, parts: [], ...(lines === undefined ? {} : { lines }) });
      sendFrame(this.#socket, frame(id));
    });
  }

  #answered(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#socket.unref();
    return waiting;
  }

  #lose(): void {
    this.#socket.destroy();
    for (const { reject } of this.#waiting.values()) reject(failureOf(this.#end ?? LOST));
    this.#waiting.clear();
  }
}

/** Greets a keeper on a socket; resolves with its answer, or undefined when the socket closed without one. */
export function greet(
  socket: Socket,
  frames: readonly ClientFrame[],
): Promise<KeeperClient | Extract<KeeperFrame, { readonly kind: 'refused' }> | undefined> {
  return new Promise((resolve) => {
    let client: KeeperClient | undefined;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(undefined));
    receiveFrames<KeeperFrame>(
      socket,
      (frame) => {
        if (client !== undefined) client.take(frame);
        else if (frame.kind === 'welcome') {
          client = new KeeperClient(socket, frame.pid);
          resolve(client);
        } else if (frame.kind === 'refused') resolve(frame);
      },
      (id, lines) => client?.takeLines(id, lines),
    );
    for (const frame of frames) sendFrame(socket, frame);
  });
}

function joined(value: CallAnswer, parts: readonly Answer['rows'][]): CallAnswer {
  if (parts.length === 0 || typeof value !== 'object' || value === null || !('rows' in value)) return value;
  return { columns: value.columns, rows: [...parts, value.rows].flat() };
}
