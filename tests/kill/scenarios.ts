import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import {
  CHANGE_SOURCE,
  changeKillProject,
  MAKE_SOURCE,
  widenKillProject,
  writeKillProject,
} from './kill-project.ts';
import { plinth } from './processes.ts';

/** One piece of work that is disturbed, and what is done afterwards without being told that it was. */
export interface Scenario {
  readonly name: string;
  readonly base: 'empty' | 'planned' | 'in-dev';
  /** What the author changed in the folder, and what others changed in the warehouse. */
  readonly edit?: (folder: string) => void;
  readonly outside?: string;
  readonly work: readonly string[];
  readonly after: readonly string[];
  /** Whether the ledger may have an interval twice. */
  readonly isRestating?: boolean;
}

const DAY_5 = ['--execution-time', '2025-01-06T00:10:00Z'];
const DAY_8 = ['--execution-time', '2025-01-09T00:10:00Z'];
/** A run that was killed keeps its environment until it is known to be dead. */
const WAIT = ['--wait', '30s'];
const DAYS_2_AND_3 = ['--start', '2025-01-02', '--end', '2025-01-03'];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'run',
    base: 'planned',
    work: ['run', ...DAY_8],
    after: ['run', ...DAY_8, ...WAIT],
  },
  {
    name: 'first plan',
    base: 'empty',
    work: ['plan', '--yes', ...DAY_5],
    after: ['plan', '--yes', ...DAY_5, ...WAIT],
  },
  {
    name: 'restatement',
    base: 'planned',
    outside: CHANGE_SOURCE,
    work: ['plan', '--yes', '--restate-model', 'k.events', ...DAYS_2_AND_3, ...DAY_5],
    after: ['plan', '--yes', ...DAY_5, ...WAIT],
    isRestating: true,
  },
  {
    name: 'worker',
    base: 'planned',
    work: ['worker', '--once', ...DAY_8],
    after: ['run', ...DAY_8, ...WAIT],
  },
  {
    name: 'change',
    base: 'planned',
    edit: changeKillProject,
    work: ['plan', '--yes', ...DAY_5],
    after: ['plan', '--yes', ...DAY_5, ...WAIT],
  },
  {
    name: 'promotion of dev to prod',
    base: 'in-dev',
    work: ['plan', '--yes', ...DAY_5],
    after: ['plan', '--yes', ...DAY_5, ...WAIT],
  },
  {
    name: 'forward-only change with migration',
    base: 'planned',
    edit: widenKillProject,
    work: ['plan', '--yes', '--forward-only', '--run', ...DAY_8],
    after: ['plan', '--yes', '--forward-only', '--run', ...DAY_8, ...WAIT],
  },
];

/** Makes the folders that scenarios begin with, once. */
export async function makeBases(home: string): Promise<void> {
  const empty = join(home, 'empty');
  mkdirSync(empty, { recursive: true });
  writeKillProject(empty);
  const engine = await openWarehouse(empty);
  await outside(engine, MAKE_SOURCE);
  await engine.close();
  // The plan goes through the keeper that is there, so nothing is copied before it has been written.
  const planned = join(home, 'planned');
  cpSync(empty, planned, { recursive: true });
  await expectSuccess(planned, ['plan', '--yes', ...DAY_5]);
  const inDev = join(home, 'in-dev');
  cpSync(planned, inDev, { recursive: true });
  changeKillProject(inDev);
  await expectSuccess(inDev, ['plan', 'dev', '--yes', ...DAY_5]);
}

/** A fresh copy of a scenario's beginning, with its warehouse open. Its keeper is another one: it has another path. */
export async function beginAt(home: string, scenario: Scenario, folder: string): Promise<Engine> {
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(home, scenario.base), folder, { recursive: true });
  scenario.edit?.(folder);
  const engine = await openWarehouse(folder);
  if (scenario.outside !== undefined) await outside(engine, scenario.outside);
  return engine;
}

export function openWarehouse(folder: string): Promise<Engine> {
  return duckdbEngine({ database: join(folder, 'kill.duckdb'), folder, connection: {} });
}

/** What somebody else than Plinth does. */
async function outside(engine: Engine, sql: string): Promise<void> {
  await engine.write([], (session) => session.execute(sql));
}

/** Runs a command that must succeed. */
export async function expectSuccess(folder: string, args: readonly string[]): Promise<void> {
  const { code, stderr, stdout } = await plinth(folder, args);
  if (code !== 0) throw new Error(`plinth ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
}
