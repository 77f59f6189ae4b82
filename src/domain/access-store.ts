import type { NewEvent } from './event.ts';
import type { AccessRequest, AuditEntry, Grant, Group, Principal } from './principal.ts';

/** What goes into the logs in the transaction of a change. */
export interface LogEntries {
  readonly audit: AuditEntry;
  readonly events: readonly NewEvent[];
}

/** `differs`: it does not match `expected`, and nothing was changed. */
export type ChangeOutcome = 'done' | 'missing' | 'differs';

export interface AccessRequestFilter {
  readonly tenant: string;
  readonly product?: string | undefined;
  /** Only those of this principal and of these products. */
  readonly seenBy?: { readonly principalId: string; readonly products: readonly string[] } | undefined;
  readonly status?: AccessRequest['status'] | undefined;
  /** Older than this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Groups with a row of their own, and requests for access: reading half. */
export interface AccessReader {
  /** Groups that were created, also empty ones. Membership is kept with principals. */
  groups(request: { readonly tenant: string }): Promise<readonly Group[]>;
  /** Newest first. */
  requests(filter: AccessRequestFilter): Promise<readonly AccessRequest[]>;
  request(id: string): Promise<AccessRequest | undefined>;
}

/** Each method is one transaction. */
export interface AccessStore extends AccessReader {
  /** Makes it, or replaces its members; names that are not principals of the tenant are left out. */
  putGroup(
    group: Group,
    change: {
      readonly members: readonly string[];
      readonly expected?: readonly string[] | undefined;
      /** Refused as `differs` when it is there. */
      readonly isNew?: boolean;
    },
    audit: AuditEntry,
  ): Promise<ChangeOutcome>;
  /** With all its memberships and grants. */
  removeGroup(
    group: Pick<Group, 'tenant' | 'name'>,
    expected: readonly string[] | undefined,
    audit: AuditEntry,
  ): Promise<ChangeOutcome>;
  /** The pending request for the same principal, product and role; undefined when this one was stored. */
  createRequest(request: AccessRequest, log: LogEntries): Promise<AccessRequest | undefined>;
  /** Only while it is pending; answers with the request after the call, undefined when there is none. */
  decideRequest(
    decided: AccessRequest,
    request: { readonly grant?: Grant; readonly log: LogEntries },
  ): Promise<{ readonly isDone: boolean; readonly request: AccessRequest } | undefined>;
}

/** What may be changed of a principal; null removes the role. */
export interface PrincipalChange {
  readonly role?: Principal['role'] | null | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly isPlatformAdmin?: boolean | undefined;
}

/** What entries of the audit log must have. */
export interface AuditFilter {
  readonly actor?: string | undefined;
  /** The whole of it, or what comes before a dot: `token` has `token.create`. */
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly outcome?: AuditEntry['outcome'] | undefined;
  readonly correlationId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}
