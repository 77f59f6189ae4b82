/** JWTs as credentials: the server's own, and those of issuers that config.yaml names. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Identity } from '../domain/principal.ts';
import { identityOf } from './authenticate.ts';
import type { Platform, Product } from './platform.ts';
import type { Workspace } from './workspace.ts';

/** Signatures that are accepted: none without a key, none whose key the caller could know. */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'RS256', 'RS384', 'RS512', 'PS256'];
const SKEW_SECONDS = 60;
const OWN_ISSUER = 'plinth';

interface Issuer {
  readonly issuer: string;
  readonly audience?: string;
  readonly keys: JWTVerifyGetKey;
  /** The states whose principals it may speak for; all when absent. */
  readonly home?: Product;
}

/** Verifies JWTs; the subject is the name of a principal, the claim `tenant` says of which tenant. */
export class JwtDesk {
  readonly #platform: Platform;
  readonly #issuers: readonly Issuer[];
  /** What others need to verify the server's own. */
  readonly jwks: { readonly keys: readonly JWK[] };

  private constructor(
    platform: Platform,
    issuers: readonly Issuer[],
    jwks: { readonly keys: readonly JWK[] },
  ) {
    this.#platform = platform;
    this.#issuers = issuers;
    this.jwks = jwks;
  }

  static async open(platform: Platform): Promise<JwtDesk> {
    const publicKeys: JWK[] = [];
    const own: Issuer[] = [];
    for (const home of platform.products) {
      const { publicKey } = await ownKey(home.workspace);
      publicKeys.push(publicKey);
      // Whoever has the key of one folder must not be able to sign for the people of another.
      own.push({
        issuer: OWN_ISSUER,
        audience: OWN_ISSUER,
        keys: createLocalJWKSet({ keys: [publicKey] }),
        home,
      });
    }
    const foreign = platform.products.flatMap(({ world }) => issuersOf(world.config.server['jwt']));
    return new JwtDesk(platform, [...own, ...foreign], { keys: publicKeys });
  }

  async identityOf(jwt: string): Promise<Identity | undefined> {
    for (const { issuer, audience, keys, home } of this.#issuers) {
      const verified = await jwtVerify(jwt, keys, {
        issuer,
        ...(audience === undefined ? {} : { audience }),
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        requiredClaims: ['exp', 'sub'],
      }).catch(() => undefined);
      if (verified === undefined) continue;
      const { sub, tenant } = verified.payload;
      if (typeof sub !== 'string' || typeof tenant !== 'string') return undefined;
      return this.#named(tenant, sub, home);
    }
    return undefined;
  }

  async #named(tenant: string, name: string, home: Product | undefined): Promise<Identity | undefined> {
    const { products } = this.#platform;
    for (const { world } of home === undefined ? products : [home]) {
      const found = await world.state.principals.principalNamed(tenant, name);
      if (found !== undefined) return identityOf(found.principal, { grants: found.grants, products });
    }
    return undefined;
  }
}

/** `server.jwt: [{issuer, audience, jwks_url}]` of config.yaml. */
function issuersOf(configured: unknown): readonly Issuer[] {
  if (!Array.isArray(configured)) return [];
  return configured.flatMap((each: unknown) => {
    const { issuer, audience, jwks_url: url } = (each ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof issuer !== 'string' || typeof url !== 'string') return [];
    return {
      issuer,
      ...(typeof audience === 'string' ? { audience } : {}),
      keys: createRemoteJWKSet(new URL(url), { timeoutDuration: 5000, cooldownDuration: 30_000 }),
    };
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
    mkdirSync(join(folder, '.plinth', 'keys'), { recursive: true, mode: 0o700 });
    try {
      writeFileSync(path, JSON.stringify(key), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Another process made it at this moment: that one counts.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  const privateKey = JSON.parse(readFileSync(path, 'utf8')) as JWK;
  const { d: _, ...publicKey } = privateKey;
  return { privateKey, publicKey };
}
