/** Functions that may be used in conditions of macros. Names are lower-case; NULL in gives NULL out unless said otherwise. */
import { areEqual, type Constant, described, isNumber, isSymbol, NotConstant } from './constant.ts';

const TEXT_MAX = 1_000_000;

/** The value of a call of a known function of constants. */
export function constantFunction(name: string, given: readonly Constant[]): Constant {
  const tolerant = NULL_TOLERANT[name];
  if (tolerant !== undefined) return tolerant(given);
  const strict = Object.hasOwn(STRICT, name) ? STRICT[name] : undefined;
  if (strict === undefined) throw new NotConstant(`the function ${name} is not known here`);
  if (given.some((value) => value === null)) return null;
  return strict(given);
}

const NULL_TOLERANT: Readonly<Record<string, (given: readonly Constant[]) => Constant>> = Object.assign(
  Object.create(null),
  {
    coalesce: (given: readonly Constant[]) => given.find((value) => value !== null) ?? null,
    ifnull: (given: readonly Constant[]) => given.find((value) => value !== null) ?? null,
    nullif: ([a = null, b = null]: readonly Constant[]) =>
      a !== null && b !== null && areEqual(a, b) ? null : a,
    if: ([condition = null, yes = null, no = null]: readonly Constant[]) => (condition === true ? yes : no),
    concat: (given: readonly Constant[]) =>
      bounded(
        given
          .filter((value) => value !== null)
          .map(textOf)
          .join(''),
      ),
  },
);

const STRICT: Readonly<Record<string, (given: readonly Constant[]) => Constant>> = {
  lower: ([a]) => textOf(a).toLowerCase(),
  lcase: ([a]) => textOf(a).toLowerCase(),
  upper: ([a]) => textOf(a).toUpperCase(),
  ucase: ([a]) => textOf(a).toUpperCase(),
  length: ([a]) => lengthOf(a),
  len: ([a]) => lengthOf(a),
  char_length: ([a]) => lengthOf(a),
  array_length: ([a]) => lengthOf(a),
  array_size: ([a]) => lengthOf(a),
  cardinality: ([a]) => lengthOf(a),
  trim: ([a, b]) => trim(textOf(a), b, 'both'),
  ltrim: ([a, b]) => trim(textOf(a), b, 'left'),
  rtrim: ([a, b]) => trim(textOf(a), b, 'right'),
  replace: ([a, b, c]) => bounded(textOf(a).replaceAll(textOf(b), () => textOf(c))),
  substring: ([a, b, c]) => substring(textOf(a), wholeOf(b), c),
  substr: ([a, b, c]) => substring(textOf(a), wholeOf(b), c),
  left: ([a, b]) => textOf(a).slice(0, wholeOf(b)),
  right: ([a, b]) => (wholeOf(b) === 0 ? '' : textOf(a).slice(-wholeOf(b))),
  reverse: ([a]) => (Array.isArray(a) ? [...a].reverse() : [...textOf(a)].reverse().join('')),
  split: ([a, b]) => textOf(a).split(textOf(b)),
  string_split: ([a, b]) => textOf(a).split(textOf(b)),
  split_part: ([a, b, c]) => textOf(a).split(textOf(b))[wholeOf(c) - 1] ?? '',
  contains: ([a, b]) =>
    Array.isArray(a) ? a.some((item) => areEqual(item, b ?? null)) : textOf(a).includes(textOf(b)),
  list_contains: ([a, b]) => listOf(a).some((item) => areEqual(item, b ?? null)),
  array_contains: ([a, b]) => listOf(a).some((item) => areEqual(item, b ?? null)),
  list_extract: ([a, b]) =>
    Array.isArray(a) ? (a[wholeOf(b) - 1] ?? null) : (textOf(a)[wholeOf(b) - 1] ?? ''),
  starts_with: ([a, b]) => textOf(a).startsWith(textOf(b)),
  ends_with: ([a, b]) => textOf(a).endsWith(textOf(b)),
  strpos: ([a, b]) => BigInt(textOf(a).indexOf(textOf(b)) + 1),
  position: ([a, b]) => BigInt(textOf(b).indexOf(textOf(a)) + 1),
  repeat: ([a, b]) => repeat(textOf(a), wholeOf(b)),
  lpad: ([a, b, c]) => textOf(a).padStart(Math.min(wholeOf(b), TEXT_MAX), c === undefined ? ' ' : textOf(c)),
  rpad: ([a, b, c]) => textOf(a).padEnd(Math.min(wholeOf(b), TEXT_MAX), c === undefined ? ' ' : textOf(c)),
  abs: ([a]) => (typeof a === 'bigint' ? (a < 0n ? -a : a) : Math.abs(numberOf(a))),
  ceil: ([a]) => whole(Math.ceil(numberOf(a))),
  ceiling: ([a]) => whole(Math.ceil(numberOf(a))),
  floor: ([a]) => whole(Math.floor(numberOf(a))),
  round: ([a, b]) => (typeof a === 'bigint' ? a : round(numberOf(a), b)),
  mod: ([a, b]) => remainder(a, b),
  power: ([a, b]) => numberOf(a) ** numberOf(b),
  pow: ([a, b]) => numberOf(a) ** numberOf(b),
  sqrt: ([a]) => Math.sqrt(numberOf(a)),
  greatest: (given) => extreme(given, 1),
  least: (given) => extreme(given, -1),
};

