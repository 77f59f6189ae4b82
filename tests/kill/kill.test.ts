/** The short form of the kill campaign; the long ones are `node tests/kill/campaign.ts --kills 500` and `--steps`. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { whyNoTracing } from './processes.ts';

const obstacle = await whyNoTracing();
const kills = 10;

test.runIf(obstacle === undefined)(
  `whoever is killed at whichever system call, the next command ends the work and no reader saw anything wrong${
    obstacle === undefined ? '' : ` (NOT RUN: ${obstacle})`
  }`,
  async () => {
    const summary = await campaign({ kills, seed: 7, lanes: 2 });
    expect(summary.problems).toEqual([]);
    expect(summary.kills).toBeGreaterThan(kills * 0.7);
    expect(summary.whileWriting).toBeGreaterThan(kills * 0.5);
  },
  300_000,
);
