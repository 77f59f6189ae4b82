import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresPrograms } from '../postgres-server.ts';
import { everyNth } from '../support/long-form.ts';
import { expectWithin } from '../support/promised-times.ts';
import type { StateKind } from './kill-state.ts';
import { whyNoTracing } from './processes.ts';
import { exchangeFolder } from './served-statements.ts';
import { ENDED_MS, openStatementKills, type StatementKill, type StatementKills } from './statement-kills.ts';

// The long form, with the promise as its bar: node tests/kill/statement-campaign.ts --kills 200 --seed 1 [--state postgres]

const SEED = Number(process.env['PLINTH_SEED'] ?? 11);

const KINDS: readonly Omit<StatementKill, 'seed'>[] = [
  { victim: 'keeper', at: 'moment' },
  { victim: 'server', at: 'moment' },
  { victim: 'server', at: 'call' },
  { victim: 'keeper', at: 'call' },
];

function killsWith(state: StateKind): void {
  // The short form deals them out to both states.
  const kinds = everyNth(KINDS, 2, state === 'sqlite' ? 0 : 1);
  let kills: StatementKills;
  beforeAll(async () => {
    kills = await openStatementKills(state);
  });
  afterAll(() => kills.close(false));

  test.for(kinds)(
    'the $victim is killed at a $at: every acknowledged statement ends, every result is whole',
    { timeout: 600_000 },
    async ({ victim, at }, { skip }) => {
      const obstacle = at === 'call' ? await whyNoTracing() : undefined;
      if (obstacle !== undefined) return skip(obstacle);
      // What a process that died much earlier left.
      const left = join(exchangeFolder(kills.folder), 'result-999999999-abc');
      if (victim === 'server') {
        mkdirSync(left, { recursive: true });
        writeFileSync(join(left, 'rows.ndjson'), '{}\n');
      }
      // A call may come before anything was acknowledged, which shows nothing.
      for (let attempt = 0; attempt < 5; attempt++) {
        const result = await kills.kill({ victim, at, seed: SEED + attempt });
        expect(result.problems).toEqual([]);
        expectWithin(result.endedMs, ENDED_MS);
        if (result.acknowledged > 0) return;
      }
      expect.unreachable('nothing was acknowledged five times');
    },
  );
}

describe('with the state in a file', () => killsWith('sqlite'));
describe.skipIf(postgresPrograms() === undefined)('with the state in PostgreSQL', () =>
  killsWith('postgres'),
);
