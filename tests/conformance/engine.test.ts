/** Every engine passes the engine's suite. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
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

/** Process ids of the keepers of a file, from what they were started with. */
function keepersOf(database: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return words.includes(database) && words.some((word) => word.endsWith('keeper.ts'));
      } catch {
        return false;
      }
    });
}
