import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSemanticQuery } from './read-query.ts';

const codes = (data: unknown): readonly string[] => {
  const read = readSemanticQuery(data);
  return read.ok ? [] : read.diagnostics.map(({ code }) => code);
};
const messages = (data: unknown): readonly string[] => {
  const read = readSemanticQuery(data);
  return read.ok ? [] : read.diagnostics.map(({ message }) => message);
};

describe('a query as clients send it', () => {
  test('keeps everything that was asked', () => {
    const read = readSemanticQuery({
      measures: ['orders.revenue'],
      dimensions: ['orders.status'],
      segments: ['orders.weekend'],
      filters: [
        { member: 'orders.status', operator: 'equals', values: ['a', null] },
        { or: [{ dimension: 'orders.id', operator: 'gt', values: ['12345678901234567890'] }, { and: [] }] },
      ],
      timeDimensions: [
        { dimension: 'orders.date', granularity: 'month', dateRange: ['2024-01-01', '2024-02-01'] },
        { dimension: 'orders.paid', dateRange: 'last 7 days' },
        { dimension: 'orders.sent', compareDateRange: ['this month', ['2024-01-01', '2024-01-31']] },
      ],
      order: { 'orders.revenue': 'desc' },
      limit: 10,
      offset: 0,
      timezone: 'Europe/Berlin',
      total: true,
      ungrouped: null,
      joinHints: [['orders', 'customers']],
      unreachableFilters: 'ignore',
    });
    expect(read).toEqual({
      ok: true,
      query: {
        measures: ['orders.revenue'],
        dimensions: ['orders.status'],
        segments: ['orders.weekend'],
        filters: [
          { kind: 'member', member: 'orders.status', operator: 'equals', values: ['a', null] },
          {
            kind: 'or',
            filters: [
              { kind: 'member', member: 'orders.id', operator: 'gt', values: ['12345678901234567890'] },
              { kind: 'and', filters: [] },
            ],
          },
        ],
        timeDimensions: [
          { dimension: 'orders.date', granularity: 'month', dateRange: ['2024-01-01', '2024-02-01'] },
          { dimension: 'orders.paid', dateRange: 'last 7 days' },
          { dimension: 'orders.sent', compareDateRange: ['this month', ['2024-01-01', '2024-01-31']] },
        ],
        order: [{ member: 'orders.revenue', direction: 'desc' }],
        limit: 10,
        offset: 0,
        timezone: 'Europe/Berlin',
        total: true,
        joinHints: [['orders', 'customers']],
        unreachableFilters: 'ignore',
      },
    });
  });

  test('may give the order as pairs and one value without a list', () => {
    const read = readSemanticQuery({
      order: [['a.b', 'asc']],
      filters: [
        { member: 'a.b', operator: 'set' },
        { member: 'a.c', operator: 'equals', values: 'x' },
      ],
    });
    expect(read).toMatchObject({
      ok: true,
      query: {
        measures: [],
        order: [{ member: 'a.b', direction: 'asc' }],
        filters: [{ values: [] }, { values: ['x'] }],
      },
    });
  });
});

describe('a query that is none', () => {
  test('is told everything that is wrong, with its place', () => {
    expect(
      messages({
        measures: 'orders.count',
        dimenions: [],
        filters: [
          { member: 'a.b', operator: 'equal', values: [1] },
          { member: 'a.b', operator: 'equals' },
        ],
        limit: -1,
        order: [['a.b', 'up']],
        timeDimensions: [{ dimension: 'a.t', dateRange: ['a', 'b', 'c'] }],
      }),
    ).toEqual([
      'A semantic query has no dimenions.',
      'In the semantic query, measures is "orders.count"; expected a list.',
      'In the semantic query, filters[0].operator is "equal"; expected a filter operator.',
      'In the semantic query, filters[1].values is missing; expected at least one value for equals.',
      "In the semantic query, timeDimensions[0].dateRange is a list; expected two dates, or text such as 'last 7 days'.",
      'In the semantic query, order[0][1] is "up"; expected asc or desc.',
      'In the semantic query, limit is -1; expected a whole number from 0 on.',
    ]);
  });

  test('too deep, too many filters and too many members are refused', () => {
    let deep: unknown = { member: 'a.b', operator: 'set' };
    for (let i = 0; i < 1_000; i++) deep = { and: [deep] };
    expect(codes({ filters: [deep] })).toEqual(['query.too-large']);
    const leaf = { member: 'a.b', operator: 'set' };
    expect(codes({ filters: Array.from({ length: 9_999 }, () => leaf) })).toEqual([]);
    expect(codes({ filters: Array.from({ length: 100 }, () => ({ or: Array(101).fill(leaf) })) })).toEqual([
      'query.too-large',
    ]);
    expect(codes({ measures: Array(501).fill('a.b') })).toEqual(['query.too-large']);
  });

  test('whatever JSON it is, it is read or refused', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const read = readSemanticQuery(data);
        expect(read.ok || read.diagnostics.length > 0).toBe(true);
      }),
    );
  });
});
