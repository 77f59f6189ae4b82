import { expect, test } from 'vitest';
import { addToTally, type ModelTally, mergeTallies, NO_WRITES } from './model-tally.ts';

const write = (failedRows: number, balance?: ModelTally['balance']): Omit<ModelTally, 'intervals'> => ({
  rows: 2,
  audits: [
    { name: 'not_null', status: 'passed', failedRows: 0 },
    { name: 'not_null', status: failedRows > 0 ? 'warned' : 'passed', failedRows },
  ],
  ...(balance === undefined ? {} : { balance }),
});

test('writes of one model add up: rows, intervals, each use of an audit, and the balance of quarantine', () => {
  const first = addToTally(NO_WRITES, write(3, { input: 5, published: 2, quarantined: 3 }), {
    start: 0,
    end: 1,
  });
  const second = addToTally(NO_WRITES, write(0, { input: 2, published: 2, quarantined: 0 }), {
    start: 1,
    end: 2,
  });
  expect(mergeTallies(first, second)).toEqual({
    intervals: [{ start: 0, end: 2 }],
    rows: 4,
    audits: [
      { name: 'not_null', status: 'passed', failedRows: 0 },
      { name: 'not_null', status: 'warned', failedRows: 3 },
    ],
    balance: { input: 7, published: 4, quarantined: 3 },
  });
});

test('a write that records nothing adds rows but no interval', () => {
  expect(addToTally(NO_WRITES, write(0), { start: 0, end: 0 }).intervals).toEqual([]);
});
