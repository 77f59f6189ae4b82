/*
 * Clause switches: `@WHERE(condition) rest` keeps or drops a whole clause.
 *
 *   … FROM a LEFT @JOIN(false) b ON a.x = b.x WHERE …
 *            └──────────── dropped ──────────┘
 */
import type { Token } from '../../foundation/sql/token.ts';

/** What a switch stands for and where its clause ends. */
export interface SwitchClause {
  readonly keyword: string;
  readonly ends: ReadonlySet<string>;
  /** Words before the switch that belong to the clause: LEFT, OUTER, … */
  readonly prefixes: ReadonlySet<string>;
}

const SET_OPERATIONS = ['UNION', 'EXCEPT', 'INTERSECT', 'MINUS', ';'];
const NONE: ReadonlySet<string> = new Set();
const JOIN_PREFIXES = new Set([
  'NATURAL',
  'ASOF',
  'LEFT',
  'RIGHT',
  'FULL',
  'OUTER',
  'INNER',
  'CROSS',
  'SEMI',
  'ANTI',
  'POSITIONAL',
  'GLOBAL',
  'ANY',
]);

function clause(
  keyword: string,
  ends: readonly string[],
  prefixes: ReadonlySet<string> = NONE,
): SwitchClause {
  return { keyword, ends: new Set([...ends, ...SET_OPERATIONS]), prefixes };
}

const AFTER_LIMIT = ['OFFSET', 'FETCH', 'FOR'];
const AFTER_ORDER = ['LIMIT', ...AFTER_LIMIT];
const AFTER_HAVING = ['QUALIFY', 'WINDOW', 'ORDER', ...AFTER_ORDER];
const AFTER_GROUP = ['HAVING', ...AFTER_HAVING];
const AFTER_WHERE = ['GROUP', ...AFTER_GROUP];
const AFTER_JOIN = ['WHERE', 'JOIN', ',', ...JOIN_PREFIXES, ...AFTER_WHERE];

/** Switches by lower-case name. */
export const CLAUSES: Readonly<Record<string, SwitchClause | undefined>> = Object.assign(
  Object.create(null),
  {
    with: clause('WITH', ['SELECT', 'FROM', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES', '(']),
    join: clause('JOIN', AFTER_JOIN, JOIN_PREFIXES),
    where: clause('WHERE', AFTER_WHERE),
    group_by: clause('GROUP BY', AFTER_GROUP),
    having: clause('HAVING', AFTER_HAVING),
    order_by: clause('ORDER BY', AFTER_ORDER),
    limit: clause('LIMIT', AFTER_LIMIT),
  },
);

/** Tokens `[start, end)` that the clause of a switch covers, the switch included; the switch is at `at` and its parentheses close at `close`. */
export function readClause(
  tokens: readonly Token[],
  where: { readonly at: number; readonly close: number; readonly from: number; readonly to: number },
  { keyword, ends, prefixes }: SwitchClause,
): { readonly start: number; readonly end: number } {
  let start = where.at;
  while (
    start > where.from &&
    tokens[start - 1]?.kind === 'word' &&
    prefixes.has((tokens[start - 1] as Token).text.toUpperCase())
  )
    start--;
  let depth = 0;
  let end = where.close + 1;
  for (; end < where.to; end++) {
    const token = tokens[end] as Token;
    const { text } = token;
    if (depth === 0 && end > where.close + 1 && isEnd(tokens, end, where, ends, keyword)) break;
    if (text === '(' || text === '[' || text === '{') depth++;
    else if ((text === ')' || text === ']' || text === '}') && depth-- === 0) break;
  }
  return { start, end };
}

function isEnd(
  tokens: readonly Token[],
  at: number,
  where: { readonly close: number },
  ends: ReadonlySet<string>,
  keyword: string,
): boolean {
  const token = tokens[at] as Token;
  if (token.kind === 'at') {
    const next = tokens[at + 1];
    return (
      next?.kind === 'word' && tokens[at + 2]?.text === '(' && CLAUSES[next.text.toLowerCase()] !== undefined
    );
  }
  if (token.kind !== 'word' && token.kind !== 'symbol') return false;
  // The tables of WITH are in parentheses themselves: `a AS (…)`, `a (x, y) AS (…)`.
  if (token.text === '(') return keyword === 'WITH' && tokens[at - 1]?.text === ')' && at > where.close + 1;
  const word = token.text.toUpperCase();
  // `left(x, 1)` in a condition is a function.
  return (
    ends.has(word) &&
    !(token.kind === 'word' && tokens[at + 1]?.text === '(' && /^(LEFT|RIGHT|ANY|FULL)$/.test(word))
  );
}
