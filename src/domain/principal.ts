/** Who acts: what a credential was found to mean. Every operation of the server is asked on behalf of one. */
export interface Identity {
  readonly principalId: string;
  readonly name: string;
  /** `local-admin`: the owner of the machine, when authentication is off. */
  readonly kind: 'local-admin' | 'user' | 'service-account';
  readonly tenant: string;
  readonly isPlatformAdmin: boolean;
  readonly tenantRole?: TenantRole;
  /** By the product's slug. */
  readonly productRoles: Readonly<Record<string, ProductRole>>;
  /** They feed semantic policies. */
  readonly groups: readonly string[];
  /** The token that was shown; absent for a JWT. */
  readonly tokenId?: string;
  /** What the token is limited to; absent: whatever its owner may. */
  readonly scopes?: readonly Scope[];
  /** When the token or the JWT ends; absent: never. */
  readonly expiresAt?: number;
}

export type TenantRole = 'admin' | 'developer' | 'viewer';
export type ProductRole = 'owner' | 'editor' | 'consumer';

export const SCOPES = [
  'query:read',
  'query:read-all',
  'query:models',
  'activity:read',
  'activity:run',
  'metadata:read',
  'tokens:manage',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

export const TENANT_ROLES = ['admin', 'developer', 'viewer'] as const satisfies readonly TenantRole[];
export const PRODUCT_ROLES = ['owner', 'editor', 'consumer'] as const satisfies readonly ProductRole[];

/** Those who share products. Its name has no dash, so that `{tenant}-{product}` reads one way. */
export interface Tenant {
  readonly name: string;
  readonly createdAt: number;
}

/** A user or a service account of one tenant. */
export interface Principal {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly kind: 'user' | 'service-account';
  readonly role?: TenantRole;
  readonly isPlatformAdmin: boolean;
  readonly groups: readonly string[];
  readonly createdAt: number;
}

/** What is remembered of a token: never its text, of which `hash` is the SHA-256. */
export interface Token {
  readonly id: string;
  readonly principalId: string;
  readonly name: string;
  readonly hash: string;
  /** The token by which it was made: it counts only while that one does. */
  readonly parentId?: string;
  readonly scopes?: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
}

/** Whether a token has neither been revoked nor ended. */
export const isValid = ({ revokedAt, expiresAt }: Token, now: number): boolean =>
  revokedAt === undefined && (expiresAt === undefined || expiresAt > now);

/** A role on a product, for a principal or a group of its tenant. */
export interface Grant {
  readonly tenant: string;
  /** The product's slug. */
  readonly product: string;
  /** Name of a principal, or `group:NAME`. */
  readonly principal: string;
  readonly role: ProductRole;
  readonly createdAt: number;
  /** From then on it counts no more. */
  readonly expiresAt?: number;
  /** The request that it was given for; it stands beside what was granted directly. */
  readonly requestId?: string;
}

/** Whether a grant has not ended. */
export const isActive = ({ expiresAt }: Pick<Grant, 'expiresAt'>, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

/** Principals whom policies and grants name together. */
export interface Group {
  readonly tenant: string;
  readonly name: string;
  readonly createdAt: number;
}

export const REQUEST_STATUSES = ['pending', 'approved', 'denied'] as const;

/** Somebody asks for a role on a product; whoever may manage the product decides, once. */
export interface AccessRequest {
  readonly id: string;
  readonly tenant: string;
  /** The product's slug. */
  readonly product: string;
  readonly principalId: string;
  /** The name of the principal. */
  readonly principal: string;
  readonly role: ProductRole;
  readonly reason?: string;
  /** For how long it is asked, or was given, from the decision on; absent: without an end. */
  readonly durationMs?: number;
  readonly createdAt: number;
  readonly status: (typeof REQUEST_STATUSES)[number];
  readonly decidedAt?: number;
  /** Principal id, or who sat at the command line. */
  readonly decidedBy?: string;
  readonly note?: string;
  /** What was given, if anything. */
  readonly grantedRole?: ProductRole;
  /** When what was granted ends. */
  readonly expiresAt?: number;
}

/** One decision that denied, or one change of who may do what. */
export interface AuditEntry {
  readonly at: number;
  readonly tenant: string;
  /** Principal id, or who acted at the command line. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: 'done' | 'denied';
  readonly correlationId?: string;
}

export type StoredAuditEntry = AuditEntry & { readonly sequence: number };
