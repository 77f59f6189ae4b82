import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTokenText, tokenText } from './token-text.ts';

const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });

test('a token is 37 characters that say plt_ and know themselves', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const text = tokenText(random);
      expect(text).toMatch(/^plt_[\dA-Za-z]{33}$/);
      expect(isTokenText(text)).toBe(true);
    }),
  );
});

test('one wrong character, or two that changed places, is no token', () => {
  fc.assert(
    fc.property(bytes, fc.integer({ min: 4, max: 35 }), (random, at) => {
      const text = tokenText(random);
      const other = text[at] === 'a' ? 'b' : 'a';
      expect(isTokenText(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBe(false);
      if (text[at] !== text[at + 1])
        expect(isTokenText(`${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`)).toBe(
          false,
        );
    }),
  );
});

test('different bytes are different tokens', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => (tokenText(a) === tokenText(b)) === Buffer.from(a).equals(b)),
  );
});
