/** What Ctrl-C asks of a command that works in steps: the first time to begin nothing new, the second time to give up what runs. */
export interface Interruption {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}

/** Counts the signals of one process; before a command claims them each one ends the process. */
export interface InterruptionWatch {
  /** What a command gets that can end in an orderly way; one that `drains` is given its time by SIGTERM as by Ctrl-C. */
  claim(options?: { readonly drains: boolean }): Interruption;
  /** One more signal came; false when nobody claimed it, or the command does not end by itself. */
  interrupt(isFinal: boolean): boolean;
  readonly count: number;
}

export function interruptionWatch(): InterruptionWatch {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  let isClaimed = false;
  let drains = false;
  let count = 0;
  return {
    claim(options) {
      isClaimed = true;
      drains = options?.drains ?? false;
      return { stop: stop.signal, cancel: cancel.signal };
    },
    interrupt(isFinal) {
      if (!isClaimed || cancel.signal.aborted) return false;
      count++;
      stop.abort();
      if ((isFinal && !drains) || count > 1) cancel.abort();
      return true;
    },
    get count() {
      return count;
    },
  };
}
