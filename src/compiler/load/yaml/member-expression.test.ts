import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../foundation/sql/dialect.ts';
import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { readMemberExpression } from './member-expression.ts';

const OPERANDS = [
  '{a}', '{ a . b }', "'x'", "'it''s {a}'", "''", "'{a}", "'", '"q {a}"', '"', "E'\\'{a}'", "\\'{a}\\'", '$$ {a} $$', '$1',
  "'''{a}'''", "['{a}']", '`{a}`', 'f({a})', '1', 'c',
]; // biome-ignore format: a list
const BETWEEN = [' || ', ' = ', ' AND ', " /* ' {a} */ + ", " -- it's {a}\n + ", " # '\n + ", " // '\n + "];

describe('references in braces', () => {
  it('are found outside of strings, quoted names and nowhere else, in every dialect', () => {
    let parsed = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERANDS),
        fc.array(fc.tuple(fc.constantFrom(...BETWEEN), fc.constantFrom(...OPERANDS)), { maxLength: 5 }),
        fc.constantFrom(...DIALECTS),
        (first, others, dialect) => {
          const text = [first, ...others.flat()].join('');
          const read = readMemberExpression(text, dialect);
          if (!read.ok) return;
          parsed++;
          const quoted = tokenize(text, dialect).tokens.filter(({ kind }) =>
            ['string', 'name'].includes(kind),
          );
          const outside = [...text.matchAll(/\{ ?a(?: \. b)? ?\}/g)].filter(
            ({ index }) => !quoted.some(({ start, end }) => index >= start && index < end),
          );
          const found = read.value.references.map(({ start }) => start);
          // One in a comment is masked, but no part of the tree.
          expect(outside.map(({ index }) => index)).toEqual(expect.arrayContaining(found));
          if (!/--|\/[*/]|#/.test(text)) expect(found).toHaveLength(outside.length);
        },
      ),
      { numRuns: 5000, seed: 42 },
    );
    expect(parsed).toBeGreaterThan(300);
  });

  it.each([
    ["{status} = 'it''s {a}' AND {c} > 1", ['status', 'c']],
    ["'{a}' || {b} || '{c}'", ['b']],
    ['"{a}" + {b}', ['b']],
    ["CASE WHEN {a} LIKE '%''' THEN {b} END", ['a', 'b']],
  ])('in %s are %s', (text, names) => {
    const read = readMemberExpression(text, 'duckdb');
    expect(read.ok && read.value.references.map(({ parts }) => parts.join('.'))).toEqual(names);
  });
});
