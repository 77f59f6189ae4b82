import fc from 'fast-check';
import { assertName } from 'graphql';
import { describe, expect, test } from 'vitest';
import { GraphqlNames } from './graphql-names.ts';

describe('names of GraphQL', () => {
  test.each([
    ['orders', 'orders'],
    ['net amount', 'net_amount'],
    ['2024_sales', '_2024_sales'],
    ['straße', 'stra_e'],
    ['__typename', '_typename'],
    ['', '_x'],
    ['__', '_x'],
  ])('%j is %j', (wanted, name) => expect(new GraphqlNames().take(wanted)).toBe(name));

  test('are given once, and not where they are reserved', () => {
    const names = new GraphqlNames(['statements']);
    expect(['a b', 'a-b', 'a_b_2', 'statements'].map((each) => names.take(each))).toEqual([
      'a_b',
      'a_b_2',
      'a_b_2_2',
      'statements_2',
    ]);
  });

  test('of anything are valid, different and the same every time', () =>
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 30 }), (words) => {
        const [names, again] = [new GraphqlNames(), new GraphqlNames()];
        const given = words.map((word) => names.take(word));
        for (const name of given) {
          assertName(name);
          expect(name.startsWith('__')).toBe(false);
        }
        expect(new Set(given).size).toBe(words.length);
        expect(words.map((word) => again.take(word))).toEqual(given);
      }),
    ));
});
