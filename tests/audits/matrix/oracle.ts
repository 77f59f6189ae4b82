/** What values are and what rows come to, each by its definition. */
import type { Cell, Row } from './recipes.ts';

/** Code points. */
export const lengthOf = (text: string): number => [...text].length;

export function isUuid(text: string): boolean {
  const parts = text.toLowerCase().split('-');
  const lengths = [8, 4, 4, 4, 12];
  const isHex = (part: string): boolean => [...part].every((char) => '0123456789abcdef'.includes(char));
  if (parts.length !== 5 || !parts.every((part, i) => part.length === lengths[i] && isHex(part)))
    return false;
  return (
    '12345'.includes((parts[2] as string)[0] as string) && '89ab'.includes((parts[3] as string)[0] as string)
  );
}

const isAscii = (char: string, others: string): boolean =>
  (char >= 'a' && char <= 'z') ||
  (char >= 'A' && char <= 'Z') ||
  (char >= '0' && char <= '9') ||
  others.includes(char);

/** A local part, one @, and at least two labels that are not empty. */
export function isEmail(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@');
  const labels = domain.split('.');
  return (
    more.length === 0 &&
    local !== '' &&
    [...local].every((char) => isAscii(char, '_.+-')) &&
    labels.length >= 2 &&
    labels.every((label) => label !== '' && [...label].every((char) => isAscii(char, '-')))
  );
}

/** A scheme, and something behind it without blanks that does not begin like a path, a query or a dot. */
export function isUrl(text: string): boolean {
  const scheme = ['http://', 'https://', 'ftp://'].find((begin) => text.startsWith(begin));
  if (scheme === undefined) return false;
  const rest = text.slice(scheme.length);
  return rest !== '' && ![...rest].some((char) => char.trim() === '') && !'/$.?#'.includes(rest[0] as string);
}

export const isHttpMethod = (text: string): boolean =>
  ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT'].includes(text);

export function isLike(text: string, pattern: string): boolean {
  const [first] = pattern;
  if (first === undefined) return text === '';
  const chars = [...text];
  if (first === '%')
    return (
      chars.some((_, i) => isLike(chars.slice(i).join(''), pattern.slice(1))) || isLike('', pattern.slice(1))
    );
  return (
    chars.length > 0 &&
    (first === '_' || chars[0] === first) &&
    isLike(chars.slice(1).join(''), pattern.slice(1))
  );
}

export function meanOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

/** Of a sample. */
export function spreadOf(numbers: readonly number[]): number | undefined {
  const mean = meanOf(numbers);
  if (mean === undefined || numbers.length < 2) return undefined;
  return Math.sqrt(numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (numbers.length - 1));
}

/** How many combinations of values occur more than once, NULL being a value. */
export function repeated(rows: readonly Row[], columns: readonly ('a' | 'c')[]): number {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(columns.map((column) => row[column])));
  return [...groups.values()].filter((group) => group.length > 1).length;
}

const nullsLast = (x: Cell, y: Cell): number =>
  x === y ? 0 : x === null ? 1 : y === null ? -1 : (x as number) - (y as number);

/** Ranges from a to c that have no end or no beginning, end before they begin, or reach into the next one of their part. */
export function overlapping(rows: readonly Row[], partOf: (row: Row) => string): number {
  return [...Map.groupBy(rows, partOf).values()]
    .flatMap((part) => {
      const sorted = part.toSorted((x, y) => nullsLast(x.a, y.a) || nullsLast(x.c, y.c));
      return sorted.map(({ a, c }, i) => {
        const next = sorted[i + 1]?.a ?? null;
        return a === null || c === null || a > c || (next !== null && c > next);
      });
    })
    .filter(Boolean).length;
}

const shares = (rows: readonly Row[], column: 'a' | 'c'): Map<Cell, number> => {
  const there = rows.filter((row) => row[column] !== null);
  const groups = Map.groupBy(there, (row) => row[column]);
  return new Map([...groups].map(([value, group]) => [value, group.length / there.length]));
};

/** The divergence of both directions together; a value that one side lacks has a share of a millionth there. */
export function divergenceOf(rows: readonly Row[]): number {
  const [source, target] = [shares(rows, 'a'), shares(rows, 'c')];
  let sum = 0;
  for (const value of new Set([...source.keys(), ...target.keys()])) {
    const [p, q] = [source.get(value) ?? 1e-6, target.get(value) ?? 1e-6];
    sum += p * Math.log(p / q) + q * Math.log(q / p);
  }
  return sum;
}

/** Pearson's chi-square of a and c; not a number without rows. */
export function squareOf(rows: readonly Row[]): number {
  const pairs = rows.filter(({ a, c }) => a !== null && c !== null);
  if (pairs.length === 0) return Number.NaN;
  const count = (isCounted: (row: Row) => boolean): number => pairs.filter(isCounted).length;
  let sum = 0;
  for (const x of new Set(pairs.map(({ a }) => a)))
    for (const y of new Set(pairs.map(({ c }) => c))) {
      const expected = (count(({ a }) => a === x) * count(({ c }) => c === y)) / pairs.length;
      sum += (count(({ a, c }) => a === x && c === y) - expected) ** 2 / expected;
    }
  return sum;
}
