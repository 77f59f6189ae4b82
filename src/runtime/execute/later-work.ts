/** Work of a run that no stage waits for; its errors are added to those of the run. */
export class LaterWork {
  readonly #errors: unknown[];
  readonly #going = new Set<Promise<void>>();

  constructor(errors: unknown[]) {
    this.#errors = errors;
  }

  add(work: Promise<void>): void {
    const end = work
      .catch((error: unknown) => void this.#errors.push(error))
      .finally(() => this.#going.delete(end));
    this.#going.add(end);
  }

  /** When all of it has ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#going);
  }
}
