import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reachable } from './graph.ts';
import { stronglyConnected } from './strongly-connected.ts';

test('what an edge leads to comes first, and circles are one', () => {
  const graph = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c'])],
    ['c', new Set(['b', 'd'])],
    ['d', new Set<string>()],
  ]);
  expect(stronglyConnected(graph).map((part) => [...part].sort())).toEqual([['d'], ['b', 'c'], ['a']]);
});

test('two nodes are together exactly when each reaches the other', () => {
  const node = fc.integer({ min: 0, max: 8 }).map(String);
  fc.assert(
    fc.property(fc.array(fc.tuple(node, node), { maxLength: 24 }), (edges) => {
      const graph = new Map(Array.from({ length: 9 }, (_, i) => [String(i), new Set<string>()]));
      for (const [from, to] of edges) graph.get(from)!.add(to);
      const parts = stronglyConnected(graph);
      expect(parts.flat().sort()).toEqual([...graph.keys()]);
      const place = new Map(parts.flatMap((part, i) => part.map((name) => [name, i] as const)));
      const reach = (from: string): Set<string> => reachable([from], (name) => graph.get(name)!);
      for (const a of graph.keys())
        for (const b of graph.keys()) {
          if (a === b) continue;
          expect(place.get(a) === place.get(b)).toBe(reach(a).has(b) && reach(b).has(a));
          if (graph.get(a)!.has(b)) expect(place.get(b)).toBeLessThanOrEqual(place.get(a)!);
        }
    }),
  );
});

test('depth is bounded by memory, not by the stack', () => {
  const chain = new Map(Array.from({ length: 50_000 }, (_, i) => [`${i}`, new Set([`${i + 1}`])]));
  chain.set('50000', new Set());
  expect(stronglyConnected(chain)).toHaveLength(50_001);
});
