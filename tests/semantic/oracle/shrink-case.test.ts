import { expect, test } from 'vitest';
import { type Shrinkable, shrinkCase } from './shrink-case.ts';

const CASE: Shrinkable = {
  tapes: [Array.from({ length: 200 }, (_, i) => i * 7919), Array.from({ length: 90 }, (_, i) => i + 1)],
  tables: [
    Array.from({ length: 10 }, (_, i) => Array.from({ length: 16 }, (__, j) => 10 * i + j + 1)),
    Array.from({ length: 7 }, () => [1, 2, 3]),
  ],
};

/** Wrong when the tenth choice is 10, 20, … and two rows have something in their fourth cell. */
const fails = async ({ tapes, tables }: Shrinkable): Promise<string | undefined> =>
  (tapes[1]?.[9] ?? 0) % 10 === 0 &&
  (tapes[1]?.[9] ?? 0) > 0 &&
  (tables[0] ?? []).filter((row) => (row[3] ?? 0) > 0).length >= 2
    ? `wrong with ${tables[0]?.length} rows`
    : undefined;

test('a failing case is made as small as it still fails', async () => {
  const { smallest, failure } = await shrinkCase(CASE, 'wrong', { fails, mayGoOn: () => true });
  expect(failure).toBe('wrong with 2 rows');
  expect(smallest.tapes).toEqual([[], [0, 0, 0, 0, 0, 0, 0, 0, 0, 10]]);
  expect(smallest.tables).toEqual([
    [
      [0, 0, 0, expect.any(Number)],
      [0, 0, 0, expect.any(Number)],
    ],
    [],
  ]);
});

test('when time is up the smallest case so far is told', async () => {
  let left = 5;
  const { smallest, failure, attempts } = await shrinkCase(CASE, 'wrong', {
    fails,
    mayGoOn: () => left-- > 0,
  });
  expect(attempts).toBeLessThanOrEqual(5);
  expect(await fails(smallest)).toBeDefined();
  expect(failure).toMatch(/^wrong/);
});
