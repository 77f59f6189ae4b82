import { resolve } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { apply } from '../src/operations/change/apply.ts';
import { plan } from '../src/operations/change/plan.ts';
import { type OpenedWorld, openWorld } from '../src/operations/open-world.ts';
import { loadProject } from '../src/operations/project/load-project.ts';
import { openWorkspace } from '../src/operations/workspace.ts';

// What the state store costs a run. The same operations as `plinth plan --yes`, in a process of their own, with clocks around the
// ports:
//   state   |--startRun--|      |finish|   |finish|           awaited: the union of these
//   engine         |------write------| |-------write-------|
//                                                             alone: state is awaited and no engine call is under way
// Only `alone` can make a run longer; the thread's time is what it takes from the cores.

/** The share of one run; `awaitedMs` counts a moment once, however many calls wait in it. */
export interface StateShare {
  readonly runMs: number;
  readonly awaitedMs: number;
  readonly aloneMs: number;
  /** Of the thread that writes; a few calls before it is up are made by the caller's own thread. */
  readonly threadCpuMs: number | null;
  readonly processCpuMs: number;
  /** The part of the run in which nothing but state was waited for. */
  readonly aloneShare: number;
  readonly cpuShare: number | null;
  readonly calls: Readonly<Record<string, { readonly count: number; readonly totalMs: number }>>;
}

interface Call {
  readonly port: 'state' | 'engine';
  readonly name: string;
  readonly start: number;
  end: number;
}

const NO_OPTIONS = {
  restateModels: [],
  isForwardOnly: false,
  skipBackfill: false,
  emptyBackfill: false,
  isShared: false,
  noGaps: false,
  includeUnmodified: false,
  allowDestructiveModels: [],
  categories: {},
  withRun: false,
};

/** Plans and applies the project of a folder and prints the share as JSON; run in a process of its own. */
export async function runStateShare([folder]: readonly string[]): Promise<void> {
  if (folder === undefined) throw new Error('usage: main.ts state-share FOLDER');
  const threads: Worker[] = [];
  process.on('worker', (worker: Worker) => {
    if (worker.threadName === 'plinth-state') threads.push(worker);
  });
  const executionTime = Date.now();
  const workspace = openWorkspace({ folder: resolve(folder), variables: process.env, executionTime });
  try {
    const calls: Call[] = [];
    const world = withClocks(await openWorld(workspace), calls);
    const planned = await plan(workspace, await loadProject(workspace), {
      world: Promise.resolve(world),
      environment: undefined,
      options: NO_OPTIONS,
    });
    if (planned.plan === undefined)
      throw new Error(planned.diagnostics.map(({ message }) => message).join('\n'));
    calls.length = 0;
    const cpuBefore = process.cpuUsage();
    const began = performance.now();
    const events = apply(world, planned.plan, { who: workspace.who });
    let next = await events.next();
    while (next.done !== true) next = await events.next();
    const ended = performance.now();
    if (next.value.status !== 'succeeded') throw new Error(`the run ${next.value.status}`);
    const cpu = process.cpuUsage(cpuBefore);
    const [thread] = threads;
    const own = await thread?.cpuUsage();
    console.log(
      JSON.stringify(
        shareOf(calls, {
          runMs: ended - began,
          processCpuMs: (cpu.user + cpu.system) / 1000,
          threadCpuMs: own === undefined ? null : (own.user + own.system) / 1000,
        }),
      ),
    );
  } finally {
    await workspace.close();
  }
}

/** The world with a clock around every call of its state and its engine. */
function withClocks(world: OpenedWorld, calls: Call[]): OpenedWorld {
  const { state } = world;
  return {
    ...world,
    engine: timed(world.engine, 'engine', calls),
    state: {
      ...state,
      warehouseId: state.warehouseId,
      snapshots: timed(state.snapshots, 'state', calls),
      journal: timed(state.journal, 'state', calls),
    },
  };
}

function timed<Port extends object>(port: Port, kind: Call['port'], calls: Call[]): Port {
  return new Proxy(port, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== 'function') return found;
      return (...given: readonly unknown[]): unknown => {
        const call: Call = { port: kind, name: String(name), start: performance.now(), end: Number.NaN };
        const answer: unknown = Reflect.apply(found, target, given);
        if (!(answer instanceof Promise)) return answer;
        calls.push(call);
        const settled = (): void => {
          call.end = performance.now();
        };
        answer.then(settled, settled);
        return answer;
      };
    },
  });
}

/** Times of calls turned into shares of the run. */
export function shareOf(
  calls: readonly Call[],
  {
    runMs,
    processCpuMs,
    threadCpuMs,
  }: Pick<StateShare, 'runMs' | 'processCpuMs'> & { readonly threadCpuMs: number | null },
): StateShare {
  const finished = calls.filter(({ end }) => !Number.isNaN(end));
  const state = finished.filter(({ port }) => port === 'state');
  const awaitedMs = lengthOf(state);
  const aloneMs = lengthOf(finished) - lengthOf(finished.filter(({ port }) => port === 'engine'));
  const byName: Record<string, { count: number; totalMs: number }> = {};
  for (const { name, start, end } of state) {
    byName[name] ??= { count: 0, totalMs: 0 };
    const own = byName[name];
    own.count++;
    own.totalMs = tenth(own.totalMs + end - start);
  }
  return {
    runMs: tenth(runMs),
    awaitedMs: tenth(awaitedMs),
    aloneMs: tenth(aloneMs),
    threadCpuMs: threadCpuMs === null ? null : tenth(threadCpuMs),
    processCpuMs: tenth(processCpuMs),
    aloneShare: Math.round((aloneMs / runMs) * 1000) / 1000,
    cpuShare: threadCpuMs === null ? null : Math.round((threadCpuMs / processCpuMs) * 1000) / 1000,
    calls: byName,
  };
}

/** The length of the union: a moment that several spans cover counts once. */
function lengthOf(spans: readonly Pick<Call, 'start' | 'end'>[]): number {
  let total = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    total += Math.max(0, end - Math.max(start, reached));
    reached = Math.max(reached, end);
  }
  return total;
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
