import { setImmediate } from 'node:timers/promises';

const STRETCH_MS = 8;

/** Makes one thing of each item, and lets others have their turn now and then: a document of a thousand models takes as long as many requests. */
export async function inTurns<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  let begun = performance.now();
  for (const item of items) {
    made.push(make(item));
    if (performance.now() - begun < STRETCH_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
  return made;
}
