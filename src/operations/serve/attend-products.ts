import { environmentName } from '../../domain/environment.ts';
import { closeStatements, openStatements } from '../ask/statements.ts';
import type { Platform, Product } from '../platform.ts';
import { endWork, holdRun } from './start-work.ts';
import { type SchedulerEvent, worker } from './worker.ts';

/** What a server does for its products beside answering: their statements, and what is due. */
export interface Attendance {
  /** Begins nothing new; resolves when what runs has ended, or is given up after so long. */
  end(drainMs: number): Promise<void>;
}

export interface AttendOptions {
  readonly hasScheduler: boolean;
  readonly onScheduled: (product: Product, event: SchedulerEvent) => void;
  /** Nothing of the product is run for a while. */
  readonly onSchedulerLost: (product: Product, error: unknown) => void;
}

const AGAIN_MS = 30_000;

/** Takes over what a process that died has left, and keeps every product up to date. */
export async function attendProducts(
  platform: Platform,
  { hasScheduler, onScheduled, onSchedulerLost }: AttendOptions,
): Promise<Attendance> {
  const { products } = platform;
  for (const product of [...products])
    await platform.prepare(product, async () => {
      await product.workspace.parquet.sweep();
      await openStatements(product);
    });
  const [stop, cancel] = [new AbortController(), new AbortController()];
  const signals = { stop: stop.signal, cancel: cancel.signal };
  const schedulers = hasScheduler
    ? products.map((product) => keepUpToDate(product, { ...signals, onScheduled, onSchedulerLost }))
    : [];
  return {
    async end(drainMs) {
      stop.abort();
      const timer = setTimeout(() => cancel.abort(), drainMs);
      await Promise.all([
        ...products.map((product) => closeStatements(product, drainMs)),
        ...products.map((product) => endWork(product, drainMs)),
        ...schedulers,
      ]);
      clearTimeout(timer);
    },
  };
}

/** A failed scheduler concerns one product only: the failure is reported, and the scheduler is started again after a while. */
async function keepUpToDate(
  product: Product,
  {
    stop,
    cancel,
    onScheduled,
    onSchedulerLost,
  }: { readonly stop: AbortSignal; readonly cancel: AbortSignal } & Pick<
    AttendOptions,
    'onScheduled' | 'onSchedulerLost'
  >,
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
