/*
 * kill -9 of the server or of the keeper below it, at a moment or at a system call, while statements are under way: whatever
 * was acknowledged ends, within ten seconds of the restart, and what succeeded has its whole result.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { duckdbEngine } from '../../src/adapters/engines/duckdb/duckdb-connection.ts';
import type { Engine } from '../../src/domain/engine.ts';
import { plannedProject } from '../e2e/planned-project.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { seededBits } from '../support/seeded-bits.ts';
import { dumpState, keepStateOn, type StateKind, serverOf } from './kill-state.ts';
import {
  isGone as isProcessGone,
  keeperOf,
  killAtCall,
  STRACE,
  traceNextKeeper,
  tracerOf,
} from './processes.ts';
import {
  type Acknowledged,
  AskingClients,
  exchangeFolder,
  isEnd,
  type StatementBody,
  type StatementServer,
  startStatementServer,
} from './served-statements.ts';

/** The promise. */
export const ENDED_MS = 10_000;
/** A statement that has not ended by then never will. */
const GIVEN_UP_MS = 90_000;
/** A call that does not come is replaced by a moment. */
const CALL_MS_MAX = 8_000;

/** Calls at which a process changes something that others see, and how many of them a thread makes in some seconds. */
const CALLS: Readonly<Record<StatementKill['victim'], readonly (readonly [string, number, number])[]>> = {
  server: [
    ['pwrite64', 20, 600],
    ['fsync,fdatasync', 1, 6],
    ['rename,renameat,renameat2', 1, 6],
    ['unlink,unlinkat,rmdir', 1, 10],
    ['write,writev', 60, 800],
  ],
  keeper: [
    ['write,writev', 40, 600],
    ['read', 300, 1_500],
    ['mmap,munmap,madvise', 200, 1_000],
  ],
};

export interface StatementKill {
  readonly victim: 'server' | 'keeper';
  readonly at: 'moment' | 'call';
  /** Makes the choices of this kill. */
  readonly seed: number;
}

/** What a kill came to; `problems` is empty when everything acknowledged ended and was whole. */
export interface StatementKillResult {
  readonly kill: StatementKill;
  /** As it turned out: a call that did not come became a moment. */
  readonly where: string;
  readonly acknowledged: number;
  /** Of these, how many had not ended at the kill. */
  readonly unfinished: number;
  /** From the restart (of a keeper: from the kill) until the last acknowledged one had ended. */
  readonly endedMs: number;
  /** Of these, until the server listened again. */
  readonly listeningMs: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byStrategy: Readonly<Record<string, number>>;
  readonly files: number;
  readonly halfFiles: number;
  readonly problems: readonly string[];
}

export interface StatementKills {
  readonly folder: string;
  kill(kill: StatementKill): Promise<StatementKillResult>;
  close(isKept: boolean): Promise<void>;
}

/** Plans a project and serves it; kills come one after the other, each with what the last one left. */
export async function openStatementKills(state: StateKind = 'sqlite'): Promise<StatementKills> {
  const project = plannedProject(
    {
      ...SEMANTIC_PROJECT,
      'config.yaml': `${SEMANTIC_PROJECT['config.yaml']}server: {limits: {requests_per_second: 100000}}\n`,
    },
    '2025-06-15',
  );
  const { folder } = project;
  const states = await serverOf(state);
  if (states !== undefined) await keepStateOn(folder, states);
  const planned = await project.plinth('plan', '--yes');
  if (planned.code !== 0) throw new Error(`${planned.stdout}${planned.stderr}`);
  // Keeps the keeper when its server is killed, and starts it where strace is to watch it.
  const holder = await duckdbEngine({ database: join(folder, 'asked.duckdb'), folder, connection: {} });
  let server: StatementServer | undefined;
  let asked = 0;
  return {
    folder,
    async kill(kill) {
      const bits = seededBits(kill.seed);
      const prepared = await prepare({ folder, holder, server, kill, bits });
      server = prepared.server;
      if (server === undefined) {
        // Killed while it started: nothing was acknowledged.
        server = await startAgain(folder);
        return nothing(kill, prepared.where);
      }
      asked += 10_000;
      const clients = new AskingClients(server, { from: asked, bits });
      const isByCall = await Promise.race([prepared.byCall, sleep(CALL_MS_MAX, false, { ref: false })]);
      const where = isByCall || kill.at === 'moment' ? prepared.where : `${prepared.where}: did not come`;
      if (!isByCall) await killAtMoment(clients, prepared.victim, bits);
      const killedAt = Date.now();
      let since = performance.now();
      let listeningMs = 0;
      if (kill.victim === 'server') {
        await clients.ended;
        since = performance.now();
        server = await startAgain(folder);
        listeningMs = performance.now() - since;
      } else {
        await sleep(bits() % 300);
        clients.stop();
      }
      const ended = await endOf(server, clients.acknowledged, since);
      await clients.ended;
      await othersEnd(server);
      const found = await lookAt(server, clients.acknowledged, { folder, killedAt });
      return {
        kill,
        where,
        ...found,
        endedMs: ended.ms,
        listeningMs,
        problems: [...clients.problems, ...ended.problems, ...found.problems, ...complaintsOf(server)],
      };
    },
    async close(isKept) {
      await server?.stop();
      await holder.close();
      if (isKept) dumpState(folder);
      await states?.stop();
      if (!isKept) project.remove();
    },
  };
}

