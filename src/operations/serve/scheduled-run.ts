import { LEASE_MS } from '../../domain/lease.ts';
import type { ScheduledRun } from '../../runtime/schedule/schedule.ts';
import { dueWork } from '../change/due-work.ts';
import { run } from '../change/run.ts';
import type { OpenedWorld } from '../open-world.ts';
import { checkAfter } from '../quality/check-after.ts';
import { checkDue } from '../quality/check-due.ts';
import type { WorkerRequest } from './worker-request.ts';

/** One run as the scheduler wants it: none when nothing is due. It waits for the lease of a run that died with the leader before. */
export async function scheduledRun(
  world: OpenedWorld,
  request: { readonly environment: string; readonly executionTime: number },
  { who, stop, cancel, onRunEvent, onRunning }: Omit<WorkerRequest, 'environments'>,
): Promise<ScheduledRun> {
  const due = await dueWork(world, request);
  const waiting = due.waiting.filter(({ kind }) => kind === 'signal').map(({ model }) => model);
  for (const event of due.recovered) onRunEvent(event);
  if (due.stages.length === 0) {
    for await (const event of checkDue(world, { environment: request.environment, signal: stop }))
      onRunEvent(event);
    return { waiting };
  }
  const own = { stop: new AbortController(), cancel: new AbortController() };
  const signal = {
    stop: AbortSignal.any([stop, own.stop.signal]),
    cancel: AbortSignal.any([cancel, own.cancel.signal]),
  };
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const running = run(world, { ...due, recovered: [] }, { who, signal, waitMs: LEASE_MS });
  const events = checkAfter(world, running, signal.stop);
  try {
    for (;;) {
      const next = await events.next();
      if (next.done === true) return { run: next.value, waiting };
      if (next.value.event === 'run.started') onRunning?.(next.value.run, { ...own, ended });
      onRunEvent(next.value);
    }
  } finally {
    end();
  }
}
