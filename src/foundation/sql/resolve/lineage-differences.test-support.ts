/** Where our lineage differs from the SQL library's, query by query, and why. */
export interface LineageDifference {
  readonly sql: string;
  readonly reason: string;
  readonly ours?: string;
  readonly theirs?: string;
}

export const LINEAGE_DIFFERENCES: readonly LineageDifference[] = [];
