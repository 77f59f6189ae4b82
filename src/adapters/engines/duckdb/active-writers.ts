/**
 * Knows whether any client may write. A transaction that only reads ends at once, unless something was committed while it was open: then
 * it clears away what only it could still see, which takes as long as that is large, and others that end wait for it.
 */
export class ActiveWriters {
  #writers = 0;
  #begun = 0;

  /** A client may write, or clears away, until the returned function is called. */
  begin(): () => void {
    this.#writers++;
    this.#begun++;
    let isOver = false;
    return () => {
      if (!isOver) this.#writers--;
      isOver = true;
    };
  }

  /** The returned function says whether no client did since now. */
  watch(): () => boolean {
    const begun = this.#begun;
    const hadNone = this.#writers === 0;
    return () => hadNone && this.#begun === begun;
  }
}
