import type { DuckDBConnection } from '@duckdb/node-api';
import { loadDefinition } from '../src/compiler/load/yaml/load-definition.ts';
import type { CheckContext, CheckedTable, QueryRefusal } from '../src/compiler/quality/check-plan.ts';
import { expandChecks } from '../src/compiler/quality/expand-checks.ts';
import { planChecks } from '../src/compiler/quality/plan-checks.ts';
import { probeChecks } from '../src/compiler/quality/probe-checks.ts';
import type { Answer } from '../src/domain/engine.ts';
import { BENCH_PACKS, BENCH_RULES } from './quality-rules.ts';

// The 50 rules in a DuckDB of this process: ours with its probe, planning and decisions, and the two ways that a person has.

type Ask = (sql: string) => Promise<Answer>;

/** Ways to ask all rules by one connection; each is the whole work. */
export async function ruleFloors(
  connection: DuckDBConnection,
): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const ask = askBy(connection);
  return {
    plinth: await oursOn(ask),
    'one packed query': () =>
      ask(`SELECT ${BENCH_RULES.map(({ sql }, i) => `${sql} AS r${i}`).join(', ')} FROM orders`),
    'one query per rule': async () => {
      for (const { sql } of BENCH_RULES) await ask(`SELECT ${sql} FROM orders`);
    },
  };
}

const askBy =
  (connection: DuckDBConnection): Ask =>
  async (sql) => {
    const reader = await connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    return {
      columns: reader.columnNames().map((name, i) => ({ name, type: String(types[i]) })),
      rows: reader.getRowsJson(),
    };
  };

/** Runs the rules as the runtime does; throws when one of them was not evaluated. */
async function oursOn(ask: Ask): Promise<() => Promise<void>> {
  const { columns } = await ask('SELECT * FROM orders LIMIT 0');
  const table: CheckedTable = {
    name: 'main.orders',
    columns,
    relation: { schema: 'main', name: 'orders' },
    dialect: 'duckdb',
  };
  const { dqPack } = loadDefinition({ path: 'bench.yml', text: BENCH_PACKS.get('all') ?? '' });
  const checks = expandChecks(dqPack === undefined ? [] : [dqPack], () => table);
  const context: CheckContext = {
    tableOf: () => table,
    dialect: 'duckdb',
    packing: 'column',
    now: Date.now(),
    history: new Map(),
  };
  return async () => {
    const probe = await probeChecks(checks, context);
    const distinctOf = probe.distinctOf(await answersOf(ask, probe.queries));
    const plan = await planChecks(checks, { ...context, distinctOf });
    const decided = plan.decide(await answersOf(ask, plan.queries));
    const bad = decided.filter(({ outcome }) => outcome !== 'pass');
    if (decided.length !== BENCH_RULES.length || bad.length > 0)
      throw new Error(`not passed: ${bad.map(({ rule, reason }) => `${rule}: ${reason}`).join('; ')}`);
  };
}

async function answersOf(
  ask: Ask,
  queries: readonly { readonly id: string; readonly sql: string }[],
): Promise<ReadonlyMap<string, Answer | QueryRefusal>> {
  const answers = new Map<string, Answer | QueryRefusal>();
  for (const { id, sql } of queries) answers.set(id, await ask(sql));
  return answers;
}
