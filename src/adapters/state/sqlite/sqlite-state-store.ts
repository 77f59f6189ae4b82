import { DatabaseSync } from 'node:sqlite';
import type { Snapshot } from '../../../domain/snapshot.ts';
import type { StateStore } from '../../../domain/state-store.ts';

/** State in one SQLite file. Walking skeleton: one table; migrations, journal and leases come with issue 4. */
export function sqliteStateStore(file: string): StateStore {
  const database = new DatabaseSync(file);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 50; CREATE TABLE IF NOT EXISTS environments (name TEXT PRIMARY KEY, snapshots TEXT NOT NULL)',
  );
  return {
    async environment(name) {
      const row = database.prepare('SELECT snapshots FROM environments WHERE name = ?').get(name) as
        | { snapshots: string }
        | undefined;
      return row === undefined ? undefined : { name, snapshots: JSON.parse(row.snapshots) as Snapshot[] };
    },
    async promote({ name, snapshots }) {
      database
        .prepare(
          'INSERT INTO environments VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET snapshots = excluded.snapshots',
        )
        .run(name, JSON.stringify(snapshots));
    },
    async close() {
      database.close();
    },
  };
}
