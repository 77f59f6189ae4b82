/** Perspectives to store, and random ones. */
import fc from 'fast-check';
import {
  maySee,
  type Perspective,
  type PerspectiveViewer,
  type PerspectiveVisibility,
  type SharedWith,
  shareKey,
} from '../../src/domain/perspective.ts';

export const idOf = (index: number): string => `x_${String(index).padStart(16, '0')}`;

export const SHARED = { kind: 'shared', principals: [{ kind: 'user', id: 'u_bob', name: 'bob' }] } as const;

export function perspectiveOf(index: number, more: Partial<Perspective> = {}): Perspective {
  return {
    id: idOf(index),
    slug: `slug-${index}`,
    name: `Name ${index}`,
    query: { kind: 'semantic', query: { measures: ['orders.revenue'] } },
    params: [],
    visibility: { kind: 'private' },
    tags: [],
    isRefreshed: false,
    owner: { id: 'u_ada', name: 'ada' },
    version: 1,
    createdAt: 10,
    changedAt: 10,
    writtenBy: 'u_ada',
    ...more,
  };
}

export const viewerOf = (name: string, more: Partial<PerspectiveViewer> = {}): PerspectiveViewer => ({
  principalId: `u_${name}`,
  shareKeys: [`user:u_${name}`],
  isAdmin: false,
  ...more,
});

const PEOPLE = ['ada', 'bob', 'cy'] as const;
const people = fc.constantFrom(...PEOPLE);
const shared: fc.Arbitrary<SharedWith> = fc.oneof(
  people.map((name): SharedWith => ({ kind: 'user', id: `u_${name}`, name })),
  fc.constantFrom('sales', 'ops').map((name): SharedWith => ({ kind: 'group', name })),
);

export const anyVisibility: fc.Arbitrary<PerspectiveVisibility> = fc.oneof(
  fc.constant({ kind: 'private' } as const),
  fc.constant({ kind: 'product' } as const),
  fc
    .uniqueArray(shared, { maxLength: 3, selector: shareKey })
    .map((principals): PerspectiveVisibility => ({ kind: 'shared', principals })),
);

export const anyViewer: fc.Arbitrary<PerspectiveViewer> = fc
  .record({
    name: people,
    groups: fc.subarray(['sales', 'ops']),
    isAdmin: fc.boolean(),
  })
  .map(({ name, groups, isAdmin }) =>
    viewerOf(name, {
      shareKeys: [`user:u_${name}`, ...groups.map((group) => `group:${group}`)],
      isAdmin,
    }),
  );

/** Few slugs and few words, so that they meet. */
export const anyContent = fc.record({
  slug: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('Sales of A', '100% of B_', 'ÄRGER!'),
  tags: fc.subarray(['red', 'blue']),
  visibility: anyVisibility,
  isRefreshed: fc.boolean(),
  owner: people.map((name) => ({ id: `u_${name}`, name })),
});

/** What a viewer should get, said without a database. */
export const seenOf = (all: readonly Perspective[], viewer: PerspectiveViewer): readonly Perspective[] =>
  all.filter((each) => maySee(each, viewer)).toSorted((one, two) => (one.id < two.id ? 1 : -1));
