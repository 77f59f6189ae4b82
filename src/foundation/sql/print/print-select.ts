import { foldsRows } from '../functions/folds-rows.ts';
import type {
  Expression,
  GroupItem,
  Identifier,
  Projection,
  Query,
  QueryBody,
  Select,
  SetOperation,
} from '../tree.ts';
import { writeOrder, writeWindow } from './print-call.ts';
import { writeConjunction } from './print-expression.ts';
import { nameText, writeNames } from './print-name.ts';
import { writePivot, writeTable, writeValues } from './print-table.ts';
import { breakLine, joined, type Printer, refuse, softLine } from './printer.ts';

export function writeQuery(p: Printer, query: Query): void {
  if (query.with !== undefined) {
    const hasRecursive = query.with.recursive && p.to !== 'tsql';
    p.out += hasRecursive ? 'WITH RECURSIVE ' : 'WITH ';
    for (let i = 0; i < query.with.tables.length; i++) {
      const table = query.with.tables[i] as (typeof query.with.tables)[number];
      if (i > 0) {
        p.out += ',';
        breakLine(p);
      }
      p.out += nameText(p, table.name);
      if (table.columns.length > 0) writeNames(p, table.columns);
      if (table.usingKey !== undefined) {
        if (p.isTranslating) refuse(p, 'USING KEY', table.span);
        p.out += ' USING KEY ';
        writeNames(p, table.usingKey);
      }
      p.out += ' AS ';
      if (table.materialized !== undefined && !(p.isTranslating && p.to !== 'postgres' && p.to !== 'duckdb'))
        p.out += table.materialized ? 'MATERIALIZED ' : 'NOT MATERIALIZED ';
      p.out += '(';
      p.indent++;
      softLine(p);
      writeQuery(p, table.query);
      p.indent--;
      softLine(p);
      p.out += ')';
    }
    breakLine(p);
  }
  const usesTop = p.target.limit === 'top' && query.limit !== undefined && query.offset === undefined;
  if (usesTop && query.body.kind === 'select') writeSelect(p, query.body, query);
  else writeBody(p, query.body);
  writeQueryOrder(p, query);
  writeLimits(p, query, usesTop && query.body.kind === 'select');
}

function writeQueryOrder(p: Printer, query: Query): void {
  if (query.orderBy === 'ALL') {
    if (p.isTranslating && p.to !== 'duckdb') refuse(p, 'ORDER BY ALL', query.span);
    breakLine(p);
    const { direction, nulls } = query.orderAll ?? {};
    p.out += `ORDER BY ALL${direction === undefined ? '' : ` ${direction}`}${nulls === undefined ? '' : ` NULLS ${nulls}`}`;
  } else if (query.orderBy.length > 0) {
    breakLine(p);
    p.out += 'ORDER BY ';
    writeOrder(p, query.orderBy);
  }
}

function writeLimits(p: Printer, query: Query, isDone: boolean): void {
  if (query.limitIsPercent && p.isTranslating) refuse(p, 'LIMIT … PERCENT', query.span);
  if (p.target.limit === 'top') {
    if (isDone || (query.limit === undefined && query.offset === undefined)) return;
    if (query.orderBy.length === 0) {
      breakLine(p);
      p.out += 'ORDER BY (SELECT NULL)';
    }
    breakLine(p);
    p.out += 'OFFSET ';
    if (query.offset === undefined) p.out += '0';
    else p.expression(p, query.offset);
    p.out += ' ROWS';
    if (query.limit === undefined) return;
    p.out += ' FETCH NEXT ';
    p.expression(p, query.limit);
    p.out += query.limitHasTies ? ' ROWS WITH TIES' : ' ROWS ONLY';
    return;
  }
  const limit = (): void => {
    if (query.limit === undefined) return;
    if (query.limitHasTies) {
      if (p.isTranslating && p.to !== 'postgres' && p.to !== 'trino')
        refuse(p, 'FETCH … WITH TIES', query.span);
      breakLine(p);
      p.out += 'FETCH FIRST ';
      p.expression(p, query.limit);
      p.out += ' ROWS WITH TIES';
      return;
    }
    breakLine(p);
    p.out += 'LIMIT ';
    p.expression(p, query.limit);
    if (query.limitIsPercent) p.out += p.to === 'duckdb' ? '%' : ' PERCENT';
  };
  if (p.target.limit === 'limit-offset') limit();
  if (query.offset !== undefined) {
    if (
      query.limit === undefined &&
      p.isTranslating &&
      (p.to === 'mysql' || p.to === 'sqlite' || p.to === 'bigquery')
    )
      p.out += ' LIMIT 9223372036854775807';
    breakLine(p);
    p.out += 'OFFSET ';
    p.expression(p, query.offset);
  }
  if (p.target.limit === 'offset-limit') limit();
}

