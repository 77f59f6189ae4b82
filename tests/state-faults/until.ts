import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again until something is found; a test that waits for what never comes says what it was. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined>,
  withinMs = 90_000,
): Promise<Found> {
  const by = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > by) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await sleep(25);
  }
}
