import { createDecipheriv } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Failure } from '../../domain/failure.ts';
import { keySealer } from './key-sealer.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-sealer-'));
  file = join(folder, '.plinth', 'secret.key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const codeOf = (act: () => unknown): string => {
  try {
    return `opened: ${act()}`;
  } catch (error) {
    return (error as Failure).code;
  }
};
const sealer = (given?: string) => keySealer({ given, file });

describe('a sealed secret', () => {
  test('is opened for its purpose only, and is another text each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, purpose) => {
        const [a, b] = [sealer(keyOf(1)).seal(secret, purpose), sealer(keyOf(1)).seal(secret, purpose)];
        expect(a).not.toBe(b);
        expect(sealer(keyOf(1)).open(a, purpose)).toBe(secret);
        expect(codeOf(() => sealer(keyOf(1)).open(a, `${purpose}.`))).toBe('secret.altered');
      }),
      { numRuns: 50 },
    );
  });
  test('is AES-256-GCM of the key, with its purpose authenticated', () => {
    const [, , , text = ''] = sealer(keyOf(1)).seal('hush', 'channel c1').split(':');
    const bytes = Buffer.from(text, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 1), bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from('sealed:v1:channel c1'));
    decipher.setAuthTag(bytes.subarray(-16));
    expect(decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')).toBe('hush');
  });
  test('cannot be opened after any change of a bit, or cut', () => {
    const sealed = sealer(keyOf(1)).seal('hush', 'p');
    const [head, text = ''] = [sealed.slice(0, sealed.lastIndexOf(':') + 1), sealed.split(':').at(-1)];
    const bytes = Buffer.from(text, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(codeOf(() => sealer(keyOf(1)).open(head + changed.toString('base64url'), 'p'))).toBe(
        'secret.altered',
      );
    }
    for (let length = 1; length < bytes.length; length++)
      expect(
        codeOf(() => sealer(keyOf(1)).open(head + bytes.subarray(0, length).toString('base64url'), 'p')),
      ).toBe('secret.altered');
    for (const other of ['', 'hush', 'sealed:v1:x:y', sealed.slice(0, -1), `${sealed}=`])
      expect(codeOf(() => sealer(keyOf(1)).open(other, 'p'))).toBe('secret.altered');
  });
  test('of another key says so, and neither key', () => {
    const sealed = sealer(keyOf(1)).seal('hush', 'p');
    expect(codeOf(() => sealer(keyOf(2)).open(sealed, 'p'))).toBe('secret.wrong-key');
    for (const hidden of [keyOf(1), keyOf(2), 'hush'])
      expect(() => sealer(keyOf(2)).open(sealed, 'p')).not.toThrow(hidden);
  });
  test('is opened by an earlier key that stands behind the new one', () => {
    const sealed = sealer(keyOf(1)).seal('hush', 'p');
    const both = sealer(`${keyOf(2)}, ${keyOf(1)}`);
    expect(both.open(sealed, 'p')).toBe('hush');
    expect(sealer(keyOf(2)).open(both.seal('hush', 'p'), 'p')).toBe('hush');
  });
});

describe('the key', () => {
  test.each(['x', keyOf(1).slice(1), `${keyOf(1)}A`, Buffer.alloc(31).toString('base64'), `${keyOf(1)},`])(
    'cannot be %j',
    (given) => {
      expect(codeOf(() => sealer(given).seal('hush', 'p'))).toBe('secret.bad-key');
      expect(() => sealer(given).seal('hush', 'p')).not.toThrow(given);
    },
  );
  test('is made for its owner at the first seal, never to open', () => {
    const sealed = sealer(keyOf(1)).seal('hush', 'p');
    expect(codeOf(() => sealer().open(sealed, 'p'))).toBe('secret.no-key');
    expect(existsSync(file)).toBe(false);
    expect(sealer().open(sealer('').seal('hush', 'p'), 'p')).toBe('hush');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, '.plinth'))).toEqual(['secret.key']);
    expect(codeOf(() => sealer().open(sealed, 'p'))).toBe('secret.wrong-key');
  });
  test('of a file is taken from the eyes of others, and is not replaced when it is damaged', () => {
    sealer().seal('hush', 'p');
    chmodSync(file, 0o644);
    sealer().seal('hush', 'p');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'half');
    expect(codeOf(() => sealer().seal('hush', 'p'))).toBe('secret.bad-key');
    expect(readFileSync(file, 'utf8')).toBe('half');
  });
});
