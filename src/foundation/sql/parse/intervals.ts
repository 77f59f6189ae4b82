import type { Dialect } from '../dialect.ts';
import type { Expression } from '../tree.ts';
import { advance, type Cursor, peek, spanFrom, startOf, takeToken } from './cursor.ts';
import { isAnyWord } from './keywords.ts';
import { PRODUCT, SUM } from './precedence.ts';

const UNITS = new Set<string>();
for (const unit of 'nanosecond microsecond millisecond second minute hour day week month quarter year decade century centurie millennium'.split(
  ' ',
)) {
  UNITS.add(unit);
  UNITS.add(`${unit}s`);
}
for (const unit of 'millennia day_hour day_minute day_second hour_minute hour_second minute_second year_month isoweek dayofweek'.split(
  ' ',
))
  UNITS.add(unit);

/** In these, `INTERVAL x DAY` takes any expression; elsewhere only a string, a number or parentheses. */
const TAKES_ANY_VALUE: ReadonlySet<Dialect> = new Set([
  'mysql',
  'bigquery',
  'spark',
  'databricks',
  'clickhouse',
  'generic',
]);

/** `INTERVAL '1 day'`, `INTERVAL 3 DAYS`, `INTERVAL (n) MONTH`; undefined when the word is only a name. A cast behind it is of the interval, not of its value. */
export function parseInterval(c: Cursor, parseAtom: (c: Cursor) => Expression): Expression | undefined {
  const next = peek(c, 1);
  const takesAny = TAKES_ANY_VALUE.has(c.dialect);
  const begins =
    next === 'string' ||
    next === 'number' ||
    (next === '(' && c.key === 'INTERVAL') ||
    (next === '-' && (peek(c, 2) === 'number' || peek(c, 2) === 'string') && isUnitAt(c, 3)) ||
    next === 'parameter' ||
    (takesAny && (isAnyWord(next) ? isUnitSomewhere(c) : next === '-' && isUnitSomewhere(c)));
  if (!begins) return undefined;
  const start = startOf(c);
  advance(c);
  const value: Expression =
    takesAny && next !== 'string'
      ? c.grammar.operand(c, SUM)
      : next === '-'
        ? c.grammar.operand(c, PRODUCT)
        : parseAtom(c);
  let unit: string | undefined;
  if (isUnitAt(c, 0)) {
    unit = takeToken(c).text.toLowerCase();
    if (c.key === '(' && peek(c, 1) === 'number' && peek(c, 2) === ')') {
      advance(c);
      unit += `(${takeToken(c).text})`;
      advance(c);
    }
    if (c.key === 'TO' && isUnitAt(c, 1)) {
      advance(c);
      unit += ` to ${takeToken(c).text.toLowerCase()}`;
    }
  }
  return { kind: 'interval', value, ...(unit !== undefined && { unit }), span: spanFrom(c, start) };
}

/** Whether a word is a unit of time. */
export const isUnitWord = (word: string): boolean => UNITS.has(word.toLowerCase());

function isUnitAt(c: Cursor, distance: number): boolean {
  const token = c.tokens[c.at + distance];
  return token !== undefined && token.kind === 'word' && UNITS.has(token.text.toLowerCase());
}

const LOOK_AHEAD = 12;

/** Whether a unit follows before anything that cannot be part of the value. */
function isUnitSomewhere(c: Cursor): boolean {
  let depth = 0;
  for (let i = 1; i < LOOK_AHEAD; i++) {
    const key = peek(c, i);
    if (key === '(') depth++;
    else if (key === ')') {
      if (--depth < 0) return false;
    } else if (key === 'end' || (key === ',' && depth === 0)) return false;
    else if (depth === 0 && i > 1 && isUnitAt(c, i)) return true;
  }
  return false;
}
