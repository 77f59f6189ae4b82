import type { Engine } from '../../src/domain/engine.ts';
import { COMPARED, HOLDING } from './kill-project.ts';
import { stateRows } from './kill-state.ts';

/** Columns of tables beside those of models that are others after each run. */
const OTHER_EACH_TIME: Readonly<Record<string, string>> = {
  quarantine: 'plinth__run_id, plinth__at',
  decisions: 'run_id, who, "at"',
};

/** Every row of every table, the rows held back, what else the warehouse has, what the ledger says and what state knows: as text that two runs can be compared by. */
export async function whatIsThere(engine: Engine, folder: string, isRestating: boolean): Promise<string> {
  const lines: string[] = [];
  for (const table of COMPARED) {
    const { columns, rows } = await engine.query(`SELECT * FROM ${table} ORDER BY ALL`);
    lines.push(`${table} (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`);
    lines.push(...rows.map((row) => `${table} ${JSON.stringify(row)}`));
  }
  const { rows: relations } = await engine.query(
    'SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY ALL',
  );
  lines.push(...relations.map((row) => `relation ${JSON.stringify(row)}`));
  for (const [schema, name] of relations) {
    const others = OTHER_EACH_TIME[/__(quarantine|decisions)$/.exec(String(name))?.[1] ?? ''];
    if (others === undefined) continue;
    const { rows } = await engine.query(
      `SELECT * EXCLUDE (${others}) FROM "${schema}"."${name}" ORDER BY ALL`,
    );
    lines.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  // A restatement writes an interval again; everything else writes it once.
  const once = isRestating ? 'DISTINCT' : '';
  const { rows: ledger } = await engine.query(
    `SELECT ${once} model, version, interval_start, interval_end FROM plinth__ledger ORDER BY ALL`,
  );
  lines.push(...ledger.map((row) => `ledger ${JSON.stringify(row)}`));
  return [...lines, ...(await whatStateKnows(folder))].join('\n');
}

/** What is the same after every undisturbed run; of work that is under way nothing may be left. */
async function whatStateKnows(folder: string): Promise<readonly string[]> {
  const questions = {
    environment: 'SELECT name FROM environments ORDER BY 1',
    snapshot: 'SELECT fingerprint, model FROM snapshots ORDER BY 1',
    filled: 'SELECT key, filled FROM intervals ORDER BY 1',
    intent: 'SELECT stage FROM intents',
    promotion: 'SELECT environment FROM promotion_intents',
    'running run': "SELECT environment FROM runs WHERE status = 'running'",
    restatement: 'SELECT key, ranges FROM restatements ORDER BY 1',
    decision: "SELECT event, model FROM events WHERE event LIKE 'quarantine.%'",
  };
  const lines: string[] = [];
  for (const [what, sql] of Object.entries(questions))
    for (const row of await stateRows(folder, sql))
      lines.push(`${what} ${JSON.stringify(Object.values(row))}`);
  return lines;
}

/** Days of which a row is lost between what is published and what is held back, or is in both; also right after a kill. */
export async function unbalancedDays(engine: Engine): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [model, holding] of Object.entries(HOLDING)) {
    const [schema, name] = model.split('.');
    const { rows } = await engine.query(
      `SELECT sql FROM duckdb_views() WHERE schema_name = '${schema}' AND view_name = '${name}'`,
    );
    // Before the first promotion nothing is shown.
    if (rows.length === 0) continue;
    const physical = /"?(plinth__\w+)"?\."?(\w+)"?/.exec(String(rows[0]?.[0]));
    if (physical === null) throw new Error(`${model} shows no table of ours: ${rows[0]?.[0]}`);
    const [table, decisions] = [`"${physical[1]}"."${physical[2]}__quarantine"`, `${physical[2]}__decisions`];
    const { rows: decided } = await engine.query(
      `SELECT 1 FROM duckdb_tables() WHERE schema_name = '${physical[1]}' AND table_name = '${decisions}'`,
    );
    const discarded =
      decided.length === 0
        ? 'SELECT NULL::DATE AS day, 0 AS n WHERE FALSE'
        : `SELECT interval_start::DATE AS day, sum(rows) AS n FROM "${physical[1]}"."${decisions}" WHERE decision = 'discard' GROUP BY 1`;
    const isWrong =
      'published' in holding
        ? `p.n IS NULL OR p.n NOT IN (${holding.published}) OR h.n IS DISTINCT FROM 2`
        : `coalesce(p.n, 0) + coalesce(h.n, 0) + coalesce(d.n, 0) NOT IN (${holding.publishedHeldAndDiscarded})`;
    const { rows: days } = await engine.query(`
      SELECT day, p.n, h.n, d.n FROM (SELECT day, count(*) AS n FROM ${model} GROUP BY day) AS p
      FULL JOIN (SELECT day, count(*) AS n FROM ${table} GROUP BY day) AS h USING (day)
      FULL JOIN (${discarded}) AS d USING (day) WHERE ${isWrong}`);
    problems.push(
      ...days.map(
        ([day, p, h, d]) =>
          `${model} is out of balance on ${day}: ${p} published, ${h} held back, ${d} discarded`,
      ),
    );
  }
  return problems;
}

/** Where two such texts part. */
export function firstDifference(expected: string, found: string): string {
  const [a, b] = [expected.split('\n'), found.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  const place = at === -1 ? a.length : at;
  return `line ${place} of ${a.length}: expected ${a[place]?.slice(0, 300)}, found ${b[place]?.slice(0, 300)} (${b.length} lines)`;
}
