/*
 * What SQL may read, and what new semantic models show, against an oracle that follows every column for every caller. When the comparison
 * says that no one sees more, no caller may read a column that was refused.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { modelOf, semanticOf } from '../../../../tests/support/plan/access.ts';
import { type AppliedAccess, widerAccess } from './wider-access.ts';

const CALLERS = [[], ['g'], ['h'], ['g', 'h']] as const;
const NAMES = ['m.a', 'm.b', 'm.c', 'm.d'] as const;
const COLUMNS = ['x', 'y'] as const;

interface Policy {
  readonly group: string;
  readonly hasFilter: boolean;
  readonly mask: readonly string[];
}
interface Semantic {
  readonly over: number;
  readonly dimensions: readonly string[];
  readonly policies: readonly Policy[];
}
/** `sources` of each column of each model, as `m.a.x`; of models before it only. */
interface World {
  readonly sources: readonly (readonly (readonly string[])[])[];
  readonly semantics: readonly (Semantic | undefined)[];
}

const policy: fc.Arbitrary<Policy> = fc.record({
  group: fc.constantFrom('g', 'h', '*'),
  hasFilter: fc.boolean(),
  mask: fc.subarray(['x', 'y']),
});
const semantic: fc.Arbitrary<Semantic> = fc.record({
  over: fc.nat(NAMES.length - 1),
  dimensions: fc.subarray([...COLUMNS], { minLength: 1 }),
  policies: fc.array(policy, { maxLength: 2 }),
});
const sourcesOf = (index: number): fc.Arbitrary<readonly string[]> =>
  fc.subarray(
    NAMES.slice(0, index).flatMap((name) => COLUMNS.map((column) => `${name}.${column}`)),
    { maxLength: Math.min(2, index * COLUMNS.length) },
  );
const sources = fc.tuple(...NAMES.map((_, index) => fc.tuple(sourcesOf(index), sourcesOf(index))));
const world: fc.Arbitrary<World> = fc.record({
  sources,
  semantics: fc.tuple(...['s', 't', 'u'].map(() => fc.option(semantic, { nil: undefined, freq: 2 }))),
});

/** The same but for one thing, most often. */
const successor = (before: World): fc.Arbitrary<World> =>
  fc.tuple(world, fc.nat(6)).map(([other, what]) => {
    if (what === 0) return other;
    if (what < 3) return { ...before, sources: other.sources };
    const at = what % 3;
    return {
      ...before,
      semantics: before.semantics.map((each, index) => (index === at ? other.semantics[index] : each)),
    };
  });

/** Masked names are dimensions. */
const masked = ({ dimensions }: Semantic, { mask }: Policy): readonly string[] =>
  mask.filter((name) => dimensions.includes(name));

const appliedOf = (given: World): AppliedAccess => ({
  models: NAMES.map((name, index) =>
    modelOf(
      name,
      Object.fromEntries(COLUMNS.map((column, at) => [column, given.sources[index]?.[at] ?? []])),
    ),
  ),
  semanticModels: given.semantics.flatMap((each, index) =>
    each === undefined
      ? []
      : [
          semanticOf(
            JSON.stringify({
              kind: 'semantic',
              name: `s${index}`,
              depends_on: NAMES[each.over],
              dimensions: each.dimensions,
              policies: each.policies.map((one) => ({
                group: one.group,
                ...(one.hasFilter ? { filter: [{ member: each.dimensions[0], operator: 'set' }] } : {}),
                ...(masked(each, one).length === 0 ? {} : { mask: masked(each, one) }),
              })),
            }),
          ),
        ],
  ),
});

const own = (each: Semantic, groups: readonly string[]): readonly Policy[] =>
  each.policies.filter(({ group }) => group === '*' || groups.includes(group));

/** Columns that a semantic model keeps from a caller: undefined for none, `rows` for all. */
function kept(each: Semantic, groups: readonly string[]): 'rows' | readonly string[] | undefined {
  if (each.policies.length === 0) return undefined;
  const whole = own(each, groups).filter(({ hasFilter }) => !hasFilter);
  if (whole.length === 0) return 'rows';
  const names = COLUMNS.filter((name) => whole.every((one) => masked(each, one).includes(name)));
  return names.length === 0 ? undefined : names;
}

function closure(
  start: readonly string[],
  edges: readonly (readonly [string, string])[],
): ReadonlySet<string> {
  const found = new Set(start);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [from, to] of edges) if (found.has(from)) found.add(to);
  }
  return found;
}

/** `model.column` that a caller may not read; `isShown` leaves out that the model of masks is closed as a whole. */
function refused(given: World, groups: readonly string[], isShown = false): ReadonlySet<string> {
  const flows = given.sources.flatMap((columns, index) =>
    columns.flatMap((from, at) => from.map((source) => [source, `${NAMES[index]}.${COLUMNS[at]}`] as const)),
  );
  const modelName = (place: string): string => place.slice(0, 3);
  const steps = flows.map(([from, to]) => [modelName(from), modelName(to)] as const);
  const found = new Set<string>();
  const present = given.semantics.flatMap((each) => each ?? []);
  for (const each of present) {
    const keeps = kept(each, groups);
    if (keeps === undefined) continue;
    const home = NAMES[each.over] as string;
    const seeds = (keeps === 'rows' ? COLUMNS : keeps).map((column) => `${home}.${column}`);
    const closed = new Set(
      closure(
        [
          ...closure(
            seeds,
            flows.map(([a, b]) => [b, a] as const),
          ),
        ],
        flows,
      ),
    );
    const models =
      keeps === 'rows'
        ? new Set([
            ...closure([home], steps),
            ...closure(
              [home],
              steps.map(([a, b]) => [b, a] as const),
            ),
          ])
        : new Set(isShown ? [] : [home]);
    for (const name of models) for (const column of COLUMNS) closed.add(`${name}.${column}`);
    for (const place of closed) {
      const name = modelName(place);
      const isDecided = present.some((other) => NAMES[other.over] === name && other.policies.length > 0);
      if (name === home || !isDecided) found.add(place);
    }
  }
  return found;
}

function seesMore(before: World, after: World): string | undefined {
  for (const groups of CALLERS) {
    const now = refused(after, groups);
    for (const place of refused(before, groups)) if (!now.has(place)) return `[${groups}] reads ${place}`;
    const hidden = refused(before, groups, true);
    for (const [index, each] of after.semantics.entries()) {
      if (each === undefined || before.semantics[index] !== undefined) continue;
      if (each.policies.length > 0 && own(each, groups).length === 0) continue;
      for (const column of each.dimensions) {
        const place = `${NAMES[each.over]}.${column}`;
        const isMasked =
          each.policies.length > 0 && own(each, groups).every((one) => masked(each, one).includes(column));
        if (!isMasked && hidden.has(place)) return `[${groups}] is shown ${place} by s${index}`;
      }
    }
  }
  return undefined;
}

test('a comparison that says no one sees more is right for every caller and column', () => {
  let [silent, told] = [0, 0];
  fc.assert(
    fc.property(
      world.chain((before) => fc.tuple(fc.constant(before), successor(before))),
      ([before, after]) => {
        fc.pre(before.semantics.some((each) => (each?.policies.length ?? 0) > 0));
        if (widerAccess({ before: appliedOf(before), after: appliedOf(after) }).length > 0) told++;
        else {
          silent++;
          expect(seesMore(before, after), JSON.stringify([before, after], undefined, 1)).toBeUndefined();
        }
      },
    ),
    { numRuns: 2_000 },
  );
  expect(Math.min(silent, told)).toBeGreaterThan(200);
});
