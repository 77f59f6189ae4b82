/** The short form of the kill campaign, with the state in a file and on a server; PLINTH_CAMPAIGN=1 adds the long ones, which `node tests/kill/campaign.ts` runs and tells about, too. */
import { describe, expect, test } from 'vitest';
import { postgresPrograms } from '../postgres-server.ts';
import { IS_LONG } from '../support/long-form.ts';
import { campaign } from './campaign.ts';
import type { StateKind } from './kill-state.ts';
import { whyNoTracing } from './processes.ts';

const noTracing = await whyNoTracing();
const kills = 10;
const HOURS_MS = 3 * 3_600_000;
const STATES: readonly { readonly state: StateKind; readonly obstacle: string | undefined }[] = [
  { state: 'sqlite', obstacle: noTracing },
  {
    state: 'postgres',
    obstacle: noTracing ?? (postgresPrograms() === undefined ? 'PostgreSQL is not installed' : undefined),
  },
];

describe.each(STATES)('with the state in $state', ({ state, obstacle }) => {
  test.runIf(obstacle === undefined)(
    `whoever is killed at whichever system call, the next command ends the work, no reader saw anything wrong, and no kept answer is stale${
      obstacle === undefined ? '' : ` (NOT RUN: ${obstacle})`
    }`,
    async () => {
      const summary = await campaign({ kills, seed: 7, lanes: 2, state });
      expect(summary.problems).toEqual([]);
      expect(summary.kills).toBe(kills);
      expect(summary.whileWriting).toBeGreaterThanOrEqual(kills * 0.7);
      expect(summary.compared.kept).toBeGreaterThanOrEqual(kills * 3);
      const victims = new Set(Object.keys(summary.byKind).map((kind) => kind.split(', ').at(-1)));
      expect(victims.has('command')).toBe(true);
      expect(victims.has('connection')).toBe(state === 'postgres');
    },
    300_000,
  );

  const isLong = obstacle === undefined && IS_LONG;
  test.runIf(isLong)(
    'five hundred kills',
    async () => {
      const summary = await campaign({ kills: 500, seed: 1, state });
      expect(summary.problems).toEqual([]);
      expect(summary.kills).toBe(500);
      expect(summary.shareWhileWriting).toBeGreaterThanOrEqual(0.8);
      expect(summary.compared.kept).toBeGreaterThanOrEqual(500 * 3);
    },
    HOURS_MS,
  );

  test.runIf(isLong)(
    'the command killed at every change of the state, in every scenario',
    async () => {
      expect((await campaign({ seed: 1, state })).problems).toEqual([]);
    },
    HOURS_MS,
  );
});
