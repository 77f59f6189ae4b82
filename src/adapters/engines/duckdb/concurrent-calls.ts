import type { SessionCall } from './keeper-wire.ts';

/** Calls that may need much memory and time. */
export const COSTLY: ReadonlySet<SessionCall['kind']> = new Set(['run', 'query', 'read', 'commit']);

/** Which sessions worked beside others: of two that lack memory together, the first to fail may be gone when the second fails. */
export class ConcurrentCalls<Session extends object> {
  readonly #present = new Map<Session, { calls: number; ranConcurrently: boolean }>();

  /** Answers with how to leave. */
  enter(session: Session, { kind }: SessionCall): () => void {
    if (!COSTLY.has(kind)) return () => undefined;
    const known = this.#present.get(session) ?? { calls: 0, ranConcurrently: this.#present.size > 0 };
    if (known.calls++ === 0) for (const other of this.#present.values()) other.ranConcurrently = true;
    this.#present.set(session, known);
    return () => {
      if (--known.calls === 0) this.#present.delete(session);
    };
  }

  ranConcurrently(session: Session): boolean {
    return this.#present.get(session)?.ranConcurrently ?? false;
  }
}
