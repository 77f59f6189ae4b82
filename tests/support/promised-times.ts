import { expect } from 'vitest';

/** Times are asserted in long forms, on a quiet machine: a test that runs beside others asserts what happened, not how soon. */
const IS_LONG = process.env['PLINTH_CAMPAIGN'] === '1';

export function expectWithin(ms: number, promisedMs: number, context?: string): void {
  if (IS_LONG) expect(ms, context).toBeLessThanOrEqual(promisedMs);
}
