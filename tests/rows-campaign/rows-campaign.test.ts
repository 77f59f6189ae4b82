/** The short form of the campaign of rows; PLINTH_CAMPAIGN=1 adds the long one, which `node tests/rows-campaign/campaign.ts` runs and tells about, too. */
import { describe, expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { KNOWN_CASES } from './known-cases.ts';
import { play } from './play.ts';

describe('what once went wrong stays right:', () => {
  test.each(KNOWN_CASES)('$name', async ({ case: given }) => {
    expect((await play(given)).problems).toEqual([]);
  });
});

test('after every step of a random life, every environment shows the rows that the kinds of its models mean', async () => {
  const summary = await campaign({ seed: 1, steps: 110, caseSteps: 9, isMinimised: false });
  expect(summary.problems).toEqual([]);
  expect(summary.shortcomings).toEqual([]);
}, 300_000);

test.runIf(process.env['PLINTH_CAMPAIGN'] === '1')(
  'two thousand steps',
  async () => {
    const summary = await campaign({ seed: 1, steps: 2000, isLong: true });
    expect(summary.problems).toEqual([]);
    expect(summary.shortcomings).toEqual([]);
  },
  2 * 3_600_000,
);
