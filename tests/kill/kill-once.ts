import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import { whatIsThere } from './compare.ts';
import { ended, keeperOf, plinth, start } from './processes.ts';
import { beginAt, expectSuccess, type Scenario } from './scenarios.ts';

/** Who is killed, and at which of its system calls. */
export interface Spot {
  readonly target: 'command' | 'keeper';
  /** `state`: writes of the journal; `warehouse`: writes and syncs of the database and its log; `any`: every write, also to sockets. */
  readonly calls: 'state' | 'warehouse' | 'any';
}

export const SPOTS: readonly Spot[] = [
  { target: 'command', calls: 'state' },
  { target: 'command', calls: 'any' },
  { target: 'keeper', calls: 'warehouse' },
  { target: 'keeper', calls: 'any' },
];

const WRITES = 'pwrite64,write,writev,sendmsg,sendto,fdatasync,fsync,ftruncate,unlink,rename';

/** What a kill came to; `problems` is empty when nothing was lost, doubled or shown. */
export interface KillResult {
  readonly scenario: string;
  readonly spot: Spot;
  readonly at: number;
  /** Whether the process was killed at all, and after its first write and before its last commit. */
  readonly wasKilled: boolean;
  readonly wasWriting: boolean;
  readonly polls: number;
  readonly pollsPerSecond: number;
  readonly problems: readonly string[];
}

/** How many such system calls the busiest thread of an undisturbed run makes: strace counts each thread for itself. */
export async function countCalls(home: string, scenario: Scenario, spot: Spot): Promise<number> {
  const folder = join(home, 'count');
  beginAt(home, scenario, folder);
  const log = join(home, 'count.log');
  await disturbed(folder, scenario, spot, ['-o', log]);
  const counts = new Map<string, number>();
  for (const [, thread = ''] of readFileSync(log, 'utf8').matchAll(/^(\d+) +\w+\(/gm))
    counts.set(thread, (counts.get(thread) ?? 0) + 1);
  rmSync(folder, { recursive: true, force: true });
  return Math.max(1, ...counts.values());
}

/** Kills at the given call, while a reader looks; then does the work again and compares with an undisturbed run. */
export async function killOnce(
  home: string,
  request: { readonly scenario: Scenario; readonly spot: Spot; readonly at: number; readonly name: string },
  expected: string,
): Promise<KillResult> {
  const { scenario, spot, at } = request;
  const folder = join(home, request.name);
  beginAt(home, scenario, folder);
  const problems: string[] = [];
  const reader = start(
    [process.execPath, join(import.meta.dirname, 'reader.ts'), folder, join(folder, 'ready')],
    folder,
  );
  const readerEnd = ended(reader);
  await isReady(folder);
  const { wasKilled, code, text } = await disturbed(folder, scenario, spot, ['-o', '/dev/null'], at);
  // The keeper is not the command's fault: its work must have been repeated and done.
  if (spot.target === 'keeper' && code !== 0)
    problems.push(`the command ended with ${code}: ${text.slice(-600)}`);
  const wasWriting = wasKilled && (await wasInTheMiddle(folder));
  await expectSuccess(folder, scenario.after).catch((error: Error) => problems.push(error.message));
  reader.stdin?.end();
  const { stdout, stderr } = await readerEnd;
  const seen = parsed(stdout);
  if (seen === undefined) problems.push(`the reader failed: ${stderr.slice(-600)}`);
  for (const [what, rows] of Object.entries(seen?.seen ?? {}))
    problems.push(`a reader saw ${what}: ${JSON.stringify(rows)}`);
  const there = await whatIsThere(folder, scenario.isRestating === true);
  if (there !== expected) problems.push(firstDifference(expected, there));
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  return {
    scenario: scenario.name,
    spot,
    at,
    wasKilled,
    wasWriting,
    polls: seen?.polls ?? 0,
    pollsPerSecond: seen === undefined ? 0 : Math.round((seen.answered / seen.ms) * 1000),
    problems,
  };
}

async function disturbed(
  folder: string,
  scenario: Scenario,
  { target, calls }: Spot,
  output: readonly string[],
  at?: number,
): Promise<{ readonly wasKilled: boolean; readonly code: number | null; readonly text: string }> {
  const paths =
    calls === 'state'
      ? ['state.db', 'state.db-wal'].flatMap((name) => ['-P', join(folder, '.plinth', name)])
      : calls === 'warehouse'
        ? ['kill.duckdb', 'kill.duckdb.wal'].flatMap((name) => ['-P', join(folder, name)])
        : [];
  const inject = at === undefined ? [] : ['-e', `inject=${WRITES}:signal=SIGKILL:when=${at}`];
  const strace = ['strace', '-f', '-qq', ...output, ...paths, '-e', `trace=${WRITES}`, ...inject];
  if (target === 'command') {
    const { code, signal, stdout, stderr } = await plinth(folder, scenario.work, strace);
    return { wasKilled: signal === 'SIGKILL' || code === 137, code, text: stdout + stderr };
  }
  await plinth(folder, ['query', '--sql', 'SELECT 1']);
  const pid = keeperOf(folder);
  if (pid === undefined) throw new Error(`no keeper of ${folder}`);
  const tracer = start([...strace, '-p', String(pid)], folder);
  const traced = ended(tracer);
  await sleep(150);
  const { code, stdout, stderr } = await plinth(folder, scenario.work);
  const wasKilled = !isAlive(pid);
  tracer.kill('SIGTERM');
  await traced;
  return { wasKilled, code, text: stdout + stderr };
}

/** Waits until the reader has its first connection. */
async function isReady(folder: string): Promise<void> {
  for (let i = 0; i < 500 && !existsSync(join(folder, 'ready')); i++) await sleep(20);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function parsed(
  stdout: string,
): { polls: number; answered: number; ms: number; seen: Record<string, unknown> } | undefined {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}

function firstDifference(expected: string, found: string): string {
  const [a, b] = [expected.split('\n'), found.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  return `line ${at}: expected ${a[at]?.slice(0, 300)}, found ${b[at]?.slice(0, 300)}`;
}

/** A run was recorded, had written or was about to, and had not ended: read from the journal before anybody mends it. */
async function wasInTheMiddle(folder: string): Promise<boolean> {
  const state = await sqliteStateStore({ file: join(folder, '.plinth', 'state.db') });
  try {
    const running = await state.journal.runs({ status: 'running', limit: 10 });
    return (
      running.length > 0 &&
      (await state.journal.intents()).length + (await state.journal.promotionIntents()).length > 0
    );
  } finally {
    await state.close();
  }
}
