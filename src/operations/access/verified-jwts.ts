/*
 * Verifies the JWTs of one issuer. A client shows the same one with every request, and its signature takes longer than the rest of
 * a small answer, so a text that was verified is remembered with the key that did it:
 *
 *   same text ─▶ is the issuer's key for it still that one? is it still its time? ─▶ its claims, as verified
 *           └─▶ anything else: verified again
 *
 * A key that the issuer withdraws, and the end of a JWT, count at once. What was refused is not remembered.
 */
import { hash } from 'node:crypto';
import { type JWTHeaderParameters, type JWTVerifyGetKey, jwtVerify } from 'jose';

/** Signatures that are accepted: none without a key, none whose key the caller could know. */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'RS256', 'RS384', 'RS512', 'PS256'];
const SKEW_SECONDS = 60;
/** A JWT cannot be revoked: one that counts for longer, or was made tomorrow, was not made by an issuer that works. */
const LIFE_SECONDS_MAX = 366 * 86_400;
const KEPT_MAX = 1_000;

type Key = Awaited<ReturnType<JWTVerifyGetKey>>;

/** What counts of a JWT. */
export interface VerifiedClaims {
  readonly sub: string;
  readonly tenant: string;
  /** Seconds. */
  readonly exp: number;
}

interface Remembered {
  readonly claims: VerifiedClaims;
  readonly header: JWTHeaderParameters;
  readonly key: Key;
  /** Before it a JWT may not have been valid yet. */
  readonly at: number;
}

export class VerifiedJwts {
  readonly #keys: JWTVerifyGetKey;
  readonly #expected: { readonly issuer: string; readonly audience: string };
  readonly #now: () => number;
  /** By the hash of the text: who reads memory finds no JWT in it. */
  readonly #known = new Map<string, Remembered>();

  constructor(
    keys: JWTVerifyGetKey,
    expected: { readonly issuer: string; readonly audience: string },
    now: () => number,
  ) {
    this.#keys = keys;
    this.#expected = expected;
    this.#now = now;
  }

  /** Undefined when it is not one of this issuer that is valid now. */
  async claims(jwt: string): Promise<VerifiedClaims | undefined> {
    const name = hash('sha256', jwt, 'base64url');
    const known = this.#known.get(name);
    if (known !== undefined && (await this.#isValid(known))) return known.claims;
    this.#known.delete(name);
    // Whatever is wrong with it or with the keys, it is not valid; `RemoteJwks` reports that keys cannot be fetched.
    const verified = await this.#verify(jwt).catch(() => undefined);
    if (verified === undefined) return undefined;
    this.#known.set(name, verified);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KEPT_MAX && oldest !== undefined) this.#known.delete(oldest);
    return verified.claims;
  }

  async #isValid({ at, claims: { exp }, header, key }: Remembered): Promise<boolean> {
    const now = this.#now();
    if (now < at || Math.floor(now / 1000) - SKEW_SECONDS >= exp) return false;
    // Keys are chosen by the header alone.
    const current = await Promise.resolve(this.#keys(header, { payload: '', signature: '' })).catch(
      () => undefined,
    );
    return current === key;
  }

  async #verify(jwt: string): Promise<Remembered | undefined> {
    const at = this.#now();
    let key: Key | undefined;
    const { payload, protectedHeader } = await jwtVerify(
      jwt,
      async (header, token) => {
        key = await this.#keys(header, token);
        return key;
      },
      {
        ...this.#expected,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(at),
        requiredClaims: ['exp', 'sub'],
      },
    );
    const { sub, tenant, exp } = payload;
    if (typeof sub !== 'string' || typeof tenant !== 'string' || exp === undefined || key === undefined)
      return undefined;
    const now = Math.floor(at / 1000);
    const { iat = now } = payload;
    if (iat > now + SKEW_SECONDS || exp - iat > LIFE_SECONDS_MAX || exp - now > LIFE_SECONDS_MAX)
      return undefined;
    return { claims: { sub, tenant, exp }, header: protectedHeader, key, at };
  }
}
