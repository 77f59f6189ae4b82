/*
 * What a parser of JSON lets pass and others read in other ways: two values for one key (the last wins here, the first
 * elsewhere), a zero character (some readers stop there), half of a pair of surrogates (no text of UTF-8 can hold it).
 */

/** Room for a question with 100 levels of and/or, which are two of JSON each; a recursive reader behind this door needs no limit of its own. */
export const DEPTH_MAX = 256;

export type JsonFault =
  | { readonly kind: 'deep' }
  | { readonly kind: 'twice'; readonly key: string }
  | { readonly kind: 'zero' }
  | { readonly kind: 'surrogate' };

const [QUOTE, BACKSLASH, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, SMALL_U] = [
  ...'"\\:[]{}u',
].map((character) => character.charCodeAt(0));

/** The first of them in a text of JSON; whether it is one at all is for the parser to say. */
export function jsonFault(bytes: Buffer): JsonFault | undefined {
  /** Keys of the objects around; undefined for a list. */
  const open: (Set<string> | undefined)[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const text = endOfText(bytes, at);
      if (typeof text !== 'number') return text;
      const keys = open.at(-1);
      if (keys !== undefined && bytes[afterBlanks(bytes, text)] === COLON) {
        const key = keyOf(bytes.toString('utf8', at, text));
        if (key !== undefined && keys.has(key)) return { kind: 'twice', key };
        if (key !== undefined) keys.add(key);
      }
      at = text - 1;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      open.push(byte === OPEN_OBJECT ? new Set() : undefined);
      if (open.length > DEPTH_MAX) return { kind: 'deep' };
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open.pop();
  }
  return undefined;
}

/** Where the text that begins with a quote has ended, or what is wrong with it. */
function endOfText(bytes: Buffer, start: number): number | JsonFault {
  let isHigh = false;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    let unit: number | undefined;
    if (byte === BACKSLASH) {
      at++;
      if (bytes[at] === SMALL_U) {
        unit = Number.parseInt(bytes.toString('latin1', at + 1, at + 5), 16);
        at += 4;
      }
    }
    if (unit === 0) return { kind: 'zero' };
    const isLow = unit !== undefined && unit >= 0xdc00 && unit < 0xe000;
    if (isHigh !== isLow) return { kind: 'surrogate' };
    isHigh = unit !== undefined && unit >= 0xd800 && unit < 0xdc00;
    if (byte === QUOTE) return at + 1;
  }
  return bytes.length;
}

function afterBlanks(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

/** Undefined for what the parser will refuse. */
function keyOf(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}
