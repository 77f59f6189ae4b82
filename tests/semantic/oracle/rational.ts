/** An exact fraction, always in lowest terms with a positive denominator: no rounding anywhere in the oracle. */
export interface Rational {
  readonly n: bigint;
  readonly d: bigint;
}

export function rational(n: bigint | number, d: bigint | number = 1n): Rational {
  let top = BigInt(n);
  let bottom = BigInt(d);
  if (bottom === 0n) throw new Error('a fraction over zero');
  if (bottom < 0n) [top, bottom] = [-top, -bottom];
  const common = gcd(top < 0n ? -top : top, bottom);
  return { n: top / common, d: bottom / common };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

export const plus = (a: Rational, b: Rational): Rational => rational(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Rational, b: Rational): Rational => rational(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Rational, b: Rational): Rational => rational(a.n * b.n, a.d * b.d);
/** Undefined for a zero divisor. */
export const divide = (a: Rational, b: Rational): Rational | undefined =>
  b.n === 0n ? undefined : rational(a.n * b.d, a.d * b.n);

export function compareRationals(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** Reads `-12.50`; undefined when the text is no plain number. */
export function parseRational(text: string): Rational | undefined {
  const match = /^\s*([+-]?)(\d*)(?:\.(\d*))?\s*$/.exec(text);
  if (match === null || `${match[2]}${match[3] ?? ''}` === '') return undefined;
  const digits = match[3] ?? '';
  const top = BigInt(`${match[2]}${digits}`);
  return rational(match[1] === '-' ? -top : top, 10n ** BigInt(digits.length));
}

export function toNumber(value: Rational): number {
  const whole = value.n / value.d;
  return Number(whole) + Number(value.n % value.d) / Number(value.d);
}

/** With `scale` digits after the point; the value must have no more. */
export function decimalText(value: Rational, scale: number): string {
  const units = (value.n * 10n ** BigInt(scale)) / value.d;
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
