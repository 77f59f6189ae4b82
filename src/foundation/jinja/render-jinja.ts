/*
 * Renders Jinja text synchronously, with a limit on its time: the library runs in a worker thread, and this thread sleeps until the answer is
 * there or the limit is reached.
 *
 *   this thread ── request ──▶ worker (library)      Atomics.wait(signal, 5 s)
 *               ◀── result ───                        too late → the worker is ended, the text is in error
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { workerUrl } from '../worker-url.ts';
import type { JinjaRequest, JinjaResult } from './jinja-protocol.ts';

/** Start-up of the thread included; a template alone has run out of fuel long before. */
const RENDER_MS_MAX = 5_000;
const RENDER_BYTES_MAX = 500 * 1024 ** 2;
const WATCH_MS = 50;

interface Renderer {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
  readonly ready: Promise<void>;
}

let renderer: Renderer | undefined;

/** Starts the thread, so that the first text does not wait for it. Projects without Jinja never call it and pay nothing. */
export async function prepareJinja(): Promise<void> {
  const { worker, ready } = start();
  // Nothing else may keep the process alive while it waits.
  worker.ref();
  await ready;
  worker.unref();
}

/** The rendered text, or where and why it cannot be rendered. */
export function renderJinja(request: JinjaRequest): JinjaResult {
  const { port, signal } = start();
  Atomics.store(signal, 0, 0);
  port.postMessage(request);
  const excess = waitFor(signal);
  const received = receiveMessageOnPort(port) as { readonly message: JinjaResult } | undefined;
  if (received === undefined || excess !== undefined) {
    end();
    return { ok: false, error: { kind: 'crash', message: excess ?? 'it ended its thread' }, looked: [] };
  }
  const { message: result } = received;
  if (!result.ok && result.error.kind === 'crash') end();
  return result;
}

/** Sleeps until the answer is there; the reason when it costs more time or memory than allowed, which nothing in the library limits. */
function waitFor(signal: Int32Array): string | undefined {
  const bytesAllowed = process.memoryUsage.rss() + RENDER_BYTES_MAX;
  for (let ms = 0; ms < RENDER_MS_MAX; ms += WATCH_MS) {
    if (Atomics.wait(signal, 0, 0, WATCH_MS) !== 'timed-out') return undefined;
    if (process.memoryUsage.rss() > bytesAllowed) return 'it takes more than 500 MB of memory';
  }
  return `it runs longer than ${RENDER_MS_MAX / 1000} seconds`;
}

function start(): Renderer {
  if (renderer !== undefined) return renderer;
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(workerUrl('foundation/jinja/jinja-worker'), {
    workerData: { port: port2, signal },
    transferList: [port2],
    env: {},
    stdout: true,
    stderr: true,
  });
  worker.unref();
  port1.unref();
  const ready = new Promise<void>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  // The caller that waits gets the error; without one the next text finds no thread and starts one.
  ready.catch(() => undefined);
  const started = { worker, port: port1, signal, ready };
  worker.on('error', () => {
    if (renderer === started) renderer = undefined;
  });
  worker.on('exit', () => {
    if (renderer === started) renderer = undefined;
  });
  renderer = started;
  return started;
}

function end(): void {
  void renderer?.worker.terminate();
  renderer?.port.close();
  renderer = undefined;
}
