import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../domain/failure.ts';
import { checkDocument, checkText, checkVariables } from './document-limits.ts';

const isRefused = (check: () => void): boolean => {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof Failure && error.code === 'graphql.too-large') return true;
    throw error;
  }
};

const refuses = (text: string): boolean => isRefused(() => checkDocument(parse(text)));
const nested = (levels: number): string => `{ ${'a { '.repeat(levels - 1)}b${' }'.repeat(levels - 1)} }`;
const times = (count: number, word: string): string => `${word} `.repeat(count);

describe('limits of documents', () => {
  test.each([
    ['levels', nested(15), nested(16)],
    ['fields', `{ r { ${times(999, 'a')} } }`, `{ r { ${times(1000, 'a')} } }`],
    ['root fields', `{ ${times(10, 'a')} }`, `{ ${times(11, 'a')} }`],
    [
      'root fields in fragments',
      `{ a ...f } fragment f on Q { ${times(9, 'a')} }`,
      `{ a ...f ...f } fragment f on Q { ${times(9, 'a')} }`,
    ],
    [
      'fields of fragments nobody uses',
      `{ r } fragment f on Q { r { ${times(900, 'a')} } }`,
      `{ r } fragment f on Q { r { ${times(1000, 'a')} } }`,
    ],
  ])('%s', (_, fitting, tooLarge) => {
    expect(refuses(fitting)).toBe(false);
    expect(refuses(tooLarge)).toBe(true);
  });

  test('fragments in a circle end, in whatever order they are', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 6, maxLength: 6 }), (targets) => {
        const fragments = targets.map((to, i) => `fragment f${i} on Q { a ...f${to} }`).join(' ');
        expect(refuses(`{ r { ...f0 ...f1 } } ${fragments}`)).toBe(false);
      }),
    ));

  test('doubling fragments are counted without being written out', () => {
    const fragments = Array.from(
      { length: 60 },
      (_, i) => `fragment f${i} on Q { ...f${i + 1} ...f${i + 1} }`,
    );
    expect(refuses(`{ r { ...f0 } } ${fragments.join(' ')} fragment f60 on Q { a }`)).toBe(true);
  });

  test('texts: bytes and brackets, but not brackets in texts', () => {
    expect(isRefused(() => checkText(`{ a } # ${'x'.repeat(99_000)}`))).toBe(false);
    expect(isRefused(() => checkText(`{ a } # ${'ä'.repeat(50_001)}`))).toBe(true);
    expect(isRefused(() => checkText(`{ a(b: ${'['.repeat(254)}${']'.repeat(254)}) }`))).toBe(false);
    expect(isRefused(() => checkText(`{ a(b: ${'['.repeat(255)}`))).toBe(true);
    expect(isRefused(() => checkText(`{ a(b: "${'['.repeat(500)}") }`))).toBe(false);
  });

  test('variables of any depth are refused without a stack', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    expect(isRefused(() => checkVariables(deep))).toBe(true);
    expect(isRefused(() => checkVariables({ a: [{ b: 1 }] }))).toBe(false);
  });
});
