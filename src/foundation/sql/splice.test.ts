import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splice, spliceWithMap } from './splice.ts';

const edit = (start: number, end: number, text: string) => ({ start, end, text });

describe('splice', () => {
  it('replaces, inserts and deletes at once, in whatever order they come', () => {
    expect(splice('abcdef', [edit(4, 5, ''), edit(1, 3, 'XYZ'), edit(6, 6, '!'), edit(0, 0, '>')])).toBe(
      '>aXYZdf!',
    );
  });

  it('keeps the order of insertions at one place', () => {
    expect(splice('ab', [edit(1, 1, '1'), edit(1, 1, '2')])).toBe('a12b');
  });

  it('refuses edits that overlap or lie outside the text', () => {
    expect(() => splice('abc', [edit(0, 2, 'x'), edit(1, 3, 'y')])).toThrow('overlaps');
    expect(() => splice('abc', [edit(2, 4, 'x')])).toThrow('outside');
    expect(() => splice('abc', [edit(2, 1, 'x')])).toThrow('overlaps');
  });

  it('leads every character that stayed back to where it was', () => {
    const text = fc.string({ minLength: 1, maxLength: 40 });
    const cuts = fc.array(fc.tuple(fc.nat(40), fc.nat(40), fc.string({ maxLength: 5 })), { maxLength: 6 });
    fc.assert(
      fc.property(text, cuts, (original, raw) => {
        const edits: { start: number; end: number; text: string }[] = [];
        for (const [a, b, replacement] of raw) {
          const start = Math.min(a, b, original.length);
          const end = Math.min(Math.max(a, b), original.length);
          if (edits.every((other) => end < other.start || start > other.end))
            edits.push(edit(start, end, replacement));
        }
        const { text: result, originalOffset } = spliceWithMap(original, edits);
        expect(result).toBe(splice(original, edits));
        const stayed = Array.from(result, (_, i) => i).filter((i) => {
          const from = originalOffset(i);
          return (
            from < original.length &&
            !edits.some((e) => from >= e.start && from < Math.max(e.end, e.start + 1))
          );
        });
        for (const i of stayed) expect(result[i]).toBe(original[originalOffset(i)]);
        expect(originalOffset(result.length)).toBe(original.length);
        for (let i = 1; i <= result.length; i++)
          expect(originalOffset(i)).toBeGreaterThanOrEqual(originalOffset(i - 1));
      }),
    );
  });

  it('leads the inside of a replacement to where the replaced text began', () => {
    const { text, originalOffset } = spliceWithMap('SELECT a FROM t', [edit(14, 15, 'schema.table')]);
    expect(text).toBe('SELECT a FROM schema.table');
    expect([13, 14, 20, 26].map(originalOffset)).toEqual([13, 14, 14, 15]);
  });
});
