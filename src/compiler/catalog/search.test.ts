import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Project } from '../../domain/project.ts';
import { searchIndex, searchNames } from './search.ts';

const model = (name: string, description: string, columns: readonly string[]) => ({
  name,
  description,
  tags: ['sales'],
  terms: [],
  columnTags: {},
  columns: columns.map((column) => ({ name: column, type: 'INTEGER' })),
});

const PRODUCT = {
  models: [
    model('marts.orders', 'Orders, each once.', ['order_id', 'amount']),
    model('marts.order_lines', 'Lines of orders.', ['line_id', 'order_id']),
  ],
  semanticModels: [],
  metrics: [],
} as unknown as Project;

const refs = (text: string): readonly string[] =>
  searchNames(searchIndex(PRODUCT), text).map(({ ref }) => ref);

test('a name that is the word comes before names that begin with it, and those before descriptions', () => {
  expect(refs('orders')).toEqual(['marts.orders', 'marts.order_lines']);
  expect(refs('order')[0]).toBe('marts.order_lines');
});

test('all words must be there, in any case and order', () => {
  expect(refs('LINES order')).toEqual(['marts.order_lines', 'marts.order_lines.order_id']);
  expect(refs('lines nothing')).toEqual([]);
  expect(refs('sales')).toEqual(['marts.order_lines', 'marts.orders']);
});

test('any text gets an answer, whose order is that of its scores', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const scores = searchNames(searchIndex(PRODUCT), text).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores.every((score) => score > 0)).toBe(true);
    }),
  );
});

test('a word that nothing has is taken for a misspelled one, and short words are not', () => {
  expect(refs('ordres')[0]).toBe('marts.orders');
  expect(refs('amuont')).toEqual(['marts.orders.amount']);
  expect(refs('lnie_id')).toContain('marts.order_lines.line_id');
  expect(refs('xyz')).toEqual([]);
});

test('a column is found by its own name with that of its model, and not by that of its model alone', () => {
  expect(refs('orders amount')).toEqual(['marts.orders.amount']);
  expect(refs('marts')).toEqual(['marts.order_lines', 'marts.orders']);
});

test('a word misspelled by one letter finds what the word finds first', () => {
  const words = ['orders', 'amount', 'lines'];
  fc.assert(
    fc.property(fc.constantFrom(...words), fc.nat(), fc.constantFrom('q', 'z'), (word, at, letter) => {
      const place = at % word.length;
      const wrong = `${word.slice(0, place)}${letter}${word.slice(place + 1)}`;
      expect(refs(wrong)[0]).toBe(refs(word)[0]);
    }),
  );
});

test('up to three words may be misspelled, and one that is like nothing ends the search', () => {
  expect(refs('ordres amuont')).toEqual(['marts.orders.amount']);
  expect(refs('ordres amuont ordesr')).toEqual(['marts.orders.amount']);
  expect(refs('ordres amuont ordesr amoutn')).toEqual([]);
  expect(refs('orders qqqqqqq')).toEqual([]);
});
