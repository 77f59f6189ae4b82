import type { Expression, Identifier, Pivot, Projection, TableExpression, Unpivot } from '../tree.ts';
import {
  accept,
  acceptTwo,
  advance,
  type Cursor,
  expect,
  fail,
  peek,
  spanFrom,
  startOf,
  takeAnyName,
  takeNameList,
} from './cursor.ts';
import { beginsQuery, isAnyWord, isColumnAlias } from './keywords.ts';
import { OPERATOR } from './precedence.ts';
import { parseList } from './windows.ts';

/** The SQL form, after a table: `PIVOT (sum(x) FOR y IN (…))`, `UNPIVOT (v FOR n IN (…))`. */
export function parsePivotSuffix(c: Cursor, source: TableExpression, start: number): Pivot | Unpivot {
  if (accept(c, 'UNPIVOT')) return parseUnpivotSuffix(c, source, start);
  expect(c, 'PIVOT');
  expect(c, '(');
  const aggregates: Projection[] = [];
  do aggregates.push(parseAliased(c));
  while (accept(c, ',') && c.key !== 'FOR');
  expect(c, 'FOR');
  const on: { expression: Expression; values?: readonly Projection[] }[] = [];
  do on.push(parsePivotOn(c, true));
  while (accept(c, 'FOR') || (c.key !== ')' && c.key !== 'GROUP' && c.key !== 'end'));
  const groupBy = acceptTwo(c, 'GROUP', 'BY') ? parseList(c) : [];
  expect(c, ')');
  return { kind: 'pivot', source, aggregates, on, groupBy, span: spanFrom(c, start) };
}

/** `expression [AS] alias`, as pivots name their values and aggregates. */
export function parseAliased(c: Cursor): Projection {
  const start = startOf(c);
  const expression = c.grammar.expression(c);
  const alias = parseLabel(c);
  const span = spanFrom(c, start);
  return alias === undefined ? { expression, span } : { expression, alias, span };
}

/** `column [IN (value, …)]`; the values may also be a query or an enum's name. */
export function parsePivotOn(
  c: Cursor,
  needsValues: boolean,
): { expression: Expression; values?: readonly Projection[] } {
  const expression = c.grammar.operand(c, OPERATOR);
  if (!accept(c, 'IN')) return needsValues ? fail(c, 'IN') : { expression };
  if (!accept(c, '(')) {
    const start = startOf(c);
    const name = takeAnyName(c, 'an enum or “(”');
    const span = spanFrom(c, start);
    return { expression, values: [{ expression: { kind: 'column', name, qualifiers: [], span }, span }] };
  }
  const values: Projection[] = [];
  if (beginsQuery(c.key)) {
    const start = startOf(c);
    const query = c.grammar.query(c);
    const span = spanFrom(c, start);
    values.push({ expression: { kind: 'subquery', query, span }, span });
  } else {
    while (c.key !== ')') {
      values.push(c.key === 'ANY' ? parseAnyValue(c) : parseAliased(c));
      if (!accept(c, ',')) break;
    }
  }
  expect(c, ')');
  return { expression, values };
}

/** Snowflake's `IN (ANY)`: kept as a column of that name. */
function parseAnyValue(c: Cursor): Projection {
  const start = startOf(c);
  const name = takeAnyName(c, 'ANY');
  const span = spanFrom(c, start);
  return { expression: { kind: 'column', name, qualifiers: [], span }, span };
}

function parseUnpivotSuffix(c: Cursor, source: TableExpression, start: number): Unpivot {
  const includeNulls = parseIncludeNulls(c);
  expect(c, '(');
  const valueColumns = c.key === '(' ? takeNameList(c, 'a column name') : [takeAnyName(c, 'a column name')];
  expect(c, 'FOR');
  const nameColumn = takeAnyName(c, 'a column name');
  expect(c, 'IN');
  const hasParenthesis = accept(c, '(');
  const columns = parseUnpivotColumns(c);
  if (hasParenthesis) expect(c, ')');
  expect(c, ')');
  return {
    kind: 'unpivot',
    source,
    includeNulls,
    nameColumn,
    valueColumns,
    columns,
    span: spanFrom(c, start),
  };
}

/** `INCLUDE NULLS` or `EXCLUDE NULLS`, which is what happens without it. */
export function parseIncludeNulls(c: Cursor): boolean {
  if (acceptTwo(c, 'INCLUDE', 'NULLS')) return true;
  acceptTwo(c, 'EXCLUDE', 'NULLS');
  return false;
}

/** Columns, groups of columns in parentheses and COLUMNS(…), each with an optional label. */
export function parseUnpivotColumns(c: Cursor): Unpivot['columns'] {
  const columns: { expressions: readonly Expression[]; alias?: Identifier }[] = [];
  do {
    if (columns.length > 0 && (c.key === ')' || c.key === 'INTO')) break;
    const expression = c.grammar.expression(c);
    const expressions = expression.kind === 'tuple' ? expression.items : [expression];
    const alias = parseLabel(c);
    columns.push(alias === undefined ? { expressions } : { expressions, alias });
  } while (accept(c, ','));
  return columns;
}

function parseLabel(c: Cursor): Identifier | undefined {
  const isLabel =
    c.key === 'AS'
      ? isAnyWord(peek(c, 1)) || peek(c, 1) === 'string' || peek(c, 1) === 'number'
      : isColumnAlias(c.key);
  if (!isLabel) return undefined;
  accept(c, 'AS');
  if (c.key !== 'string' && c.key !== 'number') return takeAnyName(c, 'a label');
  const start = startOf(c);
  const isString = c.key === 'string';
  advance(c);
  const span = spanFrom(c, start);
  const text = c.text.slice(span.start, span.end);
  return { name: isString ? text.slice(1, -1) : text, quoted: true, span };
}
