/** Choices in a row. A generator reads them; fast-check shortens and lowers them. 0 and the end of the tape are always the simplest choice. */
export class Tape {
  readonly #choices: readonly number[];
  #at = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  /** One of `count` numbers from 0. */
  next(count: number): number {
    const choice = this.#choices[this.#at] ?? 0;
    this.#at++;
    return choice % count;
  }

  /** True in `percent` of all cases. */
  chance(percent: number): boolean {
    return this.next(100) >= 100 - percent;
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.next(list.length)];
    if (found === undefined) throw new Error('nothing to choose from');
    return found;
  }

  /** Different ones, in the order of the list. */
  some<T>(list: readonly T[], count: number): readonly T[] {
    const chosen = new Set<T>();
    for (let i = 0; i < count && list.length > 0; i++) chosen.add(this.pick(list));
    return [...chosen];
  }
}
