import { unreachable } from '../../unreachable.ts';
import type { Join, TableAlias, TableExpression } from '../tree.ts';
import { writeExpression, writeExpressions, writeProjections } from './canonical-expression.ts';
import { writeType } from './canonical-leaf.ts';
import { canonicalTokens } from './canonical-tokens.ts';
import {
  type CanonicalWriter,
  writeName,
  writeNames,
  writeString,
  writeTableName,
} from './canonical-writer.ts';

export function writeTables(w: CanonicalWriter, tables: readonly TableExpression[]): void {
  w.out += '[';
  for (const table of tables) {
    writeTable(w, table);
    w.out += ',';
  }
  w.out += ']';
}

/** Chains of joins are as long as the user likes, so they are walked with a stack. */
export function writeTable(w: CanonicalWriter, table: TableExpression): void {
  const joins: Join[] = [];
  let at = table;
  while (at.kind === 'join') {
    w.out += '(';
    joins.push(at);
    at = at.left;
  }
  writeSimpleTable(w, at);
  for (let i = joins.length - 1; i >= 0; i--) {
    writeJoin(w, joins[i] as Join);
    w.out += ')';
  }
}

function writeJoin(w: CanonicalWriter, join: Join): void {
  w.out += ` ${join.natural ? 'natural ' : ''}${join.asof ? 'asof ' : ''}${join.type} `;
  writeTable(w, join.right);
  if (join.on !== undefined) {
    w.out += ' on ';
    writeExpression(w, join.on);
  }
  if (join.using !== undefined) {
    w.out += ' using ';
    writeNames(w, join.using);
  }
}

function writeSimpleTable(w: CanonicalWriter, table: Exclude<TableExpression, Join>): void {
  switch (table.kind) {
    case 'table':
      w.out += 't:';
      for (const part of table.parts) {
        if (table.isFile) writeString(w, part.name);
        else writeTableName(w, part);
        w.out += '.';
      }
      writeSuffix(w, table.suffix);
      writeAlias(w, table.alias);
      return;
    case 'table-function':
      w.out += table.lateral ? 'lateral ' : 'f:';
      writeExpression(w, table.call);
      if (table.withOrdinality) w.out += ' with ordinality';
      writeSuffix(w, table.suffix);
      writeAlias(w, table.alias);
      return;
    case 'derived':
      w.out += table.lateral ? 'lateral{' : '{';
      w.query(w, table.query);
      w.out += '}';
      writeSuffix(w, table.suffix);
      writeAlias(w, table.alias);
      return;
    case 'aliased':
      writeTable(w, table.table);
      writeAlias(w, table.alias);
      return;
    case 'values':
      w.out += 'values[';
      for (const row of table.rows) writeExpressions(w, row);
      w.out += ']';
      writeAlias(w, table.alias);
      return;
    case 'pivot':
      w.out += 'pivot(';
      writeTable(w, table.source);
      w.out += ' using';
      writeProjections(w, table.aggregates);
      for (const { expression, values } of table.on) {
        w.out += ' on ';
        writeExpression(w, expression);
        if (values !== undefined) writeProjections(w, values);
      }
      w.out += ' group';
      writeExpressions(w, table.groupBy);
      w.out += ')';
      writeAlias(w, table.alias);
      return;
    case 'unpivot':
      w.out += table.includeNulls ? 'unpivot nulls(' : 'unpivot(';
      writeTable(w, table.source);
      w.out += ' name ';
      writeName(w, table.nameColumn);
      w.out += ' value';
      writeNames(w, table.valueColumns);
      for (const { expressions, alias } of table.columns) {
        writeExpressions(w, expressions);
        if (alias !== undefined) {
          w.out += ' as ';
          writeName(w, alias);
        }
      }
      w.out += ')';
      writeAlias(w, table.alias);
      return;
    default:
      unreachable(table);
  }
}

function writeSuffix(w: CanonicalWriter, suffix: string | undefined): void {
  if (suffix !== undefined) w.out += `{${canonicalTokens(suffix, w.dialect)}}`;
}

function writeAlias(w: CanonicalWriter, alias: TableAlias | undefined): void {
  if (alias === undefined) return;
  w.out += ' as ';
  writeName(w, alias.name);
  if (alias.columns.length > 0) writeNames(w, alias.columns);
  for (const type of alias.columnTypes ?? []) {
    w.out += ':';
    writeType(w, type);
  }
}
