/** The short form of the access matrix; PLINTH_CAMPAIGN=1 adds the long one, which `node tests/access/campaign.ts` runs and tells about, too. */
import { expect, test } from 'vitest';
import { IS_LONG } from '../support/long-form.ts';
import { campaign } from './campaign.ts';
import { summaryText } from './summary.ts';

const world = process.env['PLINTH_MATRIX_WORLD'];

async function expectNoProblems(options: Parameters<typeof campaign>[0], isWhole = true): Promise<void> {
  const { summary, missing } = await campaign(options);
  const found = { problems: summary.problems, missing: isWhole ? missing : [] };
  expect(found, [...summary.problems.slice(0, 1), summaryText(summary)].join('\n')).toEqual({
    problems: [],
    missing: [],
  });
}

test.runIf(world === undefined)(
  'whoever asks by whichever door, at every moment of a product, gets what the policies leave and nothing else',
  () => expectNoProblems({ seed: 16, cells: 1300 }),
  600_000,
);

test.runIf(world !== undefined)(
  `the same in world ${world} alone`,
  () => expectNoProblems({ seed: Number(world), cells: 1, endsAtFirst: true }, false),
  600_000,
);

test.runIf(IS_LONG)(
  'the same ten thousand times',
  () => expectNoProblems({ seed: 100, cells: 10_000 }),
  2 * 3_600_000,
);
