import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { KeySet, PublishedKeys } from '../../domain/published-keys.ts';

/** Looks once more where a key is missing, since issuers change theirs. */
export function issuerKeys(remote: PublishedKeys): JWTVerifyGetKey {
  const sets = new WeakMap<KeySet, JWTVerifyGetKey>();
  const setOf = (published: KeySet): JWTVerifyGetKey => {
    const found = sets.get(published) ?? createLocalJWKSet(published as unknown as JSONWebKeySet);
    sets.set(published, found);
    return found;
  };
  return async (header, token) => {
    const known = await remote.keys();
    if (known === undefined) throw new errors.JWKSNoMatchingKey();
    try {
      return await setOf(known)(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await remote.newerThan(known);
      if (newer === undefined) throw error;
      return setOf(newer)(header, token);
    }
  };
}
