/*
 * Plans and runs that callers of a server start: they go on in its process when the answer is long out. They, and those of its
 * scheduler, can be cancelled through it.
 *
 *   ask ─▶ first event of the run says its id ─▶ answer        (what is wrong before that is thrown)
 *                  └─▶ the rest in the background ─▶ journal and event log, as from the command line
 */
import type { QualityEvent } from '../../domain/check-event.ts';
import { momentOf } from '../../domain/clock.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { type ActOptions, apply } from '../change/apply.ts';
import { dueWork } from '../change/due-work.ts';
import { knownPlan } from '../change/plans.ts';
import { run } from '../change/run.ts';
import { environmentOf } from '../open-world.ts';
import type { Product } from '../platform.ts';
import { checkAfter } from '../quality/check-after.ts';
import { holdRun } from './hold-run.ts';

/** Begins to apply a stored plan. */
export async function startPlan(
  product: Product,
  id: string,
  asked: Pick<ActOptions, 'who' | 'allowsWiderAccess'>,
): Promise<Run> {
  const { world } = product;
  const plan = await knownPlan(world, id);
  return begin(product, (signal) => checkAfter(world, apply(world, plan, { ...asked, signal }), signal.stop));
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
    executionTime: momentOf(world.clock),
    ...(request.selection === undefined ? {} : { selection: request.selection }),
    isShared: request.isShared === true,
  });
  return begin(product, (signal) =>
    checkAfter(world, run(world, due, { who: request.who, signal }), signal.stop),
  );
}

type Begin = (signal: {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}) => AsyncGenerator<RunEvent | QualityEvent, Run>;

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

/** Failures of the work are in its record; anything else is a bug, and no caller waits for it any longer. */
async function goOn(events: AsyncGenerator<RunEvent | QualityEvent, Run>): Promise<void> {
  try {
    while ((await events.next()).done !== true);
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : new Error(String(error)));
  }
}
