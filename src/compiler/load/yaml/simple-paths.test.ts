import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fewestSteps, nodesBetween } from './simple-paths.ts';

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
        const within = nodesBetween(stepsOf, '0', '1');
        expect([...within].sort()).toEqual(
          [...new Set(['0', '1', ...nodes(allPaths(stepsOf, '1', ['0']))])].sort(),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('the first few are the shortest there are, and all when there are fewer', () => {
    fc.assert(
      fc.property(
        edges,
        fc.boolean(),
        fc.uniqueArray(fc.integer({ min: 2, max: 6 }), { maxLength: 2 }),
        (pairs, isTwoWay, left) => {
          const stepsOf = graph(pairs, isTwoWay);
          const passed = new Set(left.map(String));
          const expected = allPaths(stepsOf, '1', ['0'])
            .filter((path) => !path.some(({ to }) => passed.has(to)))
            .sort((a, b) => a.length - b.length);
          const found = fewestSteps(stepsOf, { start: '0', goal: '1', passed }, 4);
          expect(found.map(({ length }) => length)).toEqual(expected.slice(0, 4).map(({ length }) => length));
          expect(new Set(texts(found)).size).toBe(found.length);
          for (const text of texts(found)) expect(texts(expected)).toContain(text);
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('a search', () => {
  /** How often the edges of a node are looked at. */
  const counted = (stepsOf: (name: string) => Step[]) => {
    const looks = { count: 0 };
    const counting = (name: string): Step[] => {
      looks.count++;
      return stepsOf(name);
    };
    return { counting, looks };
  };

  test('looks at few nodes where ways are countless', () => {
    // Sixty nodes, thirty joined with all of the thirty others: more ways than there are atoms.
    const pairs = Array.from({ length: 30 }, (_, i) =>
      Array.from({ length: 30 }, (__, j) => [i, 100 + j] as const),
    ).flat();
    const { counting, looks } = counted(graph(pairs, true));
    const found = fewestSteps(counting, { start: '0', goal: '1' }, 5);
    expect(found.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2]);
    expect(looks.count).toBeLessThan(2_000);
  });

  test('ends when the goal cannot be reached', () => {
    const stepsOf = graph([[0, 2]], true);
    expect(fewestSteps(stepsOf, { start: '0', goal: '1' }, 5)).toEqual([]);
    expect(fewestSteps(stepsOf, { start: '0', goal: '0' }, 5)).toEqual([[]]);
    expect(fewestSteps(stepsOf, { start: '0', goal: '2', passed: new Set(['2']) }, 5)).toEqual([]);
  });
});
