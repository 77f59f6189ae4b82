/*
 * What a question to metrics means: each metric alone is a question to its model, with its own columns, filters and segments; the
 * answers are laid side by side by the columns that all of them have.
 */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { add } from './calendar.ts';
import { evaluateQuery, type OracleAnswer } from './evaluate.ts';
import { holdsOf } from './filters.ts';
import { type Form, reference } from './form.ts';
import { memberValue, rowForm } from './members.ts';
import { compareRows } from './order.ts';
import { follow, pathTo } from './paths.ts';
import { rational } from './rational.ts';
import { isMoment, isRational, keyOf, type Row, type Value } from './value.ts';
import { groupKey } from './walked.ts';
import { modelOf, type World, type WorldMeasure, type WorldMetric, type WorldModel } from './world.ts';

const COUNT: WorldMeasure = { name: 'count', type: 'count', filters: [] };

/** The world with each metric as a measure of its model, under its name. */
export function withMetrics(world: World, metrics: readonly WorldMetric[]): World {
  return {
    ...world,
    models: world.models.map((model) => {
      const own = metrics.filter((each) => each.model === model.name);
      const conversions = own.filter(({ kind }) => kind === 'conversion');
      return {
        ...model,
        columns: [
          ...model.columns,
          ...conversions.flatMap(({ name }) =>
            [`${name}__base`, `${name}__won`].map((column) => ({ name: column, type: 'int' as const })),
          ),
        ],
        rows: model.rows.map((row) => ({
          ...row,
          ...Object.fromEntries(conversions.flatMap((metric) => conversionCells(world, metric, model, row))),
        })),
        measures: [...model.measures, ...own.map((metric) => measureFor(metric, model))],
        segments: [
          ...model.segments,
          ...own.flatMap(({ name, filter }) =>
            filter === undefined ? [] : [{ name: `${name}__filter`, condition: filter }],
          ),
        ],
      };
    }),
  };
}

function measureFor(metric: WorldMetric, model: WorldModel): WorldMeasure {
  const { name, kind, measures, window, toDate } = metric;
  const [left, right] = measures.map((each) => reference(each.name, each.model)) as [Form, Form];
  const number = (expression: Form): WorldMeasure => ({ name, type: 'number', filters: [], expression });
  if (kind === 'ratio') return number({ kind: 'divide', left, right });
  if (kind === 'derived') return number({ kind: 'minus', left, right });
  if (kind === 'conversion') {
    const total = (column: string): Form => ({
      kind: 'aggregate',
      type: 'sum',
      of: reference(`${name}__${column}`),
    });
    return number({ kind: 'divide', left: total('won'), right: total('base') });
  }
  const base = measureOf(model, measures[0]?.name);
  if (kind === 'simple') return { ...base, name };
  return {
    ...base,
    name,
    rolling:
      toDate === undefined
        ? { kind: 'trailing', trailing: window ?? 'unbounded', offset: 'end' }
        : { kind: 'to-date', unit: toDate },
  };
}

const measureOf = (model: WorldModel, name: string | undefined): WorldMeasure =>
  model.measures.find((each) => each.name === name) ?? COUNT;

/** Whether a measure counts a row. */
function isCounted(
  world: World,
  model: WorldModel,
  row: Row,
  { filters, expression }: WorldMeasure,
): boolean {
  return (
    filters.every((filter) => rowForm(world, model, row, filter) === true) &&
    (expression === undefined || rowForm(world, model, row, expression) !== null)
  );
}

/** 1 for a row of the base, and 1 when a row of the conversion follows it. */
function conversionCells(
  world: World,
  { name, measures, ts, window, conversion }: WorldMetric,
  model: WorldModel,
  row: Row,
): readonly (readonly [string, Value])[] {
  if (conversion === undefined) throw new Error(`${name} is no conversion`);
  const other = modelOf(world, conversion.model);
  const entityOf = (from: WorldModel, of: Row): Value =>
    memberValue(
      world,
      modelOf(world, conversion.entity.model),
      follow(world, of, pathTo(world, from.name, conversion.entity.model)),
      conversion.entity.member,
    );
  const counted = isCounted(world, model, row, measureOf(model, measures[0]?.name));
  const entity = entityOf(model, row);
  const time = memberValue(world, model, row, ts);
  const follows = (each: Row): boolean => {
    const theirs = entityOf(other, each);
    const later = memberValue(world, other, each, conversion.time);
    if (entity === null || theirs === null || keyOf(entity) !== keyOf(theirs)) return false;
    if (!isMoment(time) || !isMoment(later)) return false;
    return later.ms >= time.ms && (window === undefined || later.ms < add(time.ms, window));
  };
  const hasWon =
    counted &&
    other.rows.some(
      (each) => isCounted(world, other, each, measureOf(other, conversion.measure)) && follows(each),
    );
  return [
    [`${name}__base`, rational(counted ? 1 : 0)],
    [`${name}__won`, rational(hasWon ? 1 : 0)],
  ];
}

