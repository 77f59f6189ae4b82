import { environmentName } from '../../domain/environment.ts';
import type { SchedulerEvent } from '../../runtime/schedule/scheduler-event.ts';
import type { Product } from '../platform.ts';
import { holdRun } from './hold-run.ts';
import { worker } from './worker.ts';

export type { SchedulerEvent };

export interface UpToDateOptions {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
  readonly onScheduled: (product: Product, event: SchedulerEvent) => void;
  /** Nothing of the product is run for a while. */
  readonly onSchedulerLost: (product: Product, error: unknown) => void;
}

const AGAIN_MS = 30_000;

/** A failed scheduler concerns one product only: the failure is reported, and the scheduler is started again after a while. */
export async function keepUpToDate(
  product: Product,
  { stop, cancel, onScheduled, onSchedulerLost }: UpToDateOptions,
): Promise<void> {
  const { world, workspace } = product;
  const environments = [environmentName(world.config.environments.defaultTarget)];
  while (!stop.aborted) {
    try {
      const events = worker(world, {
        who: workspace.who,
        environments,
        stop,
        cancel,
        onRunEvent: () => undefined,
        onRunning: (run, handle) => holdRun(product, run, handle),
      });
      for await (const event of events) onScheduled(product, event);
      return;
    } catch (error) {
      onSchedulerLost(product, error);
      await world.clock.sleep(AGAIN_MS, stop);
    }
  }
}
