import type { Identifier, TableExpression, TableFunction } from '../tree.ts';
import { parseCallAfterName } from './calls.ts';
import {
  accept,
  type Cursor,
  fail,
  is,
  lastEnd,
  peek,
  skip,
  spanFrom,
  startOf,
  takeAnyName,
} from './cursor.ts';
import { isTableAlias } from './keywords.ts';

/** Spark's `LATERAL VIEW [OUTER] explode(x) t AS a, b`: a function joined to what comes before it. */
export function parseLateralViews(c: Cursor, tables: readonly TableExpression[]): TableExpression[] {
  const result = [...tables];
  while (c.key === 'LATERAL' && peek(c, 1) === 'VIEW') {
    const start = startOf(c);
    skip(c, 2);
    const isOuter = accept(c, 'OUTER');
    const name = takeAnyName(c, 'a function');
    if (!is(c, '(')) fail(c, '“(”');
    const call = parseCallAfterName(c, name, [], startOf(c));
    const alias = isTableAlias(c.key) && !is(c, 'AS') ? takeAnyName(c, 'an alias') : undefined;
    const columns: Identifier[] = [];
    if (accept(c, 'AS')) {
      do columns.push(takeAnyName(c, 'a column name'));
      while (is(c, ',') && peek(c, 1) !== 'LATERAL' && accept(c, ','));
    }
    const at = lastEnd(c);
    const view: TableFunction = {
      kind: 'table-function',
      call,
      lateral: true,
      withOrdinality: false,
      alias: {
        name: alias ?? { name: call.name.name, quoted: false, span: { start: at, end: at } },
        columns,
      },
      span: spanFrom(c, start),
    };
    const left = result.at(-1);
    if (!isOuter || left === undefined) result.push(view);
    else
      result[result.length - 1] = {
        kind: 'join',
        type: 'left',
        natural: false,
        asof: false,
        left,
        right: view,
        span: spanFrom(c, left.span.start),
      };
  }
  return result;
}
