/** Every engine passes the engine's suite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { keepersOf } from '../support/keepers-of.ts';
import { describeEngine } from './engine.ts';

describeEngine('DuckDB through its keeper', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-engine-'));
  return {
    open: () => duckdbEngine({ database: 'warehouse.duckdb', folder, idleMs: 50, who: 'conformance' }),
    async killEngine() {
      for (const pid of keepersOf(join(folder, 'warehouse.duckdb'))) process.kill(pid, 'SIGKILL');
    },
    async close() {
      rmSync(folder, { recursive: true });
    },
  };
});