/** Chains of set operations lean to the left; the rest gets parentheses, since dialects rank INTERSECT differently. */
function writeBody(p: Printer, body: QueryBody): void {
  const spine: SetOperation[] = [];
  let at = body;
  while (
    at.kind === 'set-operation' &&
    (spine.length === 0 || isSameRank(at, spine.at(-1) as SetOperation))
  ) {
    spine.push(at);
    at = at.left;
  }
  writeOperand(p, at, spine.length > 0);
  for (let i = spine.length - 1; i >= 0; i--) {
    const operation = spine[i] as SetOperation;
    checkSetOperation(p, operation);
    breakLine(p);
    const all = operation.isAll ? ' ALL' : p.target.setSaysDistinct ? ' DISTINCT' : '';
    p.out += operation.operator + all + (operation.byName ? ' BY NAME' : '');
    breakLine(p);
    writeOperand(p, operation.right, true);
  }
}

const isSameRank = (inner: SetOperation, outer: SetOperation): boolean =>
  (inner.operator === 'INTERSECT') === (outer.operator === 'INTERSECT');

function checkSetOperation(p: Printer, operation: SetOperation): void {
  if (!p.isTranslating) return;
  if (operation.byName && !p.target.hasByName) refuse(p, 'UNION BY NAME', operation.span);
  const lacksAll =
    p.to === 'bigquery' ||
    p.to === 'snowflake' ||
    p.to === 'redshift' ||
    p.to === 'sqlite' ||
    p.to === 'tsql';
  if (operation.isAll && operation.operator !== 'UNION' && lacksAll)
    refuse(p, `${operation.operator} ALL`, operation.span);
}

function writeOperand(p: Printer, body: QueryBody, isInside: boolean): void {
  switch (body.kind) {
    case 'select':
      writeSelect(p, body, undefined);
      return;
    case 'values':
      writeValues(p, body);
      return;
    case 'pivot-statement':
      writePivot(p, body.pivot, true);
      return;
    case 'nested':
    case 'set-operation':
      if (body.kind === 'set-operation' && !isInside) {
        writeBody(p, body);
        return;
      }
      p.out += '(';
      p.indent++;
      softLine(p);
      if (body.kind === 'nested') writeQuery(p, body.query);
      else writeBody(p, body);
      p.indent--;
      softLine(p);
      p.out += ')';
  }
}

const QUALIFIED = '_qualified';

function writeSelect(p: Printer, select: Select, top: Query | undefined): void {
  if (select.qualify !== undefined && p.isTranslating && !p.target.hasQualify) {
    writeWithoutQualify(p, select, select.qualify, top);
    return;
  }
  p.out += 'SELECT';
  if (select.distinct === 'all') p.out += ' DISTINCT';
  else if (select.distinct !== 'none') {
    if (!p.target.hasDistinctOn) refuse(p, 'DISTINCT ON', select.span);
    p.out += ' DISTINCT ON (';
    joined(p, select.distinct, (item) => p.expression(p, item));
    p.out += ')';
  }
  if (top?.limit !== undefined) {
    const isNumber = top.limit.kind === 'literal';
    p.out += isNumber ? ' TOP ' : ' TOP (';
    p.expression(p, top.limit);
    if (!isNumber) p.out += ')';
    if (top.limitIsPercent) p.out += ' PERCENT';
    if (top.limitHasTies) p.out += ' WITH TIES';
  }
  if (select.asKind !== undefined) {
    if (p.isTranslating) refuse(p, `SELECT AS ${select.asKind}`, select.span);
    p.out += ` AS ${select.asKind}`;
  }
  p.indent++;
  select.projections.forEach((projection, i) => {
    if (i > 0) p.out += ',';
    breakLine(p);
    writeProjection(p, projection);
  });
  p.indent--;
  if (select.from.length > 0) {
    breakLine(p);
    p.out += 'FROM ';
    joined(p, select.from, (table) => writeTable(p, table));
  }
  writeCondition(p, 'WHERE', select.where);
  writeGroupBy(p, select);
  writeCondition(p, 'HAVING', select.having);
  if (select.windows.length > 0) {
    if (p.isTranslating && (p.to === 'snowflake' || p.to === 'redshift')) refuse(p, 'WINDOW', select.span);
    breakLine(p);
    p.out += 'WINDOW ';
    joined(p, select.windows, ({ name, spec }) => {
      p.out += `${nameText(p, name)} AS `;
      writeWindow(p, spec);
    });
  }
  writeCondition(p, 'QUALIFY', select.qualify);
  if (select.sample !== undefined) {
    if (p.isTranslating) refuse(p, 'USING SAMPLE', select.span);
    breakLine(p);
    p.out += `USING SAMPLE ${select.sample}`;
  }
}

