import { closeStatements } from '../ask/close-statements.ts';
import { openStatements } from '../ask/open-statements.ts';
import type { Platform } from '../platform.ts';
import { attendDeliveries, type DeliveryOptions } from './attend-deliveries.ts';
import { endWork } from './end-work.ts';
import { keepUpToDate, type UpToDateOptions } from './keep-up-to-date.ts';
import { refreshAfterRuns } from './refresh-after-runs.ts';

/** What a server does for its products beside answering: their statements, what is due, answers that are made again, and what is sent. */
export interface Attendance {
  /** Begins nothing new; resolves when what runs has ended, or is given up after so long. */
  end(drainMs: number): Promise<void>;
}

export interface AttendOptions
  extends Pick<UpToDateOptions, 'onScheduled' | 'onSchedulerLost'>,
    Pick<DeliveryOptions, 'onConsole' | 'onDeliveryProblem'> {
  readonly hasScheduler: boolean;
}

/** Takes over what a process that died has left, and keeps every product up to date. */
export async function attendProducts(
  platform: Platform,
  { hasScheduler, onScheduled, onSchedulerLost, onConsole, onDeliveryProblem }: AttendOptions,
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
  const delivering = attendDeliveries(platform, {
    ...{ stop: stop.signal, claims: true, onConsole, onDeliveryProblem },
  });
  const refreshing = products.map((product) => refreshAfterRuns(platform, product, stop.signal));
  return {
    async end(drainMs) {
      stop.abort();
      const timer = setTimeout(() => cancel.abort(), drainMs);
      await Promise.all([
        ...products.map((product) => closeStatements(product, drainMs)),
        ...products.map((product) => endWork(product, drainMs)),
        ...schedulers,
        delivering,
        ...refreshing,
      ]);
      clearTimeout(timer);
    },
  };
}
