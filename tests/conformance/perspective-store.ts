/** What every store of perspectives must do: one rule decides who sees which, in every way of looking. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { maySee, namesOf, type Perspective } from '../../src/domain/perspective.ts';
import { OWNED_MAX, type PerspectiveStore, VERSIONS_KEPT } from '../../src/domain/perspective-store.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import {
  anyContent,
  anyViewer,
  idOf,
  perspectiveOf,
  SHARED,
  seenOf,
  viewerOf,
} from './perspective-store-fixtures.ts';
import type { StateStoreUnderTest } from './state-store.ts';

const ada = viewerOf('ada');
const bob = viewerOf('bob');
const cy = viewerOf('cy');
const admin = viewerOf('root', { isAdmin: true });
const told = (event: string) => [{ at: 1, event, data: null }];

export function describePerspectiveStore(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    let place = '';
    let state: StateStore;
    let perspectives: PerspectiveStore;
    const opened: StateStore[] = [];
    const open = async (where = place): Promise<StateStore> => {
      const another = await store.open(where);
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      place = store.newPlace();
      state = await open();
      perspectives = state.perspectives;
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    const create = (given: Perspective): Promise<string> => perspectives.createPerspective(given, []);
    const events = async (): Promise<readonly string[]> =>
      (await state.events.events({ limit: 1_000 })).map(({ event }) => event);
    const idsOf = (found: readonly Perspective[]): readonly string[] => found.map(({ id }) => id);

    test('one is read back whole, by another opening too', async () => {
      const strange = 'zero \0, half \ud800, last \uffff, \\u0000, quote "\'';
      const whole = perspectiveOf(1, {
        name: strange,
        description: strange,
        query: { kind: 'sql', sql: `SELECT '${strange}'` },
        params: [{ name: 'p', type: 'text', isList: true, default: [strange], allowed: [strange] }],
        visibility: SHARED,
        tags: [strange],
      });
      expect(await create(whole)).toBe('done');
      const another = (await open()).perspectives;
      expect(await another.perspective(whole.id, ada)).toEqual(whole);
      expect(await another.perspectives({ viewer: ada, limit: 10 })).toEqual([whole]);
      expect(await another.perspectivesNamed(whole.slug, ada)).toEqual([whole]);
      expect(await another.perspectiveVersions(whole.id, { viewer: ada, limit: 10 })).toEqual([whole]);
    });

    test('a change is of one version, keeps the one before, and tells in the same transaction', async () => {
      const first = perspectiveOf(1);
      await perspectives.createPerspective(first, told('made'));
      const second: Perspective = { ...first, name: 'Second', version: 2 };
      expect(await perspectives.changePerspective(second, told('changed'))).toBe('done');
      expect(await perspectives.changePerspective(second, told('late'))).toBe('differs');
      expect(await perspectives.changePerspective({ ...second, id: idOf(9) }, told('none'))).toBe('missing');
      expect(await perspectives.removePerspective(first, told('late'))).toBe('differs');
      expect(await perspectives.perspective(first.id, ada)).toEqual(second);
      const request = { viewer: ada, limit: 10 };
      expect(await perspectives.perspectiveVersions(first.id, request)).toEqual([second, first]);
      expect(await perspectives.perspectiveVersions(first.id, { ...request, before: 2 })).toEqual([first]);
      expect(await perspectives.removePerspective(second, told('removed'))).toBe('done');
      expect(await perspectives.perspective(first.id, ada)).toBeUndefined();
      expect(await perspectives.perspectiveVersions(first.id, request)).toEqual([]);
      expect(await perspectives.removePerspective(second, told('none'))).toBe('missing');
      expect(await events()).toEqual(['made', 'changed', 'removed']);
    });

    test('a slug is taken only among the same names', async () => {
      const slug = 'sales';
      expect(await create(perspectiveOf(1, { slug }))).toBe('done');
      expect(await create(perspectiveOf(2, { slug, visibility: SHARED }))).toBe('taken');
      const bobs = { owner: { id: 'u_bob', name: 'bob' } };
      expect(await create(perspectiveOf(3, { slug, ...bobs }))).toBe('done');
      const product = { kind: 'product' } as const;
      expect(await create(perspectiveOf(4, { slug, visibility: product }))).toBe('done');
      expect(await create(perspectiveOf(5, { slug, visibility: product, ...bobs }))).toBe('taken');
      const published = { ...perspectiveOf(1, { slug }), visibility: product, version: 2 };
      expect(await perspectives.changePerspective(published, told('published'))).toBe('taken');
      expect(await events()).toEqual([]);
      expect(await perspectives.takenSlugs('', [slug, 'other'])).toEqual([slug]);
      expect(await perspectives.takenSlugs('u_cy', [slug])).toEqual([]);
      expect(idsOf(await perspectives.perspectivesNamed(slug, ada))).toEqual([idOf(1), idOf(4)]);
      expect(idsOf(await perspectives.perspectivesNamed(slug, cy))).toEqual([idOf(4)]);
    });

    test('a version is for those who could see it as it was', async () => {
      const first = perspectiveOf(1);
      const second: Perspective = { ...first, visibility: SHARED, version: 2 };
      const third: Perspective = { ...first, visibility: { kind: 'product' }, version: 3 };
      const fourth: Perspective = { ...third, owner: { id: 'u_cy', name: 'cy' }, version: 4 };
      await create(first);
      for (const each of [second, third, fourth]) await perspectives.changePerspective(each, []);
      const seen = async (viewer: typeof ada): Promise<readonly number[]> =>
        (await perspectives.perspectiveVersions(first.id, { viewer, limit: 10 })).map(
          ({ version }) => version,
        );
      expect(await seen(ada)).toEqual([4, 3, 2, 1]);
      expect(await seen(bob)).toEqual([4, 3, 2]);
      expect(await seen(cy)).toEqual([4, 3]);
      expect(await seen(admin)).toEqual([4, 3, 2]);
    });

    test('what is shared no longer is seen no longer', async () => {
      const first = perspectiveOf(1, { visibility: SHARED });
      await create(first);
      expect(idsOf(await perspectives.perspectivesNamed(first.slug, bob))).toEqual([first.id]);
      await perspectives.changePerspective({ ...first, visibility: { kind: 'private' }, version: 2 }, []);
      expect(await perspectives.perspectivesNamed(first.slug, bob)).toEqual([]);
      expect(await perspectives.perspective(first.id, bob)).toBeUndefined();
      expect(await perspectives.perspectives({ viewer: bob, limit: 10 })).toEqual([]);
    });

    test('a part of the words is looked for as it is written', async () => {
      await create(perspectiveOf(1, { name: '100% of B_', description: 'ÄRGER!' }));
      const found = (text: string) => perspectives.perspectives({ viewer: ada, text, limit: 10 });
      for (const text of ['100%', 'b_', 'ärger!', 'Ärger', 'SLUG-1'])
        expect(await found(text)).toHaveLength(1);
      for (const text of ['100_', 'b__', '%r%', '!'])
        expect(await found(text)).toHaveLength(text === '!' ? 1 : 0);
    });

    test('the oldest versions go, and so does what one may own', async () => {
      let last = perspectiveOf(1);
      await create(last);
      for (let version = 2; version <= VERSIONS_KEPT + 3; version++) {
        last = { ...last, version };
        await perspectives.changePerspective(last, []);
      }
      const kept = await perspectives.perspectiveVersions(last.id, { viewer: ada, limit: 1_000 });
      expect(kept.map(({ version }) => version)).toEqual(
        Array.from({ length: VERSIONS_KEPT }, (_, at) => VERSIONS_KEPT + 3 - at),
      );
      const made = Array.from({ length: OWNED_MAX + 1 }, (_, at) => create(perspectiveOf(at + 2)));
      const outcomes = await Promise.all(made);
      expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(2);
      expect(await create(perspectiveOf(5_000, { owner: { id: 'u_bob', name: 'bob' } }))).toBe('done');
    });

    test('an export brings them elsewhere', async () => {
      const shared = perspectiveOf(1, { visibility: SHARED, isRefreshed: true });
      await create(shared);
      await perspectives.changePerspective({ ...shared, version: 2 }, []);
      const other = await open(store.newPlace());
      await other.importAll(state.exportAll());
      const there = other.perspectives;
      expect(await there.perspectivesNamed(shared.slug, bob)).toEqual([{ ...shared, version: 2 }]);
      expect(await there.perspectiveVersions(shared.id, { viewer: ada, limit: 5 })).toHaveLength(2);
      expect(idsOf(await there.everyPerspective({ isRefreshed: true, limit: 5 }))).toEqual([shared.id]);
    });

    test('every way of looking shows a viewer what the one rule lets them see, and nothing else', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyContent, { maxLength: 12 }),
          fc.array(anyViewer, { minLength: 1, maxLength: 4 }),
          async (contents, viewers) => {
            const { perspectives: there } = await open(store.newPlace());
            const all: Perspective[] = [];
            for (const [at, content] of contents.entries()) {
              const made = perspectiveOf(at + 1, content);
              const isTaken = all.some((each) => namesOf(each) === namesOf(made) && each.slug === made.slug);
              expect(await there.createPerspective(made, [])).toBe(isTaken ? 'taken' : 'done');
              if (!isTaken) all.push(made);
            }
            for (const viewer of viewers) {
              const seen = seenOf(all, viewer);
              expect(await there.perspectives({ viewer, limit: 100 })).toEqual(seen);
              for (const each of all) {
                const found = await there.perspective(each.id, viewer);
                expect(found).toEqual(maySee(each, viewer) ? each : undefined);
              }
              for (const slug of ['a', 'b', 'c']) {
                const named = await there.perspectivesNamed(slug, viewer);
                expect(idsOf(named).toSorted()).toEqual(
                  idsOf(seen.filter((each) => each.slug === slug)).toSorted(),
                );
              }
              const filtered = { owner: 'ada', visibility: 'shared', tag: 'red', text: 'b_' } as const;
              for (const [key, value] of Object.entries(filtered)) {
                const wanted = seen.filter((each) => {
                  if (key === 'owner') return each.owner.name === value;
                  if (key === 'visibility') return each.visibility.kind === value;
                  if (key === 'tag') return each.tags.includes(value);
                  return `${each.slug}\n${each.name}`.toLowerCase().includes(value);
                });
                expect(await there.perspectives({ viewer, [key]: value, limit: 100 })).toEqual(wanted);
              }
              const before = seen[0]?.id;
              const older = await there.perspectives({ viewer, before, limit: 2 });
              expect(older).toEqual(before === undefined ? [] : seen.slice(1, 3));
            }
          },
        ),
        { numRuns: 15 },
      );
    });
  });
}
