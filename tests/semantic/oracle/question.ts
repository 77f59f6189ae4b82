/* A query with its names looked up, before any row is touched. */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import type { Granularity, WallRange } from './calendar.ts';
import { readRange } from './calendar.ts';
import { valueProblems } from './filters.ts';
import type { AggregateForm, Form } from './form.ts';
import { referencesOf } from './form.ts';
import { modelNamed } from './paths.ts';
import { Refused } from './refused.ts';
import type { ColumnType } from './value.ts';
import {
  AGGREGATE_TYPES,
  type AggregateType,
  modelOf,
  type World,
  type WorldMeasure,
  type WorldModel,
} from './world.ts';

/** A dimension as asked; `through` is the model or role it is named by. */
export interface DimensionUse {
  readonly name: string;
  readonly through: string;
  readonly member: string;
  readonly type: ColumnType;
  readonly granularity?: Granularity;
}

/** An aggregate over rows of one fact. */
export interface Component {
  readonly key: string;
  readonly fact: WorldModel;
  readonly type: AggregateType;
  readonly expression?: Form;
  readonly filters: readonly Form[];
  readonly p?: number;
  readonly measure?: WorldMeasure;
  /** Shifts of the measures around it, outermost first. */
  readonly shifts: readonly NonNullable<WorldMeasure['shift']>[];
}

export interface MeasureUse {
  readonly name: string;
  readonly model: WorldModel;
  readonly measure: WorldMeasure;
}

const BUILT_IN = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
const COUNT: WorldMeasure = { name: 'count', type: 'count', filters: [] };

export const isAggregate = (type: string): type is AggregateType =>
  (AGGREGATE_TYPES as readonly string[]).includes(type);

export function dimensionUse(world: World, name: string, asked?: string): DimensionUse {
  const [through = '', member = '', inName] = name.split('.');
  const model = modelNamed(world, through);
  const dimension = model.dimensions.find((each) => each.name === member);
  if (dimension === undefined) throw new Error(`${name} is no dimension`);
  const word = asked ?? inName;
  const custom = dimension.granularities?.find((each) => each.name === word);
  const granularity = custom ?? BUILT_IN.find((unit) => unit === word);
  if (word !== undefined && granularity === undefined) throw new Error(`${word} is no granularity`);
  return {
    name: asked === undefined ? name : `${name}.${asked}`,
    through,
    member,
    type: dimension.type,
    ...(granularity === undefined ? {} : { granularity }),
  };
}

export function measureUse(world: World, name: string): MeasureUse | undefined {
  const [modelName = '', member = ''] = name.split('.');
  const model = world.models.find((each) => each.name === modelName);
  if (model === undefined) return undefined;
  const measure =
    model.measures.find((each) => each.name === member) ?? (member === 'count' ? COUNT : undefined);
  return measure === undefined ? undefined : { name, model, measure };
}

/** The aggregates a measure is made of, through all measures it refers to. */
export function componentsOf(
  world: World,
  { model, measure }: MeasureUse,
  shifts: Component['shifts'] = [],
): readonly Component[] {
  const all = measure.shift === undefined ? shifts : [...shifts, measure.shift];
  const suffix = all.map(({ by, direction }) => ` ${direction} ${by.count} ${by.unit}`).join('');
  if (isAggregate(measure.type))
    return [
      {
        key: `${model.name}.${measure.name}${suffix}`,
        fact: model,
        type: measure.type,
        ...(measure.expression === undefined ? {} : { expression: measure.expression }),
        filters: measure.filters,
        ...(measure.p === undefined ? {} : { p: measure.p }),
        measure,
        shifts: all,
      },
    ];
  const { outside, aggregates } = referencesOf(measure.expression as Form);
  return [
    ...outside.flatMap((reference) =>
      componentsOf(world, measureReference(world, model, reference.model, reference.name), all),
    ),
    ...aggregates.map((form) => writtenComponent(model, form, all)),
  ];
}

export function measureReference(
  world: World,
  from: WorldModel,
  other: string | undefined,
  name: string,
): MeasureUse {
  const model = other === undefined ? from : modelOf(world, other);
  const use = measureUse(world, `${model.name}.${name}`);
  if (use === undefined) throw new Error(`${name} is no measure`);
  return use;
}

export function writtenComponent(
  fact: WorldModel,
  form: AggregateForm,
  shifts: Component['shifts'],
): Component {
  const suffix = shifts.map(({ by, direction }) => ` ${direction} ${by.count} ${by.unit}`).join('');
  return {
    key: `${fact.name} ${JSON.stringify(form, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}${suffix}`,
    fact,
    type: form.type,
    ...(form.of === undefined ? {} : { expression: form.of }),
    filters: [],
    shifts,
  };
}

