/** What Ctrl-C asks of a command that works in steps: the first time to begin nothing new, the second time to give up what runs. */
export interface Interruption {
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
}

/** What a command works on, for the message after an interruption. */
export interface InterruptibleWork {
  readonly models: () => readonly string[];
  /** Prints a line between those that are redrawn. */
  readonly note: (text: string) => void;
}

/** Counts the signals of one process; before a command claims them each one ends the process. */
export interface InterruptionWatch {
  /** What a command gets that can end in an orderly way; one that `drains` is given its time by SIGTERM as by Ctrl-C. */
  claim(options?: { readonly drains: boolean }): Interruption;
  /** From here on the command reports what it works on. */
  reportWork(work: InterruptibleWork): void;
  readonly work: InterruptibleWork | undefined;
  /** One more signal came; false when no part of the command claimed it, or the command does not end by itself. */
  interrupt(isFinal: boolean): boolean;
  readonly count: number;
}

export function interruptionWatch(): InterruptionWatch {
  const [stop, cancel] = [new AbortController(), new AbortController()];
  let isClaimed = false;
  let drains = false;
  let count = 0;
  let work: InterruptibleWork | undefined;
  return {
    claim(options) {
      isClaimed = true;
      drains = options?.drains ?? false;
      return { stop: stop.signal, cancel: cancel.signal };
    },
    reportWork(reported) {
      work = reported;
    },
    get work() {
      return work;
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

const NAMES_MAX = 5;

/** What the first Ctrl-C is answered with. */
export function interruptedText(models: readonly string[]): string {
  const more = models.length - NAMES_MAX;
  const named = `${models.slice(0, NAMES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const finished = models.length === 0 ? 'what runs is finished' : `finishing ${named}`;
  return `Nothing new is begun; ${finished}. Ctrl-C again cancels it.`;
}
