import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/domain/engine.ts';
import { startCachedAsker } from './cached-answers.ts';
import {
  type Calls,
  FILE_WRITES,
  FILES,
  momentsOf,
  numbersBetween,
  readCalls,
  stepsOf,
  WRITES,
} from './calibrate.ts';
import { firstDifference, inState, unbalancedDays, whatIsThere } from './compare.ts';
import {
  type Ended,
  ended,
  isGone,
  keeperOf,
  killAtCall,
  plinth,
  STRACE,
  startPlinth,
  tracerOf,
} from './processes.ts';
import { startReader } from './reader.ts';
import { beginAt, expectSuccess, type Scenario, wordsIn } from './scenarios.ts';

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
  readonly victim: 'command' | 'worker' | 'keeper';
  readonly spot: Spot;
  readonly at: number;
  readonly wasKilled: boolean;
  /** Killed after the run's first intent and before its end. */
  readonly wasWriting: boolean;
  /** Of the reader: what it asked, what was answered, in which time, and how much of that no keeper was there. */
  readonly asked: number;
  readonly answered: number;
  readonly readerMs: number;
  readonly deafMs: number;
  /** Answers of a server that were compared with the warehouse, and how many of them it had kept. */
  readonly compared: { readonly all: number; readonly kept: number };
  readonly ms: number;
  readonly problems: readonly string[];
  /** Left for inspection when there are problems. */
  readonly folder: string;
}

/** Runs a scenario undisturbed, with both processes watched. */
export async function calibrate(home: string, scenario: Scenario): Promise<Calibration> {
  const folder = join(home, `reference ${scenario.name}`.replaceAll(' ', '-'));
  const logs = { command: `${folder}.command.log`, keeper: `${folder}.keeper.log` };
  const watch = (log: string, calls: string): readonly string[] => [
    ...['-y', '-ttt', '-o', log, '-e', `trace=${calls}`],
  ];
  const engine = await beginAt(home, scenario, { folder, strace: watch(logs.keeper, FILE_WRITES) });
  const pid = keeperOf(folder);
  const tracer = tracerOf(pid);
  if (tracer === undefined) throw new Error('the keeper is not traced');
  const isRestating = scenario.isRestating === true;
  const before = scenario.base === 'empty' ? '' : await whatIsThere(engine, folder, isRestating);
  const { code, stderr, stdout } = await plinth(folder, wordsIn(folder, scenario.work), [
    ...STRACE,
    ...watch(logs.command, `${WRITES},fcntl`),
  ]);
  if (code !== 0) throw new Error(`undisturbed, ${scenario.name} ended with ${code}: ${stderr}${stdout}`);
  const expected = await whatIsThere(engine, folder, isRestating);
  await engine.close();
  // Not only its tracer: calls that strace was asked to stop at fail when it has gone.
  process.kill(pid, 'SIGKILL');
  if (!(await isGone(tracer))) throw new Error('strace does not end');
  const commandCalls = readCalls(logs.command);
  const keeperCalls = readCalls(logs.keeper);
  const steps = stepsOf(commandCalls, folder);
  const run = lastRun(folder);
  // The run itself is the first step after its start, the first intent comes later; its end is the last step.
  const recorded = steps.find((step) => step.begin > run.startedAt)?.end ?? run.startedAt;
  const warehouse = FILES.warehouse.map((name) => join(folder, name));
  const written =
    keeperCalls.find(({ at, path }) => at > recorded && warehouse.includes(path))?.at ?? recorded;
  const begin = steps.findLast((step) => step.end < written)?.end ?? recorded;
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
  // A short run may make no call of a kind after its first write: then any since it was recorded.
  const numbersFrom = (of: readonly number[]): readonly number[] => {
    const numbers = numbersBetween(of, begin, end);
    return numbers.length > 0 ? numbers : numbersBetween(of, recorded, end);
  };
  const found = places.filter((place) => place !== undefined);
  rmSync(folder, { recursive: true, force: true });
  return {
    before,
    expected,
    numbers: ({ target, calls }) =>
      calls === 'moment'
        ? Array.from({ length: Math.round(end - begin) }, (_, ms) => ms)
        : numbersFrom(target === 'command' ? moments(calls) : momentsOf(keeperCalls, calls, folder)),
    steps: found,
    stepsMissed: places.length - found.length,
  };
}

interface KillRequest {
  readonly scenario: Scenario;
  readonly spot: Spot;
  readonly at: number;
  readonly name: string;
}

