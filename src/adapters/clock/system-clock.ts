import type { Clock } from '../../domain/clock.ts';

/** The clock of this machine, moved to that of a state which several machines share. */
export const systemClock = (aheadMs: () => number, given?: number): Clock => ({
  ...(given === undefined ? {} : { given }),
  now: () => Date.now() + aheadMs(),
  // By hand: the one of Node makes an error, with its stack, for every waiter that is woken early, and that is most of a server's waiting.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, signal?.aborted === true ? 0 : ms);
      signal?.addEventListener('abort', end, { once: true });
    }),
});
