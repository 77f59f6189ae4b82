import type { Identity } from '../../domain/principal.ts';
import type { ProductReader } from '../product-reader.ts';

/** What something that is shared by name says of a caller; groups of another tenant are other groups. */
export function shareKeysFor({ tenant }: ProductReader, identity: Identity): readonly string[] {
  const groups = identity.tenant === tenant ? identity.groups : [];
  return [`user:${identity.principalId}`, ...groups.map((group) => `group:${group}`)];
}
