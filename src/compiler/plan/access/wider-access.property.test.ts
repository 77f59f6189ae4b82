/*
 * The comparison of plans against oracles that look at every caller and every row.
 *
 *   answers: a table of 27 rows; what a caller is shown of each row, under the policies of before and of after
 *   SQL:     small graphs of models; which columns a caller may read
 *
 * When the comparison says that no one sees more, then every row that is shown after was shown before, and each value that is shown of it
 * follows from what was shown.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelOf, semanticOf } from '../../../../tests/support/plan/access.ts';
import { type AppliedAccess, widerAccess } from './wider-access.ts';

const GROUPS = ['g', 'h', '*'] as const;
const CALLERS = [[], ['g'], ['h'], ['g', 'h']] as const;

type Row = Readonly<Record<'a' | 'b' | 'c', number>>;
const ROWS: readonly Row[] = [0, 1, 2].flatMap((a) =>
  [0, 1, 2].flatMap((b) => [0, 1, 2].map((c) => ({ a, b, c }))),
);

/** Values over a row: as SQL, and as what it means. A masked name in them is masked. */
const EXPRESSIONS: Readonly<Record<string, (row: Row) => number | null>> = {
  'a + b': ({ a, b }) => a + b,
  'b + c': ({ b, c }) => b + c,
  'a * 0': () => 0,
  'b % 2': ({ b }) => b % 2,
};
const READS: Readonly<Record<string, readonly string[]>> = {
  'a + b': ['a', 'b'],
  'b + c': ['b', 'c'],
  'a * 0': ['a'],
  'b % 2': ['b'],
};

interface Condition {
  readonly member: string;
  readonly operator: 'equals' | 'notEquals' | 'gt' | 'lte';
  readonly value: number;
}
type Filter = Condition | { readonly kind: 'and' | 'or'; readonly filters: readonly Condition[] };
interface Policy {
  readonly group: (typeof GROUPS)[number];
  readonly filter: readonly Filter[];
  readonly mask: readonly string[];
}
/** Dimensions a, b, c are columns; d and e are computed; e may be absent. */
interface World {
  readonly d: string;
  readonly e?: string | undefined;
  readonly maskOfA?: string | undefined;
  readonly policies: readonly Policy[];
}

const condition: fc.Arbitrary<Condition> = fc.record({
  member: fc.constantFrom('a', 'b', 'd'),
  operator: fc.constantFrom('equals', 'notEquals', 'gt', 'lte'),
  value: fc.integer({ min: 0, max: 2 }),
});
const filter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: condition },
  fc.record({
    kind: fc.constantFrom('and', 'or'),
    filters: fc.array(condition, { minLength: 1, maxLength: 2 }),
  }),
);
const mask = fc.subarray(['a', 'b', 'd', 'e']);
const policy: fc.Arbitrary<Policy> = fc.record({
  group: fc.constantFrom(...GROUPS),
  filter: fc.array(filter, { maxLength: 2 }),
  mask,
});
const world: fc.Arbitrary<World> = fc.record({
  d: fc.constantFrom(...Object.keys(EXPRESSIONS)),
  e: fc.option(fc.constantFrom(...Object.keys(EXPRESSIONS)), { nil: undefined }),
  maskOfA: fc.option(fc.constantFrom('b', 'b % 2', '7'), { nil: undefined }),
  policies: fc.array(policy, { maxLength: 3 }),
});

/** A world that differs from another one in a few places, most of them narrower. */
const successor = (before: World): fc.Arbitrary<World> =>
  fc
    .tuple(
      fc.array(
        fc.tuple(
          fc.nat(2),
          fc.constantFrom('condition', 'mask', 'drop', 'group', 'less', 'none'),
          condition,
          mask,
        ),
        {
          maxLength: 3,
        },
      ),
      fc.option(world, { nil: undefined, freq: 4 }),
      fc.constantFrom('same', 'same', 'same', 'd', 'e', 'mask'),
    )
    .map(([edits, other, part]) => {
      let policies = before.policies;
      for (const [at, edit, added, masked] of edits)
        policies = policies.flatMap((each, index) => {
          if (index !== at) return [each];
          if (edit === 'condition') return [{ ...each, filter: [...each.filter, added] }];
          if (edit === 'mask') return [{ ...each, mask: [...new Set([...each.mask, ...masked])] }];
          if (edit === 'drop') return [];
          if (edit === 'group') return [each, { ...each, group: GROUPS[at] ?? 'g' }];
          if (edit === 'less') return [{ ...each, filter: each.filter.slice(1), mask: each.mask.slice(1) }];
          return [each];
        });
      const edited = { ...before, policies };
      if (other === undefined) return edited;
      if (part === 'same') return { ...edited, ...(edits.length === 0 ? { policies: other.policies } : {}) };
      return part === 'd'
        ? { ...edited, d: other.d }
        : part === 'e'
          ? { ...edited, e: other.e }
          : { ...edited, maskOfA: other.maskOfA };
    });

const yamlOf = ({ d, e, maskOfA, policies }: World): string =>
  JSON.stringify({
    kind: 'semantic',
    name: 's',
    depends_on: 'm.t',
    dimensions: [
      { name: 'a', ...(maskOfA === undefined ? {} : { mask_expression: maskOfA }) },
      'b',
      'c',
      { name: 'd', expression: d },
      ...(e === undefined ? [] : [{ name: 'e', expression: e }]),
    ],
    policies: policies.map((each) => ({
      group: each.group,
      ...(each.filter.length === 0 ? {} : { filter: each.filter.map(filterOf) }),
      ...maskOf(each.mask.filter((name) => name !== 'e' || e !== undefined)),
    })),
  });

