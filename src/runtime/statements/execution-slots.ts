/*
 * Who may have the engine. Slots are few, so one who asks for much, or for long, makes room for others:
 *
 *   half    a caller holds more than half of the slots only while no other caller waits; then their youngest one gives way
 *   short   work that takes long holds all slots but one: the last is for what is soon over
 *
 * What gives way waits once more: reads may be done twice.
 */

/** Longer than this is long. */
export const LONG_MS = 5_000;

/** A slot that is taken. */
export interface ExecutionSlot {
  readonly person: string;
  /** A time of `performance.now()`. */
  readonly since: number;
  /** Whether another slot was taken at any time meanwhile. */
  ranConcurrently: boolean;
  readonly isLong: boolean;
  /** Work that did not stop on request is not asked again. */
  readonly isUnstoppable: boolean;
  isGivingWay: boolean;
}

/** Something that waits for a slot. */
export interface Applicant {
  readonly person: string;
  readonly isLong: boolean;
}

export class ExecutionSlots {
  readonly #max: number;
  readonly #held = new Set<ExecutionSlot>();

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#held.size;
  }

  /** `othersWait`: whether any other caller does. */
  mayTake({ person, isLong }: Applicant, othersWait: boolean): boolean {
    if (this.#held.size >= this.#max) return false;
    if (isLong && this.#long(performance.now()) >= this.#longMax) return false;
    return !othersWait || this.#of(person) < this.#half;
  }

  take({
    person,
    isLong,
    isUnstoppable = false,
  }: Applicant & { readonly isUnstoppable?: boolean }): ExecutionSlot {
    const ranConcurrently = this.#held.size > 0;
    for (const other of this.#held) other.ranConcurrently = true;
    const slot = {
      ...{ person, isLong, isUnstoppable, ranConcurrently },
      ...{ since: performance.now(), isGivingWay: false },
    };
    this.#held.add(slot);
    return slot;
  }

  leave(slot: ExecutionSlot): void {
    this.#held.delete(slot);
  }

  /** The slot that its work has to leave, so that one of those who wait can have it. */
  next(applicants: Iterable<Applicant>): ExecutionSlot | undefined {
    const held = [...this.#held];
    if (held.length < this.#max || held.some(({ isGivingWay }) => isGivingWay)) return undefined;
    const now = performance.now();
    const isOnlyLong = this.#max > 1 && this.#long(now) > this.#longMax;
    for (const { person, isLong } of applicants) {
      const isShort = this.#of(person) < this.#half;
      const leaving = held
        .filter((slot) => !slot.isUnstoppable)
        .filter((slot) => (isShort && this.#of(slot.person) > this.#half) || (isOnlyLong && !isLong))
        .sort((a, b) => this.#of(b.person) - this.#of(a.person) || b.since - a.since);
      if (leaving[0] !== undefined) return leaving[0];
    }
    return undefined;
  }

  get #half(): number {
    return Math.max(1, Math.floor(this.#max / 2));
  }

  get #longMax(): number {
    return Math.max(1, this.#max - 1);
  }

  #of(person: string): number {
    return [...this.#held].filter((slot) => slot.person === person).length;
  }

  #long(now: number): number {
    return [...this.#held].filter(({ isLong, since }) => isLong || now - since > LONG_MS).length;
  }
}
