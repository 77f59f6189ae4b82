/*
 * Whose turn it is. What waits is in one of three places:
 *
 *   suspects   was under way when the engine was lost: before all others, alone
 *   queue      in turn, by tenant and person
 *   long       gave way because it takes long: in turn, and never in the last slot
 */
import type { StatementLimits } from '../../domain/server-limits.ts';
import type { Execution } from '../../domain/statement.ts';
import { type Applicant, type ExecutionSlot, ExecutionSlots, LONG_MS } from './execution-slots.ts';
import { FairQueue } from './fair-queue.ts';
import { personOf, Suspects } from './suspects.ts';

interface Asker {
  readonly tenant: string;
  readonly principalId: string;
}

export class Turns {
  readonly suspects = new Suspects();
  readonly #queue = new FairQueue<Execution>();
  readonly #long = new FairQueue<Execution>();
  readonly #slots: ExecutionSlots;
  readonly #queuedMax: number;
  /** Places in the queue that are promised, by person. */
  readonly #promised = new Map<string, number>();
  /** Work that did not stop in time when it was asked to. */
  readonly #unstoppable = new Set<string>();
  /** Work that lost its engine, of which it is not yet known whether it is suspected. */
  #undecided = 0;

  constructor({ runningMax, queuedMax }: StatementLimits) {
    this.#slots = new ExecutionSlots(runningMax);
    this.#queuedMax = queuedMax;
  }

  /** Slots that are taken, also by work that is about to begin. */
  get taken(): number {
    return this.#slots.taken;
  }

  get queued(): number {
    return this.#queue.size + this.#long.size + this.suspects.waiting;
  }

  /** A slot at once, when no caller waits for one. */
  freeSlot(asker: Asker): ExecutionSlot | undefined {
    const applicant = { person: personOf(asker), isLong: false };
    if (this.#isReserved || this.suspects.waiting > 0 || this.#queue.size > 0) return undefined;
    return this.#slots.mayTake(applicant, false) ? this.#slots.take(applicant) : undefined;
  }

  leave(slot: ExecutionSlot): void {
    this.#slots.leave(slot);
  }

  /** Promises room in the queue, until `keep` is called; false when there is none. One person may have half of it. */
  promise(asker: Asker): boolean {
    const promised = [...this.#promised.values()].reduce((sum, each) => sum + each, 0);
    const own = this.#promised.get(personOf(asker)) ?? 0;
    const waiting = this.#queue.countOf(asker) + this.#long.countOf(asker);
    if (this.queued + promised >= this.#queuedMax || own + waiting >= Math.ceil(this.#queuedMax / 2))
      return false;
    this.#promised.set(personOf(asker), own + 1);
    return true;
  }

  keep(asker: Asker): void {
    const left = (this.#promised.get(personOf(asker)) ?? 1) - 1;
    if (left > 0) this.#promised.set(personOf(asker), left);
    else this.#promised.delete(personOf(asker));
  }

  wait(work: Execution): void {
    this.#queue.push(work);
  }

  /** Work that made room for others. */
  waitAgain(work: Execution, slot: ExecutionSlot, isUnstoppable: boolean): void {
    if (isUnstoppable) this.#unstoppable.add(work.id);
    const isLong = slot.isLong || performance.now() - slot.since > LONG_MS;
    (isLong ? this.#long : this.#queue).push(work);
  }

  /** It is removed from the queue and forgotten. */
  forget(id: string): void {
    this.#queue.remove(id);
    this.#long.remove(id);
    this.#unstoppable.delete(id);
    this.suspects.forget(id);
  }

  /** Begins nothing until `work` has said whether something is suspected. */
  async decide<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#undecided++;
    try {
      return await work();
    } finally {
      this.#undecided--;
    }
  }

  /** What is to be begun now, with its slot. */
  next(): { readonly work: Execution; readonly slot: ExecutionSlot } | undefined {
    if (this.#isReserved) return undefined;
    if (this.suspects.waiting > 0) {
      const work = this.#slots.taken > 0 ? undefined : this.suspects.take(performance.now());
      return work && { work, slot: this.#takeSlot(work, false) };
    }
    return this.#nextOf(this.#queue, false) ?? this.#nextOf(this.#long, true);
  }

  /** Whether all that runs has to make room for what must be alone. */
  get mustClear(): boolean {
    return this.suspects.waiting > 0 && !this.#isReserved;
  }

  /** The slot that has to be left so that another can have it. */
  get leaving(): ExecutionSlot | undefined {
    if (this.#queue.size + this.#long.size === 0 || this.#isReserved) return undefined;
    return this.#slots.next(this.#applicants());
  }

  get #isReserved(): boolean {
    return this.#undecided > 0 || this.suspects.aloneMs(performance.now()) > 0;
  }

  #nextOf(
    queue: FairQueue<Execution>,
    isLong: boolean,
  ): { readonly work: Execution; readonly slot: ExecutionSlot } | undefined {
    const othersWait = (asker: Asker): boolean => this.#queue.hasOther(asker) || this.#long.hasOther(asker);
    const work = queue.shift((each) =>
      this.#slots.mayTake({ person: personOf(each), isLong }, othersWait(each)),
    );
    return work && { work, slot: this.#takeSlot(work, isLong) };
  }

  #takeSlot(work: Execution, isLong: boolean): ExecutionSlot {
    return this.#slots.take({
      person: personOf(work),
      isLong,
      isUnstoppable: this.#unstoppable.has(work.id),
    });
  }

  *#applicants(): Generator<Applicant> {
    for (const work of this.#queue.firsts()) yield { person: personOf(work), isLong: false };
    for (const work of this.#long.firsts()) yield { person: personOf(work), isLong: true };
  }
}
