/** Something that happened, as the log keeps it. */
export interface StoredEvent {
  /** Grows by one with each event; given by the store. */
  readonly sequence: number;
  readonly at: number;
  readonly event: string;
  readonly environment?: string;
  readonly runId?: string;
  readonly model?: string;
  readonly data: unknown;
}

export type NewEvent = Omit<StoredEvent, 'sequence'>;

/** The log of everything that happened. */
export interface EventReader {
  events(request: {
    readonly after?: number;
    readonly environment?: string;
    readonly runId?: string;
    readonly model?: string;
    /** Names of events; `plan.*` are all that begin so. */
    readonly types?: readonly string[];
    readonly limit: number;
  }): Promise<readonly StoredEvent[]>;
  /** Of the newest event; 0 when nothing has happened. */
  lastSequence(): Promise<number>;
}
