/** JWTs as credentials: the server's own, and those of issuers that config.yaml names. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createLocalJWKSet,
  decodeJwt,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
  SignJWT,
} from 'jose';
import type { Identity } from '../../domain/principal.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../foundation/private-files.ts';
import type { Platform, Product } from '../platform.ts';
import type { Workspace } from '../workspace.ts';
import { identityOf } from './authenticate.ts';
import { type PublishedKeys, RemoteJwks } from './remote-jwks.ts';
import { speaksFor, trusted } from './trust.ts';
import { VerifiedJwts } from './verified-jwts.ts';

const OWN_ISSUER = 'plinth';

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
    const remotes = new Map<string, RemoteJwks>();
    const remoteOf = (url: string): RemoteJwks => {
      const found = remotes.get(url) ?? new RemoteJwks(url, now, onProblem);
      remotes.set(url, found);
      return found;
    };
    const foreign = platform.products.flatMap((home) =>
      issuersOf(home.world.config.server['jwt']).map(
        ({ issuer, audience, url }): Issuer => ({
          issuer,
          jwts: new VerifiedJwts(remoteKeys(remoteOf(url)), { issuer, audience }, now),
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

/** Looks once more where a key is missing, since issuers change theirs. */
function remoteKeys(remote: RemoteJwks): JWTVerifyGetKey {
  const sets = new WeakMap<PublishedKeys, JWTVerifyGetKey>();
  const setOf = (published: PublishedKeys): JWTVerifyGetKey => {
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

/** `server.jwt: [{issuer, audience, jwks_url}]` of config.yaml, which its schema has checked. */
function issuersOf(
  configured: unknown,
): readonly { readonly issuer: string; readonly audience: string; readonly url: string }[] {
  if (!Array.isArray(configured)) return [];
  return configured.flatMap((each: unknown) => {
    const { issuer, audience, jwks_url: url } = (each ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof issuer !== 'string' || typeof audience !== 'string' || typeof url !== 'string') return [];
    return { issuer, audience, url };
  });
}

/** Signs a JWT for a principal with the project's own key. */
export async function signJwt(
  workspace: Workspace,
  { tenant, name, expiresAt }: { readonly tenant: string; readonly name: string; readonly expiresAt: number },
): Promise<string> {
  const { privateKey, publicKey } = await ownKey(workspace);
  return new SignJWT({ tenant })
    .setProtectedHeader({ alg: 'EdDSA', kid: publicKey.kid ?? '' })
    .setSubject(name)
    .setIssuer(OWN_ISSUER)
    .setAudience(OWN_ISSUER)
    .setIssuedAt(Math.floor(workspace.clock.now() / 1000))
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(await importJWK(privateKey, 'EdDSA'));
}

/** The key of the project, which only its owner can read; made at the first use. */
async function ownKey({ folder }: Workspace): Promise<{ readonly privateKey: JWK; readonly publicKey: JWK }> {
  const path = join(folder, '.plinth', 'keys', 'jwt.json');
  if (!existsSync(path)) {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    const key = { ...(await exportJWK(pair.privateKey)), kid: crypto.randomUUID(), alg: 'EdDSA', use: 'sig' };
    makePrivateFolder(join(folder, '.plinth', 'keys'));
    try {
      writeFileSync(path, JSON.stringify(key), { mode: PRIVATE_FILE, flag: 'wx' });
    } catch (error) {
      // Another process made it at this moment: that one counts.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const privateKey = JSON.parse(readFileSync(path, 'utf8')) as JWK;
  const { d: _, ...publicKey } = privateKey;
  return { privateKey, publicKey };
}
