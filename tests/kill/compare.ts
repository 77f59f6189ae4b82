import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import { COMPARED } from './kill-project.ts';

/** Every row of every table, the rows held back, and what the ledger says, as text that two runs can be compared by. */
export async function whatIsThere(folder: string, isRestating: boolean): Promise<string> {
  const engine = await duckdbEngine({ database: join(folder, 'kill.duckdb'), folder, connection: {} });
  try {
    const lines: string[] = [];
    for (const table of COMPARED) {
      const { rows } = await engine.query(`SELECT * FROM ${table} ORDER BY ALL`);
      lines.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
    }
    const { rows: held } = await engine.query(
      "SELECT table_schema, table_name FROM information_schema.tables WHERE table_name LIKE '%\\_\\_quarantine' ESCAPE '\\' ORDER BY ALL",
    );
    for (const [schema, name] of held) {
      const { rows } = await engine.query(`SELECT day, id, amount FROM "${schema}"."${name}" ORDER BY ALL`);
      lines.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
    }
    // A restatement writes an interval again; everything else writes it once.
    const once = isRestating ? 'DISTINCT' : '';
    const { rows: ledger } = await engine.query(
      `SELECT ${once} model, version, interval_start, interval_end FROM plinth__ledger ORDER BY ALL`,
    );
    lines.push(...ledger.map((row) => `ledger ${JSON.stringify(row)}`));
    return lines.join('\n');
  } finally {
    await engine.close();
  }
}
