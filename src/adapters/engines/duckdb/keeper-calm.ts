/**
 * Knows whether any client may write. A transaction that only reads ends at once, unless something was committed while it was open: then
 * it clears away what only it could still see, which takes as long as that is large, and others that end wait for it.
 */
export class KeeperCalm {
  #writers = 0;
  #begun = 0;

  /** A client may write, or clears away, until the returned function is called. */
  disturb(): () => void {
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
    const wasCalm = this.#writers === 0;
    return () => wasCalm && this.#begun === begun;
  }
}
