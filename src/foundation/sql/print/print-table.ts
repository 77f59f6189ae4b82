import { unreachable } from '../../unreachable.ts';
import type {
  Join,
  Pivot,
  Projection,
  TableAlias,
  TableExpression,
  TableFunction,
  Unpivot,
  Values,
} from '../tree.ts';
import { LEVEL } from './levels.ts';
import { writeConjunction, writeSubquery } from './print-expression.ts';
import { nameText, stringText, writeNames, writePath, writeType } from './print-name.ts';
import { breakLine, captured, joined, type Printer, refuse } from './printer.ts';

/** Joins lean to the left and are written in a loop; a join on the right side gets parentheses. */
export function writeTable(p: Printer, table: TableExpression): void {
  const joins: Join[] = [];
  let at = table;
  while (at.kind === 'join') {
    joins.push(at);
    at = at.left;
  }
  writeSimpleTable(p, at);
  for (let i = joins.length - 1; i >= 0; i--) writeJoin(p, joins[i] as Join);
}

const JOIN_WORDS: Readonly<Record<Join['type'], string>> = {
  inner: '', left: 'LEFT ', right: 'RIGHT ', full: 'FULL ', cross: 'CROSS ', semi: 'SEMI ', anti: 'ANTI ', positional: 'POSITIONAL ',
}; // biome-ignore format: a table

function writeJoin(p: Printer, join: Join): void {
  breakLine(p);
  checkJoin(p, join);
  const isSpark = p.to === 'spark' || p.to === 'databricks' || p.to === 'clickhouse';
  const words =
    isSpark && (join.type === 'semi' || join.type === 'anti')
      ? `LEFT ${JOIN_WORDS[join.type]}`
      : JOIN_WORDS[join.type];
  p.out += `${join.natural ? 'NATURAL ' : ''}${join.asof ? 'ASOF ' : ''}${words}JOIN `;
  if (join.right.kind === 'join') {
    p.out += '(';
    writeTable(p, join.right);
    p.out += ')';
  } else writeSimpleTable(p, join.right);
  if (join.on !== undefined) {
    p.out += ' ON ';
    writeConjunction(p, join.on);
  }
  if (join.using !== undefined) {
    p.out += ' USING ';
    writeNames(p, join.using);
  }
}

function checkJoin(p: Printer, join: Join): void {
  if (!p.isTranslating) return;
  if ((join.type === 'semi' || join.type === 'anti') && !p.target.hasSemiJoin)
    refuse(p, `${join.type.toUpperCase()} JOIN`, join.span);
  if (join.type === 'full' && p.to === 'mysql') refuse(p, 'FULL JOIN', join.span);
  if (join.type === 'positional' && p.to !== 'duckdb') refuse(p, 'POSITIONAL JOIN', join.span);
  if (join.asof && p.to !== 'duckdb') refuse(p, 'ASOF JOIN', join.span);
  if (join.using !== undefined && p.to === 'tsql') refuse(p, 'JOIN … USING', join.span);
}

function writeSimpleTable(p: Printer, table: Exclude<TableExpression, Join>): void {
  switch (table.kind) {
    case 'table':
      if (table.isFile && p.to !== 'duckdb' && p.isTranslating)
        refuse(p, 'reading a file by its name', table.span);
      if (table.isFile) p.out += stringText(p, table.parts[0]?.name ?? '');
      else writePath(p, table.parts);
      writeSuffixAndAlias(p, table);
      return;
    case 'table-function':
      if (writeSeries(p, table)) return;
      if (p.isTranslating) refuse(p, `the table function ${table.call.name.name}`, table.span);
      if (table.lateral) p.out += 'LATERAL ';
      p.expression(p, table.call);
      if (table.withOrdinality) p.out += ' WITH ORDINALITY';
      writeSuffixAndAlias(p, table);
      return;
    case 'derived':
      if (
        table.lateral &&
        p.isTranslating &&
        (p.to === 'bigquery' ||
          p.to === 'tsql' ||
          p.to === 'sqlite' ||
          p.to === 'clickhouse' ||
          p.to === 'redshift')
      )
        refuse(p, 'LATERAL', table.span);
      if (table.lateral) p.out += 'LATERAL ';
      writeSubquery(p, table.query);
      writeSuffixAndAlias(p, table);
      return;
    case 'aliased':
      p.out += '(';
      writeTable(p, table.table);
      p.out += ')';
      writeAlias(p, table.alias);
      return;
    case 'values':
      if (
        p.isTranslating &&
        (p.to === 'bigquery' || p.to === 'redshift' || p.to === 'clickhouse' || p.to === 'sqlite')
      )
        refuse(p, 'VALUES as a table', table.span);
      p.out += '(';
      writeValues(p, table);
      p.out += ')';
      writeAlias(p, table.alias);
      return;
    case 'pivot':
    case 'unpivot':
      writePivot(p, table, false);
      return;
    default:
      unreachable(table);
  }
}

/** Whole numbers from 1 to a last one, which every dialect makes in its own way. */
function writeSeries(p: Printer, table: TableFunction): boolean {
  const { call, alias, lateral } = table;
  const [first, last, ...more] = call.arguments;
  const name = alias?.columns[0];
  if (!p.isTranslating || p.target.series === undefined || call.name.name.toLowerCase() !== 'generate_series')
    return false;
  if (first?.value.kind !== 'literal' || first.value.text !== '1' || more.length > 0) return false;
  if (last === undefined || alias === undefined || name === undefined) return false;
  const parts: Readonly<Record<string, string>> = {
    2: captured(p, () => p.expression(p, last.value, LEVEL.postfix)),
    t: nameText(p, alias.name),
    c: nameText(p, name),
    l: lateral ? 'LATERAL ' : '',
  };
  p.out += p.target.series.replace(/\$([2tcl])/g, (_match, part: string) => parts[part] ?? '');
  return true;
}

