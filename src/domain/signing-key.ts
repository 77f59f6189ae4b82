/*
 * Keys that sign webhooks, and how they follow one another. A receiver takes a message when one of its signatures is right,
 * so during a rotation each message carries a signature of both keys:
 *
 *   old  ├──────────── signs ─────────────┤ retires      (the receiver learns of the new key in between)
 *   new                        ├──────────── signs ─────────▶
 *                          rotation
 */
import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

export interface SigningKey {
  readonly id: string;
  readonly algorithm: SigningAlgorithm;
  /** As Standard Webhooks writes it: `whsec_` or `whsk_` and base64; the prefix may be missing. */
  readonly secret: string;
  readonly createdAt: number;
  /** Signs up to here, in epoch milliseconds. */
  readonly retiresAt?: number;
}

export type SigningAlgorithm = 'hmac' | 'ed25519';

/** What a receiver needs to verify signatures without sharing a secret. */
export interface PublishedSigningKey {
  readonly id: string;
  /** `whpk_` and base64, as Standard Webhooks writes it. */
  readonly publicKey: string;
  readonly createdAt: number;
  readonly retiresAt?: number;
}

const PREFIXES = { hmac: 'whsec_', ed25519: 'whsk_' } as const;
const HMAC_BYTES = { min: 24, max: 64 } as const;
const SEED_BYTES = 32;
/** A seed and the public key after it, as some libraries keep it. */
const SEED_AND_PUBLIC_BYTES = 64;
/** A seed as PKCS #8, and a public key as SPKI, begin with these bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_BYTES = 12;

/** `random`: 32 bytes that were not used before. */
export function newSigningKey(
  algorithm: SigningAlgorithm,
  { id, random, at }: { readonly id: string; readonly random: Uint8Array; readonly at: number },
): SigningKey {
  if (random.length !== SEED_BYTES) throw new Error('a key that signs is made of 32 bytes');
  const secret = `${PREFIXES[algorithm]}${Buffer.from(random).toString('base64')}`;
  return { id, algorithm, secret, createdAt: at };
}

/** Why a text that a person gave cannot sign, without the text; undefined when it can. */
export function signingSecretProblem(algorithm: SigningAlgorithm, secret: string): string | undefined {
  const bytes = bytesOf(algorithm, secret);
  if (bytes === undefined) return `it is not ${PREFIXES[algorithm]} and base64`;
  if (algorithm === 'hmac')
    return bytes.length >= HMAC_BYTES.min && bytes.length <= HMAC_BYTES.max
      ? undefined
      : `it has ${bytes.length} bytes, and ${HMAC_BYTES.min} to ${HMAC_BYTES.max} are allowed`;
  if (bytes.length !== SEED_BYTES && bytes.length !== SEED_AND_PUBLIC_BYTES)
    return `it has ${bytes.length} bytes, and a private key of ed25519 has 32 or 64`;
  const seed = bytes.subarray(0, SEED_BYTES);
  return bytes.length === SEED_BYTES || bytes.subarray(SEED_BYTES).equals(publicBytes(seed))
    ? undefined
    : 'its second half is not the public key of its first';
}

/** Keys that sign at a time, the newest first. */
export function signingKeysAt(keys: readonly SigningKey[], at: number): readonly SigningKey[] {
  return keys
    .filter(({ createdAt, retiresAt }) => createdAt <= at && (retiresAt === undefined || at < retiresAt))
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/** With a new key. Those before it sign on for `overlapMs`, or as long as they would have; those that retired are dropped. */
export function withRotatedKey(
  keys: readonly SigningKey[],
  { key, overlapMs }: { readonly key: SigningKey; readonly overlapMs: number },
): readonly SigningKey[] {
  const end = key.createdAt + overlapMs;
  const earlier = keys
    .filter(({ id }) => id !== key.id)
    .map((each) => ({ ...each, retiresAt: Math.min(each.retiresAt ?? end, end) }))
    .filter(({ retiresAt }) => retiresAt > key.createdAt);
  return [...earlier, key];
}

/** Public halves of the keys of ed25519 that sign now or will; a secret of HMAC has none. */
export function publishedSigningKeys(
  keys: readonly SigningKey[],
  at: number,
): readonly PublishedSigningKey[] {
  return keys
    .filter(
      ({ algorithm, retiresAt }) => algorithm === 'ed25519' && (retiresAt === undefined || at < retiresAt),
    )
    .map(({ id, algorithm, secret, createdAt, retiresAt }) => ({
      id,
      publicKey: `whpk_${publicBytes(seedOf(algorithm, secret)).toString('base64')}`,
      createdAt,
      ...(retiresAt === undefined ? {} : { retiresAt }),
    }));
}

/** The text of `webhook-signature`: a signature of each key, `v1` for HMAC and `v1a` for ed25519. `timestamp` is in seconds. */
export function signaturesOf(
  keys: readonly SigningKey[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = Buffer.from(`${id}.${timestamp}.${body}`);
  return keys
    .map(({ algorithm, secret }) =>
      algorithm === 'hmac'
        ? `v1,${createHmac('sha256', seedOf(algorithm, secret)).update(signed).digest('base64')}`
        : `v1a,${sign(null, signed, privateKeyOf(seedOf(algorithm, secret))).toString('base64')}`,
    )
    .join(' ');
}

function bytesOf(algorithm: SigningAlgorithm, secret: string): Buffer | undefined {
  const text = secret.startsWith(PREFIXES[algorithm]) ? secret.slice(PREFIXES[algorithm].length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '') ? bytes : undefined;
}

/** The bytes that sign. A secret is checked when it is taken in, so a problem here is a bug. */
function seedOf(algorithm: SigningAlgorithm, secret: string): Buffer {
  const problem = signingSecretProblem(algorithm, secret);
  const bytes = bytesOf(algorithm, secret);
  if (problem !== undefined || bytes === undefined) throw new Error(`a secret cannot sign: ${problem}`);
  return algorithm === 'hmac' ? bytes : bytes.subarray(0, SEED_BYTES);
}

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });

const publicBytes = (seed: Buffer): Buffer =>
  createPublicKey(privateKeyOf(seed)).export({ format: 'der', type: 'spki' }).subarray(SPKI_BYTES);
