/** The short form of the campaign; PLINTH_CAMPAIGN=1 adds the long one, which `node tests/state-faults/campaign.ts` runs, too. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writes } from '../../src/adapters/state/sql/operations.ts';
import type { StateServer } from '../../src/adapters/state/sql/server-driver.ts';
import { postgresPrograms } from '../postgres-server.ts';
import { IS_LONG } from '../support/long-form.ts';
import { campaign, summarise, withoutCase } from './campaign.ts';
import { type Fault, type FaultBench, type FaultResult, openFaultBench } from './fault-bench.ts';
import type { WriteName } from './operation-cases.ts';

const OPERATIONS = Object.keys(writes).length;

/** Defects of a driver, put between it and the server. */
const PLANTED: readonly (readonly [string, Fault['moment'], RegExp, (server: StateServer) => StateServer])[] =
  [
    [
      'repeats a change without asking whether it was committed',
      'after',
      /too many: /,
      (server) => ({
        ...server,
        transact: ({ isAlone }, work) =>
          server.transact({ isAlone, writer: { id: randomUUID(), changes: 1 } }, work),
      }),
    ],
    [
      'takes a change whose commit was not answered for made',
      'before',
      /missing: /,
      (server) => ({
        ...server,
        transact: (beginning, work) => {
          let isWorkDone = false;
          return server
            .transact(beginning, async (transaction) => {
              await work(transaction);
              isWorkDone = true;
            })
            .catch((error: unknown) => {
              if (!isWorkDone) throw error;
            });
        },
      }),
    ],
    [
      'shows a lost connection to the caller',
      'before',
      /shown to the caller: /,
      (server) => ({ ...server, failingOf: () => 'refused' }),
    ],
  ];

describe.skipIf(postgresPrograms() === undefined)('every change of a state in PostgreSQL', () => {
  let bench: FaultBench;
  beforeAll(async () => {
    bench = await openFaultBench();
  });
  afterAll(() => bench.close());

  test('is made once, whichever message its connection is cut at and whether or not the server crashes then', async () => {
    const summary = await campaign({ seed: 7, cuts: OPERATIONS, crashes: 3, bench });
    expect(summary.problems).toEqual([]);
    expect(summary).toMatchObject({ cuts: OPERATIONS + 3, crashes: 3 });
    expect(summary.commits).toBeGreaterThan(OPERATIONS / 4);
  });

  test.each(PLANTED)('is not, and that is seen, by a driver that %s', async (_, moment, found, around) => {
    for (const operation of ['startRun', 'heartbeat', 'appendAudit'] as const) {
      const message = await bench.messages(operation);
      const fault = { operation, message, moment, crashes: false };
      const { wasCut, problems } = await bench.inject(fault, around);
      expect(wasCut).toBe(true);
      expect(problems.join('\n'), operation).toMatch(found);
    }
  });

  test.runIf(IS_LONG)(
    'is made once at every message of every change',
    async () => {
      expect((await campaign({ seed: 1, crashes: 60, bench })).problems).toEqual([]);
    },
    3_600_000,
  );
});

describe('a campaign', () => {
  const messages = new Map<WriteName, number>([
    ['startRun', 6],
    ['heartbeat', 5],
  ]);
  const result = (operation: WriteName, message: number, wasCut = true): FaultResult => ({
    fault: { operation, message, moment: 'after', crashes: false },
    wasCut,
    problems: [],
  });
  const problemsOf = (results: readonly FaultResult[], wanted: number): readonly string[] =>
    summarise(results, { seed: 1, messages, wanted }).problems;

  test('without a cut, or with too few, has a problem', () => {
    expect(problemsOf([], 0)).toEqual(['0 of 0 cuts happened']);
    expect(problemsOf([result('startRun', 6), result('heartbeat', 9, false)], 2)).toEqual([
      '1 of 2 cuts happened',
      'no cut in heartbeat',
    ]);
    expect(problemsOf([result('startRun', 6), result('heartbeat', 5)], 2)).toEqual([]);
  });

  test('that cut no COMMIT has a problem', () =>
    expect(problemsOf([result('startRun', 1), result('heartbeat', 1)], 2)).toEqual(['no cut of a COMMIT']));

  test('misses a change that no case calls', () => {
    expect(withoutCase(Object.keys(writes))).toEqual([]);
    expect(withoutCase(['startRun', 'startDancing'])).toEqual(['startDancing']);
  });
});
