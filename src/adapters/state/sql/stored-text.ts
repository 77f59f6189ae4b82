import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SqlValue } from './state-sql.ts';

/** A text as it is stored when it is long and rarely read. */
export function compress(text: string): Uint8Array {
  return zstdCompressSync(text);
}

export function decompress(bytes: SqlValue | undefined): string {
  if (!(bytes instanceof Uint8Array)) throw new Error('not a compressed text');
  return zstdDecompressSync(bytes).toString('utf8');
}
