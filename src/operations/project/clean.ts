import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../../domain/failure.ts';

/** What lies beside the project and is made again when it is missing. */
const CACHES = ['.plinth/cache'] as const;

/** Removes the caches of a project folder: no state, no rows, no results. */
export function clean(folder: string): readonly string[] {
  return CACHES.filter((cache) => {
    const path = join(folder, cache);
    if (!existsSync(path)) return false;
    try {
      rmSync(path, { recursive: true });
    } catch (cause) {
      throw failure('cli.cannot-write', { path: cache, detail: (cause as Error).message }, { cause });
    }
    return true;
  });
}
