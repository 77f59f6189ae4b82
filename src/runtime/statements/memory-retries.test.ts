import { expect, test } from 'vitest';
import { MemoryRetries } from './memory-retries.ts';

const BESIDE = { now: 0, ranConcurrently: true };

test('work that lacks memory though nothing ran beside it is alone once more, and then fails', () => {
  const lacks = new MemoryRetries();
  const alone = { now: 0, ranConcurrently: false };
  expect([lacks.next('w1', 'ann', alone), lacks.next('w1', 'ann', alone)]).toEqual(['alone', undefined]);
  lacks.next('w2', 'ann', BESIDE);
  expect(lacks.next('w2', 'ann', alone)).toBe(undefined);
});

test('work that lacks memory waits in its turn once, then is alone, and fails when it had enough of that', () => {
  const lacks = new MemoryRetries();
  const ways = Array.from({ length: 6 }, () => lacks.next('w1', 'ann', BESIDE));
  expect(ways).toEqual(['in turn', 'alone', 'alone', 'alone', 'alone', undefined]);
  lacks.forget('w1');
  expect(lacks.next('w1', 'ann', BESIDE)).toBe('in turn');
});

test('a person has little time alone, gets it back slowly, and takes none of others', () => {
  const lacks = new MemoryRetries();
  const second = (person: string, now: number) => {
    lacks.forget('w');
    lacks.next('w', person, { ...BESIDE, now });
    return lacks.next('w', person, { ...BESIDE, now });
  };
  lacks.spend('eve', 4_000, 0);
  expect(lacks.leftMs('eve', 0)).toBe(2_000);
  lacks.spend('eve', 2_000, 0);
  expect([second('eve', 0), second('ann', 0)]).toEqual([undefined, 'alone']);
  expect(lacks.leftMs('eve', 10_000)).toBe(1_000);
  expect(second('eve', 10_000)).toBe('alone');
});

test('to be alone costs something, however short it was', () => {
  const lacks = new MemoryRetries();
  for (let n = 0; n < 60; n++) lacks.spend('eve', 0, 0);
  expect(lacks.leftMs('eve', 0)).toBe(0);
});
