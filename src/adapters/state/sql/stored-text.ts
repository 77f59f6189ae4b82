import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { SqlValue } from './state-sql.ts';

/** Below it a thousand texts are decompressed longer than they are read. */
const COMPRESSED_FROM = 2_048;

/** JSON as it is stored when it is long and rarely read; what is short is stored as it is. */
export function compress(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  return bytes.length < COMPRESSED_FROM && !isCompressed(bytes) ? bytes : zstdCompressSync(bytes);
}

export function decompress(bytes: SqlValue | undefined): string {
  if (!(bytes instanceof Uint8Array)) throw new Error('not a compressed text');
  const plain = isCompressed(bytes)
    ? zstdDecompressSync(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return plain.toString('utf8');
}

/** No JSON begins like this. */
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd];
const isCompressed = (bytes: Uint8Array): boolean => ZSTD.every((byte, index) => bytes[index] === byte);
