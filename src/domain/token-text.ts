/*
 * The text of a token: `plt_` + 27 digits of base 62, which hold 160 random bits + 6 digits of their CRC-32, so that a
 * mistyped token is recognised without a lookup and scanners find tokens that were left in files.
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const [BODY_LENGTH, CHECK_LENGTH] = [27, 6];

/** The token that holds these 20 bytes. */
export function tokenText(random: Uint8Array): string {
  if (random.length !== 20) throw new Error('a token holds 20 random bytes');
  let number = 0n;
  for (const byte of random) number = number * 256n + BigInt(byte);
  const body = inBase62(number, BODY_LENGTH);
  return `plt_${body}${checkOf(body)}`;
}

/** Whether the text can be that of a token at all. */
export function isTokenText(text: string): boolean {
  if (!/^plt_[\dA-Za-z]{33}$/.test(text)) return false;
  const body = text.slice(4, 4 + BODY_LENGTH);
  return checkOf(body) === text.slice(4 + BODY_LENGTH);
}

/** What is stored in the place of the text. */
export function tokenHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/** With plain numbers, which hold 32 bits: it is asked with every request. */
function checkOf(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECK_LENGTH; rest = Math.floor(rest / 62))
    text = DIGITS[rest % 62] + text;
  return text;
}

function inBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}
