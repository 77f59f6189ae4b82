import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { failure } from '../../domain/failure.ts';

/** A certificate with its key, as text of PEM files. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
}

/** Reads and tries both: a server with files that do not work would refuse every caller, one by one, in words of OpenSSL. */
export function readTls({
  certificate,
  key,
}: {
  readonly certificate: string;
  readonly key: string;
}): TlsPair {
  const pair = { cert: read(certificate), key: read(key) };
  trying(certificate, () => new X509Certificate(pair.cert));
  trying(certificate, () => createSecureContext({ cert: pair.cert }));
  // OpenSSL has several messages for this: by chance, once in 256 times, wrong bytes look decrypted.
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pair.key))
    throw failure('server.cannot-read-tls', {
      path: key,
      detail: 'it is encrypted, and the server cannot ask for its password',
    });
  trying(key, () => createSecureContext(pair));
  return pair;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw failure('server.cannot-read-tls', { path, detail: (cause as Error).message }, { cause });
  }
}

function trying(path: string, work: () => unknown): void {
  try {
    work();
  } catch (cause) {
    throw failure('server.cannot-read-tls', { path, detail: detailOf(cause as Error) }, { cause });
  }
}

/** What OpenSSL means, where it is known; its own words otherwise. */
function detailOf({ message }: Error): string {
  if (/key values mismatch/i.test(message)) return 'it is the key of another certificate';
  if (/no start line|pem_read|DECODER|wrong tag|not enough data|unsupported|header too long/i.test(message))
    return 'it is not what a PEM file of this kind has';
  return message.replace(/^error:[^:]*:[^:]*::?/, '').replace(/\.$/, '');
}
