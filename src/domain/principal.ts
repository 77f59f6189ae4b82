/** The caller: what a credential was found to mean. Every operation of the server acts on behalf of one. */
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
  /** Semantic policies name them. */
  readonly groups: readonly string[];
  /** Id of the token in the request; absent for a JWT. */
  readonly tokenId?: string;
  /** The scopes that limit the token; absent: all rights of its owner. */
  readonly scopes?: readonly Scope[];
  /** When the token or the JWT ends; absent: never. */
  readonly expiresAt?: number;
}

export const TENANT_ROLES = ['admin', 'developer', 'viewer'] as const;
export type TenantRole = (typeof TENANT_ROLES)[number];

export const PRODUCT_ROLES = ['owner', 'editor', 'consumer'] as const;
export type ProductRole = (typeof PRODUCT_ROLES)[number];

export const SCOPES = [
  'query:read',
  'query:read-all',
  'query:models',
  'activity:read',
  'activity:run',
  'quality:run',
  'metadata:read',
  'notifications:manage',
  'perspectives:write',
  'tokens:manage',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];

/** A tenant: principals who share products. Its name has no dash, so that `{tenant}-{product}` reads one way. */
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

/** The record of a token: never its text, of which `hash` is the SHA-256. */
export interface Token {
  readonly id: string;
  readonly principalId: string;
  readonly name: string;
  readonly hash: string;
  /** The token that created it: it is valid only while that one is. */
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
  /** From then on it is not valid. */
  readonly expiresAt?: number;
  /** The request that it was given for; it is kept beside the direct grants. */
  readonly requestId?: string;
}

/** Whether a grant has not ended. */
export const isActive = ({ expiresAt }: Pick<Grant, 'expiresAt'>, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

/** Principals that policies and grants name together. */
export interface Group {
  readonly tenant: string;
  readonly name: string;
  readonly createdAt: number;
}

export const REQUEST_STATUSES = ['pending', 'approved', 'denied'] as const;

/** A principal's request for a role on a product; a principal that manages the product decides it once. */
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
  /** Principal id, or the user of the command line. */
  readonly decidedBy?: string;
  readonly note?: string;
  /** What was given, if anything. */
  readonly grantedRole?: ProductRole;
  /** When what was granted ends. */
  readonly expiresAt?: number;
}

/** One denied request, or one change of access. */
export interface AuditEntry {
  readonly at: number;
  readonly tenant: string;
  /** Principal id, or the user of the command line. */
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly outcome: 'done' | 'denied';
  readonly correlationId?: string;
}

export type StoredAuditEntry = AuditEntry & { readonly sequence: number };
