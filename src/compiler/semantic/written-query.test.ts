import { expect, test } from 'vitest';
import { readSemanticQuery } from './read-query.ts';
import { writtenQuery } from './written-query.ts';

test('a query that was read is written so that it is read as the same', () => {
  const read = readSemanticQuery({
    measures: ['a.b'],
    dimensions: ['a.c.month'],
    segments: ['a.s'],
    filters: [
      { member: 'a.c', operator: 'equals', values: ['x', 1, null] },
      { or: [{ and: [{ dimension: 'a.d', operator: 'set' }] }] },
    ],
    timeDimensions: [{ dimension: 'a.t', granularity: 'day', dateRange: ['2025-01-01', '2025-02-01'] }],
    order: { 'a.b': 'desc' },
    limit: 5,
    total: true,
    timezone: 'Europe/Paris',
  });
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  expect(readSemanticQuery(writtenQuery(read.query))).toEqual(read);
});
