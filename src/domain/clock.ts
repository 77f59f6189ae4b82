/** Wall time: leases, heartbeats, timeouts, event times. Production uses the system clock; tests pass their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** What counts as now for what is said of data, where a caller gave it: a month can be replayed in an hour. */
  readonly given?: number;
  /** Ends early, without an error, on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The time that checks and profiles go by. */
export const momentOf = (clock: Clock): number => clock.given ?? clock.now();
