import type { Statement } from './statement.ts';

/** Upper bounds, in seconds, of the classes that times of statements are counted in. */
export const DURATION_BOUNDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
] as const;

/** Times by class; those beyond the last bound are in `count` only. */
export interface Times {
  readonly buckets: readonly number[];
  readonly count: number;
  readonly seconds: number;
}

/** Statements that ended since the process began. */
export interface StatementCounts {
  readonly ended: { readonly SUCCESS: number; readonly FAILED: number; readonly CANCELLED: number };
  readonly byStrategy: { readonly [Strategy in Statement['strategy']]: number };
  /** From the submission to the beginning, of those that were begun. */
  readonly queued: Times;
  /** From the beginning to the end. */
  readonly executed: Times;
}

/** What a process does and has done for the statements of one product; `problem` is the last error of the store. */
export interface StatementFigures {
  readonly running: number;
  readonly queued: number;
  readonly counts: StatementCounts;
  readonly problem: unknown;
}
