import type { Expression, Values } from '../tree.ts';
import { accept, type Cursor, expect, is, spanFrom, startOf } from './cursor.ts';

/** `VALUES (1, 2), (3, 4)`; rows without parentheses, as Spark and Snowflake allow, have one column. */
export function parseValues(c: Cursor): Values {
  const start = startOf(c);
  expect(c, 'VALUES');
  const rows: (readonly Expression[])[] = [];
  do {
    if (c.key === ')' || c.key === 'end') break;
    accept(c, 'ROW');
    if (!is(c, '(') && c.dialect !== 'duckdb' && c.dialect !== 'postgres') {
      rows.push([c.grammar.operand(c, 0)]);
      continue;
    }
    expect(c, '(');
    const row: Expression[] = [];
    while (c.key !== ')') {
      row.push(c.grammar.expression(c));
      if (!accept(c, ',')) break;
    }
    expect(c, ')');
    rows.push(row);
  } while (accept(c, ','));
  return { kind: 'values', rows, span: spanFrom(c, start) };
}
