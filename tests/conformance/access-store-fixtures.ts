import type { AuditEntry, Grant, Principal, Token } from '../../src/domain/principal.ts';

export const audit = (action: string): AuditEntry => ({
  at: 1,
  tenant: 'acme',
  actor: 'u_1',
  action,
  target: 't',
  outcome: 'done',
});
export const told = (action: string) => ({
  audit: audit(action),
  events: [{ at: 1, event: action, data: null }],
});
export const person = (name: string, groups: readonly string[] = []): Principal => ({
  id: `u_${name}`,
  tenant: 'acme',
  name,
  kind: 'user',
  isPlatformAdmin: false,
  groups,
  createdAt: 1,
});

export const grantOf = (more: Partial<Grant> = {}): Grant => ({
  tenant: 'acme',
  product: 'acme-shop',
  principal: 'ada',
  role: 'consumer',
  createdAt: 1,
  ...more,
});
export const tokenOf = (id: string, parentId?: string, principalId = 'u_ada'): Token => ({
  id,
  principalId,
  name: id,
  hash: `hash of ${id}`,
  createdAt: 1,
  ...(parentId === undefined ? {} : { parentId }),
});
