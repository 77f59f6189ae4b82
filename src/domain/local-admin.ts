import type { Identity } from './principal.ts';

/** The owner of the machine: the caller when authentication is off, which only processes of this machine can reach, and of commands. */
export const LOCAL_ADMIN: Identity = {
  principalId: 'local-admin',
  name: 'local-admin',
  kind: 'local-admin',
  tenant: '',
  isPlatformAdmin: true,
  productRoles: {},
  groups: [],
};
