/** The short form of the kill campaign; PLINTH_CAMPAIGN=1 adds the long ones, which `node tests/kill/campaign.ts` runs and tells about, too. */
import { expect, test } from 'vitest';
import { campaign } from './campaign.ts';
import { whyNoTracing } from './processes.ts';

const obstacle = await whyNoTracing();
const kills = 10;

test.runIf(obstacle === undefined)(
  `whoever is killed at whichever system call, the next command ends the work, no reader saw anything wrong, and no kept answer is stale${
    obstacle === undefined ? '' : ` (NOT RUN: ${obstacle})`
  }`,
  async () => {
    const summary = await campaign({ kills, seed: 7, lanes: 2 });
    expect(summary.problems).toEqual([]);
    expect(summary.kills).toBe(kills);
    expect(summary.whileWriting).toBeGreaterThanOrEqual(kills * 0.7);
    expect(summary.compared.kept).toBeGreaterThanOrEqual(kills * 3);
  },
  300_000,
);

const isLong = obstacle === undefined && process.env['PLINTH_CAMPAIGN'] === '1';
const HOURS_MS = 3 * 3_600_000;

test.runIf(isLong)(
  'five hundred kills',
  async () => {
    const summary = await campaign({ kills: 500, seed: 1 });
    expect(summary.problems).toEqual([]);
    expect(summary.kills).toBe(500);
    expect(summary.shareWhileWriting).toBeGreaterThanOrEqual(0.8);
    expect(summary.compared.kept).toBeGreaterThanOrEqual(500 * 3);
  },
  HOURS_MS,
);

test.runIf(isLong)(
  'the command killed at every change of the journal, in every scenario',
  async () => {
    expect((await campaign({ seed: 1 })).problems).toEqual([]);
  },
  HOURS_MS,
);