function complaintsOf(server: StatementServer): readonly string[] {
  return server.complaint() === '' ? [] : [server.complaint()];
}

function nothing(kill: StatementKill, where: string): StatementKillResult {
  const none = {
    acknowledged: 0,
    unfinished: 0,
    endedMs: 0,
    listeningMs: 0,
    byStatus: {},
    byStrategy: {},
    files: 0,
  };
  return { kill, where, ...none, halfFiles: 0, problems: [] };
}

async function startAgain(folder: string): Promise<StatementServer> {
  const server = await startStatementServer(folder);
  if (server === undefined) throw new Error('the server does not start');
  return server;
}

interface Prepared {
  /** Undefined when it was killed before it listened. */
  readonly server: StatementServer | undefined;
  readonly where: string;
  readonly victim: number;
  /** Whether the victim was killed at its call. */
  readonly byCall: Promise<boolean>;
}

/** The server that clients ask, and the victim; one that is to die at a call is watched from its start. */
async function prepare({
  folder,
  holder,
  server,
  kill: { victim, at },
  bits,
}: {
  readonly folder: string;
  readonly holder: Engine;
  readonly server: StatementServer | undefined;
  readonly kill: StatementKill;
  readonly bits: () => number;
}): Promise<Prepared> {
  const spots = CALLS[victim];
  const [calls = '', least = 1, most = 1] = spots[bits() % spots.length] ?? [];
  // As often early as late: the numbers of calls differ by powers of ten.
  const n = Math.round(least * (most / least) ** ((bits() % 1_000) / 1_000));
  const where = at === 'call' ? `${calls} ${n}` : 'moment';
  const log = join(folder, 'calls.log');
  rmSync(log, { force: true });
  // The thread stands still at its call until it is killed there.
  const words = ['-o', log, '-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=100s:when=${n}`];
  const killed = async (pid: number): Promise<boolean> => {
    let isOver = false;
    const killing = killAtCall(pid, { log, n, isOver: () => isOver });
    const isDead = await isDeadForGood(pid);
    isOver = true;
    await killing;
    return isDead;
  };
  await holder.query('SELECT 1');
  if (victim === 'keeper') {
    const served = server ?? (await startAgain(folder));
    if (at === 'moment')
      return { server: served, where, victim: keeperOf(folder), byCall: Promise.resolve(false) };
    const before = keeperOf(folder);
    process.kill(before, 'SIGKILL');
    await isProcessGone(before);
    traceNextKeeper(folder, words);
    // Its call may come while it starts: then the next keeper answers.
    const answered = holder.query('SELECT 1');
    const pid = await startedKeeper(folder);
    const byCall = killed(pid);
    await answered;
    return { server: served, where, victim: pid, byCall };
  }
  if (at === 'moment') {
    const served = server ?? (await startAgain(folder));
    return { server: served, where, victim: served.child.pid ?? 0, byCall: Promise.resolve(false) };
  }
  await server?.stop();
  let pid = 0;
  let byCall = Promise.resolve(false);
  const served = await startStatementServer(folder, {
    below: [...STRACE, '-D', ...words],
    begun(child) {
      pid = child;
      byCall = killed(child);
    },
  });
  return { server: served, where, victim: pid, byCall };
}

async function startedKeeper(folder: string): Promise<number> {
  for (let i = 0; i < 6_000; i++) {
    try {
      return keeperOf(folder);
    } catch {
      await sleep(5);
    }
  }
  throw new Error('no keeper starts');
}

/** Not by its words, as elsewhere: a process that is about to become another program has none for a while. */
async function isDeadForGood(pid: number): Promise<boolean> {
  for (let i = 0; i < 30_000; i++) {
    const status = `/proc/${pid}/status`;
    try {
      if (/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'))) return true;
    } catch {
      return true;
    }
    await sleep(2);
  }
  return false;
}

async function killAtMoment(clients: AskingClients, pid: number, bits: () => number): Promise<void> {
  const enough = clients.acknowledged.size + 2 + (bits() % 25);
  for (let waited = 0; clients.acknowledged.size < enough && waited < 2_000; waited += 5) await sleep(5);
  await sleep(bits() % 200);
  try {
    const tracer = tracerOf(pid);
    process.kill(pid, 'SIGKILL');
    // It may hold a thread of the dead.
    if (tracer !== undefined) process.kill(tracer, 'SIGKILL');
  } catch {
    // Its call came after all.
  }
  if (!(await isProcessGone(pid))) throw new Error('a process does not die');
}

/** Waits until everything that was acknowledged has ended. */
async function endOf(
  server: StatementServer,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  since: number,
): Promise<{ readonly ms: number; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  let last = performance.now();
  // What is acknowledged meanwhile, while a keeper is replaced, counts too.
  for (const id of acknowledged.keys())
    for (;;) {
      const answer = await server.get(`/query/statement/${id}?wait=1`);
      const { status } = (await answer.json()) as StatementBody;
      last = performance.now();
      if (answer.status !== 200 || isEnd(status)) break;
      if (last - since > GIVEN_UP_MS) {
        problems.push(`${id} is still ${status}`);
        break;
      }
    }
  return { ms: last - since, problems };
}

/** Statements that were stored and not acknowledged are done, too: their files are none of those that are left behind. */
async function othersEnd({ get }: StatementServer): Promise<void> {
  for (const status of ['QUEUED', 'IN_PROGRESS'])
    for (let i = 0; i < 300; i++) {
      const { items } = (await (await get(`/query/statement?status=${status}`)).json()) as {
        items: readonly unknown[];
      };
      if (items.length === 0) break;
      await sleep(100);
    }
}

async function lookAt(
  server: StatementServer,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  { folder, killedAt }: { readonly folder: string; readonly killedAt: number },
): Promise<
  Pick<
    StatementKillResult,
    'acknowledged' | 'unfinished' | 'byStatus' | 'byStrategy' | 'files' | 'halfFiles' | 'problems'
  >
> {
  const problems: string[] = [];
  const byStatus: Record<string, number> = {};
  const byStrategy: Record<string, number> = {};
  let unfinished = 0;
  let halfFiles = 0;
  for (const [id, { question, strategy, cancelled }] of acknowledged) {
    const answer = await server.get(`/query/statement/${id}`);
    const body = (await answer.json()) as StatementBody;
    if (answer.status !== 200) {
      problems.push(`${id} was acknowledged and is ${answer.status}`);
      continue;
    }
    const { status } = body;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    byStrategy[strategy] = (byStrategy[strategy] ?? 0) + 1;
    if (Date.parse(body.submitted_at) <= killedAt && Date.parse(body.finished_at ?? '') > killedAt)
      unfinished++;
    if (cancelled !== undefined && cancelled !== status)
      problems.push(`${id} was ${cancelled} when it was cancelled, and is ${status}`);
    // One that was to be cancelled, by somebody whose server was killed.
    const isTimedOut = question.timeout !== undefined && body.error?.code === 'statement.timed-out';
    if (status === 'FAILED' && !isTimedOut)
      problems.push(`${id} failed: ${body.error?.code} ${body.error?.message}`);
    if (status === 'CANCELLED' && question.isCancelled !== true)
      problems.push(`${id} is cancelled, and nobody asked for it`);
    if (status !== 'SUCCESS') continue;
    const wrong = await wrongResult(server, id, question);
    if (wrong === undefined) continue;
    halfFiles++;
    problems.push(wrong);
  }
  const results = join(folder, '.plinth', 'results');
  const files = existsSync(results) ? readdirSync(results) : [];
  const parts = files.filter((name) => !/^s_\w+\.\d+\.rows$/.test(name));
  const exchange = exchangeFolder(folder);
  const left = existsSync(exchange) ? readdirSync(exchange) : [];
  for (const name of [...parts, ...left]) problems.push(`${name} was left behind`);
  return {
    acknowledged: acknowledged.size,
    unfinished,
    byStatus,
    byStrategy,
    files: files.length,
    halfFiles: halfFiles + parts.length,
    problems,
  };
}

/** Both ways to a result: the last row as a page, and all of it as a file. */
async function wrongResult(
  { get }: StatementServer,
  id: string,
  { rows, last }: Acknowledged['question'],
): Promise<string | undefined> {
  const page = await get(`/query/statement/${id}/result?offset=${rows - 1}`);
  const body = (await page.json()) as { row_count?: number; rows?: readonly (readonly unknown[])[] };
  if (page.status !== 200 || body.row_count !== rows || body.rows?.length !== 1)
    return `${id} has ${body.row_count} rows and not ${rows}: ${page.status} ${JSON.stringify(body).slice(0, 300)}`;
  const cell = body.rows[0]?.[0];
  if (last !== undefined && cell !== last) return `the last row of ${id} begins with ${cell} and not ${last}`;
  const text = await (await get(`/query/statement/${id}/result?format=ndjson`)).text();
  const lines = text.split('\n').length - 1;
  return lines === rows && text.endsWith('}\n')
    ? undefined
    : `the file of ${id} has ${lines} lines and not ${rows}`;
}
