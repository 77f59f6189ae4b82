import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/domain/engine.ts';
import { type Calls, FILES, momentsOf, numbersBetween, readCalls, stepsOf, WRITES } from './calibrate.ts';
import { firstDifference, whatIsThere } from './compare.ts';
import { type Ended, ended, isTraced, keeperOf, plinth, start } from './processes.ts';
import { startReader } from './reader.ts';
import { beginAt, expectSuccess, type Scenario } from './scenarios.ts';

/** Who is killed, and which of its calls are counted. A keeper also answers the reader, so its other calls cannot be: there it is milliseconds after the first intent. */
export type Spot =
  | { readonly target: 'command'; readonly calls: Calls }
  | { readonly target: 'keeper'; readonly calls: 'warehouse' | 'moment' };

export const SPOTS: readonly Spot[] = [
  { target: 'command', calls: 'state' },
  { target: 'keeper', calls: 'warehouse' },
  { target: 'command', calls: 'any' },
  { target: 'keeper', calls: 'moment' },
];

/** What an undisturbed run of a scenario teaches. */
export interface Calibration {
  /** What is there before and after. */
  readonly before: string;
  readonly expected: string;
  /** Numbers of calls to kill at, by target and calls, while the run is writing. */
  numbers(spot: Spot): readonly number[];
  /** One place to kill the command at for every change of the journal, before that change is complete. */
  readonly steps: readonly { readonly calls: Calls; readonly at: number }[];
  readonly stepsMissed: number;
}

/** What a kill came to; `problems` is empty when nothing was lost, doubled or shown. */
export interface KillResult {
  readonly scenario: string;
  readonly spot: Spot;
  readonly at: number;
  readonly wasKilled: boolean;
  /** Killed after the run's first intent and before its end. */
  readonly wasWriting: boolean;
  readonly pollsPerSecond: number;
  readonly ms: number;
  readonly problems: readonly string[];
  /** Left for inspection when there are problems. */
  readonly folder: string;
}

/** Runs a scenario undisturbed, with both processes watched. */
export async function calibrate(home: string, scenario: Scenario): Promise<Calibration> {
  const folder = join(home, `reference ${scenario.name}`.replaceAll(' ', '-'));
  const engine = await beginAt(home, scenario, folder);
  const before = scenario.base === 'empty' ? '' : await whatIsThere(engine, scenario.isRestating === true);
  const logs = { command: `${folder}.command.log`, keeper: `${folder}.keeper.log` };
  const watch = (log: string): string[] => [
    ...['strace', '-f', '-qq', '-y', '-ttt', '-o', log],
    ...['-e', `trace=${WRITES},fcntl`],
  ];
  const pid = keeperOf(folder);
  const tracer = start([...watch(logs.keeper), '-p', String(pid)], folder);
  const traced = ended(tracer);
  await isTraced(pid);
  const { code, stderr, stdout } = await plinth(folder, scenario.work, watch(logs.command));
  tracer.kill('SIGTERM');
  await traced;
  if (code !== 0) throw new Error(`undisturbed, ${scenario.name} ended with ${code}: ${stderr}${stdout}`);
  const expected = await whatIsThere(engine, scenario.isRestating === true);
  await engine.close();
  const commandCalls = readCalls(logs.command);
  const keeperCalls = readCalls(logs.keeper);
  const steps = stepsOf(commandCalls, folder);
  const run = lastRun(folder);
  // The run itself is the first step after its start, the first intent comes later; its end is the last step.
  const begin = steps.find((step) => step.begin > run.startedAt)?.end ?? run.startedAt;
  const end = steps.at(-1)?.begin ?? Number.POSITIVE_INFINITY;
  const moments = (calls: Calls): readonly number[] => momentsOf(commandCalls, calls, folder);
  const byCalls = { state: moments('state'), any: moments('any') };
  const places = steps.map((step, index) => {
    const from = steps[index - 1]?.end ?? Number.NEGATIVE_INFINITY;
    for (const calls of ['state', 'any'] as const) {
      const at = numbersBetween(byCalls[calls], Math.max(from + 0.001, step.begin - 50), step.end).at(-1);
      if (at !== undefined) return { calls, at };
    }
    return undefined;
  });
  const found = places.filter((place) => place !== undefined);
  rmSync(folder, { recursive: true, force: true });
  return {
    before,
    expected,
    numbers: ({ target, calls }) =>
      calls === 'moment'
        ? Array.from({ length: Math.round(end - begin) }, (_, ms) => ms)
        : numbersBetween(
            target === 'command' ? moments(calls) : momentsOf(keeperCalls, calls, folder),
            begin,
            end,
          ),
    steps: found,
    stepsMissed: places.length - found.length,
  };
}

