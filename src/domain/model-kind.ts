/** How the table of a model is kept up to date. Options have their defaults filled in. */
export type ModelKind =
  | { readonly kind: 'view'; readonly materialized: boolean }
  | { readonly kind: 'full' }
  | ({
      readonly kind: 'incremental-by-time-range';
      readonly timeColumn: TimeColumn;
      readonly strictTime: 'warn' | 'error';
      readonly autoRestatementIntervals?: number;
      readonly partitionByTimeColumn: boolean;
    } & Incremental)
  | ({
      readonly kind: 'incremental-by-unique-key';
      readonly uniqueKey: readonly string[];
      readonly whenMatched?: string;
      readonly mergeFilter?: string;
    } & Incremental)
  | ({ readonly kind: 'incremental-by-partition' } & Incremental)
  | ({ readonly kind: 'incremental-unmanaged'; readonly insertOverwrite: boolean } & Incremental)
  | ({
      readonly kind: 'scd-type-2-by-time';
      readonly updatedAtName: string;
      readonly updatedAtAsValidFrom: boolean;
    } & History)
  | ({
      readonly kind: 'scd-type-2-by-column';
      /** `*` watches every column. */
      readonly columns: '*' | readonly string[];
      readonly executionTimeAsValidFrom: boolean;
      readonly updatedAtName?: string;
    } & History)
  | { readonly kind: 'seed'; readonly path: string; readonly csv: CsvSettings; readonly batchSize: number }
  | { readonly kind: 'embedded' }
  | { readonly kind: 'external' }
  | { readonly kind: 'managed' }
  | {
      readonly kind: 'custom';
      readonly materialization: string;
      readonly properties: Readonly<Record<string, string>>;
    };

/** The column that says to which interval a row belongs; `format` is a strftime-like pattern for text columns. */
export interface TimeColumn {
  readonly column: string;
  readonly format?: string;
}

/** What every incremental kind has. */
export interface Incremental {
  readonly lookback: number;
  readonly batchSize?: number;
  readonly batchConcurrency?: number;
  /** When the last intervals are processed again. */
  readonly autoRestatementCron?: string;
  readonly forwardOnly: boolean;
  readonly disableRestatement: boolean;
  readonly onDestructiveChange: SchemaChangePolicy;
  readonly onAdditiveChange: SchemaChangePolicy;
}

/** What both SCD 2 kinds have. */
export interface History extends Incremental {
  /** SQL texts; usually column names. */
  readonly uniqueKey: readonly string[];
  readonly validFromName: string;
  readonly validToName: string;
  readonly timeDataType: string;
  readonly invalidateHardDeletes: boolean;
}

export type SchemaChangePolicy = 'error' | 'warn' | 'allow' | 'ignore';

/** How a seed file is read; the defaults are those of a comma-separated file with a header. */
export interface CsvSettings {
  readonly delimiter: string;
  readonly quotechar: string;
  readonly doublequote: boolean;
  readonly escapechar?: string;
  readonly skipinitialspace: boolean;
  readonly lineterminator?: string;
  readonly encoding: string;
  readonly naValues: readonly string[] | Readonly<Record<string, readonly string[]>>;
  readonly keepDefaultNa: boolean;
}
