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
  /** What the token is limited to; absent: whatever its owner may. */
  readonly scopes?: readonly Scope[];
}

export type TenantRole = 'admin' | 'developer' | 'viewer';
export type ProductRole = 'owner' | 'editor' | 'consumer';

export const SCOPES = [
  'query:read',
  'query:read-all',
  'query:models',
  'quality:run',
  'perspectives:write',
  'notifications:manage',
  'activity:read',
  'activity:run',
  'metadata:read',
  'admin',
] as const;

export type Scope = (typeof SCOPES)[number];
