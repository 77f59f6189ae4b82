/*
 * Work that lacked memory: another may have taken all of it. It is done again, first in its turn, then alone.
 *
 *   lacked ─▶ in its turn ─▶ lacked ─▶ alone, while its person has some of that time left ─▶ lacked again … ─▶ fails
 *   lacked, though nothing ran beside it ─▶ alone: what ended before may not have given its memory back ─▶ lacked again ─▶ fails
 *
 * To be alone costs all others a moment, so each person has little of it: enough for small work, not for work that needs much.
 */
const TRIES_MAX = 6;
/** What a person may have at once, and how much of each moment that passes is given back. */
const ALONE_MS_MAX = 6_000;
const GIVEN_BACK = 0.1;
/** The least that each time costs: whatever runs is interrupted for it. */
const ALONE_MS_MIN = 100;

export class MemoryRetries {
  readonly #tries = new Map<string, number>();
  readonly #spent = new Map<string, { readonly ms: number; readonly at: number }>();

  /** How this work is done again; undefined when it was tried often enough. */
  next(
    id: string,
    person: string,
    { now, ranConcurrently }: { readonly now: number; readonly ranConcurrently: boolean },
  ): 'in turn' | 'alone' | undefined {
    const tries = (this.#tries.get(id) ?? 0) + 1;
    this.#tries.set(id, tries);
    if (tries === 1 && ranConcurrently) return 'in turn';
    const triesMax = ranConcurrently ? TRIES_MAX : 2;
    return tries < triesMax && this.leftMs(person, now) >= ALONE_MS_MIN ? 'alone' : undefined;
  }

  isKnown(id: string): boolean {
    return this.#tries.has(id);
  }

  /** How long this person's work may still be alone. */
  leftMs(person: string, now: number): number {
    return ALONE_MS_MAX - this.#spentMs(person, now);
  }

  spend(person: string, ms: number, now: number): void {
    this.#spent.set(person, { ms: this.#spentMs(person, now) + Math.max(ms, ALONE_MS_MIN), at: now });
    for (const other of this.#spent.keys()) if (this.#spentMs(other, now) === 0) this.#spent.delete(other);
  }

  forget(id: string): void {
    this.#tries.delete(id);
  }

  #spentMs(person: string, now: number): number {
    const { ms, at } = this.#spent.get(person) ?? { ms: 0, at: now };
    return Math.max(0, ms - (now - at) * GIVEN_BACK);
  }
}