const maskOf = (names: readonly string[]): { readonly mask?: readonly string[] } =>
  names.length === 0 ? {} : { mask: names };

const filterOf = (written: Filter): unknown =>
  'kind' in written
    ? { [written.kind]: written.filters.map(filterOf) }
    : { member: written.member, operator: written.operator, values: [written.value] };

const TABLE = [modelOf('m.t', { a: [], b: [], c: [] })];

const appliedOf = (given: World): AppliedAccess => ({
  semanticModels: [semanticOf(yamlOf(given))],
  models: TABLE,
});

/** The value of a member where these names are masked: a masked name is its mask wherever it stands. */
function valueIn({ d, e, maskOfA }: World, row: Row, member: string, masked: ReadonlySet<string>): string {
  if (masked.has(member)) {
    if (member !== 'a' || maskOfA === undefined) return 'masked';
    if (maskOfA === '7') return '7';
    return masked.has('b') ? 'masked' : maskOfA === 'b' ? `${row.b}` : `${row.b % 2}`;
  }
  const text = member === 'd' ? d : member === 'e' ? e : undefined;
  if (text === undefined) return `${row[member as keyof Row]}`;
  const inner = (READS[text] ?? []).map((name) =>
    valueIn({ d, e, maskOfA, policies: [] }, row, name, masked),
  );
  return inner.includes('masked') || (READS[text] ?? []).some((name) => masked.has(name))
    ? `of ${inner.join(',')}`
    : `${EXPRESSIONS[text]?.(row)}`;
}

const passes = (given: World, row: Row, written: Filter): boolean => {
  if ('kind' in written)
    return written.kind === 'and'
      ? written.filters.every((each) => passes(given, row, each))
      : written.filters.some((each) => passes(given, row, each));
  const value = Number(valueIn(given, row, written.member, new Set()));
  if (written.operator === 'equals') return value === written.value;
  if (written.operator === 'notEquals') return value !== written.value;
  return written.operator === 'gt' ? value > written.value : value <= written.value;
};

/** Masks of the policies of a caller that let a row pass. */
function masksFor(given: World, row: Row, groups: readonly string[]): readonly (readonly string[])[] {
  if (given.policies.length === 0) return [[]];
  return given.policies
    .filter(({ group }) => group === '*' || groups.includes(group))
    .filter((each) => each.filter.every((written) => passes(given, row, written)))
    .map((each) => each.mask);
}

type Worlds = readonly [World, World | undefined];

/** Masks under which a caller is shown a row, where the policies of a second environment may hold too; none when it is not shown. */
function shownMasks(
  [asked, beside]: Worlds,
  row: Row,
  groups: readonly string[],
): readonly ReadonlySet<string>[] {
  const others = beside === undefined ? [[]] : masksFor(beside, row, groups);
  return masksFor(asked, row, groups).flatMap((own) => others.map((other) => new Set([...own, ...other])));
}

/** All that is shown of a row under some masks; of any row, to see what it would have been. */
function look([asked]: Worlds, row: Row, masks: readonly ReadonlySet<string>[]): string {
  const members = ['a', 'b', 'c', 'd', ...(asked.e === undefined ? [] : ['e'])];
  return masks.flatMap((masked) => members.map((member) => valueIn(asked, row, member, masked))).join(' ');
}

/** A caller who is shown a row that was not shown, or a value that does not follow from what was shown of its row. */
function seesMore(before: Worlds, after: Worlds): string | undefined {
  for (const groups of CALLERS)
    for (const row of ROWS) {
      const now = shownMasks(after, row, groups);
      if (now.length === 0) continue;
      const then = shownMasks(before, row, groups);
      if (then.length === 0) return `[${groups}] is shown ${JSON.stringify(row)}`;
      const [was, is] = [look(before, row, then), look(after, row, now)];
      const other = ROWS.find((each) => look(before, each, then) === was && look(after, each, now) !== is);
      if (other !== undefined) return `[${groups}] can tell ${JSON.stringify([row, other])} apart`;
    }
  return undefined;
}

describe('a comparison that says no one sees more', () => {
  test('is right for every caller and row', () => {
    let [silent, told] = [0, 0];
    fc.assert(
      fc.property(
        world.chain((before) =>
          fc.tuple(
            fc.constant(before),
            successor(before),
            fc.option(successor(before), { nil: undefined, freq: 3 }),
          ),
        ),
        ([before, after, beside]) => {
          fc.pre(before.policies.length > 0);
          const found = widerAccess({
            before: appliedOf(before),
            after: appliedOf(after),
            beside: beside && appliedOf(beside),
          });
          if (found.length > 0) told++;
          else {
            silent++;
            const worlds = JSON.stringify([before, after, beside], undefined, 1);
            expect(seesMore([before, beside], [after, beside]), worlds).toBeUndefined();
          }
        },
      ),
      { numRuns: 1_000 },
    );
    // It must be able to say both, or it proves nothing.
    expect(Math.min(silent, told)).toBeGreaterThan(100);
  });
});
