/** The far side of `workerUserCode`: imports a user's file and calls one function. Only plain data crosses. */
import { parentPort, workerData } from 'node:worker_threads';
import type { UserResult } from '../../domain/user-code.ts';
import { guardImports } from './guard-imports.ts';

interface Request {
  readonly id: number;
  readonly path: string;
  readonly folder: string;
  readonly file: string;
  readonly hash: string;
  readonly name: string;
  readonly arguments: readonly unknown[];
  readonly context: Readonly<Record<string, unknown>>;
}

// What a function left behind (a timer, a promise that is not awaited) fails after its answer: ending the thread would blame the next call for it.
process.on('uncaughtException', () => undefined);
process.on('unhandledRejection', () => undefined);

const importOf = guardImports((workerData as { readonly projectFolder: string }).projectFolder);

parentPort?.on('message', async (request: Request) => {
  parentPort?.postMessage({ id: request.id, result: await answer(request) });
});

async function answer({
  path,
  folder,
  file,
  hash,
  name,
  arguments: args,
  context,
}: Request): Promise<UserResult> {
  let loaded: Record<string, unknown>;
  try {
    loaded = await importOf(path, folder, hash);
  } catch (error) {
    return { ok: false, problem: { kind: 'cannot-load', file, ...describe(error, path) } };
  }
  const found = loaded[name];
  if (typeof found !== 'function')
    return { ok: false, problem: { kind: 'cannot-load', file, message: `${name} is not a function` } };
  try {
    const value: unknown = await found.apply(withColumns(context), args);
    return plainResult(value, name, file);
  } catch (error) {
    if (error instanceof ColumnsMissing) return { ok: true, value: { needsColumnsOf: error.table } };
    return { ok: false, problem: { kind: 'threw', file, ...describe(error, path) } };
  }
}

/** Stops a function that asks for columns it was not given; it is called again with them. */
class ColumnsMissing extends Error {
  readonly table: string;
  constructor(table: string) {
    super(`the columns of ${table} are looked up`);
    this.table = table;
  }
}

/** `this` of the function: the plain data that crossed, with its `columns` behind a function. */
function withColumns(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known = (context.columns ?? {}) as Readonly<Record<string, unknown>>;
  return {
    ...context,
    columnsOf(table: unknown): unknown {
      const name = String(table);
      if (!Object.hasOwn(known, name)) throw new ColumnsMissing(name);
      return known[name] ?? undefined;
    },
  };
}

/** Only plain data may cross; a function or a promise inside is the author's mistake, not ours. */
function plainResult(value: unknown, name: string, file: string): UserResult {
  const excess = excessOf(value);
  if (excess !== undefined)
    return { ok: false, problem: { kind: 'bad-result', file, message: `${name} returned ${excess}` } };
  try {
    return { ok: true, value: structuredClone(value) };
  } catch {
    return {
      ok: false,
      problem: { kind: 'bad-result', file, message: `${name} returned ${describeValue(value)}` },
    };
  }
}

const CHARACTERS_MAX = 10_000_000;
const ITEMS_MAX = 100_000;
const DEPTH_MAX = 32;

/** What of a result is more than may cross, before it is copied. */
function excessOf(value: unknown): string | undefined {
  let characters = 0;
  let items = 0;
  const look = (part: unknown, depth: number): string | undefined => {
    if (typeof part === 'string') characters += part.length;
    if (characters > CHARACTERS_MAX) return 'more than 10 MB of text';
    if (!Array.isArray(part)) return undefined;
    if (depth > DEPTH_MAX) return `lists nested more than ${DEPTH_MAX} levels deep`;
    items += part.length;
    if (items > ITEMS_MAX) return `more than ${ITEMS_MAX} items`;
    for (const item of part) {
      const excess = look(item, depth + 1);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  return look(value, 0);
}

function describeValue(value: unknown): string {
  return typeof value === 'object' ? 'an object that cannot be copied' : `a ${typeof value}`;
}

/** Message of an error and, when its stack names the user's file, the line and column there. */
function describe(error: unknown, path: string): { message: string; line?: number; column?: number } {
  if (!(error instanceof Error)) return { message: String(error) };
  const at = error.stack?.split('\n').find((line) => line.includes(path));
  const place = at === undefined ? null : /:(\d+):(\d+)\)?$/.exec(at.trim());
  const message = error.message.split('\n')[0] ?? error.name;
  return place === null ? { message } : { message, line: Number(place[1]), column: Number(place[2]) };
}
