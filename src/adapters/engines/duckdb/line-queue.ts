import type { AnswerColumn } from '../../../domain/engine.ts';
import type { Failure } from '../../../domain/failure.ts';

/** What comes before the lines. */
export interface AnswerHead {
  readonly columns: readonly AnswerColumn[];
  readonly versions?: readonly string[];
}

/** Lines that have come and are not used yet; the client acknowledges what it used, and the keeper sends at most a window of lines (back-pressure). */
export class LineQueue {
  readonly #taken: (bytes: number) => void;
  readonly #waiting: Buffer[] = [];
  #end: { readonly failure: Failure | undefined } | undefined;
  #wake: (() => void) | undefined;
  #began: (beginning: AnswerHead) => void = () => undefined;
  #ended: () => void = () => undefined;
  /** Undefined when it ended without one. */
  readonly beginning: Promise<AnswerHead | undefined>;
  /** Settles when the keeper has answered, or is lost; never rejects. */
  readonly ended: Promise<void>;

  constructor(taken: (bytes: number) => void) {
    this.#taken = taken;
    this.ended = new Promise((resolve) => {
      this.#ended = resolve;
    });
    this.beginning = Promise.race([
      new Promise<AnswerHead>((resolve) => {
        this.#began = resolve;
      }),
      this.ended.then(() => undefined),
    ]);
  }

  get failure(): Failure | undefined {
    return this.#end?.failure;
  }

  begin(beginning: AnswerHead): void {
    this.#began(beginning);
  }

  add(lines: Buffer): void {
    this.#waiting.push(lines);
    this.#wake?.();
  }

  end(failure?: Failure): void {
    this.#end = { failure };
    this.#ended();
    this.#wake?.();
  }

  /** The next lines; undefined after the last ones. A failure comes at once, before lines that are no longer needed. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#end?.failure !== undefined) throw this.#end.failure;
      const lines = this.#waiting.shift();
      if (lines !== undefined) {
        if (this.#end === undefined) this.#taken(lines.length);
        return lines;
      }
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
