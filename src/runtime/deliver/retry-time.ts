import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../foundation/time/civil.ts';

const SECOND_MS = 1_000;

/** How long each failed attempt waits for the next: together almost two days, and after the last of them it is given up. */
export const RETRY_WAITS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  DAY_MS,
];

/** A quarter of the wait is by chance, so that what failed together is not tried together. */
const CHANCE = 0.25;

/** When a delivery is tried again after so many attempts, not before the receiver asks for it; undefined when it is given up. `chance`: from 0 to below 1. */
export function retryTime(
  attempted: number,
  {
    now,
    chance,
    retryAfterMs = 0,
  }: { readonly now: number; readonly chance: number; readonly retryAfterMs?: number | undefined },
): number | undefined {
  const wait = RETRY_WAITS[attempted - 1];
  if (wait === undefined) return undefined;
  const own = wait * (1 - CHANCE * chance);
  return now + Math.round(Math.max(own, Math.min(retryAfterMs, DAY_MS)));
}
