import { createLocalJWKSet, type JWK } from 'jose';
import type { PublishedKeys } from '../../domain/published-keys.ts';
import type { Platform, Product } from '../platform.ts';
import { openPublishedKeys } from '../workspace.ts';
import { configuredIssuers } from './configured-issuers.ts';
import { issuerKeys } from './issuer-keys.ts';
import { OWN_ISSUER, ownKey } from './own-key.ts';
import { VerifiedJwts } from './verified-jwts.ts';

/** Who signs JWTs that a server takes, and for whom. */
export interface Issuer {
  readonly issuer: string;
  readonly jwts: VerifiedJwts;
  /** The folder that names it, beyond whose people its word does not count. */
  readonly home: Product;
  /** The states that know the people it may speak for. */
  readonly knows: 'home' | 'tenant';
}

export interface JwtVerifierOptions {
  readonly now: () => number;
  /** Told when the keys of an issuer cannot be had. */
  readonly onProblem: (problem: string) => void;
}

/** The server's own issuer of each folder, and those that config.yaml names. `publicKeys`: what others need to verify the server's own. */
export async function jwtIssuers(
  platform: Platform,
  { now, onProblem }: JwtVerifierOptions,
): Promise<{ readonly issuers: readonly Issuer[]; readonly publicKeys: readonly JWK[] }> {
  const publicKeys: JWK[] = [];
  const own: Issuer[] = [];
  for (const home of platform.products) {
    const { publicKey } = await ownKey(home.workspace);
    publicKeys.push(publicKey);
    const keys = createLocalJWKSet({ keys: [publicKey] });
    // The key of one folder must not sign for principals of another.
    const jwts = new VerifiedJwts(keys, { issuer: OWN_ISSUER, audience: OWN_ISSUER }, now);
    own.push({ issuer: OWN_ISSUER, jwts, home, knows: 'home' });
  }
  // Folders that name the same address share what is fetched from it.
  const remotes = new Map<string, PublishedKeys>();
  const remoteOf = (url: string): PublishedKeys => {
    const found = remotes.get(url) ?? openPublishedKeys(url, now, onProblem);
    remotes.set(url, found);
    return found;
  };
  const foreign = platform.products.flatMap((home) =>
    configuredIssuers(home.world.config.server['jwt']).map(
      ({ issuer, audience, url }): Issuer => ({
        issuer,
        jwts: new VerifiedJwts(issuerKeys(remoteOf(url)), { issuer, audience }, now),
        home,
        knows: 'tenant',
      }),
    ),
  );
  return { issuers: [...own, ...foreign], publicKeys };
}
