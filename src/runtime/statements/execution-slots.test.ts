import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Applicant, ExecutionSlots, LONG_MS } from './execution-slots.ts';

const of = (person: string, isLong = false): Applicant => ({ person, isLong });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('slots', () => {
  test('are all for one person while no one else waits, and half of them otherwise', () => {
    const slots = new ExecutionSlots(4);
    const mine = [slots.take(of('eve')), slots.take(of('eve'))];
    expect(slots.mayTake(of('eve'), false)).toBe(true);
    expect(slots.mayTake(of('eve'), true)).toBe(false);
    expect(slots.mayTake(of('ann'), true)).toBe(true);
    for (const slot of mine) slots.leave(slot);
    expect(slots.mayTake(of('eve'), true)).toBe(true);
  });

  test('are left by the youngest work of who holds more than half, one at a time', () => {
    const slots = new ExecutionSlots(4);
    const held = Array.from({ length: 4 }, () => {
      vi.advanceTimersByTime(1);
      return slots.take(of('eve'));
    });
    expect(slots.next([of('eve')])).toBeUndefined();
    const leaving = slots.next([of('eve'), of('ann')]);
    expect(leaving).toBe(held[3]);
    if (leaving !== undefined) leaving.isGivingWay = true;
    expect(slots.next([of('ann')])).toBeUndefined();
  });

  test('are never all held by what takes long while something short waits', () => {
    const slots = new ExecutionSlots(3);
    for (const person of ['a', 'b', 'c']) slots.take(of(person));
    expect(slots.next([of('d')])).toBeUndefined();
    vi.advanceTimersByTime(LONG_MS + 1);
    expect(slots.next([of('d', true)])).toBeUndefined();
    const leaving = slots.next([of('d')]);
    expect(leaving?.person).toBeDefined();
    if (leaving !== undefined) slots.leave(leaving);
    expect(slots.mayTake(of('c', true), false)).toBe(false);
    expect(slots.mayTake(of('d'), true)).toBe(true);
  });

  test('of work that does not stop when told are left to it', () => {
    const slots = new ExecutionSlots(2);
    slots.take({ ...of('eve'), isUnstoppable: true });
    slots.take({ ...of('eve'), isUnstoppable: true });
    expect(slots.next([of('ann')])).toBeUndefined();
  });

  test('remember whether another was taken meanwhile', () => {
    const slots = new ExecutionSlots(2);
    const first = slots.take(of('a'));
    expect(first.ranConcurrently).toBe(false);
    const second = slots.take(of('b'));
    slots.leave(first);
    expect([first.ranConcurrently, second.ranConcurrently]).toEqual([true, true]);
  });
});
