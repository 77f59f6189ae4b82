/*
 * Loaded into a Plinth that runs from source (`node --import`): whenever it asks the keeper of a warehouse for something, the
 * files that led there, door first, are written as one line of JSON into the file that PLINTH_WALKS names.
 */
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

Error.stackTraceLimit = 300;
const source = fileURLToPath(new URL('../../src/', import.meta.url));
const into = process.env['PLINTH_WALKS'];
const FRAME = /(?:file:\/\/)?(\/[^():]+\.ts):\d+:\d+\)?$/;

const ENGINE = /^adapters\/engines\//;

/** Calls inside one file are one step; inside the folder of an engine the walk has arrived. */
function filesOf(stack: string): readonly string[] {
  const found = stack
    .split('\n')
    .flatMap((line) => FRAME.exec(line)?.[1] ?? [])
    .filter((path) => path.startsWith(source))
    .map((path) => path.slice(source.length))
    .reverse();
  return found.filter(
    (path, at) => path !== found[at - 1] && !(ENGINE.test(path) && ENGINE.test(found[at - 1] ?? '')),
  );
}

const write = Socket.prototype.write;
Socket.prototype.write = function noted(this: Socket, ...given: Parameters<typeof write>): boolean {
  const files = filesOf(new Error('here').stack ?? '');
  const isEngine = files.some((path) => path.startsWith('adapters/engines/'));
  if (into !== undefined && isEngine) appendFileSync(into, `${JSON.stringify(files)}\n`);
  return write.apply(this, given);
} as typeof write;
