/** What a table looks like: one observation of its rows. Numbers are exact unless `isApproximate`. */
export interface TableProfile {
  readonly id: string;
  readonly environment: string;
  readonly model: string;
  readonly runId: string;
  /** The run whose changes it shows, where that made it be made. */
  readonly changedBy?: string;
  /** The plan that brought the packs which say what is profiled. */
  readonly definedBy?: string;
  /** The moment of the profile: wall time, unless a time was given. */
  readonly at: number;
  readonly ms: number;
  readonly dataVersion: string;
  readonly rows: number;
  /** As the engine says it; absent where it does not. */
  readonly bytes?: number;
  readonly columns: readonly ColumnProfile[];
}

export interface ColumnProfile {
  readonly name: string;
  readonly type: string;
  readonly family: 'number' | 'text' | 'time' | 'boolean' | 'other';
  readonly nulls: number;
  readonly distinct?: number;
  readonly isApproximate?: boolean;
  /** Rows whose value occurs more than once. */
  readonly duplicates?: number;
  /** Texts of values, as answers show them. Of numbers, these and all below are of finite values. */
  readonly min?: string;
  readonly max?: string;
  readonly avg?: number;
  readonly sum?: number;
  readonly stddev?: number;
  readonly quartiles?: readonly [number, number, number];
  readonly zeros?: number;
  readonly negatives?: number;
  /** Edges of times are seconds since 1970. */
  readonly histogram?: readonly { readonly from: number; readonly to: number; readonly rows: number }[];
  readonly topValues?: readonly { readonly value: string | null; readonly rows: number }[];
  readonly lengths?: { readonly min: number; readonly max: number; readonly avg: number };
  readonly empties?: number;
  /** Shapes of texts: letters as `a` or `A`, digits as `9`. */
  readonly patterns?: readonly { readonly pattern: string; readonly rows: number }[];
  /** Shares of the values (NULLs left out) that later profiles are compared with: eighths of numbers, most frequent values of the rest. */
  readonly shares?: readonly { readonly bin: string; readonly share: number }[];
  readonly drift?: ColumnDrift;
  /** Its values are hidden from the reader it was made for. */
  readonly isWithheld?: true;
}

/** How a column differs from the profile before (`previous`) and from the first one kept as `baseline`. */
export interface ColumnDrift {
  readonly previous?: DriftMeasures;
  readonly baseline?: DriftMeasures;
}

export interface DriftMeasures {
  /** The profile it is compared with. */
  readonly profile: string;
  readonly psi?: number;
  /** Difference of the shares of NULL, -1 to 1. */
  readonly nullRate: number;
  readonly newValues?: readonly string[];
  readonly vanishedValues?: readonly string[];
  readonly isDrifted: boolean;
}
