const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0', a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r', e: '\x1b', ' ': ' ', '"': '"', '/': '/', '\\': '\\',
  N: '\x85', _: '\xa0', L: '\u2028', P: '\u2029',
}; // biome-ignore format: a table

const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** The offset of the quote that closes the one at `start`, or -1 when the line ends first. */
export function closingQuote(text: string, start: number): number {
  const quote = text.charCodeAt(start);
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) return -1;
    if (c === 92 && quote === 34) i++;
    else if (c === quote) {
      if (quote === 39 && text.charCodeAt(i + 1) === 39) i++;
      else return i;
    }
  }
  return -1;
}

/** The text between two quotes on one line, escapes resolved; undefined when an escape is unknown. */
export function quotedText(text: string, start: number, end: number): string | undefined {
  const body = text.slice(start + 1, end);
  if (text.charCodeAt(start) === 39) return body.includes("''") ? body.replaceAll("''", "'") : body;
  if (!body.includes('\\')) return body;
  let result = '';
  for (let i = 0; i < body.length; i++) {
    const c = body[i] as string;
    if (c !== '\\') {
      result += c;
      continue;
    }
    const name = body[++i] ?? '';
    const digits = HEX_DIGITS[name];
    if (digits === undefined) {
      if (!Object.hasOwn(ESCAPES, name)) return undefined;
      result += ESCAPES[name];
      continue;
    }
    const hex = body.slice(i + 1, i + 1 + digits);
    const code = Number.parseInt(hex, 16);
    if (hex.length < digits || !/^[0-9a-fA-F]+$/.test(hex) || code > 0x10ffff) return undefined;
    result += String.fromCodePoint(code);
    i += digits;
  }
  return result;
}
