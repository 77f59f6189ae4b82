import { tmpdir } from 'node:os';
import { loadDefinition } from '../../src/compiler/load/yaml/load-definition.ts';
import {
  type CheckContext,
  type CheckedTable,
  type CheckPlan,
  type CheckQuery,
  type DecidedCheck,
  isRefusal,
  type Packing,
  type QueryRefusal,
} from '../../src/compiler/quality/check-plan.ts';
import { expandChecks } from '../../src/compiler/quality/expand-checks.ts';
import { planChecks } from '../../src/compiler/quality/plan-checks.ts';
import { probeChecks } from '../../src/compiler/quality/probe-checks.ts';
import type { DqPack } from '../../src/domain/dq-pack.ts';
import type { Answer } from '../../src/domain/engine.ts';
import { type PlainDuckdb, plainDuckdb } from '../support/plain-duckdb.ts';

/** When the checks of these tests run: 2026-03-02 12:00 UTC. */
export const NOW = Date.UTC(2026, 2, 2, 12);

export const PACKINGS: readonly Packing[] = ['table', 'column', 'rule'];

/** Tables in a DuckDB, and packs that run on them as the runtime runs them. */
export interface QualityWorld {
  execute(...statements: readonly string[]): Promise<void>;
  query(sql: string): Promise<Answer>;
  plan(rules: string, options?: RunOptions): Promise<CheckPlan>;
  run(rules: string, options?: RunOptions): Promise<readonly DecidedCheck[]>;
}

export interface RunOptions extends Partial<Omit<CheckContext, 'tableOf'>> {
  /** Lines of the pack besides its rules. */
  readonly head?: string;
  readonly model?: string;
}

/** The pack of these lines; what is wrong with it is thrown. */
export function packOf(rules: string, { head = '', model = 'marts.orders' }: RunOptions = {}): DqPack {
  const text = `kind: dq\nname: pack\ndepends_on: ${model}\n${head}${head === '' ? '' : '\n'}rules:\n${rules
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}\n`;
  const { dqPack, diagnostics } = loadDefinition({ path: 'dq/pack.yml', text });
  if (dqPack === undefined || diagnostics.length > 0)
    throw new Error(`${text}\n${diagnostics.map(({ message }) => message).join('\n')}`);
  return dqPack;
}

export async function qualityWorld(): Promise<QualityWorld> {
  const database = await plainDuckdb(tmpdir());
  await database.execute("SET TimeZone = 'UTC'", 'CREATE SCHEMA marts', 'CREATE SCHEMA raw');
  const plan = async (rules: string, options: RunOptions = {}): Promise<CheckPlan> => {
    const tables = await tablesOf(database);
    const tableOf = (name: string): CheckedTable | undefined => tables.get(name);
    const { head: _head, model: _model, ...own } = options;
    const context: CheckContext = {
      tableOf,
      dialect: 'duckdb',
      packing: 'column',
      now: NOW,
      history: new Map(),
      ...own,
    };
    const checks = expandChecks([packOf(rules, options)], tableOf);
    const probe = await probeChecks(checks, context);
    const distinctOf = probe.distinctOf(await answersOf(database, probe.queries));
    return planChecks(checks, { distinctOf, ...context });
  };
  return {
    execute: (...statements) => database.execute(...statements),
    query: (sql) => database.query(sql),
    plan,
    async run(rules, options) {
      const planned = await plan(rules, options);
      return planned.decide(await answersOf(database, planned.queries));
    },
  };
}

async function tablesOf({ query }: PlainDuckdb): Promise<ReadonlyMap<string, CheckedTable>> {
  const { rows } = await query(
    'SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns ORDER BY ordinal_position',
  );
  const tables = new Map<string, CheckedTable>();
  for (const [schema, name, column, type] of rows as readonly (readonly string[])[]) {
    const key = `${schema}.${name}`;
    const known = tables.get(key);
    tables.set(key, {
      name: key,
      columns: [...(known?.columns ?? []), { name: column as string, type: type as string }],
      relation: { schema: schema as string, name: name as string },
      dialect: 'duckdb',
    });
  }
  return tables;
}

/** Asks the queries; one that fails is asked in parts. */
export async function answersOf(
  { query }: Pick<PlainDuckdb, 'query'>,
  queries: readonly CheckQuery[],
): Promise<ReadonlyMap<string, Answer | QueryRefusal>> {
  const answers = new Map<string, Answer | QueryRefusal>();
  for (const { id, sql, instead } of queries) {
    const answer = await query(sql).catch((error: Error) => ({
      code: 'engine.refused',
      message: error.message,
    }));
    answers.set(id, answer);
    if (isRefusal(answer) && instead !== undefined)
      for (const [part, found] of await answersOf({ query }, instead)) answers.set(part, found);
  }
  return answers;
}
