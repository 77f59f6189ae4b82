import type { SourceRange } from '../foundation/diagnostics/diagnostic.ts';
import type { Dialect } from '../foundation/sql/dialect.ts';
import type { Audit, AuditUse } from './audit.ts';
import type { ModelKind } from './model-kind.ts';
import type { SqlText } from './sql-text.ts';

/** What a file says about one model, defaults filled in, macros not yet expanded. */
export interface ModelDefinition {
  /** `schema.model`, or `catalog.schema.model` where the catalog is not the gateway's own; folded to lower case unless quoted. */
  readonly name: string;
  readonly file: string;
  readonly kind: ModelKind;
  readonly source: ModelSource;
  readonly dialect: Dialect;
  readonly cron: string;
  readonly cronTz?: string;
  readonly intervalUnit?: string;
  readonly start?: string;
  readonly end?: string;
  /** Each grain is a list of columns that together identify a row. */
  readonly grains: readonly (readonly string[])[];
  readonly references: readonly string[];
  readonly owner?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly terms: readonly string[];
  /** Declared in the file (`columns (a int)`, or an external model's YAML); canonical type texts. Undefined when not declared. */
  readonly declaredColumns?: readonly { readonly name: string; readonly type: string }[];
  readonly columnDescriptions: Readonly<Record<string, string>>;
  readonly columnTags: Readonly<Record<string, readonly string[]>>;
  readonly audits: readonly AuditUse[];
  /** AUDIT blocks in the model's own file: visible to this model only, and before those of the project. */
  readonly inlineAudits: readonly Audit[];
  /** What `depends_on` adds to the tables the query names. */
  readonly declaredDependencies: readonly string[];
  /** SQL texts. */
  readonly partitionedBy: readonly string[];
  readonly clusteredBy: readonly string[];
  readonly tableFormat?: string;
  readonly storageFormat?: string;
  /** SQL texts by property name. */
  readonly physicalProperties: Readonly<Record<string, string>>;
  readonly virtualProperties: Readonly<Record<string, string>>;
  readonly sessionProperties: Readonly<Record<string, string>>;
  readonly stamp?: string;
  readonly isEnabled: boolean;
  readonly allowPartials: boolean;
  readonly gateway?: string;
  readonly ignoredRules: readonly string[] | 'ALL';
  readonly signals: readonly {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string>>;
    /** Of its code and all that it imports; absent when there is no such function. */
    readonly hash?: string;
  }[];
  readonly profiles: readonly string[] | '*';
  readonly optimizeQuery: boolean;
  /** Expected maximum age, as written (`26h`). */
  readonly freshness?: string;
  /** Variables of the blueprint this model was made from, SQL texts; empty without blueprints. */
  readonly blueprint: Readonly<Record<string, string>>;
  /** `semantic_model.rollup` whose rows it keeps ready: such a model was made from a definition and belongs to no file. */
  readonly rollup?: string;
  /** Where things stand in the file, for diagnostics found later: `name`, `kind`, each property, `kind.<option>`, `columns.<column>`, `query`. */
  readonly ranges: Readonly<Record<string, SourceRange>>;
}

/** Where the rows of a model come from. */
export type ModelSource =
  | {
      readonly kind: 'sql';
      readonly query: SqlText;
      readonly preStatements: readonly SqlText[];
      readonly postStatements: readonly SqlText[];
      readonly onVirtualUpdate: readonly SqlText[];
      /** Comments directly behind or above a projection, by offset in the file. */
      readonly comments: readonly {
        readonly text: string;
        readonly start: number;
        readonly end: number;
        readonly isBlock: boolean;
      }[];
    }
  | {
      readonly kind: 'seed';
      /** Path relative to the project folder. */
      readonly path: string;
      readonly contentHash: string;
      /** Header of the CSV file, in order. */
      readonly header: readonly string[];
      /** Hash of the values of each column, row by row, by lower-case name: what changed in a file, column by column. Absent for large or ragged files. */
      readonly columnHashes?: Readonly<Record<string, string>>;
      /** The columns that are loaded: those declared, else those of the header with types found in the head of the file. */
      readonly columns: readonly { readonly name: string; readonly type: string }[];
      readonly preStatements: readonly SqlText[];
      readonly postStatements: readonly SqlText[];
      readonly onVirtualUpdate: readonly SqlText[];
    }
  | { readonly kind: 'external' };

/** A column of a model. `type` is canonical type text, `UNKNOWN` when it cannot be known without asking the engine. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
}

/** A column of another model or external table whose values flow into this one. */
export interface LineageSource {
  readonly model: string;
  readonly column: string;
}

/** Direct (one hop) lineage of one column. */
export interface ColumnLineage {
  readonly column: string;
  readonly transformation: 'identity' | 'derived' | 'aggregated';
  readonly sources: readonly LineageSource[];
}

/** A named query, seed or external table with everything that can be known without touching a warehouse. */
export interface Model extends ModelDefinition {
  /** Every table it reads, models and undeclared externals alike, EMBEDDED ones included; sorted. */
  readonly dependencies: readonly string[];
  readonly columns: readonly Column[];
  /** False when a star over an unknown table left the list open. */
  readonly hasAllColumns: boolean;
  readonly lineage: readonly ColumnLineage[];
  /** Columns read of each dependency anywhere in the query; `*` when all. */
  readonly reads: Readonly<Record<string, readonly string[] | '*'>>;
  /** Of these the columns that decide which rows there are or in which order (see `QueryFacts.deciding`); `*` where it is not certain which. Absent: not known, as in older snapshots. */
  readonly deciding?: Readonly<Record<string, readonly string[] | '*'>>;
  /** Those of `deciding` that joins compare. Absent in older snapshots. */
  readonly joining?: Readonly<Record<string, readonly string[]>>;
  /** 128-bit hash of the canonical query after macro expansion with fixed times; undefined for models without SQL. */
  readonly queryHash?: string;
  /** Hash of the canonical statements around the write; undefined when there are none. */
  readonly statementsHash?: string;
  /** Hash of query and statements as written, where times or the stage decide what they expand to: the load sees only one case. Undefined elsewhere. */
  readonly hiddenHash?: string;
  /** Hash of the canonical on-virtual-update statements; undefined when there are none. */
  readonly virtualUpdateHash?: string;
  /** Names of the common tables of its query, lower case: what a model test may look into. Undefined when the query could not be read. */
  readonly commonTables?: readonly string[];
  /** Macros and variables the file used, by name with the hash of what they were: what a change of them invalidates. */
  readonly usedMacros: Readonly<Record<string, string>>;
}

/** Whether the query reads the model's own table: an incremental model its past, a FULL one what it was before. */
export function readsItself({
  name,
  reads,
  declaredDependencies,
}: Pick<Model, 'name' | 'reads' | 'declaredDependencies'>): boolean {
  return Object.hasOwn(reads, name) || declaredDependencies.includes(name);
}