/** Conjuncts by what they are about. Mixing both under `or` is refused. */
export function splitFilters(
  world: World,
  filters: readonly QueryFilter[],
): { readonly rows: readonly QueryFilter[]; readonly measures: readonly QueryFilter[] } {
  const rows: QueryFilter[] = [];
  const measures: QueryFilter[] = [];
  const place = (filter: QueryFilter): void => {
    if (filter.kind === 'and' || (filter.kind === 'or' && filter.filters.length === 1)) {
      filter.filters.forEach(place);
      return;
    }
    const kinds = new Set(leavesOf(filter).map((leaf) => isMeasureLeaf(world, leaf)));
    if (kinds.size > 1) throw new Refused(['semantic.mixed-filter']);
    (kinds.has(true) ? measures : rows).push(filter);
  };
  filters.forEach(place);
  return { rows, measures };
}

export type Leaf = Extract<QueryFilter, { kind: 'member' }>;

const isMeasureLeaf = (world: World, leaf: Leaf): boolean =>
  leaf.operator !== 'measureFilter' && measureUse(world, leaf.member) !== undefined;

export function leavesOf(filter: QueryFilter): readonly Leaf[] {
  return filter.kind === 'member' ? [filter] : filter.filters.flatMap(leavesOf);
}

/** What else may be wrong with a question: all is told at once. */
const BESIDE_MISFITS = [
  'semantic.no-path',
  'semantic.unreachable-member',
  'semantic.ambiguous-path',
  'semantic.no-base',
  'semantic.fan-out-ungrouped',
  'semantic.needs-time',
  'semantic.unclear-period',
  'policy.no-access',
];

/** A date range of the query, on a dimension. */
export interface RangeUse {
  readonly use: DimensionUse;
  readonly range: WallRange;
}

export interface Question {
  readonly world: World;
  readonly query: SemanticQuery;
  readonly zone: string;
  readonly now: number;
  /** Dimensions, then time buckets: the columns that make a group. */
  readonly dimensions: readonly DimensionUse[];
  readonly measures: readonly MeasureUse[];
  /** Also those that only filters or the order name. */
  readonly allMeasures: readonly MeasureUse[];
  readonly rowFilters: readonly QueryFilter[];
  readonly measureFilters: readonly QueryFilter[];
  readonly ranges: readonly RangeUse[];
  readonly segments: readonly { readonly through: string; readonly condition: Form }[];
}

export function questionOf(world: World, query: SemanticQuery, now: number): Question {
  const zone = query.timezone ?? 'UTC';
  const times = query.timeDimensions ?? [];
  const dimensions = [
    ...query.dimensions.map((name) => dimensionUse(world, name)),
    ...times.flatMap(({ dimension, granularity }) =>
      granularity === undefined ? [] : [dimensionUse(world, dimension, granularity)],
    ),
  ];
  const measures = query.measures.map((name) => {
    const use = measureUse(world, name);
    if (use === undefined) throw new Error(`${name} is no measure`);
    return use;
  });
  const { rows, measures: measureFilters } = splitFilters(world, query.filters ?? []);
  const misfits = [...rows, ...measureFilters].flatMap(leavesOf).flatMap((leaf) => {
    if (leaf.operator === 'measureFilter') return [];
    return valueProblems(
      leaf,
      isMeasureLeaf(world, leaf) ? 'decimal' : dimensionUse(world, leaf.member).type,
      zone,
    );
  });
  if (misfits.length > 0) throw new Refused([...new Set(misfits), ...BESIDE_MISFITS]);
  const named = [
    ...measureFilters.flatMap(leavesOf).map((leaf) => leaf.member),
    ...(query.order ?? []).map((order) => order.member),
  ].flatMap((name) => {
    const use = measureUse(world, name);
    return use === undefined || query.measures.includes(name) ? [] : [use];
  });
  return {
    world,
    query,
    zone,
    now,
    dimensions,
    measures,
    allMeasures: [...measures, ...named],
    rowFilters: rows,
    measureFilters,
    ranges: times.flatMap(({ dimension, dateRange }) =>
      dateRange === undefined
        ? []
        : [{ use: dimensionUse(world, dimension), range: readRange(dateRange, zone, now) }],
    ),
    segments: (query.segments ?? []).map((name) => {
      const [through = '', member = ''] = name.split('.');
      const found = modelNamed(world, through).segments.find((each) => each.name === member);
      if (found === undefined) throw new Error(`${name} is no segment`);
      return { through, condition: found.condition };
    }),
  };
}
