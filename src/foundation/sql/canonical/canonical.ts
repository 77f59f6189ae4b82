/**
 * The canonical text of a query: equal for two texts exactly when our tree says they mean the same.
 *
 *   SELECT a  AS b FROM t -- x      ┐
 *   select "a" b from t             ┘▶  select["a" as "b"]from[t:"t"]
 *
 * Every expression with operands is fully parenthesised and every list closed, so two different trees never share a text.
 * It is written straight into one string; long AND, UNION, JOIN and postfix chains are walked with a stack, not by recursion.
 */
import { hash128 } from '../../hash128.ts';
import type { Dialect } from '../dialect.ts';
import type { Query, QueryBody, Select, SetOperation } from '../tree.ts';
import {
  writeExpression,
  writeExpressions,
  writeGroups,
  writeOrder,
  writeProjections,
  writeWindow,
} from './canonical-expression.ts';
import { writeTable, writeTables } from './canonical-table.ts';
import { canonicalTokens } from './canonical-tokens.ts';
import { type CanonicalWriter, canonicalWriter, writeName, writeNames } from './canonical-writer.ts';

/** A text that formatting, comments, keyword case and equal spellings never change, and that anything able to change data does. */
export function canonicalText(query: Query, dialect: Dialect): string {
  const writer = canonicalWriter(dialect, writeQuery);
  writeQuery(writer, query);
  return writer.out;
}

/** The 128-bit hash of the canonical text; the dialect is not part of it. */
export function canonicalHash(query: Query, dialect: Dialect): string {
  return hash128(canonicalText(query, dialect));
}

function writeQuery(w: CanonicalWriter, query: Query): void {
  if (query.with !== undefined) {
    w.out += query.with.recursive ? 'with recursive[' : 'with[';
    for (const table of query.with.tables) {
      writeName(w, table.name);
      if (table.columns.length > 0) writeNames(w, table.columns);
      if (table.materialized !== undefined)
        w.out += table.materialized ? ' materialized' : ' not materialized';
      if (table.usingKey !== undefined) {
        w.out += ' key';
        writeNames(w, table.usingKey);
      }
      w.out += '(';
      writeQuery(w, table.query);
      w.out += ')';
    }
    w.out += ']';
  }
  writeBody(w, query.body);
  if (query.orderBy === 'ALL') {
    const { direction, nulls } = query.orderAll ?? {};
    w.out += `order all${direction === 'DESC' ? ' desc' : ''}${nulls === undefined ? '' : ` nulls ${nulls}`}`;
  } else if (query.orderBy.length > 0) {
    w.out += 'order';
    writeOrder(w, query.orderBy);
  }
  if (query.limit !== undefined) {
    w.out += `limit${query.limitIsPercent ? '%' : ''}${query.limitHasTies ? ' ties' : ''}(`;
    writeExpression(w, query.limit);
    w.out += ')';
  }
  if (query.offset !== undefined) {
    w.out += 'offset(';
    writeExpression(w, query.offset);
    w.out += ')';
  }
}

/** Parentheses around a body that carries nothing of its own mean nothing. */
function unnested(body: QueryBody): QueryBody {
  let at = body;
  while (at.kind === 'nested') {
    const { query } = at;
    const carries =
      query.with !== undefined ||
      query.orderBy === 'ALL' ||
      query.orderBy.length > 0 ||
      query.limit !== undefined ||
      query.offset !== undefined;
    if (carries) return at;
    at = query.body;
  }
  return at;
}

function writeBody(w: CanonicalWriter, body: QueryBody): void {
  const spine: SetOperation[] = [];
  let at = unnested(body);
  while (at.kind === 'set-operation') {
    w.out += '(';
    spine.push(at);
    at = unnested(at.left);
  }
  writeSimpleBody(w, at);
  for (let i = spine.length - 1; i >= 0; i--) {
    const operation = spine[i] as SetOperation;
    w.out += ` ${operation.operator}${operation.isAll ? ' all' : ''}${operation.byName ? ' by name' : ''} `;
    writeBody(w, operation.right);
    w.out += ')';
  }
}

function writeSimpleBody(w: CanonicalWriter, body: Exclude<QueryBody, SetOperation>): void {
  switch (body.kind) {
    case 'select':
      writeSelect(w, body);
      return;
    case 'values':
      w.out += 'values[';
      for (const row of body.rows) writeExpressions(w, row);
      w.out += ']';
      return;
    case 'nested':
      w.out += '{';
      writeQuery(w, body.query);
      w.out += '}';
      return;
    case 'pivot-statement':
      w.out += 'statement ';
      writeTable(w, body.pivot);
  }
}

function writeSelect(w: CanonicalWriter, select: Select): void {
  w.out += 'select';
  if (select.distinct === 'all') w.out += ' distinct';
  else if (select.distinct !== 'none') {
    w.out += ' distinct on';
    writeExpressions(w, select.distinct);
  }
  if (select.asKind !== undefined) w.out += ` as ${select.asKind}`;
  writeProjections(w, select.projections);
  if (select.from.length > 0) {
    w.out += 'from';
    writeTables(w, select.from);
  }
  if (select.where !== undefined) {
    w.out += 'where ';
    writeExpression(w, select.where);
  }
  if (select.groupBy !== undefined) {
    w.out += select.groupBy.isAll ? 'group all' : 'group';
    writeGroups(w, select.groupBy.items);
  }
  if (select.having !== undefined) {
    w.out += 'having ';
    writeExpression(w, select.having);
  }
  if (select.qualify !== undefined) {
    w.out += 'qualify ';
    writeExpression(w, select.qualify);
  }
  for (const window of select.windows) {
    w.out += 'window ';
    writeName(w, window.name);
    writeWindow(w, window.spec);
  }
  if (select.sample !== undefined) w.out += `sample{${canonicalTokens(select.sample, w.dialect)}}`;
}
