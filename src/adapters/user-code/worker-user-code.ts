import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  UserCall,
  UserCode,
  UserCodeProblem,
  UserFunction,
  UserResult,
} from '../../domain/user-code.ts';
import { workerUrl } from '../../foundation/worker-url.ts';
import { reachedCode } from './reached-code.ts';
import { readSource, sourceFiles } from './source-files.ts';

const CALL_MS_MAX = 5_000;
/** Growth of the whole process during calls, looked at several times a second: buffers lie outside the heap that a thread's limits see. */
const CALL_BYTES_MAX = 1024 ** 3;
const WATCH_MS = 100;
// Repetitions are bounded, so that no text takes more than linear time.
const EXPORT =
  /^export\s{1,20}(?:async\s{1,20})?function\s{0,20}\*?\s{0,20}([A-Za-z_$][\w$]*)|^export\s{1,20}const\s{1,20}([A-Za-z_$][\w$]*)\s{0,20}[=:]/gm;

type Request = Readonly<
  Record<'path' | 'folder' | 'file' | 'hash' | 'name', string> & Pick<UserCall, 'arguments' | 'context'>
>;

interface FoundFunction extends UserFunction {
  /** Why the file is never loaded. */
  readonly refusal: UserCodeProblem | undefined;
}

interface Waiting {
  readonly resolve: (result: UserResult) => void;
  readonly request: Request;
  timer: NodeJS.Timeout | undefined;
}

interface Answer {
  readonly id: number;
  readonly result: UserResult;
}

/**
 * Runs users' TypeScript and JavaScript in a worker thread of its own, started at the first call: a loop that never ends is stopped after five
 * seconds and costs one macro, not the load. Functions are found by reading the text, so an unchanged project runs no user code at all.
 */
