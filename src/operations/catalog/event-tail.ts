/*
 * The end of a product's event log. One poll serves all listeners: every half second, and only while there is a listener.
 * Other processes write to the log too and cannot notify this one, so it polls.
 */
import type { Product } from '../platform.ts';

const LOOK_MS = 500;

class EventTail {
  readonly #product: Product;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(product: Product) {
    this.#product = product;
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
      const last = await this.#product.world.state.events.lastSequence();
      if (last <= this.#last) return;
      this.#last = last;
    } catch {
      // The reader of the events gets the error of the state.
    }
    for (const end of [...this.#waiting]) end();
  }
}

const tails = new WeakMap<Product, EventTail>();

/** The one tail of a product in this process. */
export function eventTail(product: Product): EventTail {
  const tail = tails.get(product) ?? new EventTail(product);
  tails.set(product, tail);
  return tail;
}
