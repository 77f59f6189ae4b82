import { seededNumbers } from '../support/seeded-bits.ts';

/** Choices that are the same for the same seed. */
export class Chance {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededNumbers(seed);
  }

  below(count: number): number {
    return Math.floor(this.#next() * count);
  }

  is(share: number): boolean {
    return this.#next() < share;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  }

  /** All of them, in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0] as Item);
  }

  /** So many of them, at least one and not all when there are several. */
  some<Item>(items: readonly Item[]): Item[] {
    return this.shuffled(items).slice(0, 1 + this.below(Math.max(1, items.length - 1)));
  }
}
