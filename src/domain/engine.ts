import type { Dialect } from '../foundation/sql/dialect.ts';

/** A column of an answer, with the engine's own type text. */
export interface AnswerColumn {
  readonly name: string;
  readonly type: string;
}

/** Rows of a small answer; values are what JSON can carry (decimals, dates and big integers as strings). */
export interface Answer {
  readonly columns: readonly AnswerColumn[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A warehouse. Walking skeleton: the smallest port that carries one model to one answer; issue 4 makes it the real one. */
export interface Engine {
  readonly dialect: Dialect;
  query(sql: string): Promise<Answer>;
  /** All statements or none. */
  executeInTransaction(statements: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
