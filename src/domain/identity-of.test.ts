import { expect, test } from 'vitest';
import type { Config } from './config.ts';
import { identityOf } from './identity-of.ts';
import type { Grant, Principal } from './principal.ts';

const ada: Principal = {
  id: 'u1',
  tenant: 'acme',
  name: 'ada',
  kind: 'user',
  isPlatformAdmin: false,
  groups: ['sales'],
  createdAt: 0,
};
const entry = (principal: string, role: string) => ({
  principal,
  role,
  models: [],
  environments: [],
  isExempt: false,
});
const product = (config: Partial<Pick<Config, 'users' | 'access'>>, tenant = 'acme') => ({
  tenant,
  slug: `${tenant}-shop`,
  world: { config: { users: [], access: [], ...config } },
});
const grant = (more: Partial<Grant>): Grant => ({
  tenant: 'acme',
  product: 'acme-shop',
  principal: 'ada',
  role: 'consumer',
  createdAt: 0,
  ...more,
});
const rolesOf = (grants: readonly Grant[], ...products: readonly ReturnType<typeof product>[]) =>
  identityOf(ada, { grants, products, now: 100 }).productRoles;

test('the higher of a granted and a configured role is valid', () => {
  expect(rolesOf([grant({ role: 'editor' })], product({ access: [entry('ada', 'consumer')] }))).toEqual({
    'acme-shop': 'editor',
  });
  expect(rolesOf([grant({})], product({ access: [entry('ada', 'owner')] }))).toEqual({
    'acme-shop': 'owner',
  });
});

test('a group gives its roles to its members, also to those that config.yaml names', () => {
  const config = product({
    users: [{ username: 'ada', groups: ['north'] }] as unknown as Config['users'],
    access: [entry('north', 'editor')],
  });
  expect(rolesOf([], config)).toEqual({ 'acme-shop': 'editor' });
  expect(rolesOf([grant({ principal: 'group:sales', role: 'owner' })], config)).toEqual({
    'acme-shop': 'owner',
  });
  expect(rolesOf([grant({ principal: 'sales', role: 'owner' })])).toEqual({});
});

test('what another tenant says and grants that have ended give nothing', () => {
  expect(rolesOf([grant({ tenant: 'globex' }), grant({ expiresAt: 100 })])).toEqual({});
  expect(rolesOf([], product({ access: [entry('ada', 'owner')] }, 'globex'))).toEqual({});
  expect(rolesOf([grant({ expiresAt: 101 })])).toEqual({ 'acme-shop': 'consumer' });
});
