/*
 * The shape of a text: lower case letters and those without case as a, upper case ones as A, digits as 9, the rest as it is.
 *
 *   Ärger 12 ─▶ Aaaaa 99
 *
 * Engines replace letters one match at a time, which costs more than all else in a profile. So a text is first compared with the
 * shapes that are frequent in a sample, by one expression each; only what has none of them is replaced.
 */
import type { Dialect } from '../../foundation/sql/dialect.ts';
import { quoteText } from '../../foundation/sql/quote.ts';
import { spelled } from './spelled.ts';

/** In this order: what a step writes, no later one changes. */
const SIGNS = [
  ['[^\\P{L}\\p{Lu}]', 'a'],
  ['\\p{Lu}', 'A'],
  ['\\p{Nd}', '9'],
] as const;

/** The ASCII characters of a sign, and no others: classes of all letters make expressions with many of them slow. */
const ASCII: Readonly<Record<string, string>> = { a: '[a-z]', A: '[A-Z]', 9: '[0-9]' };

/** Comparing a text with a shape costs about this part of replacing its characters. */
const COMPARISON_COST = 1 / 30;
const SHAPES_MAX = 20;

/** The shape of a text in SQL; `frequent` shapes are found faster, and change no result. */
export function shapeSql(text: string, frequent: readonly string[], dialect: Dialect): string {
  const replaced = SIGNS.reduce(
    (sql, [letters, sign]) =>
      spelled('regexp_replace', [sql, quoteText(letters, dialect), quoteText(sign, dialect), "'g'"], dialect),
    text,
  );
  if (frequent.length === 0) return replaced;
  const cases = frequent.map((shape) => {
    const matches = spelled('regexp_matches', [text, quoteText(expressionOf(shape), dialect)], dialect);
    return `WHEN ${matches} THEN ${quoteText(shape, dialect)}`;
  });
  return `CASE ${cases.join(' ')} ELSE ${replaced} END`;
}

/** Shapes of a sample, those that save time by being compared with first: each must be frequent among the texts that those before it leave. */
export function frequentShapes(
  sample: readonly { readonly shape: string; readonly rows: number }[],
): readonly string[] {
  let left = sample.reduce((sum, { rows }) => sum + rows, 0);
  const found: string[] = [];
  for (const { shape, rows } of sample.toSorted((a, b) => b.rows - a.rows)) {
    if (found.length === SHAPES_MAX || rows < left * COMPARISON_COST) break;
    // Letters are signs by now; what else is beyond ASCII is left to the replacements.
    if (!/^[ -~]*$/.test(shape)) continue;
    left -= rows;
    found.push(shape);
  }
  return found;
}

/** Matches ASCII texts of the shape. */
function expressionOf(shape: string): string {
  const parts = shape.replace(/(.)\1*/g, (run, sign: string) => {
    const one = ASCII[sign] ?? (/[\\^$.|?*+()[\]{}]/.test(sign) ? `\\${sign}` : sign);
    return run.length === 1 ? one : `${one}{${run.length}}`;
  });
  return `^${parts}$`;
}
