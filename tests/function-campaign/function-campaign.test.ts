/** A few calls of every function that users may call, or of those that begin as PLINTH_FUNCTIONS says; PLINTH_CAMPAIGN=1 adds the long form. */
import { expect, test } from 'vitest';
import { IS_LONG } from '../support/long-form.ts';
import { campaign } from './campaign.ts';

test('no function that users may call brings the engine down, whatever its arguments', async () => {
  const functions = (process.env['PLINTH_FUNCTIONS'] ?? '').split(',').filter((part) => part !== '');
  const summary = await campaign({ seed: 1, calls: 4, runMs: 300, functions });
  expect(summary.fatal.map(({ outcome, sql }) => `${outcome}: ${sql}`)).toEqual([]);
  expect(summary.notCalled).toEqual([]);
  expect(summary.calls).toBeGreaterThan(3 * summary.allowed);
}, 1_800_000);

test.runIf(IS_LONG)(
  'nor do many calls',
  async () => {
    const summary = await campaign({ seed: 2, calls: 60 });
    expect(summary.fatal.map(({ outcome, sql }) => `${outcome}: ${sql}`)).toEqual([]);
    expect(summary.notCalled).toEqual([]);
  },
  2 * 3_600_000,
);
