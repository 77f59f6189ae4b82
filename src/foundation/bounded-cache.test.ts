import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askedOnce, BoundedCache } from './bounded-cache.ts';

test('the entry that was not asked for the longest goes first', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  expect(cache.figures).toEqual({ entries: 2, entriesMax: 2, hits: 3, misses: 1 });
});

test('an entry that is out of date is a miss', () => {
  const cache = new BoundedCache<string, number>(2);
  cache.set('a', 1);
  expect(cache.get('a', (value) => value === 2)).toBeUndefined();
  expect(cache.figures).toMatchObject({ entries: 1, hits: 0, misses: 1 });
});

test('forgets what is chosen, or all', () => {
  const cache = new BoundedCache<string, number>(3);
  for (const [at, key] of ['a', 'b', 'c'].entries()) cache.set(key, at);
  cache.forget((value, key) => value === 0 || key === 'c');
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([undefined, 1, undefined]);
  cache.forget();
  expect(cache.figures.entries).toBe(0);
});

test('whatever is set and asked for, it has the last values that fit', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 5 }), isSet: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, max) => {
      const cache = new BoundedCache<number, number>(max);
      // The youngest last.
      let kept: (readonly [number, number])[] = [];
      for (const [at, { key, isSet }] of steps.entries()) {
        const before = kept.find(([known]) => known === key);
        if (!isSet) expect(cache.get(key)).toBe(before?.[1]);
        if (!isSet && before === undefined) continue;
        kept = [...kept.filter((each) => each !== before), isSet ? [key, at] : (before as [number, number])];
        kept = kept.slice(-max);
        if (isSet) cache.set(key, at);
        expect(cache.figures.entries).toBe(kept.length);
      }
    }),
  );
});

test('asks once while the answer is on its way, and again after a failure', async () => {
  const cache = new BoundedCache<string, Promise<number>>(2);
  let asked = 0;
  const ask = async (): Promise<number> => {
    asked++;
    if (asked === 1) throw new Error('not now');
    return asked;
  };
  const first = [askedOnce(cache, 'a', ask), askedOnce(cache, 'a', ask)];
  expect((await Promise.allSettled(first)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toBe(1);
  expect(await askedOnce(cache, 'a', ask)).toBe(2);
  expect(await askedOnce(cache, 'a', ask)).toBe(2);
});
