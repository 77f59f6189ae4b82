import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hash128 } from './hash128.ts';

test('a hash is 26 characters that are safe in identifiers, and does not change between versions', () => {
  expect(hash128('a', 'b')).toMatch(/^[a-z2-7]{26}$/);
  expect(hash128('a', 'b')).toBe('7lg546v7d2wfwmasoovs4kbppe');
});
test('how parts are cut is part of the hash', () => expect(hash128('ab', 'c')).not.toBe(hash128('a', 'bc')));
test('different texts have different hashes', () => {
  fc.assert(fc.property(fc.string(), fc.string(), (a, b) => a === b || hash128(a) !== hash128(b)));
});
