import type { Expression, Identifier, PivotStatement, Projection } from '../tree.ts';
import {
  accept,
  acceptTwo,
  type Cursor,
  expect,
  lastEnd,
  spanFrom,
  startOf,
  takeAnyName,
  takeNameList,
} from './cursor.ts';
import { parseAliased, parseIncludeNulls, parsePivotOn, parseUnpivotColumns } from './pivots.ts';
import { parseTablePrimary } from './tables.ts';
import { parseList } from './windows.ts';

/** DuckDB's `PIVOT t ON x USING sum(y) GROUP BY z` and `UNPIVOT t ON a, b INTO NAME n VALUE v`. */
export function parsePivotStatement(c: Cursor): PivotStatement {
  const start = startOf(c);
  if (accept(c, 'UNPIVOT') || accept(c, 'PIVOT_LONGER')) return parseUnpivot(c, start);
  if (!accept(c, 'PIVOT_WIDER')) expect(c, 'PIVOT');
  const source = parseTablePrimary(c);
  const on: { expression: Expression; values?: readonly Projection[] }[] = [];
  if (accept(c, 'ON')) {
    do on.push(parsePivotOn(c, false));
    while (accept(c, ','));
  }
  const aggregates: Projection[] = [];
  if (accept(c, 'USING')) {
    do aggregates.push(parseAliased(c));
    while (accept(c, ','));
  }
  const groupBy = acceptTwo(c, 'GROUP', 'BY') ? parseList(c) : [];
  const span = spanFrom(c, start);
  return { kind: 'pivot-statement', pivot: { kind: 'pivot', source, aggregates, on, groupBy, span }, span };
}

function parseUnpivot(c: Cursor, start: number): PivotStatement {
  const source = parseTablePrimary(c);
  const includeNulls = parseIncludeNulls(c);
  expect(c, 'ON');
  const columns = parseUnpivotColumns(c);
  const at = lastEnd(c);
  const implied = (name: string): Identifier => ({ name, quoted: false, span: { start: at, end: at } });
  let nameColumn = implied('name');
  let valueColumns: readonly Identifier[] = [implied('value')];
  if (accept(c, 'INTO')) {
    expect(c, 'NAME');
    nameColumn = takeAnyName(c, 'a column name');
    expect(c, 'VALUE');
    if (c.key === '(') valueColumns = takeNameList(c, 'a column name');
    else {
      const names: Identifier[] = [];
      do names.push(takeAnyName(c, 'a column name'));
      while (accept(c, ','));
      valueColumns = names;
    }
  }
  const span = spanFrom(c, start);
  return {
    kind: 'pivot-statement',
    pivot: { kind: 'unpivot', source, includeNulls, nameColumn, valueColumns, columns, span },
    span,
  };
}
