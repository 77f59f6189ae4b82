import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { failure } from '../../../domain/failure.ts';
import type { StateStore } from '../../../domain/state-store.ts';
import { asFailure, eachAsFailure } from '../sql/as-failure.ts';
import { stateStoreOver } from '../sql/state-store.ts';
import { type ConnectionOptions, connectState } from './state-connection.ts';

/** Opens the state in one SQLite file, or makes it; several processes may have it open. */
export async function sqliteStateStore(options: ConnectionOptions): Promise<StateStore> {
  const connection = await connectState(options);
  const opened = fileIdentity(options.file);
  return stateStoreOver(connection, {
    checkPlace: () => {
      // A file that was deleted stays open: what is written to it would be lost.
      if (fileIdentity(options.file) !== opened)
        throw failure('state.cannot-open', { file: options.file, detail: 'it is gone, or another file' });
      const { bavail, bsize } = statfsSync(dirname(options.file));
      if (bavail * bsize < FREE_BYTES_MIN)
        throw failure('state.write-failed', { file: options.file, detail: 'its disk is full' });
    },
    compact: async () => {
      const { compactFile } = await import('./transfer-file.ts');
      await asFailure(compactFile(options));
    },
    exportAll: () => exported(options),
    importAll: async (lines) => {
      const { importFile } = await import('./transfer-file.ts');
      await asFailure(importFile(options, lines));
    },
    close: () => connection.close(),
  });
}

/** Less, and the next commits may find no room. */
const FREE_BYTES_MIN = 1024 ** 2;

function fileIdentity(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}

async function* exported(options: ConnectionOptions): AsyncGenerator<string, void, undefined> {
  const { exportFile } = await import('./transfer-file.ts');
  yield* eachAsFailure(exportFile(options));
}
