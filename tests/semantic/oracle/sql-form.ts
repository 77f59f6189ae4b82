/* A question in Cube's form said in SQL, as far as that is done here: plain members, units of the calendar, operators of SQL. */
import type { QueryFilter, QueryValue, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { point } from './calendar.ts';
import { valueProblems } from './filters.ts';
import { dimensionUse, leavesOf, measureUse } from './question.ts';
import { parseRational } from './rational.ts';
import { type ColumnType, literalSql } from './value.ts';
import type { World } from './world.ts';

const COMPARISONS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const UNITS = new Set(['hour', 'minute', 'day', 'week', 'month', 'quarter', 'year']);

/** Undefined for questions that need roles, hints, zones or what only Cube's form has. */
export function sqlForm(world: World, query: SemanticQuery): string | undefined {
  const {
    timezone,
    joinHints,
    unreachableFilters,
    ungrouped,
    segments = [],
    timeDimensions = [],
    filters = [],
  } = query;
  if (
    timezone !== undefined ||
    joinHints !== undefined ||
    unreachableFilters === 'ignore' ||
    ungrouped === true
  )
    return undefined;
  if (query.measures.length === 0) return undefined;
  const times = timeDimensions.map(({ dimension, granularity }) => `${dimension}.${granularity}`);
  if (
    timeDimensions.some(
      (each) =>
        each.dateRange !== undefined || each.compareDateRange !== undefined || each.granularity === undefined,
    )
  )
    return undefined;
  const dimensions = [...query.dimensions, ...times];
  const names = [
    ...dimensions,
    ...query.measures,
    ...segments,
    ...filters.flatMap(leavesOf).map(({ member }) => member),
  ].map((name) => name.split('.')[0] as string);
  if (names.some((name) => !world.models.some((model) => model.name === name))) return undefined;
  const columns = dimensions.map((name) => {
    const [model, member, unit] = name.split('.');
    if (unit === undefined) return `"${model}"."${member}"`;
    return UNITS.has(unit) ? `date_trunc('${unit}', "${model}"."${member}")` : undefined;
  });
  const conditions = filters.map((filter) => condition(world, filter));
  if (columns.includes(undefined) || conditions.includes(undefined)) return undefined;
  const isMeasure = (filter: QueryFilter): boolean =>
    leavesOf(filter).some(({ member }) => measureUse(world, member) !== undefined);
  const where = [
    ...segments.map((name) => quoted(name)),
    ...conditions.filter((_, i) => !isMeasure(filters[i] as QueryFilter)),
  ];
  const having = conditions.filter((_, i) => isMeasure(filters[i] as QueryFilter));
  const from = [...new Set(names)];
  return [
    `SELECT ${[...columns, ...query.measures.map((name) => `MEASURE(${quoted(name)})`)].join(', ')}`,
    `FROM ${from.join(' CROSS JOIN ')}`,
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    ...(columns.length > 0 ? [`GROUP BY ${columns.map((_, i) => i + 1).join(', ')}`] : []),
    ...(having.length > 0 ? [`HAVING ${having.join(' AND ')}`] : []),
  ].join('\n');
}

const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');

function condition(world: World, filter: QueryFilter): string | undefined {
  if (filter.kind !== 'member') {
    const parts = filter.filters.map((each) => condition(world, each));
    return parts.includes(undefined)
      ? undefined
      : `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
  }
  const { member, operator, values } = filter;
  const isMeasure = measureUse(world, member) !== undefined;
  if (operator === 'measureFilter' || /Date/.test(operator)) return undefined;
  const type = isMeasure ? 'decimal' : dimensionUse(world, member).type;
  if (valueProblems(filter, type, 'UTC').length > 0) return undefined;
  const column = isMeasure ? `MEASURE(${quoted(member)})` : quoted(member);
  const written = values.filter((value) => value !== null).map((value) => literal(value, type));
  const hasNull = values.includes(null);
  const list = written.join(', ');
  switch (operator) {
    case 'set':
      return `${column} IS NOT NULL`;
    case 'notSet':
      return `${column} IS NULL`;
    case 'equals':
    case 'in':
      if (list === '') return `${column} IS NULL`;
      return hasNull ? `(${column} IN (${list}) OR ${column} IS NULL)` : `${column} IN (${list})`;
    case 'notEquals':
    case 'notIn':
      if (list === '') return `${column} IS NOT NULL`;
      return hasNull ? `${column} NOT IN (${list})` : `(${column} NOT IN (${list}) OR ${column} IS NULL)`;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return `${column} ${COMPARISONS[operator]} ${list}`;
    default:
      return undefined;
  }
}

function literal(value: QueryValue, type: ColumnType): string {
  if (type === 'text') return literalSql(`${value}`, 'text');
  if (type === 'boolean') return `${value}` === 'true' ? 'TRUE' : 'FALSE';
  if (type === 'date' || type === 'timestamp')
    return literalSql({ kind: type, ms: point(`${value}`.replace('Z', '')).start }, type);
  if (parseRational(`${value}`) === undefined) throw new Error(`${value} is no number`);
  return `${value}`;
}
