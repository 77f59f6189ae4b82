/** The short form of the kill campaign; the long one is `node tests/kill/campaign.ts --kills 500`. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { canTrace } from './processes.ts';

const isTraceable = await canTrace();

test.runIf(isTraceable)(
  'whoever is killed at whichever system call, the next command ends the work and no reader saw anything wrong',
  async () => {
    const { problems, killed } = await campaign(10, 7);
    expect(problems).toEqual([]);
    expect(killed).toBeGreaterThan(5);
  },
  300_000,
);