export function workerUserCode(projectFolder: string, { callMs = CALL_MS_MAX } = {}): UserCode {
  let worker: Worker | undefined;
  let lastId = 0;
  let watch: NodeJS.Timeout | undefined;
  /** In the order they were asked; the worker answers the first that does not wait for something. */
  const waiting = new Map<number, Waiting>();
  const known = new Map<string, Map<string, FoundFunction>>();
  /** Functions that did not return once. They are not called again, or a hundred models that use one would wait a hundred times. */
  const stuck = new Set<string>();

  function start(): Worker {
    const started = new Worker(workerUrl('adapters/user-code/user-code-worker'), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      env: {},
      workerData: { projectFolder: realpathSync(projectFolder) },
      stdout: true,
      stderr: true,
    });
    started.unref();
    started.on('message', (message: unknown) => {
      // The user's code shares the thread and can send anything.
      if (started === worker && isAnswer(message)) settle(message.id, message.result);
    });
    started.on('error', (error) => {
      if (started === worker) replaceWorker('threw', error instanceof Error ? error.message : String(error));
    });
    started.on('exit', () => {
      if (started === worker) replaceWorker('threw', 'it ended its thread');
    });
    return started;
  }

  function settle(id: number, result: UserResult): void {
    const found = waiting.get(id);
    if (found === undefined) return;
    clearTimeout(found.timer);
    waiting.delete(id);
    if (waiting.size === 0) clearInterval(watch);
    found.resolve(result);
  }

  /** When the thread is stuck or lost, the oldest call fails; the others are repeated in a new one. */
  function replaceWorker(kind: 'threw' | 'timeout', message: string): void {
    const lost = worker;
    worker = undefined;
    void lost?.terminate();
    const [oldest] = waiting;
    if (oldest !== undefined) {
      const [id, { request }] = oldest;
      if (kind === 'timeout') stuck.add(keyOf(request));
      settle(id, { ok: false, problem: { kind, file: request.file, message } });
    }
    for (const [id, { request }] of waiting) post(id, request);
  }

  function post(id: number, request: Request): void {
    worker ??= start();
    const found = waiting.get(id);
    if (found === undefined) return;
    clearTimeout(found.timer);
    found.timer = setTimeout(
      () => replaceWorker('timeout', timeoutOf(request.file, request.name, callMs).message),
      callMs,
    );
    worker.postMessage({ id, ...request });
    watchMemory();
  }

  function watchMemory(): void {
    clearInterval(watch);
    const bytesAllowed = process.memoryUsage.rss() + CALL_BYTES_MAX;
    watch = setInterval(() => {
      if (process.memoryUsage.rss() > bytesAllowed)
        replaceWorker('threw', 'it takes more than 1 GB of memory');
    }, WATCH_MS);
    watch.unref();
  }

  function functionsOf(folder: string): {
    functions: Map<string, FoundFunction>;
    problems: readonly UserCodeProblem[];
  } {
    const functions = new Map<string, FoundFunction>();
    // A file that several import is wrong once.
    const problems = new Map<string, UserCodeProblem>();
    for (const file of sourceFiles(projectFolder, folder)) {
      const text = readSource(projectFolder, file);
      if (text === undefined) continue;
      const reached = reachedCode(projectFolder, folder, file);
      for (const problem of reached.problems)
        problems.set(`${problem.file}:${problem.line} ${problem.message}`, problem);
      const [refusal] = reached.problems;
      for (const match of text.matchAll(EXPORT)) {
        const name = (match[1] ?? match[2]) as string;
        functions.set(name.toLowerCase(), { name, file, hash: reached.hash, refusal });
      }
    }
    return { functions, problems: [...problems.values()] };
  }

  return {
    async functions(folder) {
      const { functions, problems } = functionsOf(folder);
      // A thread keeps what it imported, also files that changed since; another one reads them again.
      if (hasChanged(known.get(folder), functions) && waiting.size === 0) {
        void worker?.terminate();
        worker = undefined;
      }
      known.set(folder, functions);
      return { functions: [...functions.values()].map(({ refusal: _, ...found }) => found), problems };
    },
    call(folder, call: UserCall) {
      const found = (known.get(folder) ?? functionsOf(folder).functions).get(call.function.toLowerCase());
      if (found === undefined)
        return Promise.resolve({
          ok: false,
          problem: { kind: 'cannot-load', file: folder, message: `no function named ${call.function}` },
        });
      if (found.refusal !== undefined)
        return Promise.resolve({ ok: false, problem: refusedBy(found.refusal) });
      const isStuck = stuck.has(keyOf(found));
      if (isStuck) return Promise.resolve({ ok: false, problem: timeoutOf(found.file, found.name, callMs) });
      const id = ++lastId;
      return new Promise<UserResult>((resolve) => {
        const request = {
          path: join(projectFolder, found.file),
          folder,
          file: found.file,
          hash: found.hash,
          name: found.name,
          arguments: call.arguments,
          context: call.context,
        };
        waiting.set(id, { resolve, request, timer: undefined });
        post(id, request);
      });
    },
    async close() {
      const last = worker;
      worker = undefined;
      for (const id of [...waiting.keys()])
        settle(id, { ok: false, problem: { kind: 'threw', file: '', message: 'it was stopped' } });
      await last?.terminate();
    },
  };
}

function isAnswer(message: unknown): message is Answer {
  if (typeof message !== 'object' || message === null) return false;
  const { id, result } = message as Partial<Answer>;
  if (typeof id !== 'number' || typeof result !== 'object' || result === null) return false;
  return result.ok === true || (result.ok === false && typeof result.problem?.message === 'string');
}

const keyOf = ({ hash, name }: { readonly hash: string; readonly name: string }): string => `${hash} ${name}`;

/** The place is that of the import, which may be in a file that the function's own file imports. */
function refusedBy({ message, ...place }: UserCodeProblem): UserCodeProblem {
  return { ...place, kind: 'cannot-load', message: `its file is not loaded, because ${message}` };
}

function timeoutOf(file: string, name: string, callMs: number): UserCodeProblem {
  return { kind: 'timeout', file, message: `${name} did not return within ${callMs / 1000} seconds` };
}

function hasChanged(
  before: ReadonlyMap<string, UserFunction> | undefined,
  now: ReadonlyMap<string, UserFunction>,
): boolean {
  if (before === undefined) return false;
  return [...before].some(([name, { hash }]) => now.get(name)?.hash !== hash);
}
