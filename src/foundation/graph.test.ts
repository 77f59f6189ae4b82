import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderByDependencies, reachable } from './graph.ts';

const graph = (edges: Readonly<Record<string, readonly string[]>>): Map<string, readonly string[]> =>
  new Map(Object.entries(edges));

describe('orderByDependencies', () => {
  test('puts dependencies first and keeps the given order among equals', () => {
    expect(orderByDependencies(graph({ c: ['a', 'b'], b: [], a: [] })).order).toEqual(['b', 'a', 'c']);
  });
  test('ignores names that are no nodes and dependencies named twice', () => {
    expect(orderByDependencies(graph({ a: ['x', 'b', 'b'], b: [] })).order).toEqual(['b', 'a']);
  });
  test('reports a cycle as a path that closes, once, and still orders the rest', () => {
    const { order, cycles } = orderByDependencies(graph({ a: ['b'], b: ['c'], c: ['a'], d: ['a'], e: [] }));
    expect(cycles).toEqual([['a', 'b', 'c', 'a']]);
    expect([...order].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(order[0]).toBe('e');
  });
  test('a node that depends on itself is a cycle of one', () =>
    expect(orderByDependencies(graph({ a: ['a'] })).cycles).toEqual([['a', 'a']]));
  test('two separate cycles are both reported', () =>
    expect(orderByDependencies(graph({ a: ['b'], b: ['a'], c: ['d'], d: ['c'] })).cycles).toHaveLength(2));
  test('a chain of 200,000 does not exhaust the stack', () => {
    const nodes = new Map(
      Array.from({ length: 200_000 }, (_, i) => [`n${i}`, i === 0 ? [] : [`n${i - 1}`]] as const),
    );
    expect(orderByDependencies(nodes).order).toHaveLength(200_000);
  });
  test('in a random acyclic graph every node comes after what it depends on', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(30), { maxLength: 5 }), { maxLength: 30 }), (lists) => {
        const nodes = new Map(lists.map((list, i) => [String(i), list.filter((to) => to < i).map(String)]));
        const { order, cycles } = orderByDependencies(nodes);
        const place = new Map(order.map((name, i) => [name, i]));
        expect(cycles).toEqual([]);
        for (const [name, dependencies] of nodes)
          for (const dependency of dependencies)
            expect(place.get(dependency)).toBeLessThan(place.get(name) as number);
      }),
    );
  });
});

test('reachable finds everything downstream and ends on cycles', () => {
  const next = graph({ a: ['b'], b: ['c', 'a'], c: [] });
  expect([...reachable(['a'], (name) => next.get(name) ?? [])].sort()).toEqual(['a', 'b', 'c']);
});
