/**
 * Whether a value is a number that adds up to the same in any order: an integer, a decimal, a truth value. Whatever is not
 * known to be one may be a floating-point number.
 */
import { DOUBLE, FLOAT, isNumeric } from '../../../foundation/sql/types/sql-type.ts';
import type { TermSession } from './table-terms.ts';
import type { Term } from './terms.ts';

/** Deeper expressions count as unknown. */
const DEPTH_MAX = 60;

/** Operations whose answer is TRUE or FALSE. */
const TRUTHS: ReadonlySet<string> = new Set(['and', 'or', '=', '<>', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM', 'exists', 'in']); // biome-ignore format: a list
const SCALAR_TRUTHS: ReadonlySet<string> = new Set(['NOT', 'IS', 'between', 'in', 'in list', '>', '>=']);
/** Operators and functions that are exact for exact operands. `/` is not among them. */
const KEEPING: ReadonlySet<string> = new Set(['+', '-', '*', '%', '//', 'coalesce', 'ifnull', 'least', 'greatest', 'abs', 'sign']); // biome-ignore format: a list
const COUNTS: ReadonlySet<string> = new Set(['count', 'count_star', 'count_if', 'countif', 'row_number', 'rank', 'dense_rank', 'ntile', 'regr_count']); // biome-ignore format: a list
const PICKS: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'first', 'last', 'any_value', 'lag', 'lead', 'first_value', 'last_value', 'nth_value']); // biome-ignore format: a list
/** Where a value only stands in another place. */
const PLACES: ReadonlySet<string> = new Set(['at', 'outer', 'half', 'cells', 'either', 'chosen by GROUP BY']);

export function isExactNumber(session: TermSession, term: Term, depth = 0): boolean {
  const { terms, types } = session;
  const type = types.get(term);
  if (type !== undefined)
    return isNumeric(type) ? type !== FLOAT && type !== DOUBLE : type.text === 'BOOLEAN';
  if (depth > DEPTH_MAX) return false;
  const every = (parts: readonly Term[]): boolean =>
    parts.length > 0 && parts.every((part) => isExactNumber(session, part, depth + 1));
  const op = terms.op(term);
  const children = terms.children(term);
  if (TRUTHS.has(op)) return true;
  if (PLACES.has(op)) return every(children);
  switch (op) {
    case 'literal':
      return isExactLiteral(terms.parts(term).map(String));
    case 'scalar':
      return isExactScalar(session, term, every);
    case 'aggregate':
    case 'window': {
      const name = String(terms.parts(term)[1]);
      // Behind the rows stands what is folded.
      return COUNTS.has(name) || (PICKS.has(name) && every(children.slice(1, 2)));
    }
    // An order of arrival may follow the value.
    case 'chosen':
    case 'chosen by':
      return every(op === 'chosen' ? children.slice(0, 1) : children.slice(-1));
    case 'subquery':
      return every(children.slice(1, 2));
    default:
      return false;
  }
}

/** 1 and 1.5 are exact, 1e3 is not. */
function isExactLiteral([type, text = '']: readonly string[]): boolean {
  return type === 'null' || type === 'boolean' || (type !== 'string' && /^\d*\.?\d+$|^\d+\.$/.test(text));
}

function isExactScalar(
  { terms }: TermSession,
  term: Term,
  every: (parts: readonly Term[]) => boolean,
): boolean {
  const [what, second] = terms.parts(term);
  const children = terms.children(term);
  if (SCALAR_TRUTHS.has(String(what))) return true;
  if (what === 'case') {
    const cases = second === 'simple' ? children.slice(1) : children;
    return every(cases.filter((_, at) => at % 2 === 1 || at === cases.length - 1));
  }
  const name = what === 'call' ? String(second) : String(what);
  if (KEEPING.has(name)) return every(children);
  if (name === 'nullif') return every(children.slice(0, 1));
  return name === 'if' && every(children.slice(1));
}
