import { expect, test } from 'vitest';
import { eventQueue } from './event-queue.ts';

test('items come in order, also those pushed while a reader is at work', async () => {
  const queue = eventQueue<number>();
  queue.push(1);
  const seen: number[] = [];
  const reading = (async () => {
    for await (const item of queue.items()) {
      seen.push(item);
      if (item === 2) queue.push(3);
    }
  })();
  await new Promise((resolve) => setImmediate(resolve));
  queue.push(2);
  await new Promise((resolve) => setImmediate(resolve));
  queue.push(4);
  queue.end();
  await reading;
  expect(seen).toEqual([1, 2, 3, 4]);
});
