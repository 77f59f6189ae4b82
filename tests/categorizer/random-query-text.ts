import type { Expr, Item, QueryNode, SelectNode, Source } from './random-query.ts';

/** The SQL of a random query. */
export function queryText(query: QueryNode): string {
  const common = query.common.map((table) => `${table.name} AS (${queryText(table.query)})`);
  const parts = [common.length > 0 ? `WITH ${common.join(', ')}` : '', selectText(query.first)];
  for (const { operator, select } of query.rest) parts.push(operator, selectText(select));
  if (query.order.length > 0)
    parts.push(
      `ORDER BY ${query.order.map((item) => exprText(item.expr) + (item.isDescending ? ' DESC' : '')).join(', ')}`,
    );
  if (query.limit !== undefined) parts.push(`LIMIT ${query.limit}`);
  return parts.filter((part) => part !== '').join(' ');
}

function selectText(select: SelectNode): string {
  const { distinct, group } = select;
  const parts = [
    'SELECT',
    distinct === 'no'
      ? ''
      : distinct === 'yes'
        ? 'DISTINCT'
        : `DISTINCT ON (${distinct.map(exprText).join(', ')})`,
    select.items.map(itemText).join(', '),
    'FROM',
    select.sources.map(sourceText).join(' '),
  ];
  if (select.where.length > 0) parts.push(`WHERE ${select.where.map(exprText).join(' AND ')}`);
  if (group === 'all') parts.push('GROUP BY ALL');
  else if (group === 'positions') {
    const positions = select.items.flatMap((item, at) => (item.expr.kind === 'aggregate' ? [] : [at + 1]));
    if (positions.length > 0) parts.push(`GROUP BY ${positions.join(', ')}`);
  } else if (group !== 'no' && group.length > 0) {
    const keys = group.map(exprText).join(', ');
    parts.push(`GROUP BY ${select.isRollup === true ? `ROLLUP (${keys})` : keys}`);
  }
  if (select.having.length > 0) parts.push(`HAVING ${select.having.map(exprText).join(' AND ')}`);
  if (select.qualify.length > 0) parts.push(`QUALIFY ${select.qualify.map(exprText).join(' AND ')}`);
  return parts.filter((part) => part !== '').join(' ');
}

function itemText({ expr, alias }: Item): string {
  if (expr.kind !== 'star') return exprText(expr) + (alias === undefined ? '' : ` AS ${alias}`);
  return `${expr.source === undefined ? '' : `${expr.source.alias}.`}*${expr.exclude === undefined ? '' : ` EXCLUDE (${expr.exclude})`}`;
}

function sourceText(source: Source, at: number): string {
  const { from } = source;
  const table =
    from.kind === 'table'
      ? from.name
      : from.kind === 'common'
        ? from.table.name
        : from.kind === 'derived'
          ? `(${queryText(from.query)})`
          : `(SELECT coalesce("1", 0) AS k, count(*) AS pivots FROM (PIVOT (${queryText(from.query)}) ON k IN (1, 2) USING count(*)) GROUP BY 1)`;
  const named = `${table} AS ${source.alias}`;
  if (at === 0) return named;
  if (source.join.endsWith('USING')) return `${source.join.replace('USING', '')}JOIN ${named} USING (k)`;
  return `${source.join} ${named}${source.on === undefined ? '' : ` ON ${exprText(source.on)}`}`;
}

export function exprText(expr: Expr): string {
  switch (expr.kind) {
    case 'column':
      return expr.isQualified ? `${expr.source.alias}.${expr.name}` : expr.name;
    case 'name':
      return expr.name;
    case 'number':
      return String(expr.value);
    case 'binary':
      return expr.isWrapped === true
        ? `((${exprText(expr.left)}) ${expr.operator} (${exprText(expr.right)}))`
        : `(${exprText(expr.left)} ${expr.operator} ${exprText(expr.right)})`;
    case 'call':
      return `${expr.name}(${expr.args.map(exprText).join(', ')})`;
    case 'cast':
      return `CAST(${exprText(expr.operand)} AS BIGINT)`;
    case 'aggregate':
      return expr.arg === undefined
        ? `${expr.name}(*)`
        : `${expr.name}(${expr.isDistinct ? 'DISTINCT ' : ''}${exprText(expr.arg)})`;
    case 'window': {
      const partition =
        expr.partition.length > 0 ? `PARTITION BY ${expr.partition.map(exprText).join(', ')}` : '';
      const order = expr.order.length > 0 ? `ORDER BY ${expr.order.map(exprText).join(', ')}` : '';
      return `${expr.name}(${expr.arg === undefined ? '' : exprText(expr.arg)}) OVER (${[partition, order].filter((part) => part !== '').join(' ')})`;
    }
    case 'scalar':
      return `(${selectText(expr.body)})`;
    case 'exists':
      return `EXISTS (${selectText(expr.body)})`;
    case 'in':
      return `(${exprText(expr.operand)} IN (${selectText(expr.body)}))`;
    case 'raw':
      return expr.sql;
  }
}
