/** A right that one run holds for a while: on an environment, or on a physical table. Wall time, epoch milliseconds. */
export interface Lease {
  /** `environment:<name>`, `table:<tableKey>`, `scheduler`. */
  readonly name: string;
  /** The run that holds it. */
  readonly holder: string;
  /** The fencing token: it grows with each holder of this name and is never reset. */
  readonly token: number;
  readonly since: number;
  readonly expiresAt: number;
  /** The holder in words: command, process id, user. */
  readonly who: string;
}

/** A lease lives this long after its last heartbeat: with one interval more until others look, a dead holder is replaced within 10 s. */
export const LEASE_MS = 7_000;
/** The interval of heartbeats. */
export const HEARTBEAT_MS = 2_000;

export type LeaseAnswer =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[] }
  /** Not granted: another run holds this lease. */
  | { readonly kind: 'held'; readonly by: Lease };

/** The answer about tables: with what the environments show at the moment of the grant (see `promotionMark`). */
export type TablesAnswer =
  | { readonly kind: 'granted'; readonly leases: readonly Lease[]; readonly mark: string }
  | Extract<LeaseAnswer, { kind: 'held' }>;
