/*
 * A query whose clock stands still:
 *
 *   SELECT current_date - day, age(born)
 *   SELECT CAST('2024-01-31' AS DATE) - day, age(CAST('2024-01-31' AS TIMESTAMP), born)
 *
 * Calls are found in the tree, so a column or a text of the same name stays what it is.
 */
import { isoDate, sqlTimestamp } from '../../time/iso.ts';
import type { Dialect } from '../dialect.ts';
import { quoteText } from '../quote.ts';
import type { Edit } from '../splice.ts';
import type { Call, Expression, Query } from '../tree.ts';
import { walk } from '../walk.ts';
import { wordsOf } from './words-of.ts';

/** The type of the answer of each function of the clock; `AGE` of one argument counts from midnight. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  DATE: wordsOf('current_date today'),
  TIMESTAMP: wordsOf('current_localtimestamp localtimestamp'),
  TIMESTAMPTZ: wordsOf(
    'ago current_timestamp get_current_timestamp now transaction_timestamp statement_timestamp clock_timestamp',
  ),
  TIME: wordsOf('current_localtime localtime'),
  TIMETZ: wordsOf('current_time get_current_time'),
  AGE: wordsOf('age'),
};

/** Edits that put a time in place of every call of the clock. */
export function frozenClock(tree: Query | Expression, at: number, dialect: Dialect): readonly Edit[] {
  const edits: Edit[] = [];
  walk(tree, (node) => {
    if (node.kind === 'call' && node.over === undefined) edits.push(...frozenCall(node, at, dialect));
  });
  return edits;
}

/** The type of what a function of the clock answers; undefined for any other function. */
export function clockType(name: string): string | undefined {
  const lower = name.toLowerCase();
  return Object.keys(TYPES).find((type) => TYPES[type]?.includes(lower));
}

function frozenCall(
  { name, qualifiers, span, arguments: given }: Call,
  at: number,
  dialect: Dialect,
): readonly Edit[] {
  const type = qualifiers.length === 0 ? clockType(name.name) : undefined;
  if (type === undefined) return [];
  const cast = (text: string, as: string): string => `CAST(${quoteText(text, dialect)} AS ${as})`;
  const [first, ...more] = given;
  if (type === 'AGE')
    return first === undefined || more.length > 0
      ? []
      : [
          {
            start: first.value.span.start,
            end: first.value.span.start,
            text: `${cast(isoDate(at), 'TIMESTAMP')}, `,
          },
        ];
  const stamp = sqlTimestamp(at);
  // `ago(interval)` counts back from now.
  if (name.name.toLowerCase() === 'ago')
    return first === undefined
      ? []
      : [{ start: span.start, end: first.value.span.start, text: `(${cast(`${stamp}+00`, type)} - ` }];
  const text =
    type === 'DATE'
      ? isoDate(at)
      : type === 'TIME' || type === 'TIMETZ'
        ? `${stamp.slice(11)}${type === 'TIMETZ' ? '+00' : ''}`
        : `${stamp}${type === 'TIMESTAMPTZ' ? '+00' : ''}`;
  return [{ start: span.start, end: span.end, text: cast(text, type) }];
}
