import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resultOf } from '../../tests/conformance/quality-store-fixtures.ts';
import { boundedResult } from './bounded-result.ts';

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length;

test('whatever rows a sample has, at most 100 of them and 64 KiB are kept, the first ones, and it says so', () => {
  const cell = fc.oneof(
    fc.string({ maxLength: 3_000, unit: 'binary' }),
    fc.double(),
    fc.bigInt(),
    fc.constant(null),
    fc.constant(undefined),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(
      fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { maxLength: 150 }),
      fc.boolean(),
      (rows, isPart) => {
        const bounded = boundedResult(resultOf('c_1', { sample: { columns: ['a', 'b'], rows, isPart } }));
        const { sample } = bounded;
        expect(sample?.rows.length).toBeLessThanOrEqual(100);
        expect(bytesOf(sample?.rows)).toBeLessThanOrEqual(64 * 1024 + 2);
        expect(sample?.isPart).toBe(isPart || (sample?.rows.length ?? 0) < rows.length);
        // It can be stored as JSON, and what is bounded stays as it is.
        expect(boundedResult(JSON.parse(JSON.stringify(bounded)))).toEqual(
          JSON.parse(JSON.stringify(bounded)),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('what is short stays as it is', () => {
  const rows = Array.from({ length: 100 }, (_, index) => [index, 'short', null, { a: [1] }]);
  const sample = { columns: ['a', 'b', 'c', 'd'], rows, isPart: false };
  const groups = [{ key: ['de'], value: 1, outcome: 'pass' as const }];
  const result = resultOf('c_1', { sample, groups, reason: 'because', shares: [{ bin: 'a', share: 1 }] });
  expect(boundedResult(result)).toEqual({ ...result, groupsTested: 1 });
});

test('texts are cut between characters, and of many groups those that do not pass are kept', () => {
  const group = (index: number) => ({
    key: [`k${index}`],
    value: index,
    outcome: index % 2_000 === 1_999 ? ('fail' as const) : ('pass' as const),
  });
  const { expected, sql, groups, groupsTested, shares, value } = boundedResult(
    resultOf('c_1', {
      expected: '😀'.repeat(1_001),
      sql: 'x'.repeat(20_000),
      groups: Array.from({ length: 4_000 }, (_, index) => group(index)),
      shares: Array.from({ length: 2_000 }, (_, index) => ({ bin: String(index), share: index })),
      value: Number.NaN,
    }),
  );
  expect(expected).toBe(`${'😀'.repeat(999)}…`);
  expect(sql).toHaveLength(16_000);
  expect(groups).toHaveLength(1_000);
  expect(groups?.slice(0, 3).map(({ key }) => key[0])).toEqual(['k1999', 'k3999', 'k0']);
  expect(groupsTested).toBe(4_000);
  expect(shares?.map(({ bin }) => bin)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => String(1_000 + index)),
  );
  expect(value).toBeNull();
});