export function writeProjection(p: Printer, { expression, alias }: Projection): void {
  p.expression(p, expression);
  if (alias !== undefined) p.out += ` AS ${nameText(p, alias)}`;
}

function writeCondition(p: Printer, word: string, condition: Expression | undefined): void {
  if (condition === undefined) return;
  breakLine(p);
  p.out += `${word} `;
  writeConjunction(p, condition);
}

function writeGroupBy(p: Printer, select: Select): void {
  const { groupBy } = select;
  if (groupBy === undefined) return;
  breakLine(p);
  p.out += 'GROUP BY ';
  const only = groupBy.items.length === 1 ? groupBy.items[0] : undefined;
  if (only?.kind === 'rollup' && p.to === 'mysql' && only.items.every((item) => item.kind === 'expression')) {
    joined(p, only.items, (item) => writeGroupItem(p, item));
    p.out += ' WITH ROLLUP';
  } else if (!groupBy.isAll) joined(p, groupBy.items, (item) => writeGroupItem(p, item));
  else if (p.target.hasGroupByAll || !p.isTranslating) p.out += 'ALL';
  else {
    const keys = select.projections
      .map(({ expression }) => expression)
      .filter((expression) => !holdsAggregate(expression));
    if (keys.some((key) => key.kind === 'star')) refuse(p, 'GROUP BY ALL with a star', select.span);
    joined(p, keys, (key) => p.expression(p, key));
  }
}

function writeGroupItem(p: Printer, item: GroupItem): void {
  switch (item.kind) {
    case 'expression':
      p.expression(p, item.expression);
      return;
    case 'set':
      p.out += '(';
      break;
    default: {
      const isMissing = p.to === 'mysql' || p.to === 'sqlite';
      if (p.isTranslating && isMissing) refuse(p, item.kind.toUpperCase(), { start: 0, end: 0 });
      p.out += item.kind === 'grouping-sets' ? 'GROUPING SETS (' : `${item.kind.toUpperCase()} (`;
    }
  }
  joined(p, item.items, (inner) => writeGroupItem(p, inner));
  p.out += ')';
}

/** Whether an aggregate stands in it outside a window or subquery. */
function holdsAggregate(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(holdsAggregate);
  if (typeof node !== 'object' || node === null) return false;
  const { kind, name, over } = node as { kind?: string; name?: Identifier; over?: unknown };
  if (kind === 'query') return false;
  if (kind === 'call' && over === undefined && name !== undefined && foldsRows(name.name.toLowerCase()))
    return true;
  return Object.entries(node).some(([key, value]) => key !== 'span' && holdsAggregate(value));
}

/** Without QUALIFY, the condition becomes a column of a derived table and is filtered outside. */
function writeWithoutQualify(p: Printer, select: Select, qualify: Expression, top: Query | undefined): void {
  const { qualify: _, ...rest } = select;
  const span = select.span;
  const names = select.projections.map(
    ({ expression, alias }) => alias ?? (expression.kind === 'column' ? expression.name : undefined),
  );
  if (select.distinct !== 'none' || names.some((name) => name === undefined))
    refuse(p, 'QUALIFY with unnamed columns', span);
  const name: Identifier = { name: QUALIFIED, quoted: false, span };
  const inner: Select = {
    ...rest,
    projections: [...select.projections, { expression: asOne(qualify), alias: name, span }],
  };
  const outer: Select = {
    kind: 'select',
    distinct: 'none',
    projections: names.map((column) => ({
      expression: { kind: 'column', name: column ?? name, qualifiers: [], span },
      span,
    })),
    from: [
      {
        kind: 'derived',
        query: { kind: 'query', body: inner, orderBy: [], span },
        lateral: false,
        alias: { name: { ...name, name: '_t' }, columns: [] },
        span,
      },
    ],
    where: {
      kind: 'binary',
      operator: '=',
      left: { kind: 'column', name, qualifiers: [], span },
      right: one(span),
      span,
    },
    windows: [],
    span,
  };
  writeSelect(p, outer, top);
}

/** 1 where the condition holds: not every dialect has a Boolean column. */
function asOne(condition: Expression): Expression {
  // biome-ignore lint/suspicious/noThenProperty: a field of the tree
  return { kind: 'case', whens: [{ when: condition, then: one(condition.span) }], span: condition.span };
}

const one = (span: Select['span']): Expression => ({ kind: 'literal', type: 'number', text: '1', span });
