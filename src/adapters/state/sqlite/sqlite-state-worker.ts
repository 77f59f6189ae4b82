/** The thread that writes: a commit, a checkpoint or a wait for another process's lock never stops the caller's thread. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openDatabase } from './database.ts';
import { createExecutor, whenFree } from './executor.ts';
import { StateProblem } from './state-problem.ts';
import type { StateReply, StateRequest, StateThreadData } from './state-thread-protocol.ts';

const port = parentPort;
if (port === null) throw new Error('sqlite-state-worker runs as a worker thread only');
const { database: options, lockedAfterMs } = workerData as StateThreadData;
const database = await whenFree(options.file, lockedAfterMs, () => openDatabase(options));
const executor = createExecutor(database, lockedAfterMs);

function reply(message: StateReply): void {
  port?.postMessage(message);
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
    port?.close();
  } catch (error) {
    if (error instanceof StateProblem) {
      reply({ kind: 'problem', id, code: error.code, parameters: error.parameters });
    } else reply({ kind: 'bug', id, error });
  }
}

port.on('message', (first: StateRequest) => {
  // All that has arrived is asked at once, so that it can be committed at once.
  void handle(first);
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    void handle(next.message as StateRequest);
  }
});
reply({ kind: 'ready' });