export function writeValues(p: Printer, values: Pick<Values, 'rows'>): void {
  p.out += 'VALUES ';
  const isMysql = p.isTranslating && p.to === 'mysql';
  joined(p, values.rows, (row) => {
    p.out += isMysql ? 'ROW(' : '(';
    joined(p, row, (item) => p.expression(p, item));
    p.out += ')';
  });
}

function writeSuffixAndAlias(
  p: Printer,
  table: { readonly suffix?: string; readonly alias?: TableAlias; readonly span: Join['span'] },
): void {
  if (table.suffix !== undefined && p.isTranslating) refuse(p, table.suffix, table.span);
  const isSample = table.suffix !== undefined && /^TABLESAMPLE/i.test(table.suffix);
  // A point in time belongs to the name, a sample to the alias.
  if (table.suffix !== undefined && !isSample) p.out += ` ${table.suffix}`;
  writeAlias(p, table.alias);
  if (table.suffix !== undefined && isSample) p.out += ` ${table.suffix}`;
}

function writeAlias(p: Printer, alias: TableAlias | undefined): void {
  if (alias === undefined) return;
  p.out += ` AS ${nameText(p, alias.name)}`;
  if (alias.columnTypes !== undefined) {
    p.out += '(';
    alias.columns.forEach((name, i) => {
      p.out += `${i > 0 ? ', ' : ''}${nameText(p, name)} `;
      const type = alias.columnTypes?.[i];
      if (type !== undefined) writeType(p, type);
    });
    p.out += ')';
  } else if (alias.columns.length > 0) writeNames(p, alias.columns);
}

function writeProjectionsInline(p: Printer, projections: readonly Projection[]): void {
  joined(p, projections, ({ expression, alias }) => {
    p.expression(p, expression);
    if (alias !== undefined) p.out += ` AS ${nameText(p, alias)}`;
  });
}

/** PIVOT and UNPIVOT, as a table (standard words) or as DuckDB's statement. */
export function writePivot(p: Printer, table: Pivot | Unpivot, isStatement: boolean): void {
  if (p.isTranslating) refuse(p, table.kind.toUpperCase(), table.span);
  if (isStatement) writePivotStatement(p, table);
  else {
    if (table.source.kind === 'join') {
      p.out += '(';
      writeTable(p, table.source);
      p.out += ')';
    } else writeTable(p, table.source);
    if (table.kind === 'pivot') writePivotClause(p, table);
    else writeUnpivotClause(p, table);
    writeAlias(p, table.alias);
  }
}

function writePivotStatement(p: Printer, table: Pivot | Unpivot): void {
  p.out += table.kind === 'pivot' ? 'PIVOT ' : 'UNPIVOT ';
  writeTable(p, table.source);
  if (table.kind === 'unpivot') {
    if (table.includeNulls) p.out += ' INCLUDE NULLS';
    p.out += ' ON ';
    writeUnpivotColumns(p, table);
    p.out += ` INTO NAME ${nameText(p, table.nameColumn)} VALUE `;
    joined(p, table.valueColumns, (name) => {
      p.out += nameText(p, name);
    });
    return;
  }
  if (table.on.length > 0) p.out += ' ON ';
  joined(p, table.on, ({ expression, values }) => {
    p.expression(p, expression, LEVEL.other);
    if (values === undefined) return;
    p.out += ' IN (';
    writeProjectionsInline(p, values);
    p.out += ')';
  });
  if (table.aggregates.length > 0) {
    p.out += ' USING ';
    writeProjectionsInline(p, table.aggregates);
  }
  if (table.groupBy.length > 0) {
    p.out += ' GROUP BY ';
    joined(p, table.groupBy, (item) => p.expression(p, item));
  }
}

function writePivotClause(p: Printer, table: Pivot): void {
  p.out += ' PIVOT (';
  writeProjectionsInline(p, table.aggregates);
  p.out += ' FOR ';
  for (let i = 0; i < table.on.length; i++) {
    const { expression, values } = table.on[i] as Pivot['on'][number];
    if (i > 0) p.out += ' ';
    p.expression(p, expression, LEVEL.other);
    p.out += ' IN (';
    if (values === undefined) p.out += 'ANY';
    else writeProjectionsInline(p, values);
    p.out += ')';
  }
  if (table.groupBy.length > 0) {
    p.out += ' GROUP BY ';
    joined(p, table.groupBy, (item) => p.expression(p, item));
  }
  p.out += ')';
}

function writeUnpivotClause(p: Printer, table: Unpivot): void {
  p.out += ` UNPIVOT ${table.includeNulls ? 'INCLUDE NULLS ' : ''}(`;
  if (table.valueColumns.length === 1) joined(p, table.valueColumns, (name) => writePath(p, [name]));
  else writeNames(p, table.valueColumns);
  p.out += ` FOR ${nameText(p, table.nameColumn)} IN (`;
  writeUnpivotColumns(p, table);
  p.out += '))';
}

function writeUnpivotColumns(p: Printer, table: Unpivot): void {
  joined(p, table.columns, ({ expressions, alias }) => {
    if (expressions.length > 1) p.out += '(';
    joined(p, expressions, (item) => p.expression(p, item));
    if (expressions.length > 1) p.out += ')';
    if (alias !== undefined) p.out += ` AS ${nameText(p, alias)}`;
  });
}
