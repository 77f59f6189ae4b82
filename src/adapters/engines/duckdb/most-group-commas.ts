import { tokenize } from '../../../foundation/sql/tokenize.ts';
import { withPlainSpaces } from './sql-places.ts';

/** What can follow the keys of a GROUP BY. */
const AFTER = new Set(
  'except fetch having intersect limit offset order qualify sample select union using window'.split(' '),
);

/** The most commas after one GROUP BY of a text, up to the end of its keys. */
export function mostGroupCommas(sql: string): number {
  if (!/group/i.test(sql)) return 0;
  const { tokens } = tokenize(withPlainSpaces(sql) ?? sql);
  let most = 0;
  for (let at = 1; at < tokens.length; at++) {
    if (tokens[at]?.text.toLowerCase() !== 'by' || tokens[at - 1]?.text.toLowerCase() !== 'group') continue;
    let depth = 0;
    let commas = 0;
    for (at++; at < tokens.length && depth >= 0; at++) {
      const text = tokens[at]?.text ?? '';
      if (text === '(') depth++;
      else if (text === ')') depth--;
      else if (text === ',') commas++;
      else if (depth === 0 && AFTER.has(text.toLowerCase())) break;
    }
    most = Math.max(most, commas);
  }
  return most;
}
