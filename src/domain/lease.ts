/** A right that one run holds for a while: on an environment, or on a physical table. Wall time, epoch milliseconds. */
export interface Lease {
  /** `environment:<name>`, `table:<tableKey>`, `scheduler`. */
  readonly name: string;
  /** The run that holds it. */
  readonly holder: string;
  /** Grows with each holder of this name, for ever. */
  readonly token: number;
  readonly since: number;
  readonly expiresAt: number;
  /** Who that is, for people: command, process id, user. */
  readonly who: string;
}

/** A lease lives this long after its last heartbeat. */
export const LEASE_MS = 8_000;
/** How often a holder says that it is alive. */
export const HEARTBEAT_MS = 2_000;

export type LeaseAnswer =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[] }
  /** Nothing was granted: this one is held by another. */
  | { readonly kind: 'held'; readonly by: Lease };

/** The answer about tables: with what the environments show at the moment of the grant (see `promotionMark`). */
export type TablesAnswer =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[]; readonly mark: string }
  | Extract<LeaseAnswer, { kind: 'held' }>;
