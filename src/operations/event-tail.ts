/*
 * The end of a product's event log. However many listen, one looks: every half second, and only while somebody listens.
 * Other processes write to the log too, so nobody can be told; it has to be looked at.
 */
import type { Product } from './platform.ts';

const LOOK_MS = 500;

class EventTail {
  readonly #product: Product;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(product: Product) {
    this.#product = product;
  }

  /** Resolves when the log has grown since somebody last looked, or when the time is over. */
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
      // Whoever reads the events is told what is wrong with the state.
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
