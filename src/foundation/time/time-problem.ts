/** What can be wrong with a text about time; the product's catalog maps each to a coded diagnostic. */
export type TimeProblemReason =
  | 'bad-cron'
  | 'cron-too-frequent'
  | 'cron-never-due'
  | 'unknown-time-zone'
  | 'unknown-interval-unit'
  | 'bad-time'
  | 'bad-duration'
  | 'bad-date-range';

/** An error as a value: `offset` and `length` mark the offending part inside `text`, so a caret can point at it. */
export interface TimeProblem {
  readonly kind: 'problem';
  readonly reason: TimeProblemReason;
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  /** What is wrong, as a sentence with the offending value. */
  readonly message: string;
  /** What would have been right, as a phrase that can follow "expected". */
  readonly expected: string;
}

/** Builds a problem; without `part` the whole text is the offender. */
export function timeProblem(
  reason: TimeProblemReason,
  text: string,
  words: {
    readonly message: string;
    readonly expected: string;
    readonly part?: readonly [offset: number, length: number];
  },
): TimeProblem {
  const [offset, length] = words.part ?? [0, text.length];
  return { kind: 'problem', reason, text, offset, length, message: words.message, expected: words.expected };
}

/** A user's text made safe for a message: one line, at most 60 characters. */
export function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return `'${line.length > 60 ? `${line.slice(0, 57)}...` : line}'`;
}
