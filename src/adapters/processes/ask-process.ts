import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { AskProcess } from '../../domain/ask-process.ts';
import { NODE_FLAGS } from '../../foundation/node-flags.ts';
import { workerUrl } from '../../foundation/worker-url.ts';

export const askProcess: AskProcess = async (worker, question, { folder, signal }) => {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...NODE_FLAGS, fileURLToPath(workerUrl(worker))], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  });
  let answer: unknown;
  child.once('message', (message) => {
    answer = message;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve());
  });
  // It may have ended before it could be asked: then it has no answer.
  child.send(question, () => undefined);
  const [words] = await Promise.all([child.stderr === null ? '' : text(child.stderr), ended]);
  if (answer !== undefined) return { answer };
  return { lastWords: words.trim() || `it ended with ${child.exitCode ?? child.signalCode}` };
};
