import type { Query } from '../../foundation/sql/tree.ts';
import type { OffsetMap } from '../macros/expansion.ts';

/** A query with the text it was parsed from and the way back to the user's file. */
export interface ParsedModel {
  readonly query: Query;
  readonly text: string;
  readonly map: OffsetMap;
  /** Read through the SQL library: its places are not the user's. */
  readonly hasForeignSpans: boolean;
}
