/** The state stores that suites run on: SQLite in the caller's thread and in a thread of its own, and PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { MIGRATIONS } from '../../src/adapters/state/sqlite/schema.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { postgresPrograms } from '../postgres-server.ts';
import { newSchema, openPostgresState, stateConfig } from '../postgres-state.ts';
import type { StateStoreUnderTest } from './state-store.ts';
import type { StateStoreWithProgram } from './state-store-processes.ts';

/** The places of SQLite are files that go when the test file ends; those of PostgreSQL go with the server. */
export function everyStateStore(): Readonly<Record<string, StateStoreUnderTest & StateStoreWithProgram>> {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });
  const newPlace = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-state-'));
    folders.push(folder);
    return join(folder, 'state.db');
  };
  const schemaVersion = MIGRATIONS.length;
  const sqlite = { newPlace, schemaVersion, program: new URL('./sqlite-state-process.ts', import.meta.url) };
  return {
    'in SQLite': { ...sqlite, open: (file) => sqliteStateStore({ file, thread: 'never' }) },
    'in a thread with SQLite': { ...sqlite, open: (file) => sqliteStateStore({ file, thread: 'at-once' }) },
    'in PostgreSQL': {
      newPlace: newSchema,
      schemaVersion,
      open: (schema) => openPostgresState(schema),
      program: new URL('./postgres-state-process.ts', import.meta.url),
      killedWithinMs: 400,
    },
  };
}

/** Whether a store can be had here; without a server its suites say that they were left out. */
export const isHere = (name: string): boolean => name !== 'in PostgreSQL' || postgresPrograms() !== undefined;

/** Suites whose processes open the state themselves are the same in a thread. */
export function describeOnEveryStore(
  what: string,
  suite: (name: string, store: StateStoreUnderTest & StateStoreWithProgram) => void,
): void {
  for (const [name, store] of Object.entries(everyStateStore()))
    describe.skipIf(!isHere(name))(`${what} ${name}`, () => {
      // Processes that the suite starts find a server.
      if (name === 'in PostgreSQL') beforeAll(async () => void (await stateConfig(newSchema())));
      suite('a store', store);
    });
}
