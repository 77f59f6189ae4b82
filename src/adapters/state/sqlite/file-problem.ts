import { HANDLES_HINT, lacksFileHandles } from '../../../foundation/file-handles.ts';
import { StateProblem } from '../sql/state-problem.ts';

/** Primary result codes of SQLite that mean something to us. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

function resultCode(error: unknown): number | undefined {
  const errcode = (error as { errcode?: unknown } | undefined)?.errcode;
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Whether another connection has the file for the moment; the same call may succeed soon. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** Whether SQLite lacks the right to write the file, or what has to be beside it. */
export function isUnwritable(error: unknown): boolean {
  const code = resultCode(error);
  return code === READONLY || code === CANTOPEN;
}

/** A file that neither SQLite nor this process could open, with the reason that SQLite does not name. */
export function cannotOpen(error: unknown, file: string): StateProblem {
  const detail = lacksFileHandles()
    ? `this process has as many files open as it may; ${HANDLES_HINT}`
    : (error as Error).message;
  return new StateProblem('state.cannot-open', { file, detail }, { cause: error });
}

/** What SQLite complains about the file or the disk, as a problem that names the file; anything else is left as it is. */
export function fileProblem(error: unknown, file: string): unknown {
  const detail = (error as Error).message;
  switch (resultCode(error)) {
    case CORRUPT:
    case NOTADB:
      return new StateProblem('state.unreadable', { file, detail }, { cause: error });
    case CANTOPEN:
      return cannotOpen(error, file);
    case READONLY:
    case IOERR:
    case FULL:
      return new StateProblem('state.write-failed', { file, detail }, { cause: error });
    default:
      return error;
  }
}
