import { type Failure, failure } from './failure.ts';

/** What the system says where nothing more can be written: no space, no quota, or a file that may not grow. */
const CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'engine.disk-full']);

/** Whether the disk, or what an account may have of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.has(error.code);
}

/** The caller's error: neither their question nor Plinth is wrong. */
export function diskFull(cause: unknown): Failure {
  return failure(
    'statement.out-of-resources',
    { detail: 'the disk of the server is full' },
    { cause, hint: 'free some space where the server runs, then ask again', isRetryable: true },
  );
}
