import { expect, test } from 'vitest';
import { frequentShapes, shapeSql } from './frequent-shapes.ts';

const sample = (...rows: readonly (readonly [shape: string, rows: number])[]) =>
  frequentShapes(rows.map(([shape, count]) => ({ shape, rows: count })));

test('shapes are compared with first when enough of the texts have them that more frequent ones leave', () => {
  expect(sample(['9', 1], ['aaa', 900], ['aa', 99])).toEqual(['aaa', 'aa', '9']);
  expect(sample(['aaa', 900], ['aa', 70], ['Aa', 1], ['A', 1], ...rare(60))).toEqual(['aaa', 'aa']);
  expect(sample(...rare(1000))).toEqual([]);
  expect(sample()).toEqual([]);
});

test('a shape with characters beyond ASCII is left to the replacements', () => {
  expect(sample(['9 €', 60], ['9 a', 40])).toEqual(['9 a']);
});

test('a shape is compared with as an expression of whole texts', () => {
  expect(shapeSql('c', ['Aaa-99.', 'a'], 'duckdb')).toContain(
    "CASE WHEN regexp_matches(c, '^[A-Z][a-z]{2}-[0-9]{2}\\.$') THEN 'Aaa-99.' WHEN regexp_matches(c, '^[a-z]$') THEN 'a' ELSE",
  );
});

/** Shapes that one text each has. */
function rare(count: number): readonly (readonly [string, number])[] {
  return Array.from({ length: count }, (_, i) => ['-'.repeat(i + 1), 1] as const);
}
