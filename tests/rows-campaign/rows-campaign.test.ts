/**
 * The short form of the campaign of rows; PLINTH_CAMPAIGN=1 adds the long one, which `node tests/rows-campaign/campaign.ts` runs and
 * tells about, too. Two variables choose a part of it, for a defect that is put back:
 *
 *   PLINTH_ROWS_CASE    part of the name of a known case
 *   PLINTH_ROWS_THEME   random lives of one theme, until the first problem; PLINTH_ROWS_SEED is their seed
 */
import { describe, expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { KNOWN_CASES } from './known-cases.ts';
import { play } from './play.ts';

const { PLINTH_ROWS_CASE: caseWanted, PLINTH_ROWS_THEME: theme } = process.env;
const isPart = caseWanted !== undefined || theme !== undefined;

describe.runIf(theme === undefined)('what once went wrong stays right:', () => {
  const chosen = KNOWN_CASES.filter(({ name }) => name.includes(caseWanted ?? ''));
  test.each(chosen)('$name', async ({ case: given }) => {
    expect((await play(given)).problems).toEqual([]);
  });
});

test.runIf(theme !== undefined)(
  'a random life of one theme has no problem',
  async () => {
    const seed = Number(process.env['PLINTH_ROWS_SEED'] ?? 1);
    const { problems } = await campaign({ seed, theme, steps: 150, isMinimised: false, problemsMax: 1 });
    expect(problems).toEqual([]);
  },
  600_000,
);

test.runIf(!isPart)(
  'after every step of a random life, every environment shows the rows that the kinds of its models mean',
  async () => {
    const summary = await campaign({ seed: 1, steps: 110, caseSteps: 9, isMinimised: false });
    expect(summary.problems).toEqual([]);
    expect(summary.shortcomings).toEqual([]);
  },
  300_000,
);

test.runIf(process.env['PLINTH_CAMPAIGN'] === '1')(
  'two thousand steps',
  async () => {
    const summary = await campaign({ seed: 1, steps: 2000, isLong: true });
    expect(summary.problems).toEqual([]);
    expect(summary.shortcomings).toEqual([]);
  },
  2 * 3_600_000,
);
