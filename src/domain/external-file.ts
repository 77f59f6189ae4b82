/** What became of one table: `kept` is described by the user, `missing` is not in the warehouse. */
export interface ExternalTable {
  readonly name: string;
  readonly status: 'written' | 'same' | 'kept' | 'missing' | 'removed';
  readonly columns?: number;
}

export interface ExternalFile {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly tables: readonly ExternalTable[];
}
