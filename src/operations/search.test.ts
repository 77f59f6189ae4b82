import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AppliedProduct } from './metadata.ts';
import { searchProduct } from './search.ts';

const model = (name: string, description: string, columns: readonly string[]) => ({
  name,
  description,
  tags: ['sales'],
  terms: [],
  columns: columns.map((column) => ({ name: column, type: 'INTEGER' })),
});

const PRODUCT = {
  models: [
    model('marts.orders', 'Orders, each once.', ['order_id', 'amount']),
    model('marts.order_lines', 'Lines of orders.', ['line_id', 'order_id']),
  ],
  semanticModels: [],
  metrics: [],
} as unknown as AppliedProduct;

const refs = (text: string): readonly string[] => searchProduct(PRODUCT, text).map(({ ref }) => ref);

test('a name that is the word comes before names that begin with it, and those before descriptions', () => {
  expect(refs('orders')).toEqual(['marts.orders', 'marts.order_lines']);
  expect(refs('order')[0]).toBe('marts.order_lines');
});

test('all words must be there, in any case and order', () => {
  expect(refs('LINES order')).toEqual(['marts.order_lines']);
  expect(refs('lines nothing')).toEqual([]);
  expect(refs('sales')).toEqual(['marts.order_lines', 'marts.orders']);
});

test('any text gets an answer, whose order is that of its scores', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const scores = searchProduct(PRODUCT, text).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score > 0)).toBe(true);
    }),
  );
});
