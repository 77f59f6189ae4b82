/*
 * Work that was under way when the engine was lost. Any of it may have brought the engine down, so it is done again alone:
 *
 *   lost ─▶ waits ─▶ alone for a while, then beside others ─▶ ends: it is not blamed
 *                     └─▶ lost while alone, for the second time ─▶ blamed: its text is refused
 *
 * A caller that is blamed several times in a short while is suspended for some time: each loss delays all callers.
 * Work that lacked memory beside others waits here, too, with less time.
 */
import type { Execution } from '../../domain/statement.ts';
import { MemoryRetries } from './memory-retries.ts';

/** So often work may be alone with an engine that is lost: once may be an accident. */
const ALONE_LOSSES_MAX = 2;
/** The least time that work has the engine for itself; most that bring it down do so at once. */
const ALONE_MS = 500;
/** The most, for work that was lost once; more often lost, it gets more. */
const ALONE_MS_MAX = 3_000;
/** So many blames within `BLAMES_MS` suspend a person for as long. */
const BLAMES_MAX = 3;
const BLAMES_MS = 600_000;

interface Suspicion {
  losses: number;
  aloneLosses: number;
  /** How long it ran when it was lost last. */
  ranMs: number;
}

export class Suspects {
  readonly #known = new Map<string, Suspicion>();
  #waiting: Execution[] = [];
  readonly #memoryRetries = new MemoryRetries();
  #alone: { readonly work: Execution; readonly since: number; readonly until: number } | undefined;
  /** When each caller was blamed. */
  readonly #blames = new Map<string, readonly number[]>();

  /** How many wait to be done alone. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** How much longer the engine belongs to one. */
  aloneMs(now: number): number {
    return this.#alone === undefined ? 0 : Math.max(0, this.#alone.until - now);
  }

  /** Whether it is blamed; otherwise it waits. */
  isToBlame(
    id: string,
    { ranMs, wasAlone }: { readonly ranMs: number; readonly wasAlone: boolean },
  ): boolean {
    const known = this.#known.get(id) ?? { losses: 0, aloneLosses: 0, ranMs };
    known.losses++;
    if (wasAlone) known.aloneLosses++;
    known.ranMs = ranMs;
    this.#known.set(id, known);
    this.#endAlone(id);
    return known.aloneLosses >= ALONE_LOSSES_MAX;
  }

  /** How work that lacked memory is done again; undefined when it was tried often enough. */
  afterLack(
    work: Execution,
    { ranMs, ranConcurrently }: { readonly ranMs: number; readonly ranConcurrently: boolean },
  ): 'in turn' | 'alone' | undefined {
    const known = this.#known.get(work.id) ?? { losses: 1, aloneLosses: 0, ranMs };
    this.#known.set(work.id, { ...known, ranMs });
    this.#endAlone(work.id);
    return this.#memoryRetries.next(work.id, personOf(work), { now: performance.now(), ranConcurrently });
  }

  wait(work: Execution): void {
    this.#waiting.push(work);
  }

  /** The next one, for which the engine is now reserved: callers that were never blamed first, then what ran for the shortest time. */
  take(now: number): Execution | undefined {
    const blames = (work: Execution): number => this.#blames.get(personOf(work))?.length ?? 0;
    const ranMs = ({ id }: Execution): number => this.#known.get(id)?.ranMs ?? 0;
    this.#waiting.sort((a, b) => blames(a) - blames(b) || ranMs(a) - ranMs(b));
    const work = this.#waiting.shift();
    if (work === undefined) return undefined;
    const { losses = 1 } = this.#known.get(work.id) ?? {};
    const wanted = Math.min(ALONE_MS + 2 * ranMs(work), ALONE_MS_MAX * losses ** 2);
    const ms = this.#memoryRetries.isKnown(work.id)
      ? Math.min(wanted, this.#memoryRetries.leftMs(personOf(work), now))
      : wanted;
    this.#alone = { work, since: now, until: now + ms };
    return work;
  }

  /** It ended, or was cancelled. */
  forget(id: string): void {
    this.#known.delete(id);
    this.#waiting = this.#waiting.filter((work) => work.id !== id);
    this.#endAlone(id);
    this.#memoryRetries.forget(id);
  }

  #endAlone(id: string): void {
    if (this.#alone?.work.id !== id) return;
    const { work, since, until } = this.#alone;
    const now = performance.now();
    if (this.#memoryRetries.isKnown(id))
      this.#memoryRetries.spend(personOf(work), Math.min(now, until) - since, now);
    this.#alone = undefined;
  }

  blame(asker: { readonly tenant: string; readonly principalId: string }, now: number): void {
    const person = personOf(asker);
    this.#blames.set(person, [...this.#recent(person, now), now]);
    for (const [other, times] of this.#blames)
      if (times.every((time) => now - time >= BLAMES_MS)) this.#blames.delete(other);
  }

  /** Until when this person may not ask; undefined for most. */
  suspendedUntil(person: string, now: number): number | undefined {
    const recent = this.#recent(person, now);
    const last = recent.at(-1);
    return last === undefined || recent.length < BLAMES_MAX ? undefined : last + BLAMES_MS;
  }

  #recent(person: string, now: number): readonly number[] {
    return (this.#blames.get(person) ?? []).filter((time) => now - time < BLAMES_MS);
  }
}

/** Whose it is: a tenant's people are others than another tenant's. */
export function personOf({
  tenant,
  principalId,
}: {
  readonly tenant: string;
  readonly principalId: string;
}): string {
  return `${tenant} ${principalId}`;
}
