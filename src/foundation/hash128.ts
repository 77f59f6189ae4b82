import { hash } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * A 128-bit content hash as 26 lower-case base32 characters, safe inside SQL identifiers and file names.
 * Parts are length-prefixed, so ('ab', 'c') and ('a', 'bc') differ.
 */
export function hash128(...parts: readonly string[]): string {
  let content = '';
  for (const part of parts) content += `${part.length}:${part}`;
  const bytes = hash('sha256', content, 'buffer');
  let out = '';
  let bits = 0;
  let value = 0;
  for (let i = 0; i < 16; i++) {
    value = (value << 8) | (bytes[i] as number);
    bits += 8;
    while (bits >= 5) {
      out += BASE32[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return out + BASE32[(value << (5 - bits)) & 31];
}
