import type { Engine } from '../../src/domain/engine.ts';
import { COMPARED } from './kill-project.ts';

/** Every row of every table, the rows held back, and what the ledger says, as text that two runs can be compared by. */
export async function whatIsThere(engine: Engine, isRestating: boolean): Promise<string> {
  const lines: string[] = [];
  for (const table of COMPARED) {
    const { columns, rows } = await engine.query(`SELECT * FROM ${table} ORDER BY ALL`);
    lines.push(`${table} (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`);
    lines.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  const { rows: held } = await engine.query(
    "SELECT table_schema, table_name FROM information_schema.tables WHERE table_name LIKE '%\\_\\_quarantine' ESCAPE '\\' ORDER BY ALL",
  );
  for (const [schema, name] of held) {
    const { rows } = await engine.query(
      `SELECT day, id, amount, source FROM "${schema}"."${name}" ORDER BY ALL`,
    );
    lines.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  // A restatement writes an interval again; everything else writes it once.
  const once = isRestating ? 'DISTINCT' : '';
  const { rows: ledger } = await engine.query(
    `SELECT ${once} model, version, interval_start, interval_end FROM plinth__ledger ORDER BY ALL`,
  );
  lines.push(...ledger.map((row) => `ledger ${JSON.stringify(row)}`));
  return lines.join('\n');
}

/** Where two such texts part. */
export function firstDifference(expected: string, found: string): string {
  const [a, b] = [expected.split('\n'), found.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const place = at === -1 ? a.length : at;
  return `line ${place} of ${a.length}: expected ${a[place]?.slice(0, 300)}, found ${b[place]?.slice(0, 300)} (${b.length} lines)`;
}
