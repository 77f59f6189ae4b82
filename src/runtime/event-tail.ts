/*
 * The end of a product's event log. One poll serves all listeners: every half second, and only while there is a listener.
 * Other processes write to the log too and cannot notify this one, so it polls.
 */
import type { StateStore } from '../domain/state-store.ts';

const LOOK_MS = 500;

type EventLog = Pick<StateStore['events'], 'lastSequence'>;

/** The end of the event log of one product. */
export class EventTail {
  readonly #events: EventLog;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(events: EventLog) {
    this.#events = events;
  }

  /** Resolves when the log has grown since the last look, or when the time is over. */
  async next(
    after: number,
    { signal, ms }: { readonly signal: AbortSignal; readonly ms: number },
  ): Promise<void> {
    if (signal.aborted || this.#last > after) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        signal.removeEventListener('abort', end);
        if (this.#waiting.size === 0) clearInterval(this.#timer);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (this.#waiting.size === 0) this.#timer = setInterval(() => void this.#look(), LOOK_MS);
      this.#waiting.add(end);
    });
  }

  async #look(): Promise<void> {
    try {
      const last = await this.#events.lastSequence();
      if (last <= this.#last) return;
      this.#last = last;
    } catch {
      // The reader of the events gets the error of the state.
    }
    for (const end of [...this.#waiting]) end();
  }
}
