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
import { firstDifference, unbalancedDays, whatIsThere } from './compare.ts';
import { connectionOf, dumpState, removeProject, stateRows } from './kill-state.ts';
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
import { type StateProxy, stateProxy } from './state-proxy.ts';

/** Who is killed, and which of its calls are counted; of a command whose state lies on a server, the connection may be cut instead. A keeper also answers the reader, so its other calls cannot be: there it is milliseconds after the first intent. */
export type Spot =
  | { readonly target: 'command'; readonly calls: Calls }
  | { readonly target: 'keeper'; readonly calls: 'warehouse' | 'moment' }
  | { readonly target: 'connection'; readonly calls: 'state' };

export const SPOTS: readonly Spot[] = [
  { target: 'command', calls: 'state' },
  { target: 'keeper', calls: 'warehouse' },
  { target: 'command', calls: 'any' },
  { target: 'keeper', calls: 'moment' },
];
/** Of states on a server. */
export const SERVER_SPOTS: readonly Spot[] = [...SPOTS, { target: 'connection', calls: 'state' }];

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
  readonly victim: 'command' | 'worker' | 'keeper' | 'connection';
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
  const connection = connectionOf(folder);
  const proxy = connection && (await stateProxy(connection.port));
  const below = [...STRACE, ...watch(logs.command, `${WRITES},fcntl`)];
  const { code, stderr, stdout } = await ended(
    startPlinth(folder, await wordsIn(folder, scenario.work), below, through(proxy)),
  );
  await proxy?.close();
  if (code !== 0) throw new Error(`undisturbed, ${scenario.name} ended with ${code}: ${stderr}${stdout}`);
  const expected = await whatIsThere(engine, folder, isRestating);
  await engine.close();
  // Not only its tracer: calls that strace was asked to stop at fail when it has gone.
  process.kill(pid, 'SIGKILL');
  if (!(await isGone(tracer))) throw new Error('strace does not end');
  const commandCalls = readCalls(logs.command);
  const keeperCalls = readCalls(logs.keeper);
  const messages = proxy?.messages ?? [];
  const steps =
    proxy === undefined
      ? stepsOf(commandCalls, folder)
      : messages
          .filter(({ isCommit }) => isCommit)
          .map(({ at, answeredAt }) => ({ begin: at, end: answeredAt }));
  const run = await lastRun(folder);
  // The run itself is the first step after its start, the first intent comes later; its end is the last step.
  const recorded = steps.find((step) => step.begin > run.startedAt)?.end ?? run.startedAt;
  const warehouse = FILES.warehouse.map((name) => join(folder, name));
  const written =
    keeperCalls.find(({ at, path }) => at > recorded && warehouse.includes(path))?.at ?? recorded;
  const begin = steps.findLast((step) => step.end < written)?.end ?? recorded;
  const end = steps.at(-1)?.begin ?? Number.POSITIVE_INFINITY;
  const moments = (calls: Calls): readonly number[] =>
    calls === 'state' && proxy !== undefined
      ? messages.flatMap(({ at }) => [at, at])
      : momentsOf(commandCalls, calls, folder);
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
  const commits = messages.flatMap(({ isCommit }, index) =>
    isCommit ? MOMENTS.map((_, moment) => ({ calls: 'state' as const, at: index * 2 + moment + 1 })) : [],
  );
  const found = proxy === undefined ? places.filter((place) => place !== undefined) : commits;
  await removeProject(folder);
  return {
    before,
    expected,
    numbers: ({ target, calls }) =>
      calls === 'moment'
        ? Array.from({ length: Math.round(end - begin) }, (_, ms) => ms)
        : numbersFrom(target === 'keeper' ? momentsOf(keeperCalls, calls, folder) : moments(calls)),
    steps: found,
    stepsMissed: proxy === undefined ? places.length - found.length : 0,
  };
}

/** A message is met before the server has it, or when the server has it: each has a number of its own. */
const MOMENTS = ['before', 'after'] as const;

