import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  anchored,
  assemble,
  copiedFragment,
  type Fragment,
  FragmentBuilder,
  joined,
  madeFragment,
  offsetMap,
  sliceFragment,
  trimmed,
} from './fragment.ts';

/** A fragment of a file of 26 letters: copied pieces are cut from it, made pieces are upper-case. */
const FILE = 'abcdefghijklmnopqrstuvwxyz';
const piece = fc.tuple(fc.nat({ max: 25 }), fc.integer({ min: 1, max: 8 }), fc.boolean());
const fragments = fc.array(piece, { maxLength: 8 }).map((pieces): Fragment => {
  const builder = new FragmentBuilder();
  for (const [start, size, isCopied] of pieces) {
    const end = Math.min(26, start + size);
    builder.add(
      isCopied
        ? copiedFragment(FILE.slice(start, end), start)
        : madeFragment('X'.repeat(size), { start, end }),
    );
  }
  return builder.fragment();
});

test('copied characters lead back to themselves', () => {
  fc.assert(
    fc.property(fragments, (fragment) => {
      const map = offsetMap(fragment);
      for (let i = 0; i < fragment.text.length; i++) {
        const { start, end } = map.original(i, i + 1);
        if (fragment.text[i] === 'X') expect(end).toBeGreaterThan(start);
        else expect(FILE.slice(start, end)).toBe(fragment.text[i]);
      }
    }),
  );
});

test('a slice keeps text and places', () => {
  fc.assert(
    fc.property(fragments, fc.nat({ max: 70 }), fc.nat({ max: 70 }), (fragment, a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const slice = sliceFragment(fragment, from, to);
      expect(slice.text).toBe(fragment.text.slice(from, to));
      expect(slice.pieces.map(({ text }) => text).join('')).toBe(slice.text);
      for (let i = 0; i < slice.text.length; i++)
        expect(offsetMap(slice).original(i, i + 1)).toEqual(
          offsetMap(fragment).original(from + i, from + i + 1),
        );
    }),
  );
});

test('joined, assembled and cut texts are what strings would be', () => {
  fc.assert(
    fc.property(fc.array(fragments, { maxLength: 4 }), fc.nat({ max: 40 }), (parts, cut) => {
      const place = { start: 0, end: 1 };
      expect(joined(parts, '|', place).text).toBe(parts.map(({ text }) => text).join('|'));
      expect(assemble(place, '<', ...parts, '>').text).toBe(`<${parts.map(({ text }) => text).join('')}>`);
      const builder = new FragmentBuilder();
      for (const part of parts) builder.add(part);
      expect(builder.tail(cut)).toBe(cut === 0 ? '' : builder.fragment().text.slice(-cut));
    }),
  );
});

test('an anchored text comes from the place of its use, except what already did', () => {
  const fragment = assemble({ start: 3, end: 5 }, copiedFragment('bc', 1), 'X', copiedFragment('k', 10));
  const { pieces } = anchored(fragment, { start: 8, end: 14 });
  expect(pieces.map(({ start, end, isCopied }) => [start, end, isCopied])).toEqual([
    [8, 14, false],
    [8, 14, false],
    [10, 11, true],
  ]);
});

test('blanks around a text are cut off', () => {
  expect(trimmed(copiedFragment('  ab ', 10)).pieces).toEqual([
    { text: 'ab', start: 12, end: 14, isCopied: true },
  ]);
  expect(trimmed(copiedFragment('   ', 10)).text).toBe('');
});
