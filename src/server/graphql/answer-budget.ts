import { failure } from '../../domain/failure.ts';

/** Of one answer, all root fields together. Aliases can ask for a cell any number of times, so what is written counts, not what is read. */
const CELLS_MAX = 2_000_000;
const BYTES_MAX = 64_000_000;
/** Of what is not written as it is read: lists of statements. */
const HELD_BYTES_MAX = 8_388_608;

/** How much a root field writes. */
export interface AnswerSize {
  readonly cells: number;
  readonly bytes: number;
}

/** The place of a root field among those of its request. */
export interface BudgetTurn {
  /** When the root fields before it have taken or failed. */
  readonly reached: Promise<unknown>;
  /** Throws `graphql.too-large` when what is left is not enough. */
  take(size: AnswerSize): void;
  /** Lets the next one take; also when this one has failed. */
  end(): void;
}

/** What one request may write. Root fields take from it in the order of the document, whichever statement ends first. */
export class AnswerBudget {
  #cells = 0;
  #bytes = 0;
  #held = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** What was taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws `graphql.too-large` when the request asks for more that is held until it is sent. */
  hold(bytes: number): void {
    this.#held += bytes;
    if (this.#held > HELD_BYTES_MAX)
      throw failure('graphql.too-large', { what: 'bytes of statements in its answer', max: HELD_BYTES_MAX });
    this.#bytes += bytes;
  }

  turn(): BudgetTurn {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = Promise.all([before, promise]);
    return {
      reached: before,
      take: ({ cells, bytes }) => {
        if (this.#cells + cells > CELLS_MAX)
          throw failure('graphql.too-large', { what: 'cells in its answer', max: CELLS_MAX });
        if (this.#bytes + bytes > BYTES_MAX)
          throw failure('graphql.too-large', { what: 'bytes in its answer', max: BYTES_MAX });
        this.#cells += cells;
        this.#bytes += bytes;
      },
      end: resolve,
    };
  }
}
