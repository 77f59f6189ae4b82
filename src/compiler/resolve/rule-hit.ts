import type { ModelDefinition } from '../../domain/model.ts';
import type { QueryNodes } from '../../foundation/sql/query-nodes.ts';
import type { Edit } from '../../foundation/sql/splice.ts';
import type { ParsedModel } from './parsed-model.ts';

/** What a lint rule saw in a query, before anything is known of the tables it reads. Offsets are of the file. */
export interface RuleHit {
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  /** What the rule says or decides later: names of tables, columns and functions. */
  readonly words?: readonly string[];
  /** The change of the file that makes it go away. */
  readonly fix?: Edit;
}

/** A query that was just read. */
export interface QueryToInspect {
  readonly parsed: ParsedModel;
  readonly nodes: QueryNodes;
  /** Whether a macro asked for the interval or the time of execution. */
  readonly readsTimes: boolean;
}

/** Looks at a query when it is read, so that its tree need not be made again: the hits are kept with the analysis. */
export type InspectQuery = (definition: ModelDefinition, read: QueryToInspect) => readonly RuleHit[];