/** The answer to a question whose every name is that of a metric; `world` has them as measures. */
export function evaluateMetrics(
  world: World,
  metrics: readonly WorldMetric[],
  query: SemanticQuery,
  now: number,
): OracleAnswer {
  const named = (word: string): WorldMetric => {
    const found = metrics.find(({ name }) => name === word.split('.')[0]);
    if (found === undefined) throw new Error(`${word} is no metric`);
    return found;
  };
  const isMeasure = (filter: QueryFilter): boolean =>
    filter.kind === 'member' && query.measures.includes(filter.member);
  const filters = query.filters ?? [];
  const alone = query.measures.map((measure) => {
    const metric = named(measure);
    const asked = questionTo(metric, { ...query, filters: filters.filter((each) => !isMeasure(each)) });
    const answer = evaluateQuery(world, asked, now);
    return { answer, empty: emptyValue(world, metric, now) };
  });
  const width = (alone[0]?.answer.columns.length ?? 1) - 1;
  const groups = new Map<string, readonly Value[]>();
  for (const { answer } of alone)
    for (const row of answer.rows) groups.set(groupKey(row.slice(0, width)), row.slice(0, width));
  const cells = alone.map(
    ({ answer }) => new Map(answer.rows.map((row) => [groupKey(row.slice(0, width)), row[width] ?? null])),
  );
  // A DATE beside a TIMESTAMP in one column is a TIMESTAMP.
  const isStamped = query.measures
    .map(named)
    .some(({ model, ts }) =>
      modelOf(world, model).columns.some(({ name, type }) => name === ts && type === 'timestamp'),
    );
  const rows = [...groups].map(([key, dimensions]) => [
    ...dimensions.map((value) =>
      isMoment(value) && isStamped ? { ...value, kind: 'timestamp' as const } : value,
    ),
    ...alone.map(({ empty }, i) => (cells[i]?.has(key) ? (cells[i]?.get(key) ?? null) : empty)),
  ]);
  const keys = alone[0]?.answer.keys ?? [];
  const passing = rows.filter((row) =>
    filters.filter(isMeasure).every((leaf) => {
      if (leaf.kind !== 'member') return true;
      const value = row[width + query.measures.indexOf(leaf.member)] ?? null;
      return holdsOf(leaf, value, isRational(value) ? 'decimal' : 'text', { zone: 'UTC', now });
    }),
  );
  const [first] = alone;
  return {
    columns: [
      ...query.dimensions,
      ...(query.timeDimensions ?? []).flatMap(({ dimension, granularity }) =>
        granularity === undefined ? [] : [`${dimension}.${granularity}`],
      ),
      ...query.measures,
    ],
    inexact: [
      ...Array.from({ length: width }, () => false),
      ...alone.map(({ answer }) => answer.inexact[width] === true),
    ],
    approximate: [
      ...Array.from({ length: width }, () => false),
      ...alone.map(({ answer }) => answer.approximate[width] === true),
    ],
    rows: passing.sort((a, b) => compareRows(keys, a, b)),
    keys,
    facts: {
      factCount: new Set(query.measures.map((measure) => named(measure).model)).size,
      fansOut: alone.some(({ answer }) => answer.facts.fansOut),
      multiplies: alone.some(({ answer }) => answer.facts.multiplies),
      hasNullKeys: alone.some(({ answer }) => answer.facts.hasNullKeys),
      walked: first?.answer.facts.walked ?? [],
    },
  };
}

/** The question that one metric is, to its model. */
function questionTo(metric: WorldMetric, query: SemanticQuery): SemanticQuery {
  const own = (word: string): string => {
    const [, column = ''] = word.split('.');
    if (column === 'ts') return `${metric.model}.${metric.ts}`;
    const found = metric.dimensions.find(({ name }) => name === column);
    if (found === undefined) throw new Error(`${metric.name} has no ${column}`);
    return `${found.model}.${found.member}`;
  };
  const filter = (each: QueryFilter): QueryFilter =>
    each.kind === 'member'
      ? { ...each, member: own(each.member) }
      : { ...each, filters: each.filters.map(filter) };
  const { limit: _, offset: __, ...rest } = query;
  return {
    ...rest,
    measures: [`${metric.model}.${metric.name}`],
    dimensions: query.dimensions.map((word) => (word.endsWith('.ts') ? `${own(word)}.month` : own(word))),
    timeDimensions: (query.timeDimensions ?? []).map((time) => ({ ...time, dimension: own(time.dimension) })),
    filters: (query.filters ?? []).map(filter),
    segments: [
      ...(metric.segment === undefined ? [] : [`${metric.model}.${metric.segment}`]),
      ...(metric.filter === undefined ? [] : [`${metric.model}.${metric.name}__filter`]),
    ],
  };
}

/** What a metric is where it has no rows. */
function emptyValue(world: World, { name, kind, model, ts }: WorldMetric, now: number): Value {
  const nothing: World = { ...world, models: world.models.map((each) => ({ ...each, rows: [] })) };
  const day = ['2024-01-01', '2024-01-01'] as const;
  const query = {
    measures: [`${model}.${name}`],
    dimensions: [],
    timeDimensions: kind === 'cumulative' ? [{ dimension: `${model}.${ts}`, dateRange: day }] : [],
  };
  return evaluateQuery(nothing, query, now).rows[0]?.[0] ?? null;
}
