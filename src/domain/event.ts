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
