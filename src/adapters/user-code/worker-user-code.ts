import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  UserCall,
  UserCode,
  UserCodeProblem,
  UserFunction,
  UserResult,
} from '../../domain/user-code.ts';
import { hash128 } from '../../foundation/hash.ts';
import { workerUrl } from '../../foundation/worker-url.ts';

const CALL_MS_MAX = 5_000;
const EXPORT =
  /^export\s+(?:async\s+)?function\s*\*?\s*([A-Za-z_$][\w$]*)|^export\s+const\s+([A-Za-z_$][\w$]*)\s*[=:]/gm;
const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+['"]([^'"]+)['"]|(?:^|\n)\s*import\s+['"]([^'"]+)['"]/g;

type Request = Readonly<
  Record<'path' | 'file' | 'hash' | 'name', string> & Pick<UserCall, 'arguments' | 'context'>
>;

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
export function workerUserCode(projectFolder: string): UserCode {
  let worker: Worker | undefined;
  let lastId = 0;
  /** In the order they were asked; the worker answers the first that does not wait for something. */
  const waiting = new Map<number, Waiting>();
  const known = new Map<string, Map<string, UserFunction>>();

  function start(): Worker {
    const started = new Worker(workerUrl('adapters/user-code/user-code-worker'), {
      resourceLimits: { maxOldGenerationSizeMb: 512 },
      env: {},
      stdout: true,
      stderr: true,
    });
    started.unref();
    started.on('message', ({ id, result }: Answer) => settle(id, result));
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
    found.resolve(result);
  }

  /** The oldest call is to blame when the thread is stuck or lost; the others are asked again in a new one. */
  function replaceWorker(kind: 'threw' | 'timeout', message: string): void {
    const lost = worker;
    worker = undefined;
    void lost?.terminate();
    const [oldest] = waiting;
    if (oldest !== undefined) {
      const [id, { request }] = oldest;
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
      () => replaceWorker('timeout', `${request.name} did not return within ${CALL_MS_MAX / 1000} seconds`),
      CALL_MS_MAX,
    );
    worker.postMessage({ id, ...request });
  }

  function functionsOf(folder: string): {
    functions: Map<string, UserFunction>;
    problems: UserCodeProblem[];
  } {
    const functions = new Map<string, UserFunction>();
    const problems: UserCodeProblem[] = [];
    for (const file of sourceFiles(projectFolder, folder)) {
      const text = readFileSync(join(projectFolder, file), 'utf8');
      const hash = hashWithImports(projectFolder, folder, file, problems);
      for (const match of text.matchAll(EXPORT)) {
        const name = (match[1] ?? match[2]) as string;
        functions.set(name.toLowerCase(), { name, file, hash });
      }
    }
    return { functions, problems };
  }

  return {
    async functions(folder) {
      const { functions, problems } = functionsOf(folder);
      // A thread keeps what it imported, also files that changed since; another one reads them anew.
      if (hasChanged(known.get(folder), functions) && waiting.size === 0) {
        void worker?.terminate();
        worker = undefined;
      }
      known.set(folder, functions);
      return { functions: [...functions.values()], problems };
    },
    call(folder, call: UserCall) {
      const found = (known.get(folder) ?? functionsOf(folder).functions).get(call.function.toLowerCase());
      if (found === undefined)
        return Promise.resolve({
          ok: false,
          problem: { kind: 'cannot-load', file: folder, message: `no function named ${call.function}` },
        });
      const id = ++lastId;
      return new Promise<UserResult>((resolve) => {
        const request = {
          path: join(projectFolder, found.file),
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

function hasChanged(
  before: ReadonlyMap<string, UserFunction> | undefined,
  now: ReadonlyMap<string, UserFunction>,
): boolean {
  if (before === undefined) return false;
  return [...before].some(([name, { hash }]) => now.get(name)?.hash !== hash);
}

function sourceFiles(projectFolder: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|js|mjs|mts)$/.test(name) && !/\.(?:test|d)\.\w+$/.test(name))
      .sort()
      .map((name) => `${folder}/${name}`);
  } catch {
    // The folder is optional.
    return [];
  }
}

/** Hash of a file and all it imports inside its folder; an import from elsewhere is a problem, because a snapshot must be able to carry the code. */
function hashWithImports(
  projectFolder: string,
  folder: string,
  file: string,
  problems: UserCodeProblem[],
): string {
  const parts: string[] = [];
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = readFileSync(join(projectFolder, path), 'utf8');
    parts.push(path, text);
    for (const match of text.matchAll(IMPORT)) {
      const target = (match[1] ?? match[2]) as string;
      if (target === 'plinth' || target.startsWith('plinth/')) continue;
      const resolved = target.startsWith('.')
        ? relative(projectFolder, join(projectFolder, dirname(path), target))
        : undefined;
      if (resolved === undefined || !resolved.startsWith(`${folder}/`)) {
        const line = text.slice(0, match.index).split('\n').length + (match[0].startsWith('\n') ? 1 : 0);
        problems.push({
          kind: 'import-outside',
          file: path,
          message: `${target} lies outside ${folder}/`,
          line,
          column: 1,
        });
      } else visit(resolved);
    }
  };
  visit(file);
  return hash128(...parts);
}
