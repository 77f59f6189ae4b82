/** Values that macros compute with while the project is loaded. */

/** A column or other name, which has no value before data is read. */
export interface NameSymbol {
  readonly symbol: string;
}

/** Whole numbers are bigint, others number: `1` and `1.0` are printed differently. */
export type Constant = null | boolean | bigint | number | string | NameSymbol | readonly Constant[];

/** Why an expression has no value now; thrown within the evaluation only. */
export class NotConstant {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

export function isSymbol(value: Constant): value is NameSymbol {
  return typeof value === 'object' && value !== null && 'symbol' in value;
}

/** Empty texts, zero, NULL and empty lists are false; all else is true. */
export function isTruthy(value: Constant): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isSymbol(value) || Boolean(value);
}

/** Values of different types are never equal, except numbers among themselves: `'1' = 1` is false. */
export function areEqual(a: Constant, b: Constant): boolean {
  if (isNumber(a) && isNumber(b)) return Number(a) === Number(b);
  if (isNumber(a) && typeof b === 'boolean') return Number(a) === Number(b);
  if (isNumber(b) && typeof a === 'boolean') return Number(a) === Number(b);
  if (isSymbol(a)) return isSymbol(b) && a.symbol.toLowerCase() === b.symbol.toLowerCase();
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => areEqual(item, (b as readonly Constant[])[i] as Constant))
    );
  return a === b;
}

export function isNumber(value: Constant): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

export function described(value: Constant): string {
  if (value === null) return 'NULL';
  if (isSymbol(value)) return `${value.symbol}, which is not a constant`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? `'${value}'` : String(value);
}
