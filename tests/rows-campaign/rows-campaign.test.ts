/**
 * Random lives, in short; PLINTH_CAMPAIGN=1 adds the long form, which `node tests/rows-campaign/campaign.ts` runs and tells about, too.
 * PLINTH_ROWS_THEME and PLINTH_ROWS_SEED choose lives of one theme, for a defect that is put back: until the first problem.
 */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';

const { PLINTH_ROWS_THEME: theme, PLINTH_ROWS_SEED: seed = '1', PLINTH_CAMPAIGN: isLong } = process.env;

test.runIf(theme !== undefined)(
  'a random life of one theme has no problem',
  async () => {
    const options = { seed: Number(seed), theme, steps: 150, isMinimised: false, problemsMax: 1 };
    expect((await campaign(options)).problems).toEqual([]);
  },
  600_000,
);

test.runIf(theme === undefined)(
  'after every step of a random life, every environment shows the rows that the kinds of its models mean',
  async () => {
    const summary = await campaign({ seed: 1024, steps: 100, caseSteps: 9, isMinimised: false });
    expect(summary.problems).toEqual([]);
    expect(summary.shortcomings).toEqual([]);
  },
  300_000,
);

test.runIf(isLong === '1')(
  'two thousand steps',
  async () => {
    const summary = await campaign({ seed: 1, steps: 2000, isLong: true });
    expect(summary.problems).toEqual([]);
    expect(summary.shortcomings).toEqual([]);
  },
  2 * 3_600_000,
);
