/*
 * Plans and runs that callers of a server start: they go on in its process when the answer is long out. They, and those of its
 * scheduler, can be cancelled through it.
 *
 *   ask ─▶ first event of the run says its id ─▶ answer        (what is wrong before that is thrown)
 *                  └─▶ the rest in the background ─▶ journal and event log, as from the command line
 */
import { failure } from '../../domain/failure.ts';
import type { PlanOptions } from '../../domain/plan.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { type ActOptions, apply } from '../change/apply.ts';
import { knownPlan } from '../change/plans.ts';
import { dueWork, run } from '../change/run.ts';
import { knownRun } from '../change/runs.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import type { RunHandle } from '../underway.ts';
import { planElsewhere } from './plan-elsewhere.ts';

/** A run of this process is held this soon after it was recorded, unless the machine stands still. */
const BEGIN_MS = 2_000;

/** Now, unless the program was started at a fixed time. */
const executionTimeOf = ({ workspace, world }: Product): number =>
  workspace.variables['PLINTH_NOW'] === undefined ? world.clock.now() : workspace.executionTime;

/** Plans what the folder has now; changes nothing, and is stored for `startPlan`. `signal`: the caller has disconnected. */
export async function previewPlan(
  product: Product,
  request: {
    readonly environment: string | undefined;
    readonly options: PlanOptions;
    readonly who: string;
    readonly signal: AbortSignal;
  },
): ReturnType<typeof planElsewhere> {
  const executionTime = executionTimeOf(product);
  const { workspace, world } = product;
  const work = {
    folder: workspace.folder,
    gateway: workspace.gateway,
    // Past the watch over what is read of them: nothing is read here.
    variables: Object.fromEntries(
      Object.entries(Object.getOwnPropertyDescriptors(workspace.variables)).map(([name, { value }]) => [
        name,
        value as string | undefined,
      ]),
    ),
    executionTime,
    who: request.who,
    environment: environmentOf(world.config, request.environment),
    options: request.options,
  };
  return planElsewhere(product, work, request.signal);
}

/** Begins to apply a stored plan. */
export async function startPlan(
  product: Product,
  id: string,
  asked: Pick<ActOptions, 'who' | 'allowsWiderAccess'>,
): Promise<Run> {
  const { world } = product;
  const plan = await knownPlan(world, id);
  return begin(product, (signal) => apply(world, plan, { ...asked, signal }));
}

/** Begins to fill what is due. */
export async function startRun(
  product: Product,
  request: {
    readonly environment: string | undefined;
    readonly selection?: string | undefined;
    readonly isShared?: boolean | undefined;
    readonly who: string;
  },
): Promise<Run> {
  const { world } = product;
  const due = await dueWork(world, {
    environment: environmentOf(world.config, request.environment),
    executionTime: executionTimeOf(product),
    ...(request.selection === undefined ? {} : { selection: request.selection }),
    isShared: request.isShared === true,
  });
  return begin(product, (signal) => run(world, due, { who: request.who, signal }));
}

/** Gives up a run of this process; one that has ended stays as it is. */
export async function cancelRun(product: Product, id: string): Promise<Run> {
  const found = await knownRun(product.world, id);
  if (found.status !== 'running') return found;
  const { runs } = product.underway;
  // It is in the journal a moment before it is held here.
  for (const by = performance.now() + BEGIN_MS; !runs.has(id) && performance.now() < by; )
    await product.world.clock.sleep(50);
  const work = runs.get(id);
  if (work === undefined) throw failure('activity.run-elsewhere', { id, who: found.who });
  work.cancel.abort();
  await work.ended;
  return knownRun(product.world, id);
}

/** Lets what goes on come to its end, and gives it up after so long. */
export async function endWork(product: Product, drainMs: number): Promise<void> {
  const going = [...product.underway.runs.values()];
  if (going.length === 0) return;
  for (const { stop } of going) stop.abort();
  const timer = setTimeout(() => {
    for (const { cancel } of going) cancel.abort();
  }, drainMs);
  await Promise.all(going.map(({ ended }) => ended));
  clearTimeout(timer);
}

type Begin = (signal: {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}) => AsyncGenerator<RunEvent, Run>;

async function begin(product: Product, start: Begin): Promise<Run> {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const events = start({ stop: stop.signal, cancel: cancel.signal });
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    if (next.value.event !== 'run.started') continue;
    const { run: begun } = next.value;
    holdRun(product, begun, { stop, cancel, ended: goOn(events) });
    return begun;
  }
}

/** A run of this process that can be cancelled from now on until it has ended. */
export function holdRun(product: Product, { id }: Run, handle: RunHandle): void {
  const { runs } = product.underway;
  const ended = handle.ended.finally(() => runs.delete(id));
  runs.set(id, { ...handle, ended });
}

/** Failures of the work are in its record; anything else is a bug, and no caller waits for it any longer. */
async function goOn(events: AsyncGenerator<RunEvent, Run>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}
