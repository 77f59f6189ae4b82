import type { FileTable } from '../../domain/file-schemas.ts';
import type { Column, ColumnLineage, ModelDefinition } from '../../domain/model.ts';
import type { Diagnostic } from '../../foundation/diagnostics/diagnostic.ts';
import type { RuleHit } from './rule-hit.ts';

/**
 * What the cache keeps of one model file. Three layers, each valid only while what it was computed from is the same:
 *
 *   text, defaults         → definitions          (key)
 *   macros, variables      → tables, query hash   (inputs)
 *   columns of the tables and files  → columns, lineage     (schemaKey)
 */
export interface FileFacts {
  readonly key: string;
  readonly definitions: readonly ModelDefinition[];
  readonly diagnostics: readonly Diagnostic[];
  readonly brokenNames: readonly string[];
  /** One per definition, in order. */
  readonly analyses: readonly ModelAnalysis[];
}

/** A table a query names, with its first place in the file. */
export interface ModelTableUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** A macro asked for its columns, so the query can be read finally only when they are known. */
  readonly isAsked?: boolean;
}

/** What the expanded query says by itself. */
export interface ModelAnalysis {
  /** Hash of each variable, function and context value the expansion looked at; a change of one makes the analysis stale. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly tables: readonly ModelTableUse[];
  /** Files that the query reads as tables; absent: none. */
  readonly files?: readonly FileTable[];
  readonly queryHash?: string;
  /** Of the statements before and after the write. */
  readonly statementsHash?: string;
  /** Of the texts before expansion, where times or the stage decide what they expand to. */
  readonly hiddenHash?: string;
  /** Of the on-virtual-update statements. */
  readonly virtualUpdateHash?: string;
  /** Names of the common tables of the query, lower case. */
  readonly commonTables?: readonly string[];
  /** What lint rules saw in the query; absent where its text or its places are not the user's. */
  readonly hits?: readonly RuleHit[];
  readonly diagnostics: readonly Diagnostic[];
  readonly resolution?: ModelResolution;
  /** The next load may find otherwise though no file changed: code of the user failed, the SQL library hung, or we did. Never kept. */
  readonly isTransient?: true;
}

/** What the query says once the columns of its tables are known. */
export interface ModelResolution {
  /** Hash over the columns of every table and file the query reads, as they were known. */
  readonly schemaKey: string;
  readonly columns: readonly Column[];
  readonly hasAllColumns: boolean;
  readonly lineage: readonly ColumnLineage[];
  readonly reads: Readonly<Record<string, readonly string[] | '*'>>;
  readonly deciding: Readonly<Record<string, readonly string[] | '*'>>;
  readonly joining: Readonly<Record<string, readonly string[]>>;
  readonly diagnostics: readonly Diagnostic[];
}
