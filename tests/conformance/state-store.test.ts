/** Every state store passes the suite of its port. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { describeStateStore } from './state-store.ts';
import { describeStateStoreProcesses } from './state-store-processes.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newPlace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-state-'));
  folders.push(folder);
  return join(folder, 'state.db');
}

describeStateStore('state in SQLite', {
  newPlace,
  open: (file) => sqliteStateStore({ file, thread: 'never' }),
});
describeStateStoreProcesses('state in SQLite', {
  newPlace,
  open: (file) => sqliteStateStore({ file, thread: 'never' }),
  program: new URL('./sqlite-state-process.ts', import.meta.url),
});
