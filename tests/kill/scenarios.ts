import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import type { PostgresServer } from '../postgres-server.ts';
import {
  CHANGE_SOURCE,
  changeKillProject,
  MAKE_SOURCE,
  relaxKillProject,
  widenKillProject,
  writeKillProject,
} from './kill-project.ts';
import { copyProject, keepStateOn, stateRows } from './kill-state.ts';
import { isGone, keeperOf, plinth, traceNextKeeper } from './processes.ts';

/** One piece of work that is disturbed, and what is done afterwards without being told that it was. */
export interface Scenario {
  readonly name: string;
  readonly base: 'empty' | 'planned' | 'source-changed' | 'in-dev' | 'changed' | 'littered' | 'relaxed';
  /** What the author changed in the folder. */
  readonly edit?: (folder: string) => void;
  readonly work: readonly string[];
  readonly after: readonly string[];
  /** Comes before `after`: whatever was begun has then happened as a whole or not at all. */
  readonly settle?: readonly string[];
  /** The code that `after` ends with when all of it was done already. */
  readonly isDoneAs?: string;
  /** Whether the killed command is a worker. */
  readonly isWorker?: boolean;
  /** Whether the ledger may have an interval twice. */
  readonly isRestating?: boolean;
}

const DAY_5 = ['--execution-time', '2025-01-06T00:10:00Z'];
const DAY_8 = ['--execution-time', '2025-01-09T00:10:00Z'];
/** A run that was killed keeps its environment until it is known to be dead. */
const WAIT = ['--wait', '30s'];
/** Long after everything that is no longer shown may go. */
const JUNE = ['--execution-time', '2025-06-01T00:00:00Z'];
/** Stands for the id of the first plan of a folder. */
const FIRST_PLAN = '{first plan}';
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
    base: 'source-changed',
    work: ['plan', '--yes', '--restate-model', 'k.events', ...DAYS_2_AND_3, ...DAY_5],
    after: ['plan', '--yes', ...DAY_5, ...WAIT],
    isRestating: true,
  },
  {
    name: 'worker',
    base: 'planned',
    work: ['worker', '--once', ...DAY_8],
    after: ['run', ...DAY_8, ...WAIT],
    isWorker: true,
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
  {
    name: 'rollback',
    base: 'changed',
    work: ['rollback', '--yes', '--to', FIRST_PLAN, ...DAY_5],
    settle: ['run', ...DAY_5, ...WAIT],
    after: ['rollback', '--yes', '--to', FIRST_PLAN, ...DAY_5, ...WAIT],
  },
  {
    name: 'janitor',
    base: 'littered',
    work: ['janitor', ...JUNE],
    after: ['janitor', ...JUNE, ...WAIT],
  },
  {
    name: 'release',
    base: 'relaxed',
    work: ['quarantine', 'release', 'k.kept', '--all', ...DAY_5],
    after: ['quarantine', 'release', 'k.kept', '--all', ...DAY_5, ...WAIT],
  },
  {
    name: 'discard',
    base: 'relaxed',
    work: ['quarantine', 'discard', 'k.kept', '--where', 'amount = 6', ...DAY_5],
    after: ['quarantine', 'discard', 'k.kept', '--where', 'amount = 6', ...DAY_5, ...WAIT],
    isDoneAs: 'quarantine.nothing-held',
  },
];

/** Makes the folders that scenarios begin with, once; their states lie on the server, if there is one. */
export async function makeBases(home: string, server: PostgresServer | undefined): Promise<void> {
  const make = async (name: Scenario['base'], from: Scenario['base']): Promise<string> => {
    const folder = join(home, name);
    await copyProject(join(home, from), folder);
    return folder;
  };
  const empty = join(home, 'empty');
  mkdirSync(empty, { recursive: true });
  writeKillProject(empty);
  if (server !== undefined) await keepStateOn(empty, server);
  await outside(empty, MAKE_SOURCE);
  const planned = await make('planned', 'empty');
  await expectSuccess(planned, ['plan', '--yes', ...DAY_5]);
  await atRest(planned);
  const sourceChanged = await make('source-changed', 'planned');
  await outside(sourceChanged, CHANGE_SOURCE);
  const inDev = await make('in-dev', 'planned');
  changeKillProject(inDev);
  await expectSuccess(inDev, ['plan', 'dev', '--yes', ...DAY_5]);
  await atRest(inDev);
  const changed = await make('changed', 'planned');
  changeKillProject(changed);
  await expectSuccess(changed, ['plan', '--yes', ...DAY_5]);
  await atRest(changed);
  const relaxed = await make('relaxed', 'planned');
  relaxKillProject(relaxed);
  await expectSuccess(relaxed, ['plan', '--yes', ...DAY_5]);
  await atRest(relaxed);
  const littered = await make('littered', 'in-dev');
  await expectSuccess(littered, ['invalidate', 'dev']);
}

/** Ends a folder's keeper and brings its log into the file, so that whoever opens a copy of it has nothing to write. */
async function atRest(folder: string): Promise<void> {
  const pid = keeperOf(folder);
  process.kill(pid, 'SIGTERM');
  if (!(await isGone(pid))) throw new Error(`the keeper of ${folder} does not end`);
  const instance = await openFile(join(folder, 'kill.duckdb'));
  const connection = await instance.connect();
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
  if (existsSync(join(folder, 'kill.duckdb.wal')))
    throw new Error(`${folder} has a log after a checkpoint, which a copy would write when it is opened`);
}

/** A process has ended some moments before the last of its threads lets go of the file. */
async function openFile(file: string): Promise<DuckDBInstance> {
  for (let i = 0; ; i++) {
    try {
      return await DuckDBInstance.create(file);
    } catch (error) {
      if (i === 100 || !/lock/.test(String(error))) throw error;
      await sleep(50);
    }
  }
}

/** A fresh copy of a scenario's beginning, with its warehouse open, by a keeper below strace if words for it are given. */
export async function beginAt(
  home: string,
  scenario: Scenario,
  { folder, strace }: { readonly folder: string; readonly strace?: readonly string[] },
): Promise<Engine> {
  await copyProject(join(home, scenario.base), folder);
  scenario.edit?.(folder);
  if (strace !== undefined) traceNextKeeper(folder, strace);
  return openWarehouse(folder);
}

/** The words of a command, with the id of this folder's first plan. */
export async function wordsIn(folder: string, words: readonly string[]): Promise<readonly string[]> {
  if (!words.includes(FIRST_PLAN)) return words;
  const [plan] = await stateRows(folder, 'SELECT id FROM plans ORDER BY created_at LIMIT 1');
  return words.map((word) => (word === FIRST_PLAN ? String(plan?.['id']) : word));
}

function openWarehouse(folder: string): Promise<Engine> {
  return duckdbEngine({ database: join(folder, 'kill.duckdb'), folder, connection: {} });
}

/** What somebody else than Plinth does. */
async function outside(folder: string, sql: string): Promise<void> {
  const engine = await openWarehouse(folder);
  await engine.write([], (session) => session.execute(sql));
  await engine.close();
  await atRest(folder);
}

/** Runs a command that must succeed, or say with this code that there is nothing left to do. */
export async function expectSuccess(
  folder: string,
  args: readonly string[],
  isDoneAs?: string,
): Promise<void> {
  const { code, stderr, stdout } = await plinth(folder, await wordsIn(folder, args));
  if (isDoneAs !== undefined && stderr.includes(`error ${isDoneAs}:`)) return;
  if (code !== 0) throw new Error(`plinth ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
}
