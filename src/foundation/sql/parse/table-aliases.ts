import { stringText } from '../tokenize.ts';
import type { Identifier, TableAlias, TypeName } from '../tree.ts';
import {
  accept,
  advance,
  type Cursor,
  expect,
  is,
  lastEnd,
  peek,
  skip,
  startOf,
  takeAnyName,
  takeNameList,
  takeToken,
} from './cursor.ts';
import { isAnyWord, isTableAlias } from './keywords.ts';
import { OPERATOR } from './precedence.ts';
import { skipParenthesis, skipSample } from './table-names.ts';
import { parseType } from './types.ts';

/** `AS t`, `t`, `t(a, b)`. */
export function parseTableAlias(c: Cursor): TableAlias | undefined {
  let name: Identifier;
  if (c.key === 'AS') {
    if (peek(c, 1) === 'OF') return undefined;
    advance(c);
    if (is(c, 'string')) {
      const token = takeToken(c);
      name = {
        name: stringText(token, c.dialect),
        quoted: true,
        span: { start: token.start, end: token.end },
      };
    } else name = takeAnyName(c, 'an alias');
  } else if (isTableAlias(c.key) && !beginsClause(c)) name = takeAnyName(c, 'an alias');
  else return undefined;
  const hasColumns = c.key === '(' && (isAnyWord(peek(c, 1)) || peek(c, 1) === 'string');
  if (!hasColumns) return { name, columns: [] };
  if (peek(c, 2) !== ',' && peek(c, 2) !== ')') return parseColumnDefinitions(c, name);
  return { name, columns: takeNameList(c, 'a column name') };
}

function parseColumnDefinitions(c: Cursor, name: Identifier): TableAlias {
  expect(c, '(');
  const columns: Identifier[] = [];
  const columnTypes: TypeName[] = [];
  do {
    columns.push(takeAnyName(c, 'a column name'));
    columnTypes.push(parseType(c));
  } while (accept(c, ','));
  expect(c, ')');
  return { name, columns, columnTypes };
}

/** Words that are a clause in one dialect or before one other word, and a good alias otherwise. */
function beginsClause(c: Cursor): boolean {
  const next = peek(c, 1);
  switch (c.key) {
    case 'AT':
    case 'BEFORE':
    case 'CHANGES':
      return next === '(';
    case 'VERSION':
    case 'TIMESTAMP':
      return next === 'AS' && peek(c, 2) === 'OF';
    case 'SORT':
    case 'CLUSTER':
    case 'DISTRIBUTE':
      return next === 'BY';
    case 'FINAL':
    case 'PREWHERE':
    case 'SETTINGS':
    case 'FORMAT':
    case 'GLOBAL':
    case 'ARRAY':
    case 'SAMPLE':
      return c.dialect === 'clickhouse';
    default:
      return c.dialect === 'mysql' && isIndexHint(c);
  }
}

/** TABLESAMPLE, time travel and table hints: the text, because no pass looks inside. */
export function parseSuffix(c: Cursor): string | undefined {
  const start = startOf(c);
  const next = peek(c, 1);
  if (
    c.key === 'TABLESAMPLE' ||
    (c.key === 'SAMPLE' &&
      (next === '(' || peek(c, 2) === '(' || next === 'number') &&
      c.dialect === 'snowflake')
  ) {
    advance(c);
    skipSample(c);
  } else if ((c.key === 'AT' || c.key === 'BEFORE' || c.key === 'CHANGES') && next === '(') {
    advance(c);
    skipParenthesis(c);
  } else if (c.key === 'FOR' && (next === 'SYSTEM_TIME' || next === 'TIMESTAMP' || next === 'VERSION')) {
    skip(c, 2);
    parsePointInTime(c);
  } else if ((c.key === 'VERSION' || c.key === 'TIMESTAMP') && next === 'AS' && peek(c, 2) === 'OF') {
    advance(c);
    parsePointInTime(c);
  } else if (c.key === 'FINAL' && c.dialect === 'clickhouse') advance(c);
  else if (c.dialect === 'mysql' && isIndexHint(c)) {
    while (isIndexHint(c)) {
      while (c.key !== '(') advance(c);
      skipParenthesis(c);
    }
  } else if (c.key === 'WITH' && next === '(' && c.dialect === 'tsql') {
    advance(c);
    skipParenthesis(c);
  } else return undefined;
  return c.text.slice(start, lastEnd(c));
}

/** MySQL's `USE | IGNORE | FORCE INDEX [FOR …] (…)`. */
function isIndexHint(c: Cursor): boolean {
  if (
    !/^(?:use|ignore|force)$/i.test(c.tokens[c.at]?.text ?? '') ||
    !/^(?:index|key)$/i.test(c.tokens[c.at + 1]?.text ?? '')
  )
    return false;
  const after = peek(c, 2);
  return after === '(' || after === 'FOR';
}

/** `AS OF x`, and T-SQL's ranges `FROM x TO y`, `BETWEEN x AND y`, `CONTAINED IN (x, y)`, `ALL`. */
function parsePointInTime(c: Cursor): void {
  if (accept(c, 'ALL')) return;
  if (accept(c, 'FROM')) {
    c.grammar.operand(c, OPERATOR);
    expect(c, 'TO');
  } else if (accept(c, 'BETWEEN')) {
    c.grammar.operand(c, OPERATOR);
    expect(c, 'AND');
  } else {
    expect(c, 'AS');
    expect(c, 'OF');
  }
  c.grammar.operand(c, OPERATOR);
}
