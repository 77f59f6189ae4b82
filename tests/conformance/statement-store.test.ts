/** Every store of statements passes the suite of its port. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { describeStatementStore } from './statement-store.ts';
import { describeStatementModel } from './statement-store-model.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const store = {
  newPlace(): string {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-statements-'));
    folders.push(folder);
    return join(folder, 'state.db');
  },
  open: (file: string) => sqliteStateStore({ file, thread: 'never' }),
};

describeStatementStore('statements in SQLite', store);
describeStatementModel('statements in SQLite', store);
