import {
  type CryptoKey,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JWTVerifyGetKey,
  SignJWT,
} from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { VerifiedJwts } from './verified-jwts.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;
const EXPECTED = { issuer: 'them', audience: 'us' };

let privateKey: CryptoKey;
let firstKeys: JWTVerifyGetKey;
let otherKeys: JWTVerifyGetKey;
/** What the issuer publishes at this moment. */
let keys: JWTVerifyGetKey;
let now: number;
let verifier: VerifiedJwts;

beforeAll(async () => {
  const [first, other] = [await generateKeyPair('EdDSA'), await generateKeyPair('EdDSA')];
  privateKey = first.privateKey;
  firstKeys = createLocalJWKSet({
    keys: [{ ...(await exportJWK(first.publicKey)), kid: 'k', alg: 'EdDSA' }],
  });
  otherKeys = createLocalJWKSet({
    keys: [{ ...(await exportJWK(other.publicKey)), kid: 'k', alg: 'EdDSA' }],
  });
});

beforeEach(() => {
  now = NOON;
  keys = firstKeys;
  verifier = new VerifiedJwts(
    (header, token) => keys(header, token),
    EXPECTED,
    () => now,
  );
});

const signed = ({ audience = 'us', issuer = 'them', sub = 'cleo' } = {}): Promise<string> =>
  new SignJWT({ tenant: 'acme' })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k' })
    .setSubject(sub)
    .setIssuer(issuer)
    .setAudience(audience)
    .setNotBefore(NOON / 1000)
    .setExpirationTime((NOON + HOUR) / 1000)
    .sign(privateKey);

test('a JWT that was verified is known again, by what it says', async () => {
  const [cleo, hank] = [await signed(), await signed({ sub: 'hank' })];
  const first = await verifier.claims(cleo);
  expect(first).toEqual({ sub: 'cleo', tenant: 'acme', exp: expect.any(Number) });
  expect(await verifier.claims(cleo)).toBe(first);
  expect(await verifier.claims(hank)).toEqual({ sub: 'hank', tenant: 'acme', exp: expect.any(Number) });
});

test('its end counts at once, with a minute for clocks that differ', async () => {
  const jwt = await signed();
  expect(await verifier.claims(jwt)).toBeDefined();
  now = NOON + HOUR + 59_999;
  expect(await verifier.claims(jwt)).toBeDefined();
  now = NOON + HOUR + 60_000;
  expect(await verifier.claims(jwt)).toBeUndefined();
  expect(await verifier.claims(jwt)).toBeUndefined();
});

test('a clock that is put back makes it as early as it is', async () => {
  const jwt = await signed();
  expect(await verifier.claims(jwt)).toBeDefined();
  now = NOON - 61_000;
  expect(await verifier.claims(jwt)).toBeUndefined();
  now = NOON - 60_000;
  expect(await verifier.claims(jwt)).toBeDefined();
});

test('a key that was withdrawn, replaced under its name or cannot be had verifies nothing any more', async () => {
  const jwt = await signed();
  expect(await verifier.claims(jwt)).toBeDefined();
  keys = otherKeys;
  expect(await verifier.claims(jwt)).toBeUndefined();
  keys = firstKeys;
  expect(await verifier.claims(jwt)).toBeDefined();
  keys = () => Promise.reject(new Error('there is none'));
  expect(await verifier.claims(jwt)).toBeUndefined();
});

test('neither a changed text nor one for others is taken for a known one', async () => {
  const jwt = await signed();
  expect(await verifier.claims(jwt)).toBeDefined();
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const forged = Buffer.from(
    JSON.stringify({ sub: 'ada', tenant: 'acme', iss: 'them', aud: 'us', exp: 9e9 }),
  );
  for (const other of [
    `${head}.${forged.toString('base64url')}.${signature}`,
    `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    `${head}.${body}.`,
    await signed({ audience: 'others' }),
    await signed({ issuer: 'others' }),
  ]) {
    expect(await verifier.claims(other)).toBeUndefined();
    expect(await verifier.claims(other)).toBeUndefined();
  }
  expect(await verifier.claims(jwt)).toBeDefined();
});