/** Lets a command reach the server of its state through the proxy. */
const through = (proxy: StateProxy | undefined): Readonly<Record<string, string>> =>
  proxy === undefined ? {} : { PLINTH__GATEWAYS__LOCAL__STATE_CONNECTION__PORT: String(proxy.port) };

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
  // Neither a keeper that dies nor a connection that is cut is the command's fault: its work must have been repeated and done.
  if (spot.target !== 'command' && end.code !== 0)
    problems.push(`the command ended with ${end.code}: ${(end.stdout + end.stderr).slice(-1200)}`);
  if (spot.target === 'command' || end.code !== 0) {
    const next = (words: readonly string[]): Promise<unknown> =>
      expectSuccess(folder, words, scenario.isDoneAs).catch((error: Error) => problems.push(error.message));
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
  const isNeverAsked =
    isRestating && !wasWriting && spot.target !== 'connection' && there === calibration.before;
  if (there !== calibration.expected && !isNeverAsked)
    problems.push(firstDifference(calibration.expected, there));
  await engine.close();
  if (problems.length === 0) await removeProject(folder);
  else dumpState(folder);
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
  const runsBefore = await runIds(folder);
  const work = await wordsIn(folder, scenario.work);
  const connection = connectionOf(folder);
  if (connection !== undefined && spot.calls === 'state') {
    let wasCutInTheMiddle = Promise.resolve(false);
    const proxy = await stateProxy(connection.port, {
      n: Math.ceil(at / 2),
      moment: MOMENTS[(at - 1) % 2] as (typeof MOMENTS)[number],
      act: () => {
        if (spot.target === 'command') child.kill('SIGKILL');
        else wasCutInTheMiddle = wasInTheMiddle(folder, runsBefore, engine);
      },
    });
    const child = startPlinth(folder, work, [], through(proxy));
    const end = await ended(child);
    await proxy.close();
    if (spot.target === 'connection')
      return { wasKilled: proxy.hasActed(), wasWriting: await wasCutInTheMiddle, end };
    const wasKilled = end.signal === 'SIGKILL';
    return { wasKilled, wasWriting: wasKilled && (await wasInTheMiddle(folder, runsBefore, engine)), end };
  }
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

async function runIds(folder: string): Promise<ReadonlySet<string>> {
  return new Set((await stateRows(folder, 'SELECT id FROM runs')).map(({ id }) => String(id)));
}

async function lastRun(folder: string): Promise<{ readonly startedAt: number }> {
  const [row] = await stateRows(folder, 'SELECT started_at FROM runs ORDER BY started_at DESC LIMIT 1');
  return { startedAt: Number(row?.['started_at'] ?? 0) };
}

/** Runs that have not ended, each with how much says that something was written or was about to be. */
const UNDER_WAY = `SELECT id, ${[
  'intents',
  'promotion_intents',
  // The janitor drops views before it has tables to hold.
  "leases WHERE name = 'janitor' AND holder IN (SELECT id FROM runs WHERE status = 'running')",
  "events WHERE event IN ('model.written', 'environment.promoted', 'warehouse.cleaned') AND run_id IN (SELECT id FROM runs WHERE status = 'running')",
]
  .map((from) => `(SELECT count(*) FROM ${from})`)
  .join(' + ')} AS intents FROM runs WHERE status = 'running'`;

/** A run of the killed command was recorded and had not ended, and had written, or was about to: read before anybody mends it. */
async function wasInTheMiddle(
  folder: string,
  runsBefore: ReadonlySet<string>,
  engine?: Engine,
): Promise<boolean> {
  const running = (await stateRows(folder, UNDER_WAY)).filter(({ id }) => !runsBefore.has(String(id)));
  const [run] = running;
  if (run === undefined) return false;
  const hasIntents = Number(run['intents']) > 0;
  if (hasIntents || engine === undefined) return hasIntents;
  const { rows } = await engine.query(`SELECT 1 FROM plinth__ledger WHERE run_id = '${run['id']}' LIMIT 1`);
  return rows.length > 0;
}