/** Kills at the given call, while a reader looks; then does the work again and compares with an undisturbed run. */
export async function killOnce(
  home: string,
  request: KillRequest,
  calibration: Calibration,
): Promise<KillResult> {
  const { scenario, spot, at } = request;
  const folder = join(home, request.name);
  const isRestating = scenario.isRestating === true;
  const problems: string[] = [];
  const strace = straceWords(folder, request);
  const engine = await beginAt(home, scenario, {
    folder,
    ...(spot.target === 'keeper' && spot.calls !== 'moment' ? { strace } : {}),
  });
  const began = performance.now();
  const reader = startReader(engine, { mayBeEmpty: scenario.base === 'empty' });
  const asker = await startCachedAsker(folder);
  const { wasKilled, wasWriting, end } = await disturbed(folder, request, { engine, strace, reader });
  problems.push(...(await unbalancedDays(engine)));
  // State has not been put right yet: only the warehouse knows what was committed.
  problems.push(...(await asker.compare(engine)));
  // A keeper that dies is not the command's fault: its work must have been repeated and done.
  if (spot.target === 'keeper' && end.code !== 0)
    problems.push(`the command ended with ${end.code}: ${(end.stdout + end.stderr).slice(-1200)}`);
  if (spot.target === 'command' || end.code !== 0) {
    const next = (words: readonly string[]): Promise<unknown> =>
      expectSuccess(folder, words).catch((error: Error) => problems.push(error.message));
    if (scenario.settle !== undefined) {
      await next(scenario.settle);
      const settled = await whatIsThere(engine, folder, isRestating);
      if (settled !== calibration.before && settled !== calibration.expected)
        problems.push(`settled neither way: ${firstDifference(calibration.expected, settled)}`);
    }
    await next(scenario.after);
  }
  problems.push(...(await asker.compare(engine)));
  await asker.stop();
  const { asked, answered, ms, deafMs, seen } = await reader.stop();
  for (const [what, count] of Object.entries(seen)) problems.push(`a reader saw ${what}: ${count}`);
  problems.push(...(await unbalancedDays(engine)));
  const there = await whatIsThere(engine, folder, isRestating).catch(String);
  // A restatement that died before it was recorded was never asked for.
  const isNeverAsked = isRestating && !wasWriting && there === calibration.before;
  if (there !== calibration.expected && !isNeverAsked)
    problems.push(firstDifference(calibration.expected, there));
  await engine.close();
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  return {
    scenario: scenario.name,
    victim: spot.target === 'command' && scenario.isWorker === true ? 'worker' : spot.target,
    spot,
    at,
    wasKilled,
    wasWriting,
    asked,
    answered,
    readerMs: Math.round(ms),
    deafMs: Math.round(deafMs),
    compared: asker.compared,
    ms: Math.round(performance.now() - began),
    problems,
    folder,
  };
}

/** The thread stands still at its call until `killAtCall`: strace cannot send signals to those it stops at a few calls only. */
function straceWords(folder: string, { spot, at }: KillRequest): readonly string[] {
  const calls = spot.target === 'keeper' ? FILE_WRITES : WRITES;
  const paths =
    spot.calls === 'any' || spot.calls === 'moment'
      ? []
      : FILES[spot.calls].flatMap((name) => ['-P', join(folder, name)]);
  return [
    ...['-o', traceLog(folder), ...paths],
    ...['-e', `trace=${calls}`, '-e', `inject=${calls}:delay_enter=100s:when=${at}`],
  ];
}

const traceLog = (folder: string): string => join(folder, 'calls.log');

interface Disturbance {
  readonly wasKilled: boolean;
  readonly wasWriting: boolean;
  readonly end: Ended;
}

async function disturbed(
  folder: string,
  { scenario, spot, at }: KillRequest,
  {
    engine,
    strace,
    reader,
  }: {
    readonly engine: Engine;
    readonly strace: readonly string[];
    readonly reader: ReturnType<typeof startReader>;
  },
): Promise<Disturbance> {
  const runsBefore = runIds(folder);
  const work = wordsIn(folder, scenario.work);
  if (spot.target === 'command') {
    const child = startPlinth(folder, work, [...STRACE, '-D', ...strace]);
    let hasEnded = false;
    const whenEnded = ended(child).finally(() => {
      hasEnded = true;
    });
    await killAtCall(child.pid as number, { log: traceLog(folder), n: at, isOver: () => hasEnded });
    const end = await whenEnded;
    const wasKilled = end.signal === 'SIGKILL' || end.code === 137;
    return { wasKilled, wasWriting: wasKilled && (await wasInTheMiddle(folder, runsBefore, engine)), end };
  }
  const pid = keeperOf(folder);
  let isOver = false;
  const death = isGone(pid, () => isOver).then(async (wasKilled) => {
    if (wasKilled) reader.keeperDied();
    return { wasKilled, wasWriting: wasKilled && (await wasInTheMiddle(folder, runsBefore)) };
  });
  const worked = plinth(folder, work).finally(() => {
    isOver = true;
  });
  if (spot.calls === 'moment') {
    while (!isOver && !(await wasInTheMiddle(folder, runsBefore))) await sleep(2);
    await sleep(at);
    if (!isOver) process.kill(pid, 'SIGKILL');
  } else await killAtCall(pid, { log: traceLog(folder), n: at, isOver: () => isOver });
  const end = await worked;
  return { ...(await death), end };
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
        // The janitor drops views before it has tables to hold.
        "SELECT 1 FROM leases WHERE name = 'janitor' AND holder IN (SELECT id FROM runs WHERE status = 'running')",
        "SELECT 1 FROM events WHERE event IN ('model.written', 'environment.promoted', 'warehouse.cleaned') AND run_id IN (SELECT id FROM runs WHERE status = 'running')",
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
