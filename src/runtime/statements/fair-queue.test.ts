import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from './fair-queue.ts';

const waiting = (id: string, tenant: string, principalId: string): Waiting => ({ id, tenant, principalId });
const drained = (queue: FairQueue<Waiting>): readonly string[] => {
  const ids: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) ids.push(item.id);
  return ids;
};

test('tenants are served in turn, and within a tenant its people', () => {
  const queue = new FairQueue<Waiting>();
  for (const id of ['a1', 'a2', 'a3']) queue.push(waiting(id, 'acme', 'ann'));
  queue.push(waiting('b1', 'acme', 'bob'));
  queue.push(waiting('z1', 'zoo', 'zoe'));
  queue.push(waiting('z2', 'zoo', 'zoe'));
  expect(drained(queue)).toEqual(['a1', 'z1', 'b1', 'z2', 'a2', 'a3']);
  expect(queue.size).toBe(0);
});

test('what is removed is not served, and the others keep their turn', () => {
  const queue = new FairQueue<Waiting>();
  for (const id of ['a1', 'a2']) queue.push(waiting(id, 'acme', 'ann'));
  queue.push(waiting('z1', 'zoo', 'zoe'));
  expect(queue.remove('a1')?.id).toBe('a1');
  expect(queue.remove('a1')).toBeUndefined();
  expect(queue.remove('z1')?.id).toBe('z1');
  expect(drained(queue)).toEqual(['a2']);
});

test('who is not accepted keeps their turn, and the next person is served', () => {
  const queue = new FairQueue<Waiting>();
  for (const id of ['a1', 'a2']) queue.push(waiting(id, 'acme', 'ann'));
  queue.push(waiting('b1', 'acme', 'bob'));
  expect(queue.shift(({ principalId }) => principalId !== 'ann')?.id).toBe('b1');
  expect(queue.shift(({ principalId }) => principalId !== 'ann')).toBeUndefined();
  expect(queue.countOf({ tenant: 'acme', principalId: 'ann' })).toBe(2);
  expect(drained(queue)).toEqual(['a1', 'a2']);
});

test('everything is served once, each person in order, and nobody waits for more than one of each other person’s', () => {
  const item = fc.record({ tenant: fc.constantFrom('a', 'b'), person: fc.constantFrom('x', 'y', 'z') });
  fc.assert(
    fc.property(fc.array(item, { maxLength: 60 }), (items) => {
      const queue = new FairQueue<Waiting>();
      const given = items.map(({ tenant, person }, index) => waiting(String(index), tenant, person));
      for (const each of given) queue.push(each);
      const served = drained(queue).map((id) => given[Number(id)] as Waiting);
      expect(served.length).toBe(given.length);
      const keyOf = ({ tenant, principalId }: Waiting): string => `${tenant} ${principalId}`;
      for (const key of new Set(given.map(keyOf))) {
        const own = (list: readonly Waiting[]) => list.filter((each) => keyOf(each) === key);
        expect(own(served)).toEqual(own(given));
        const places = served.flatMap((each, at) => (keyOf(each) === key ? [at] : []));
        // Between two of one person each of the two tenants, of three people, is served at most six times.
        for (const [at, place] of places.entries())
          if (at > 0) expect(place - (places[at - 1] as number)).toBeLessThanOrEqual(6);
      }
    }),
  );
});
