const INTEGER = /^[-+]?[0-9]+$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]+$/;

const WORDS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ['', null], ['~', null], ['null', null], ['Null', null], ['NULL', null],
  ['true', true], ['True', true], ['TRUE', true], ['false', false], ['False', false], ['FALSE', false],
  ['.inf', Number.POSITIVE_INFINITY], ['.Inf', Number.POSITIVE_INFINITY], ['.INF', Number.POSITIVE_INFINITY],
  ['+.inf', Number.POSITIVE_INFINITY], ['-.inf', Number.NEGATIVE_INFINITY], ['-.Inf', Number.NEGATIVE_INFINITY], ['-.INF', Number.NEGATIVE_INFINITY],
  ['.nan', Number.NaN], ['.NaN', Number.NaN], ['.NAN', Number.NaN],
]); // biome-ignore format: a table

/** What an unquoted scalar means by YAML 1.2's core schema: so `yes`, `on` and dates are text. */
export function plainValue(text: string): string | number | boolean | null {
  const first = text.charCodeAt(0);
  const isNumeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  if (isNumeric) {
    if (INTEGER.test(text) || FLOAT.test(text)) return Number(text);
    if (first === 48 && (OCTAL.test(text) || HEXADECIMAL.test(text))) return Number(text);
  }
  if (text.length <= 5) {
    const word = WORDS.get(text);
    if (word !== undefined) return word;
  }
  return text;
}
