/** Items from a producer to a reader: pushing never waits, reading waits for the next one. */
export interface EventQueue<Item> {
  push(item: Item): void;
  /** Nothing more will come; what is already there is still read. */
  end(): void;
  items(): AsyncGenerator<Item, void, undefined>;
}

export function eventQueue<Item>(): EventQueue<Item> {
  let waiting: Item[] = [];
  let isEnded = false;
  let wake = (): void => {};
  return {
    push(item) {
      waiting.push(item);
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
    async *items() {
      for (;;) {
        const taken = waiting;
        waiting = [];
        yield* taken;
        if (waiting.length > 0) continue;
        if (isEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
