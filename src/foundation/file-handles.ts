/** How many files a process may have open. */
import { closeSync, openSync } from 'node:fs';

export const HANDLES_HINT = 'let the process open more files, for example with ulimit -n 1024';

/** A database with its log and index, and what is opened beside it. */
const NEEDED = 5;

/** Whether this process is at its limit: libraries only say that a file cannot be opened. */
export function lacksFileHandles(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < NEEDED) opened.push(openSync(import.meta.filename, 'r'));
    return false;
  } catch (error) {
    return ['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
  } finally {
    for (const handle of opened) closeSync(handle);
  }
}