/** The text a value has when it is put next to another text. */
export function textOf(value: Constant | undefined): string {
  if (value === undefined) throw new NotConstant('an argument is missing');
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return floatText(value);
  if (isSymbol(value)) return value.symbol;
  throw new NotConstant(`${described(value)} is not a text`);
}

/** A fraction keeps its point, so that `3.0` does not become the integer 3. */
export function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value);
}

function bounded(text: string): string {
  if (text.length > TEXT_MAX) throw new NotConstant(`a text of more than ${TEXT_MAX} characters`);
  return text;
}

function lengthOf(value: Constant | undefined): bigint {
  return BigInt(Array.isArray(value) ? value.length : [...textOf(value)].length);
}

function listOf(value: Constant | undefined): readonly Constant[] {
  if (!Array.isArray(value)) throw new NotConstant(`${described(value ?? null)} is not a list`);
  return value;
}

function numberOf(value: Constant | undefined): number {
  if (value === undefined || !isNumber(value))
    throw new NotConstant(`${described(value ?? null)} is not a number`);
  return Number(value);
}

function wholeOf(value: Constant | undefined): number {
  return Math.trunc(numberOf(value));
}

function whole(value: number): Constant {
  return Number.isFinite(value) ? BigInt(value) : value;
}

function trim(text: string, characters: Constant | undefined, side: 'both' | 'left' | 'right'): string {
  const set = characters === undefined ? ' \t\n\r' : textOf(characters);
  let start = 0;
  let end = text.length;
  if (side !== 'right') while (start < end && set.includes(text[start] as string)) start++;
  if (side !== 'left') while (end > start && set.includes(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

function substring(text: string, start: number, length: Constant | undefined): string {
  const from = start > 0 ? start - 1 : start < 0 ? Math.max(0, text.length + start) : 0;
  return length === undefined ? text.slice(from) : text.slice(from, from + Math.max(0, wholeOf(length)));
}

function repeat(text: string, count: number): string {
  if (text.length * count > TEXT_MAX) throw new NotConstant(`a text of more than ${TEXT_MAX} characters`);
  return text.repeat(Math.max(0, count));
}

function round(value: number, digits: Constant | undefined): number {
  const scale = 10 ** (digits === undefined ? 0 : wholeOf(digits));
  return Math.round(value * scale) / scale;
}

function remainder(a: Constant | undefined, b: Constant | undefined): Constant {
  if (numberOf(b) === 0) return null;
  if (typeof a === 'bigint' && typeof b === 'bigint') return a % b;
  return numberOf(a) % numberOf(b);
}

function extreme(given: readonly Constant[], sign: 1 | -1): Constant {
  return given.reduce((best, value) => {
    const isText = typeof best === 'string' && typeof value === 'string';
    if (!isText) {
      numberOf(best);
      numberOf(value);
    }
    const isBetter = sign > 0 ? (value as number) > (best as number) : (value as number) < (best as number);
    return isBetter ? value : best;
  });
}
