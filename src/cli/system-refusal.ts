import { diagnostic } from '../domain/diagnostics/catalog.ts';
import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { HANDLES_HINT } from '../foundation/file-handles.ts';

/** What the world does to calls of the system. A file that is missing is not among it: to look for it was ours. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EAGAIN: 'too many processes or threads',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk has an error',
  EMFILE: 'this process has reached its limit of open files',
  ENFILE: 'this machine has reached its limit of open files',
  ENOMEM: 'the machine has no memory left',
  ENOSPC: 'the disk is full',
  EPERM: 'it is not permitted',
  EROFS: 'the disk is read-only',
};

/** An error of the operating system that the code at its place does not handle; undefined for everything else. */
export function systemRefusal(error: unknown): Diagnostic | undefined {
  const { message = '', path, ...given } = partsOf(error);
  const { code, syscall } = WORDS[given.code ?? ''] === undefined ? fromWords(message) : given;
  const detail = WORDS[code ?? ''];
  if (detail === undefined || syscall === undefined) return undefined;
  const what = path === undefined || syscall.includes(path) ? syscall : `${syscall} of ${path}`;
  const hint = code === 'EMFILE' || code === 'ENFILE' ? HANDLES_HINT : undefined;
  return diagnostic('cli.system-refused', { what, detail }, { hint });
}

/** Where Node loads a file of the program, or removes one, the words are all there is. */
function fromWords(message: string): { readonly code?: string; readonly syscall?: string } {
  if (/too many open files/i.test(message)) return { code: 'EMFILE', syscall: 'open' };
  const path = /Unknown error: Input\/output error '(.+)'/.exec(message)?.[1];
  return path === undefined ? {} : { code: 'EIO', syscall: `unlink of ${path}` };
}

function partsOf(
  error: unknown,
): Partial<Pick<NodeJS.ErrnoException, 'message' | 'code' | 'syscall' | 'path'>> {
  if (!(error instanceof Error)) return {};
  const { message, code, syscall, path } = error as NodeJS.ErrnoException;
  return {
    message,
    ...(code === undefined ? {} : { code }),
    ...(syscall === undefined ? {} : { syscall }),
    ...(path === undefined ? {} : { path }),
  };
}
