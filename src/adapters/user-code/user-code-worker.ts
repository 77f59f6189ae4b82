/** The far side of `workerUserCode`: imports a user's file and calls one function. Only plain data crosses. */
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';
import type { UserResult } from '../../domain/user-code.ts';

interface Request {
  readonly id: number;
  readonly path: string;
  readonly file: string;
  readonly hash: string;
  readonly name: string;
  readonly arguments: readonly unknown[];
  readonly context: Readonly<Record<string, unknown>>;
}

parentPort?.on('message', async (request: Request) => {
  parentPort?.postMessage({ id: request.id, result: await answer(request) });
});

async function answer({ path, file, hash, name, arguments: args, context }: Request): Promise<UserResult> {
  let loaded: Record<string, unknown>;
  try {
    loaded = (await import(`${pathToFileURL(path).href}?${hash}`)) as Record<string, unknown>;
  } catch (error) {
    return { ok: false, problem: { kind: 'cannot-load', file, ...describe(error, path) } };
  }
  const found = loaded[name];
  if (typeof found !== 'function')
    return { ok: false, problem: { kind: 'cannot-load', file, message: `${name} is not a function` } };
  try {
    const value: unknown = await found.apply(context, args);
    return { ok: true, value: structuredClone(value) };
  } catch (error) {
    return { ok: false, problem: { kind: 'threw', file, ...describe(error, path) } };
  }
}

/** Message of an error and, when its stack names the user's file, the line and column there. */
function describe(error: unknown, path: string): { message: string; line?: number; column?: number } {
  if (!(error instanceof Error)) return { message: String(error) };
  const at = error.stack?.split('\n').find((line) => line.includes(path));
  const place = at === undefined ? null : /:(\d+):(\d+)\)?$/.exec(at.trim());
  const message = error.message.split('\n')[0] ?? error.name;
  return place === null ? { message } : { message, line: Number(place[1]), column: Number(place[2]) };
}
