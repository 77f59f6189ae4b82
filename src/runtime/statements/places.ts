/*
 * Who may have the engine. Places are few, so one who asks for much, or for long, makes room for others:
 *
 *   half    a caller holds more than half of the places only while no other caller waits; then their youngest one gives way
 *   short   work that takes long holds all places but one: the last is for what is soon over
 *
 * What gives way waits once more: reads may be done twice.
 */

/** Longer than this is long. */
export const LONG_MS = 5_000;

/** A place that is taken. */
export interface Place {
  readonly person: string;
  /** A time of `performance.now()`. */
  readonly since: number;
  /** Whether another place was taken at any time meanwhile. */
  hasCompany: boolean;
  readonly isLong: boolean;
  /** Work that did not stop on request is not asked again. */
  readonly isUnstoppable: boolean;
  isGivingWay: boolean;
}

/** Something that waits for a place. */
export interface Applicant {
  readonly person: string;
  readonly isLong: boolean;
}

export class Places {
  readonly #max: number;
  readonly #held = new Set<Place>();

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

  take({ person, isLong, isUnstoppable = false }: Applicant & { readonly isUnstoppable?: boolean }): Place {
    const hasCompany = this.#held.size > 0;
    for (const other of this.#held) other.hasCompany = true;
    const place = {
      ...{ person, isLong, isUnstoppable, hasCompany },
      ...{ since: performance.now(), isGivingWay: false },
    };
    this.#held.add(place);
    return place;
  }

  leave(place: Place): void {
    this.#held.delete(place);
  }

  /** The place that its work has to leave, so that one of those who wait can have it. */
  next(applicants: Iterable<Applicant>): Place | undefined {
    const held = [...this.#held];
    if (held.length < this.#max || held.some(({ isGivingWay }) => isGivingWay)) return undefined;
    const now = performance.now();
    const isOnlyLong = this.#max > 1 && this.#long(now) > this.#longMax;
    for (const { person, isLong } of applicants) {
      const isShort = this.#of(person) < this.#half;
      const leaving = held
        .filter((place) => !place.isUnstoppable)
        .filter((place) => (isShort && this.#of(place.person) > this.#half) || (isOnlyLong && !isLong))
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
    return [...this.#held].filter((place) => place.person === person).length;
  }

  #long(now: number): number {
    return [...this.#held].filter(({ isLong, since }) => isLong || now - since > LONG_MS).length;
  }
}
