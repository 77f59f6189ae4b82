/*
 * Where things stand in a text: DuckDB counts bytes of UTF-8, all code here counts UTF-16 units. It says where a name begins;
 * where it ends is read from the text, and what is read there must be the name that DuckDB saw.
 */

/** A way from offsets in bytes of UTF-8 to offsets in UTF-16 units. */
export function unitsOfBytes(text: string): (bytes: number) => number {
  if (Buffer.byteLength(text) === text.length) return (bytes) => Math.min(bytes, text.length);
  const units: number[] = [];
  for (let unit = 0; unit < text.length; ) {
    const code = text.codePointAt(unit) ?? 0;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
    for (let index = 0; index < bytes; index++) units.push(unit);
    unit += code < 0x1_0000 ? 1 : 2;
  }
  return (bytes) => units[bytes] ?? text.length;
}

/** The parts of the name at a place, without quotes, and where the last one ends; undefined when no name of that many parts is there. */
export function nameAt(
  text: string,
  start: number,
  count: number,
): { readonly parts: readonly string[]; readonly end: number } | undefined {
  const parts: string[] = [];
  let at = start;
  for (;;) {
    const part = partAt(text, at);
    if (part === undefined) return undefined;
    parts.push(part.text);
    if (parts.length === count) return { parts, end: part.end };
    at = skipGap(text, part.end);
    if (text[at] !== '.') return undefined;
    at = skipGap(text, at + 1);
  }
}

const WORD = /[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*/iy;

function partAt(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") {
    WORD.lastIndex = start;
    const [word] = WORD.exec(text) ?? [];
    return word === undefined ? undefined : { text: word, end: start + word.length };
  }
  let name = '';
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== quote) name += text[at];
    else if (text[at + 1] === quote) name += text[at++];
    else return { text: name, end: at + 1 };
  }
  return undefined;
}

const SPACE = /\s/;

/** The next place that is neither space nor comment; comments with a slash may hold others. */
function skipGap(text: string, start: number): number {
  let at = start;
  for (;;) {
    if (SPACE.test(text[at] ?? '')) at++;
    else if (text.startsWith('--', at)) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    } else if (text.startsWith('/*', at)) {
      let depth = 1;
      for (at += 2; depth > 0 && at < text.length; at++) {
        if (text.startsWith('/*', at)) {
          depth++;
          at++;
        } else if (text.startsWith('*/', at)) {
          depth--;
          at++;
        }
      }
    } else return at;
  }
}

/** DuckDB takes these for a blank, in one byte, before it reads a text: everything after them seems to stand further left. */
const ODD_SPACES = /[\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]/g;

/** The text with plain blanks for odd ones, as many as those have bytes: places in it are places in the text. Undefined without odd ones. */
export function withPlainSpaces(text: string): string | undefined {
  const plain = text.replace(ODD_SPACES, (space) => ' '.repeat(Buffer.byteLength(space)));
  return plain === text ? undefined : plain;
}
