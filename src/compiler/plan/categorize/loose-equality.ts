/**
 * Where `=` takes two texts for one ('A' and 'a'), the operation that compares rows chooses which of them is shown: a grouping,
 * DISTINCT, a set operation, a minimum, the edge of a limit. A collation stored in a table's column is not seen here.
 */
import type { Dialect } from '../../../foundation/sql/dialect.ts';
import type { TermSession } from './table-terms.ts';
import type { Term } from './terms.ts';
import { Unsure } from './unsure.ts';

const LOOSE: ReadonlySet<Dialect> = new Set(['mysql', 'sqlite', 'tsql']);

/** Whether equal values may be shown differently: always there, and under COLLATE everywhere. */
export function isLooselyEqual({ terms, dialect }: TermSession, values: readonly Term[]): boolean {
  return LOOSE.has(dialect) || values.some((value) => terms.some(value, (term) => terms.op(term) === 'scalar' && terms.parts(term)[0] === 'collate')); // biome-ignore format: one question
}

/** Ends the proof where one of several equal rows is shown. */
export function checkEquality(session: TermSession, values: readonly Term[]): void {
  if (!isLooselyEqual(session, values)) return;
  const who = LOOSE.has(session.dialect) ? session.dialect : 'COLLATE';
  throw new Unsure(
    `${who} takes different texts for equal, so any of them may stand for a group or distinct row`,
  );
}
