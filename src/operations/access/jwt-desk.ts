/** JWTs as credentials: the server's own, and those of issuers that config.yaml names. */
import { createLocalJWKSet, decodeJwt, type JWK } from 'jose';
import type { Identity } from '../../domain/principal.ts';
import type { PublishedKeys } from '../../domain/published-keys.ts';
import type { Platform, Product } from '../platform.ts';
import { openPublishedKeys } from '../workspace.ts';
import { identityOf } from './authenticate.ts';
import { configuredIssuers } from './configured-issuers.ts';
import { issuerKeys } from './issuer-keys.ts';
import { OWN_ISSUER, ownKey } from './own-key.ts';
import { speaksFor, trusted } from './trust.ts';
import { VerifiedJwts } from './verified-jwts.ts';

interface Issuer {
  readonly issuer: string;
  readonly jwts: VerifiedJwts;
  /** The folder that names it, beyond whose people its word does not count. */
  readonly home: Product;
  /** The states that know the people it may speak for. */
  readonly knows: 'home' | 'tenant';
}

interface JwtDeskOptions {
  readonly now: () => number;
  /** Told when the keys of an issuer cannot be had. */
  readonly onProblem: (problem: string) => void;
}

/** Verifies JWTs; the subject is the name of a principal, the claim `tenant` says of which tenant. */
export class JwtDesk {
  readonly #platform: Platform;
  readonly #issuers: readonly Issuer[];
  readonly #now: () => number;
  /** What others need to verify the server's own. */
  readonly jwks: { readonly keys: readonly JWK[] };

  private constructor(
    platform: Platform,
    issuers: readonly Issuer[],
    { now, jwks }: { readonly now: () => number; readonly jwks: { readonly keys: readonly JWK[] } },
  ) {
    this.#platform = platform;
    this.#issuers = issuers;
    this.#now = now;
    this.jwks = jwks;
  }

  static async open(platform: Platform, { now, onProblem }: JwtDeskOptions): Promise<JwtDesk> {
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
    return new JwtDesk(platform, [...own, ...foreign], { now, jwks: { keys: publicKeys } });
  }

  async identityOf(jwt: string): Promise<Identity | undefined> {
    const claimed = claimsOf(jwt);
    if (claimed === undefined) return undefined;
    for (const issuer of this.#issuers) {
      // What it claims only chooses who is asked; nothing is fetched for issuers that no config.yaml names.
      if (issuer.issuer !== claimed.iss || !speaksFor(this.#platform, issuer.home, claimed.tenant)) continue;
      const claims = await issuer.jwts.claims(jwt);
      if (claims === undefined) continue;
      const found = await this.#named(claims.tenant, claims.sub, issuer);
      if (found !== undefined) return { ...found, expiresAt: claims.exp * 1000 };
    }
    return undefined;
  }

  async #named(tenant: string, name: string, { home, knows }: Issuer): Promise<Identity | undefined> {
    const { products } = this.#platform;
    for (const product of knows === 'home' ? [home] : products) {
      if (!speaksFor(this.#platform, product, tenant)) continue;
      const found = await product.world.state.principals.principalNamed(tenant, name);
      const kept = found && trusted(this.#platform, product, found.principal);
      // A folder's issuer may sign for a principal that another folder of the tenant keeps, as if it kept them itself.
      const principal = kept && trusted(this.#platform, home, kept);
      if (principal !== undefined)
        return identityOf(principal, { grants: found?.grants ?? [], products, now: this.#now() });
    }
    return undefined;
  }
}

/** Unverified. */
function claimsOf(jwt: string): { readonly iss: string; readonly tenant: string } | undefined {
  try {
    const { iss, tenant } = decodeJwt(jwt);
    return typeof iss === 'string' && typeof tenant === 'string' ? { iss, tenant } : undefined;
  } catch {
    return undefined;
  }
}
