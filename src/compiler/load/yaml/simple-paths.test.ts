import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodesBetween, nodesTowards, simplePaths } from './simple-paths.ts';

interface Step {
  readonly to: string;
  readonly edge: number;
}

/** Pairs of nodes, as edges that are crossed in both directions or in that of the pair. */
function graph(pairs: readonly (readonly [number, number])[], isTwoWay: boolean): (name: string) => Step[] {
  const steps = new Map<string, Step[]>();
  const add = (from: number, to: number, edge: number): void => {
    steps.set(String(from), [...(steps.get(String(from)) ?? []), { to: String(to), edge }]);
  };
  pairs.forEach(([a, b], edge) => {
    if (a === b) return;
    add(a, b, edge);
    if (isTwoWay) add(b, a, edge);
  });
  return (name) => steps.get(name) ?? [];
}

/** Every way, by trying all. */
function allPaths(
  stepsOf: (name: string) => readonly Step[],
  goal: string,
  seen: readonly string[],
): Step[][] {
  const at = seen.at(-1) as string;
  if (at === goal) return [[]];
  return stepsOf(at)
    .filter(({ to }) => !seen.includes(to))
    .flatMap((step) => allPaths(stepsOf, goal, [...seen, step.to]).map((rest) => [step, ...rest]));
}

const texts = (paths: readonly (readonly Step[])[]): readonly string[] =>
  paths.map((path) => path.map(({ edge }) => edge).join(' ')).sort();
const nodes = (paths: readonly (readonly Step[])[]): ReadonlySet<string> =>
  new Set(paths.flatMap((path) => ['0', ...path.map(({ to }) => to)]));
const node = fc.integer({ min: 0, max: 6 });
const edges = fc.array(fc.tuple(node, node), { maxLength: 11 });

describe('ways through a random graph', () => {
  test('where edges are crossed in both directions, the nodes between two are those on a way, exactly', () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        const stepsOf = graph(pairs, true);
        const expected = allPaths(stepsOf, '1', ['0']);
        const within = nodesBetween(stepsOf, '0', '1');
        expect([...within].sort()).toEqual([...new Set(['0', '1', ...nodes(expected)])].sort());
        const { paths, isComplete } = simplePaths(stepsOf, { start: '0', goal: '1', within });
        if (isComplete) expect(texts(paths)).toEqual(texts(expected));
        else expect(expected.length).toBeGreaterThan(99);
      }),
      { numRuns: 2_000 },
    );
  });

  test('where they are not, all ways are found through the nodes that lead on', () => {
    fc.assert(
      fc.property(edges, (pairs) => {
        const stepsOf = graph(pairs, false);
        const expected = allPaths(stepsOf, '1', ['0']);
        const within = nodesTowards(stepsOf, '0', '1');
        const { paths, isComplete } = simplePaths(stepsOf, { start: '0', goal: '1', within });
        expect([isComplete, texts(paths)]).toEqual([true, texts(expected)]);
        expect([...nodes(expected)].filter((each) => !within.has(each))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a search', () => {
  test('is not lost in what hangs on the way', () => {
    // 0 – 1, and behind 0 a hub with 300 others, all joined with a second hub.
    const pairs = Array.from({ length: 300 }, (_, i) => [
      [10, 100 + i],
      [11, 100 + i],
    ]) as unknown as readonly (readonly [number, number])[][];
    const stepsOf = graph([[0, 1], [0, 10], [0, 11], ...pairs.flat()], true);
    const within = nodesBetween(stepsOf, '0', '1');
    const found = simplePaths(stepsOf, { start: '0', goal: '1', within });
    expect([found.isComplete, found.paths.length, within.size]).toEqual([true, 1, 2]);
  });

  test('that is given up says so', () => {
    const pairs = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: i }, (__, j) => [i, j] as const),
    ).flat();
    const stepsOf = graph(pairs, true);
    const within = nodesBetween(stepsOf, '0', '1');
    const found = simplePaths(stepsOf, { start: '0', goal: '1', within });
    expect(found.isComplete).toBe(false);
    expect(found.paths[0]).toHaveLength(1);
  });
});
