import { expect, test } from 'vitest';
import { AnswerRoom } from './answer-room.ts';

test('a caller has at most half of the room, all callers together all of it', () => {
  const room = new AnswerRoom(100, 1_000);
  const first = room.take('ann', 30);
  room.take('ann', 20);
  expect(() => room.take('ann', 1)).toThrow('server.limits.answer_bytes');
  room.take('bob', 50);
  expect(() => room.take('eve', 1)).toThrow('take all');
  first();
  room.take('eve', 30);
  expect(() => room.take('eve', 1)).toThrow('take all');
});

test('what was given back can be taken again, to the last byte', () => {
  const room = new AnswerRoom(100, 1_000);
  for (let round = 0; round < 3; round++) {
    const held = [room.take('ann', 50), room.take('bob', 50)];
    for (const giveBack of held) giveBack();
  }
});

test('an answer that is larger than the room goes out alone', () => {
  const room = new AnswerRoom(100, 1_000);
  const giveBack = room.take('ann', 500);
  expect(() => room.take('bob', 1)).toThrow('take all');
  giveBack();
  room.take('bob', 1);
});
