import { expect, test } from 'vitest';
import { cpuMs } from '../../tests/support/cpu-time.ts';
import { wildcard } from './wildcard.ts';

test.each([
  ['', ''],
  ['*', ''],
  ['orders', 'ORDERS'],
  ['*_ID', 'customer_id'],
  ['a*', 'a'],
  ['a*a', 'aba'],
  ['*or*er*', 'orders'],
  ['a?b', 'a?b'],
])('%j fits %j', (pattern, text) => expect(wildcard(pattern)(text)).toBe(true));

test.each([
  ['', 'a'],
  ['order', 'orders'],
  ['a*a', 'a'],
  ['*ab*ab*', 'xabx'],
  ['a?b', 'axb'],
])('%j does not fit %j', (pattern, text) => expect(wildcard(pattern)(text)).toBe(false));

test('a pattern of many stars is as fast as any', () => {
  const begun = cpuMs();
  expect(wildcard(`${'*a'.repeat(5_000)}*b*`)('a'.repeat(20_000))).toBe(false);
  expect(cpuMs() - begun).toBeLessThan(1_000);
});
