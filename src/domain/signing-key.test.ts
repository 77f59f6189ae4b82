import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  newSigningKey,
  publishedSigningKeys,
  type SigningKey,
  signaturesOf,
  signingKeysAt,
  signingSecretProblem,
  withRotatedKey,
} from './signing-key.ts';

const DAY = 86_400_000;
const key = (id: string, at: number, algorithm: 'hmac' | 'ed25519' = 'hmac'): SigningKey =>
  newSigningKey(algorithm, { id, random: Buffer.alloc(32, id), at });

describe('signatures', () => {
  test('of HMAC are those of the example in the specification', () => {
    const example = { ...key('k', 0), secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' };
    expect(
      signaturesOf([example], {
        id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        timestamp: 1_614_265_330,
        body: '{"test": 2432232314}',
      }),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('of ed25519 are those of RFC 8032, for a seed alone and for one with its public key', () => {
    const seed = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
    const publicKey = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
    const both = [seed, seed + publicKey].map((hex) => ({
      ...key('k', 0, 'ed25519'),
      secret: `whsk_${Buffer.from(hex, 'hex').toString('base64')}`,
    }));
    const [text, ...more] = signaturesOf(both, { id: 'm', timestamp: 7, body: 'body' }).split(' ');
    expect(more).toEqual([text]);
    expect(text).toMatch(/^v1a,/);
    expect(publishedSigningKeys(both, 0)[0]?.publicKey).toBe(
      `whpk_${Buffer.from(publicKey, 'hex').toString('base64')}`,
    );
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(publicKey, 'hex'),
    ]);
    expect(
      verify(
        null,
        Buffer.from('m.7.body'),
        createPublicKey({ key: spki, format: 'der', type: 'spki' }),
        Buffer.from(text?.slice(4) ?? '', 'base64'),
      ),
    ).toBe(true);
  });

  test('of several keys stand beside each other, in the order of the keys', () => {
    const text = signaturesOf([key('a', 0), key('b', 0, 'ed25519')], { id: 'm', timestamp: 1, body: '' });
    expect(text).toMatch(/^v1,\S{44} v1a,\S{88}$/);
  });
});

describe('a secret that a person gives', () => {
  const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString('base64');
  test.each([
    ['hmac', `whsec_${base64(24)}`, undefined],
    ['hmac', base64(64), undefined],
    ['hmac', base64(32).replaceAll('=', ''), undefined],
    ['hmac', base64(23), 'it has 23 bytes, and 24 to 64 are allowed'],
    ['hmac', base64(65), 'it has 65 bytes, and 24 to 64 are allowed'],
    ['hmac', 'correct horse battery staple', 'it is not whsec_ and base64'],
    ['hmac', '', 'it is not whsec_ and base64'],
    ['hmac', `whsk_${base64(32)}`, 'it is not whsec_ and base64'],
    ['ed25519', `whsk_${base64(32)}`, undefined],
    ['ed25519', `whsk_${base64(31)}`, 'it has 31 bytes, and a private key of ed25519 has 32 or 64'],
    ['ed25519', `whsk_${base64(64)}`, 'its second half is not the public key of its first'],
  ] as const)('%s %s', (algorithm, secret, problem) => {
    expect(signingSecretProblem(algorithm, secret)).toBe(problem);
    const sign = (): string =>
      signaturesOf([{ ...key('k', 0, algorithm), secret }], { id: 'm', timestamp: 1, body: '' });
    if (problem === undefined) expect(sign()).toMatch(/^v1a?,/);
    else expect(sign).toThrow('a secret cannot sign');
  });
  test('is not repeated by what is said of it', () => {
    for (const secret of ['sekret!', `${base64(20)}`])
      expect(signingSecretProblem('hmac', secret)).not.toContain(secret);
  });
});

describe('a rotation', () => {
  const [first, second] = [key('first', 0), key('second', 10 * DAY)];
  const keys = withRotatedKey([first], { key: second, overlapMs: 2 * DAY });
  const idsAt = (at: number): readonly string[] => signingKeysAt(keys, at).map(({ id }) => id);

  test('has both keys sign until the first one retires, the newest first', () => {
    expect(idsAt(10 * DAY - 1)).toEqual(['first']);
    expect(idsAt(10 * DAY)).toEqual(['second', 'first']);
    expect(idsAt(12 * DAY - 1)).toEqual(['second', 'first']);
    expect(idsAt(12 * DAY)).toEqual(['second']);
  });
  test('shortens no other overlap and lengthens none, and drops what has retired', () => {
    const again = withRotatedKey(keys, { key: key('third', 11 * DAY), overlapMs: 5 * DAY });
    expect(again.map(({ id, retiresAt }) => [id, retiresAt])).toEqual([
      ['first', 12 * DAY],
      ['second', 16 * DAY],
      ['third', undefined],
    ]);
    const later = withRotatedKey(again, { key: key('fourth', 13 * DAY), overlapMs: DAY });
    expect(later.map(({ id, retiresAt }) => [id, retiresAt])).toEqual([
      ['second', 14 * DAY],
      ['third', 14 * DAY],
      ['fourth', undefined],
    ]);
  });
  test('without an overlap replaces at once, and said twice is the same', () => {
    const rotation = { key: second, overlapMs: 0 };
    expect(withRotatedKey([first], rotation)).toEqual([second]);
    expect(withRotatedKey(withRotatedKey([first], rotation), rotation)).toEqual([second]);
  });
});

test('only public halves are published, of those that have not retired', () => {
  const keys = [key('h', 0), { ...key('old', 0, 'ed25519'), retiresAt: DAY }, key('new', DAY, 'ed25519')];
  const published = publishedSigningKeys(keys, DAY - 1);
  expect(published.map(({ id }) => id)).toEqual(['old', 'new']);
  for (const { secret } of keys) expect(JSON.stringify(published)).not.toContain(secret.slice(6));
  expect(publishedSigningKeys(keys, DAY).map(({ id }) => id)).toEqual(['new']);
});
