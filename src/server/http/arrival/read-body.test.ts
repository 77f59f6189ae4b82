import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from './read-body.ts';

/** The same, of a value. */
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test('a body is deep when its value is, whatever its strings hold', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.integer({ min: 0, max: 300 }),
      fc.string(),
      (inner, around, text) => {
        let value: unknown = [inner, `${text}"[{\\`];
        for (let i = 0; i < around; i++) value = i % 2 === 0 ? [value] : { [text]: value };
        const bytes = Buffer.from(JSON.stringify(value));
        expect(isDeep(bytes)).toBe(depthOf(value) > 256);
      },
    ),
    { numRuns: 300 },
  );
});

test('brackets that nobody closes are counted as well', () => {
  expect(isDeep(Buffer.from('['.repeat(257)))).toBe(true);
  expect(isDeep(Buffer.from('['.repeat(256)))).toBe(false);
  expect(isDeep(Buffer.from(`"${'['.repeat(500)}`))).toBe(false);
});
