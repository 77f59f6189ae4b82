/** What is known of the place where a file would lie. */
export interface DiskFacts {
  /** The nearest file or folder that exists. */
  readonly place: string;
  /** Throws where the system does not say. */
  readonly freeBytes: number;
  readonly isWritable: boolean;
}
