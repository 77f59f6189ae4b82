/**
 * Where the file of a worker thread is: `workerUrl('adapters/user-code/user-code-worker')`. This file lies one folder below the root both in `src` and,
 * bundled into an entry or a chunk, in `dist`, so one formula serves both.
 */
export function workerUrl(name: string): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`../${name}.${extension}`, import.meta.url);
}
