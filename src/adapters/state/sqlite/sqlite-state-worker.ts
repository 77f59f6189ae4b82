/** The thread that writes: a commit, a checkpoint or a wait for another process's lock never stops the caller's thread. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StateProblem } from '../sql/state-problem.ts';
import { openDatabase } from './database.ts';
import { createExecutor, whenFree } from './executor.ts';
import type { StateReply, StateRequest, StateThreadData } from './state-thread-protocol.ts';

const port = parentPort;
if (port === null) throw new Error('sqlite-state-worker runs as a worker thread only');
const { database: options, lockedAfterMs } = workerData as StateThreadData;
const database = await whenFree(options.file, lockedAfterMs, () => openDatabase(options));
const executor = createExecutor(database, lockedAfterMs);

let outgoing: StateReply[] = [];

/** Those of one commit leave together. */
function reply(message: StateReply): void {
  if (outgoing.push(message) === 1) process.nextTick(flush);
}

function flush(): void {
  const replies = outgoing;
  outgoing = [];
  if (replies.length > 0) post(replies);
}

function post(replies: readonly StateReply[]): void {
  try {
    port?.postMessage(replies);
  } catch (error) {
    // Something in it cannot be copied: whose it is is found by sending each alone.
    if (replies.length > 1) for (const each of replies) post([each]);
    else
      for (const each of replies)
        if ('id' in each) post([{ kind: 'bug', id: each.id, error: new Error(String(error)) }]);
  }
}

async function handle(request: StateRequest): Promise<void> {
  const { id } = request;
  try {
    if (request.kind === 'ask') {
      reply({ kind: 'answer', id, value: await executor.ask(request.name, request.given) });
      return;
    }
    while (!executor.isIdle()) await executor.idle();
    database.close();
    reply({ kind: 'answer', id, value: undefined });
    flush();
    port?.close();
  } catch (error) {
    if (error instanceof StateProblem) {
      reply({ kind: 'problem', id, code: error.code, parameters: error.parameters });
    } else reply({ kind: 'bug', id, error });
  }
}

port.on('message', (first: readonly StateRequest[]) => {
  // All that has arrived is asked at once, so that it can be committed at once.
  for (const request of first) void handle(request);
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    for (const request of next.message as readonly StateRequest[]) void handle(request);
  }
});
reply({ kind: 'ready' });
