/** Work of one kind, one after the other. A failure is for the caller of its work alone: the next begins all the same. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /** What runs, and what waits. */
  get length(): number {
    return this.#length;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#length++;
    const result = this.#last.then(work).finally(() => this.#length--);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
