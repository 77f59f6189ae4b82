import { expect, test } from 'vitest';
import type { KillResult } from './kill-once.ts';
import { summarise } from './summary.ts';

const result = (wasKilled: boolean, scenario = 'run'): KillResult => ({
  ...{
    scenario,
    victim: 'command',
    spot: { target: 'command', calls: 'any' },
    at: 1,
    wasKilled,
    wasWriting: true,
  },
  ...{
    asked: 1,
    answered: 1,
    readerMs: 1,
    deafMs: 0,
    ms: 1,
    compared: { all: 0, kept: 0 },
    problems: [],
    folder: '',
  },
});
const foundIn = (results: readonly KillResult[], wanted: number, steps: Readonly<Record<string, string>>) =>
  summarise(results, { state: 'sqlite', seed: 1, wanted, steps, minutes: 1 }).problems.flatMap(
    ({ found }) => found,
  );

test('a campaign without a kill, or with too few, has a problem', () => {
  expect(foundIn([], 0, {})).toEqual(['0 of 0 kills happened']);
  expect(foundIn([result(false), result(false)], 2, { run: '2' })).toEqual([
    '0 of 2 kills happened',
    'no kill in run',
  ]);
  expect(foundIn([result(true), result(true)], 2, { run: '2' })).toEqual([]);
});

test('every scenario has a kill, when there are enough of them', () => {
  expect(foundIn([result(true), result(true)], 2, { run: '2', plan: '3' })).toEqual(['no kill in plan']);
  expect(foundIn([result(true)], 1, { run: '2', plan: '3' })).toEqual([]);
});
