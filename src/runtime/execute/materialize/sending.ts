/** Calls on a session that were made without waiting: in order, so that the first failure is the cause of those behind it. */
export class Sending {
  private readonly sent: Promise<unknown>[] = [];

  /** Remembers the call, so that a failure that is not awaited is neither lost nor unhandled. */
  send<Value>(call: Promise<Value>): Promise<Value> {
    call.catch(() => {});
    this.sent.push(call);
    return call;
  }

  /** Waits for all that was sent; throws the first failure. */
  async settle(): Promise<void> {
    for (let i = 0; i < this.sent.length; i++) await this.sent[i];
    this.sent.length = 0;
  }

  /** The failure that came first, in the words of the one given where that is about it: a refused call is not the reason why it was refused. */
  async cause(error: unknown): Promise<unknown> {
    for (const call of this.sent) {
      const found = await call.then(
        () => undefined,
        (reason: unknown) => ({ reason }),
      );
      if (found === undefined) continue;
      return error instanceof Error && error.cause === found.reason ? error : found.reason;
    }
    return error;
  }
}
