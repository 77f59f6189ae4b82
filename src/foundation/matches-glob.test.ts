import { expect, test } from 'vitest';
import { cpuMs } from '../../tests/support/cpu-time.ts';
import { matchesGlob } from './matches-glob.ts';

test.each([
  ['', ''],
  ['', '*'],
  ['orders', 'orders'],
  ['orders', 'o*'],
  ['orders', '*s'],
  ['orders', 'o??er*'],
  ['orders', '*r*r*'],
  ['a*b', 'a*b'],
  ['aab', '*ab'],
])('%j is one of %j', (text, pattern) => expect(matchesGlob(text, pattern)).toBe(true));

test.each([
  ['', '?'],
  ['orders', ''],
  ['orders', 'order'],
  ['orders', 'Orders'],
  ['orders', 'o?ers'],
  ['orders', '*r*r*r*'],
  ['aba', '*ab'],
])('%j is not one of %j', (text, pattern) => expect(matchesGlob(text, pattern)).toBe(false));

test('a pattern of many stars takes no longer than the product of the lengths', () => {
  const begun = cpuMs();
  expect(matchesGlob('a'.repeat(5_000), `${'*a'.repeat(2_000)}*b`)).toBe(false);
  expect(cpuMs() - begun).toBeLessThan(5_000);
});
