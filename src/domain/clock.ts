/** Wall time: leases, heartbeats, timeouts, event times. Production uses the system clock; tests pass their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Ends early, without an error, on abort. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
