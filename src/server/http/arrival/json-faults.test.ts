import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonFault } from './json-faults.ts';

const faultOf = (text: string) => jsonFault(Buffer.from(text));

/** The same, of a value. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('depth', () => {
  test('a body is deep when its value is, whatever its texts hold', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.integer({ min: 0, max: 300 }),
        fc.string({ unit: fc.constantFrom('a', '"', '[', '{', '\\', '}', 'é', '😀') }),
        (inner, around, text) => {
          let value: unknown = [inner, `${text}"[{\\`];
          for (let i = 0; i < around; i++) value = i % 2 === 0 ? [value] : { [text]: value };
          const fault = faultOf(JSON.stringify(value));
          if (fault?.kind !== 'zero') expect(fault?.kind === 'deep').toBe(depthOf(value) > 256);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('brackets that are not closed are counted as well', () => {
    expect(faultOf('['.repeat(257))).toEqual({ kind: 'deep' });
    expect(faultOf('['.repeat(256))).toBeUndefined();
    expect(faultOf(`"${'['.repeat(500)}`)).toBeUndefined();
  });
});

describe('a key that is there twice', () => {
  test.each([
    ['{"a": 1, "a": 2}', 'a'],
    ['{"a": 1, "b": {"x": 1}, "\\u0061" : 2}', 'a'],
    ['[{"a": {"b": 1, "c": [], "b"\n:2}}]', 'b'],
    ['{"": 1, "": 2}', ''],
    ['{"a\\"": 1, "a\\"": 2}', 'a"'],
    ['{"é": 1, "\\u00e9": 2}', 'é'],
  ])('%s', (text, key) => {
    expect(faultOf(text)).toEqual({ kind: 'twice', key });
  });

  test.each([
    '{"a": {"a": {"a": 1}}, "b": "a"}',
    '[{"a": 1}, {"a": 1}]',
    '{"a": "\\"a\\": 1"}',
    '{"a": ["a", "a"]}',
    '{"a": 1, "A": 1}',
    '{"a": 1, "a" 2}',
  ])('is not in %s', (text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  test('is found wherever it is put, and nowhere else', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string(),
        fc.jsonValue(),
        (made, key, value) => {
          const text = JSON.stringify(made);
          expect(faultOf(text)?.kind === 'twice').toBe(false);
          const more = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
          const twice =
            Object.keys(made).length === 0
              ? `{${more}, ${more}}`
              : `{${more}, ${text.slice(1, -1)}, ${more}}`;
          if (faultOf(JSON.stringify([key, value, made])) === undefined)
            expect(faultOf(twice)).toEqual({ kind: 'twice', key });
        },
      ),
    );
  });
});

describe('characters', () => {
  test.each(['"\\u0000"', '{"a\\u0000": 1}', '["x", "a\\n\\u0000b"]'])('a zero is found in %s', (text) => {
    expect(faultOf(text)).toEqual({ kind: 'zero' });
  });
  test.each([
    '"\\ud800"',
    '"\\ud800x"',
    '"\\udc00"',
    '"\\ud83d\\ud83d\\ude00"',
    '"\\ud83d\\n\\ude00"',
    '"\\uD83D',
  ])('half a pair is found in %s', (text) => {
    expect(faultOf(`${text}${text.endsWith('"') ? '' : '"'}`)).toEqual({ kind: 'surrogate' });
  });
  test.each(['"\\ud83d\\ude00"', '"\\uD83D\\uDE00 \\\\u0000"', '"😀"', '"\\\\ud800"', '"u0000"'])(
    '%s is right',
    (text) => {
      expect(faultOf(text)).toBeUndefined();
    },
  );
});