/** Kills at the given call, while a reader looks; then does the work again and compares with an undisturbed run. */
export async function killOnce(
  home: string,
  request: { readonly scenario: Scenario; readonly spot: Spot; readonly at: number; readonly name: string },
  calibration: Calibration,
): Promise<KillResult> {
  const { scenario, spot, at } = request;
  const folder = join(home, request.name);
  const problems: string[] = [];
  const engine = await beginAt(home, scenario, folder);
  const began = performance.now();
  const reader = startReader(engine);
  const { wasKilled, wasWriting, end } = await disturbed(folder, engine, request);
  // A keeper that dies is not the command's fault: its work must have been repeated and done.
  if (spot.target === 'keeper' && end.code !== 0)
    problems.push(`the command ended with ${end.code}: ${(end.stdout + end.stderr).slice(-1200)}`);
  if (spot.target === 'command' || end.code !== 0)
    await expectSuccess(folder, scenario.after).catch((error: Error) => problems.push(error.message));
  const { answered, ms, seen } = await reader.stop();
  for (const [what, count] of Object.entries(seen)) problems.push(`a reader saw ${what}: ${count}`);
  const there = await whatIsThere(engine, scenario.isRestating === true).catch(String);
  // A restatement that died before it was recorded was never asked for.
  const isNeverAsked = scenario.isRestating === true && !wasWriting && there === calibration.before;
  if (there !== calibration.expected && !isNeverAsked)
    problems.push(firstDifference(calibration.expected, there));
  await engine.close();
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  return {
    scenario: scenario.name,
    spot,
    at,
    wasKilled,
    wasWriting,
    pollsPerSecond: Math.round((answered / ms) * 1000),
    ms: Math.round(performance.now() - began),
    problems,
    folder,
  };
}

async function disturbed(
  folder: string,
  engine: Engine,
  { scenario, spot, at }: { readonly scenario: Scenario; readonly spot: Spot; readonly at: number },
): Promise<{ readonly wasKilled: boolean; readonly wasWriting: boolean; readonly end: Ended }> {
  if (spot.calls === 'moment') return killedAtMoment(folder, scenario, at);
  const paths = spot.calls === 'any' ? [] : FILES[spot.calls].flatMap((name) => ['-P', join(folder, name)]);
  const strace = [
    ...['strace', '-f', '-qq', '-o', '/dev/null', ...paths],
    ...['-e', `trace=${WRITES}`, '-e', `inject=${WRITES}:signal=SIGKILL:when=${at}`],
  ];
  const runsBefore = runIds(folder);
  if (spot.target === 'command') {
    const end = await plinth(folder, scenario.work, strace);
    const wasKilled = end.signal === 'SIGKILL' || end.code === 137;
    return { wasKilled, wasWriting: wasKilled && (await wasInTheMiddle(folder, runsBefore, engine)), end };
  }
  const pid = keeperOf(folder);
  const tracer = start([...strace, '-p', String(pid)], folder);
  let isOver = false;
  let wasKilled = false;
  let wasWriting = Promise.resolve(false);
  const traced = ended(tracer).then(() => {
    if (isOver) return;
    wasKilled = true;
    wasWriting = wasInTheMiddle(folder, runsBefore);
  });
  await isTraced(pid);
  const end = await plinth(folder, scenario.work);
  isOver = true;
  tracer.kill('SIGTERM');
  await traced;
  return { wasKilled, wasWriting: await wasWriting, end };
}

/** Kills the keeper so many milliseconds after the first intent is seen. */
async function killedAtMoment(
  folder: string,
  scenario: Scenario,
  ms: number,
): Promise<{ readonly wasKilled: boolean; readonly wasWriting: boolean; readonly end: Ended }> {
  const runsBefore = runIds(folder);
  const pid = keeperOf(folder);
  let isOver = false;
  const work = plinth(folder, scenario.work).finally(() => {
    isOver = true;
  });
  while (!isOver && !(await wasInTheMiddle(folder, runsBefore))) await sleep(2);
  await sleep(ms);
  const wasKilled = !isOver;
  if (wasKilled) process.kill(pid, 'SIGKILL');
  const wasWriting = wasKilled && (await wasInTheMiddle(folder, runsBefore));
  return { wasKilled, wasWriting, end: await work };
}

function inState<Result>(
  folder: string,
  read: (database: DatabaseSync) => Result,
  otherwise: Result,
): Result {
  const file = join(folder, '.plinth', 'state.db');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 2000 });
    return read(database);
  } catch (error) {
    // It was killed before there was a file, or before there were tables in it.
    if (/unable to open|no such table/.test(String(error))) return otherwise;
    throw error;
  } finally {
    database?.close();
  }
}

function runIds(folder: string): ReadonlySet<string> {
  return new Set(
    inState(
      folder,
      (state) =>
        state
          .prepare('SELECT id FROM runs')
          .all()
          .map(({ id }) => String(id)),
      [],
    ),
  );
}

function lastRun(folder: string): { readonly startedAt: number } {
  return inState(
    folder,
    (state) => {
      const row = state.prepare('SELECT started_at FROM runs ORDER BY started_at DESC LIMIT 1').get();
      return { startedAt: Number(row?.['started_at']) };
    },
    { startedAt: 0 },
  );
}

/** A run of the killed command was recorded and had not ended, and had written, or was about to: read before anybody mends it. */
async function wasInTheMiddle(
  folder: string,
  runsBefore: ReadonlySet<string>,
  engine?: Engine,
): Promise<boolean> {
  const { running, intents } = inState(
    folder,
    (state) => ({
      running: state
        .prepare("SELECT id FROM runs WHERE status = 'running'")
        .all()
        .map(({ id }) => String(id))
        .filter((id) => !runsBefore.has(id)),
      intents: [
        'SELECT 1 FROM intents',
        'SELECT 1 FROM promotion_intents',
        "SELECT 1 FROM events WHERE event = 'model.written' AND run_id IN (SELECT id FROM runs WHERE status = 'running')",
      ].reduce((sum, sql) => sum + state.prepare(`${sql} LIMIT 1`).all().length, 0),
    }),
    { running: [], intents: 0 },
  );
  const [run] = running;
  if (run === undefined) return false;
  if (intents > 0 || engine === undefined) return intents > 0;
  const { rows } = await engine.query(`SELECT 1 FROM plinth__ledger WHERE run_id = '${run}' LIMIT 1`);
  return rows.length > 0;
}
