import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LayoutEdge, type LayoutNode, layeredLayout } from './layered-layout.ts';

const OPTIONS = { layerGap: 50, nodeGap: 10 };
const box = (id: string, width = 100, height = 40): LayoutNode => ({ id, width, height });
const edge = (text: string): LayoutEdge => {
  const [from = '', to = ''] = text.split('>');
  return { from, to };
};

describe('a layered layout', () => {
  test('puts what is read left of what reads it', () => {
    const { places } = layeredLayout(
      [box('a'), box('b'), box('c')],
      ['a>b', 'b>c', 'a>c'].map(edge),
      OPTIONS,
    );
    expect([...places.values()].map(({ x }) => x)).toEqual([0, 150, 300]);
  });
  test('puts a source next to its first reader', () => {
    const { places } = layeredLayout(
      [box('a'), box('b'), box('c'), box('late')],
      ['a>b', 'b>c', 'late>c'].map(edge),
      OPTIONS,
    );
    expect(places.get('late')?.x).toBe(places.get('b')?.x);
  });
  test('leads a long edge around the boxes between its ends', () => {
    const { bends, places } = layeredLayout(
      [box('a'), box('b'), box('c')],
      ['a>b', 'b>c', 'a>c'].map(edge),
      OPTIONS,
    );
    const [bend] = bends[2] ?? [];
    const b = places.get('b') as { y: number };
    expect(bend).toBeDefined();
    expect((bend?.y ?? 0) < b.y || (bend?.y ?? 0) > b.y + 40).toBe(true);
  });
  test('draws crossing edges without a crossing where there is a way', () => {
    const { places } = layeredLayout(
      ['a', 'b', 'x', 'y'].map((id) => box(id)),
      ['a>y', 'b>x'].map(edge),
      OPTIONS,
    );
    const y = (id: string): number => places.get(id)?.y ?? 0;
    expect(Math.sign(y('a') - y('b'))).toBe(Math.sign(y('y') - y('x')));
  });
  test('survives circles, loops and double edges', () => {
    const { places } = layeredLayout(
      ['a', 'b'].map((id) => box(id)),
      ['a>b', 'b>a', 'a>a', 'a>b'].map(edge),
      OPTIONS,
    );
    expect(places.size).toBe(2);
  });
  test('has nothing to say about nothing', () =>
    expect(layeredLayout([], [], OPTIONS)).toMatchObject({ width: 0, height: 0 }));

  const graphs = fc.integer({ min: 1, max: 25 }).chain((count) =>
    fc.record({
      nodes: fc.constant(
        Array.from({ length: count }, (_, at) => box(`n${at}`, 60 + (at % 5) * 20, 30 + (at % 3) * 25)),
      ),
      edges: fc.array(
        fc
          .record({
            from: fc.integer({ min: 0, max: count - 1 }),
            to: fc.integer({ min: 0, max: count - 1 }),
          })
          .map(({ from, to }) => ({ from: `n${from}`, to: `n${to}` })),
        { maxLength: 60 },
      ),
    }),
  );
  test('never lets two boxes overlap or leave the picture', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges }) => {
        const { places, width, height } = layeredLayout(nodes, edges, OPTIONS);
        const boxes = nodes.map((node) => ({
          ...node,
          ...(places.get(node.id) as { x: number; y: number }),
        }));
        for (const [index, a] of boxes.entries()) {
          expect(
            a.x >= -0.001 &&
              a.y >= -0.001 &&
              a.x + a.width <= width + 0.001 &&
              a.y + a.height <= height + 0.001,
          ).toBe(true);
          for (const b of boxes.slice(index + 1)) {
            const isApart =
              a.x + a.width <= b.x ||
              b.x + b.width <= a.x ||
              a.y + a.height <= b.y + 0.001 ||
              b.y + b.height <= a.y + 0.001;
            expect(isApart, `${a.id} ${b.id}`).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
  test('is the same every time', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, edges }) => {
        expect(layeredLayout(nodes, edges, OPTIONS)).toEqual(layeredLayout(nodes, edges, OPTIONS));
      }),
      { numRuns: 50 },
    );
  });
  test('places three thousand boxes quickly', () => {
    const nodes = Array.from({ length: 3_000 }, (_, at) => box(`n${at}`));
    const edges = nodes.slice(1).map((node, at) => ({ from: `n${Math.floor(at * 0.9)}`, to: node.id }));
    expect(layeredLayout(nodes, edges, OPTIONS).places.size).toBe(3_000);
  });
});
