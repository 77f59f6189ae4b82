import { expect } from 'vitest';
import { IS_LONG } from './long-form.ts';

/** Times are asserted in long forms, on a quiet machine: a test that runs beside others asserts what happened, not how soon. */

export function expectWithin(ms: number, promisedMs: number, context?: string): void {
  if (IS_LONG) expect(ms, context).toBeLessThanOrEqual(promisedMs);
}
