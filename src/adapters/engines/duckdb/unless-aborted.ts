import { failure } from '../../../domain/failure.ts';

/** A cancel does not wait for a keeper that is still starting. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(failure('engine.cancelled', {}));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}
