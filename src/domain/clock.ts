/** Wall time: leases, heartbeats, timeouts, event times. Nothing fixes it in production; tests hand in their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Ends early, without an error, when the signal says so. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
