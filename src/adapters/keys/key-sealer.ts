/*
 * Secrets sealed with AES-256-GCM. A sealed text names its key, so that one of another server is told apart from a damaged one:
 *
 *   sealed:v1:<first 8 bytes of a hash of the key>:<12 random bytes, ciphertext, 16 bytes of tag>       both in base64url
 *
 * The key comes from PLINTH_SECRET_KEY, else from a file that only its owner can read, made when something is first sealed.
 * PLINTH_SECRET_KEY may hold several keys with commas between: the first seals, each opens what it sealed.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { failure } from '../../domain/failure.ts';
import type { Sealer } from '../../domain/sealer.ts';
import { makePrivate, makePrivateFolder, PRIVATE_FILE } from '../../foundation/private-files.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MARK = 'sealed:v1';
const VARIABLE = 'PLINTH_SECRET_KEY';

interface SecretKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** `given`: the value of PLINTH_SECRET_KEY; `file`: where the key is kept when there is none. */
export function keySealer({
  given,
  file,
}: {
  readonly given: string | undefined;
  readonly file: string;
}): Sealer {
  const keys = (mayMake: boolean): readonly SecretKey[] =>
    given === undefined || given.trim() === '' ? keysOfFile(file, mayMake) : keysOf(given, VARIABLE);
  return {
    seal(secret, purpose) {
      const [key] = keys(true);
      if (key === undefined) throw failure('secret.no-key', { place: file });
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(`${MARK}:${purpose}`));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${MARK}:${key.id}:${sealed.toString('base64url')}`;
    },
    open(sealed, purpose) {
      const [, id, text] = /^sealed:v1:([\w-]{11}):([\w-]+)$/.exec(sealed) ?? [];
      if (id === undefined || text === undefined) throw failure('secret.altered', {});
      const known = keys(false);
      if (known.length === 0) throw failure('secret.no-key', { place: file });
      const key = known.find((each) => each.id === id);
      if (key === undefined)
        throw failure('secret.wrong-key', { sealed: id, known: known.map((each) => each.id).join(', ') });
      return opened(Buffer.from(text, 'base64url'), key, purpose);
    },
  };
}

function opened(bytes: Buffer, key: SecretKey, purpose: string): string {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw failure('secret.altered', {});
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(`${MARK}:${purpose}`));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch (cause) {
    throw failure('secret.altered', {}, { cause });
  }
}

/** None when there is no file and it may not be made. */
function keysOfFile(file: string, mayMake: boolean): readonly SecretKey[] {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    if (!mayMake) return [];
    makeKeyFile(file);
  }
  makePrivate(file);
  return keysOf(readFileSync(file, 'utf8'), file);
}

/** Whole or not at all; when another process makes it at this moment, that one counts. */
function makeKeyFile(file: string): void {
  makePrivateFolder(dirname(file));
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { flag: 'wx', mode: PRIVATE_FILE });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}

function keysOf(text: string, place: string): readonly SecretKey[] {
  return text.split(',').map((each) => {
    const bytes = Buffer.from(each.trim(), 'base64');
    // Base64 is read leniently: only what it writes again is what was meant.
    if (bytes.length !== KEY_BYTES || bytes.toString('base64') !== each.trim())
      throw failure('secret.bad-key', { place });
    return { id: idOf(bytes), bytes };
  });
}

const idOf = (key: Buffer): string =>
  hash('sha256', Buffer.concat([Buffer.from('plinth secret key\0'), key]), 'buffer')
    .subarray(0, 8)
    .toString('base64url');
