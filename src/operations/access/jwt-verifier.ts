/** JWTs as credentials: the server's own, and those of issuers that config.yaml names. */
import { decodeJwt, type JWK } from 'jose';
import { identityOf } from '../../domain/identity-of.ts';
import type { Identity } from '../../domain/principal.ts';
import type { Platform } from '../platform.ts';
import { type Issuer, type JwtVerifierOptions, jwtIssuers } from './jwt-issuers.ts';
import { speaksFor, trusted } from './trust.ts';

/** Verifies JWTs; the subject is the name of a principal, the claim `tenant` says of which tenant. */
export class JwtVerifier {
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

  static async open(platform: Platform, options: JwtVerifierOptions): Promise<JwtVerifier> {
    const { issuers, publicKeys } = await jwtIssuers(platform, options);
    return new JwtVerifier(platform, issuers, { now: options.now, jwks: { keys: publicKeys } });
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
