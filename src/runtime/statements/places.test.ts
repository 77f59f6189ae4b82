import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Applicant, LONG_MS, Places } from './places.ts';

const of = (person: string, isLong = false): Applicant => ({ person, isLong });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('places', () => {
  test('are all for one person while no one else waits, and half of them otherwise', () => {
    const places = new Places(4);
    const mine = [places.take(of('eve')), places.take(of('eve'))];
    expect(places.mayTake(of('eve'), false)).toBe(true);
    expect(places.mayTake(of('eve'), true)).toBe(false);
    expect(places.mayTake(of('ann'), true)).toBe(true);
    for (const place of mine) places.leave(place);
    expect(places.mayTake(of('eve'), true)).toBe(true);
  });

  test('are left by the youngest work of who holds more than half, one at a time', () => {
    const places = new Places(4);
    const held = Array.from({ length: 4 }, () => {
      vi.advanceTimersByTime(1);
      return places.take(of('eve'));
    });
    expect(places.next([of('eve')])).toBeUndefined();
    const leaving = places.next([of('eve'), of('ann')]);
    expect(leaving).toBe(held[3]);
    if (leaving !== undefined) leaving.isGivingWay = true;
    expect(places.next([of('ann')])).toBeUndefined();
  });

  test('are never all held by what takes long while something short waits', () => {
    const places = new Places(3);
    for (const person of ['a', 'b', 'c']) places.take(of(person));
    expect(places.next([of('d')])).toBeUndefined();
    vi.advanceTimersByTime(LONG_MS + 1);
    expect(places.next([of('d', true)])).toBeUndefined();
    const leaving = places.next([of('d')]);
    expect(leaving?.person).toBeDefined();
    if (leaving !== undefined) places.leave(leaving);
    expect(places.mayTake(of('c', true), false)).toBe(false);
    expect(places.mayTake(of('d'), true)).toBe(true);
  });

  test('of work that does not stop when told are left to it', () => {
    const places = new Places(2);
    places.take({ ...of('eve'), isUnstoppable: true });
    places.take({ ...of('eve'), isUnstoppable: true });
    expect(places.next([of('ann')])).toBeUndefined();
  });

  test('remember whether another was taken meanwhile', () => {
    const places = new Places(2);
    const first = places.take(of('a'));
    expect(first.hasCompany).toBe(false);
    const second = places.take(of('b'));
    places.leave(first);
    expect([first.hasCompany, second.hasCompany]).toEqual([true, true]);
  });
});
