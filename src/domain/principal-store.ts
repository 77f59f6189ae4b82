import type { AuditFilter, ChangeOutcome, LogEntries, PrincipalChange } from './access-store.ts';
import type { NewEvent } from './event.ts';
import type { AuditEntry, Grant, Principal, StoredAuditEntry, Tenant, Token } from './principal.ts';

/** Tenants, principals, tokens and grants: reading half. */
export interface PrincipalReader {
  tenants(): Promise<readonly Tenant[]>;
  principals(request: { readonly tenant: string }): Promise<readonly Principal[]>;
  /** A token by its id, whosever it is. */
  token(id: string): Promise<Token | undefined>;
  tokens(request: { readonly tenant: string; readonly principalId?: string }): Promise<readonly Token[]>;
  grants(request: { readonly tenant: string; readonly product?: string }): Promise<readonly Grant[]>;
  /** The owner of a token, with their grants and those of all groups of the tenant; undefined for an unknown token, or when its owner is removed. */
  tokenOwner(
    hash: string,
  ): Promise<
    { readonly token: Token; readonly principal: Principal; readonly grants: readonly Grant[] } | undefined
  >;
  /** The same by name, as in the subject of a JWT. */
  principalNamed(
    tenant: string,
    name: string,
  ): Promise<{ readonly principal: Principal; readonly grants: readonly Grant[] } | undefined>;
  /** Newest first. */
  auditLog(
    request: AuditFilter & { readonly tenant: string; readonly before?: number; readonly limit: number },
  ): Promise<readonly StoredAuditEntry[]>;
}

/** Every change comes with its entry of the audit log and its events. */
export interface PrincipalStore extends PrincipalReader {
  /** False when it is there already. */
  createTenant(tenant: Tenant, audit: AuditEntry): Promise<boolean>;
  /** False while it has principals. */
  removeTenant(name: string, audit: AuditEntry): Promise<boolean>;
  /** False when the tenant has one of this name. */
  createPrincipal(principal: Principal, audit: AuditEntry): Promise<boolean>;
  /** `expected`: tags of `entity-tag.ts`, one of which it must have. */
  changePrincipal(
    id: string,
    change: PrincipalChange & { readonly expected?: readonly string[] | undefined },
    audit: AuditEntry,
  ): Promise<ChangeOutcome>;
  /** With its tokens and grants; tokens that they created for others are revoked. */
  removePrincipal(
    id: string,
    audit: AuditEntry,
    expected?: readonly string[] | undefined,
  ): Promise<ChangeOutcome>;
  createToken(token: Token, audit: AuditEntry, events: readonly NewEvent[]): Promise<void>;
  /** With all tokens created with it, and with those; false when there is no valid one. */
  revokeToken(
    request: { readonly tenant: string; readonly id: string; readonly at: number },
    audit: AuditEntry,
    events: readonly NewEvent[],
  ): Promise<boolean>;
  /** When tokens were last used, by id. */
  touchTokens(used: Readonly<Record<string, number>>): Promise<void>;
  /** Replaces the directly granted role; `expected`: tags of all its grants, `none` when there must be none. */
  grant(
    grant: Grant,
    log: LogEntries,
    expected?: readonly string[] | 'none' | undefined,
  ): Promise<Exclude<ChangeOutcome, 'missing'>>;
  /** All that the principal was granted on the product. */
  revokeGrant(
    grant: Pick<Grant, 'tenant' | 'product' | 'principal'>,
    log: LogEntries,
    expected?: readonly string[] | undefined,
  ): Promise<ChangeOutcome>;
  appendAudit(entries: readonly AuditEntry[]): Promise<void>;
}
