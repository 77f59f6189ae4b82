/* Random questions about a world, by a tape of choices. */
import type {
  QueryFilter,
  QueryTime,
  QueryValue,
  SemanticQuery,
} from '../../../src/domain/semantic-query.ts';
import { DAYS, LABELS, TIMES } from './generate-world.ts';
import { isToOne, type Path, pathsBetween, pathTo } from './paths.ts';
import { componentsOf, measureUse } from './question.ts';
import type { Tape } from './tape.ts';
import type { ColumnType } from './value.ts';
import type { World, WorldDimension, WorldMeasure, WorldModel } from './world.ts';

export const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'] as const;
const UNITS = ['month', 'day', 'week', 'quarter', 'year'] as const;

/** A dimension and how it is named. */
interface Asked {
  readonly name: string;
  readonly model: WorldModel;
  readonly dimension: WorldDimension;
}

export function queryOf(tape: Tape, world: World): SemanticQuery {
  const sort = tape.next(100);
  if (sort >= 92) return ungroupedQuery(tape, world);
  const measures = sort >= 84 ? [] : [...new Set(measuresOf(tape, world))];
  const [first = ''] = measures;
  const facts = [...new Set(measures.flatMap((name) => factsOf(world, name)))];
  const timezone = tape.chance(25) ? tape.pick(ZONES) : undefined;
  const hints = isCyclic(world) && tape.chance(60) ? hintsOf(tape, world) : undefined;
  const members = membersFor(tape, world, facts, hints);
  const usable = members;
  const dimensionCount = tape.pick([1, 0, 1, 2, 2, 3]) + (measures.length === 0 ? 1 : 0);
  const dimensions = tape.some(usable, dimensionCount).map((asked) => dimensionName(tape, asked));
  const timeDimensions = timesOf(tape, members, dimensions);
  if (
    measures.length === 0 &&
    dimensions.length === 0 &&
    !timeDimensions.some((each) => each.granularity !== undefined)
  )
    dimensions.push((usable[0] as Asked).name);
  const filters = filtersOf(tape, usable, members);
  addMeasureFilter(tape, world, measures, filters);
  const segments = world.models
    .filter(({ segments: own }) => own.length > 0)
    .map(({ name }) => `${name}.seg`);
  const ordered = [
    ...dimensions,
    ...timeDimensions.flatMap(({ dimension, granularity }) =>
      granularity === undefined ? [] : [`${dimension}.${granularity}`],
    ),
    ...measures.filter((name) => measureNamed(world, name)?.type !== 'count_distinct_approx'),
  ];
  const isFirstApproximate = measureNamed(world, first)?.type === 'count_distinct_approx';
  const needsOrder = isFirstApproximate && ordered.length > 0;
  return {
    measures,
    dimensions,
    ...(tape.chance(15) && segments.length > 0 ? { segments: [tape.pick(segments)] } : {}),
    ...(filters.length > 0 ? { filters } : {}),
    ...(timeDimensions.length > 0 ? { timeDimensions } : {}),
    ...((tape.chance(30) || needsOrder) && ordered.length > 0
      ? {
          order: tape
            .some(ordered, 1 + tape.next(2))
            .map((member) => ({ member, direction: tape.chance(50) ? ('desc' as const) : ('asc' as const) })),
        }
      : {}),
    ...(tape.chance(25) ? { limit: 1 + tape.next(4) } : {}),
    ...(tape.chance(12) ? { offset: tape.next(3) } : {}),
    ...(timezone === undefined ? {} : { timezone }),
    ...(tape.chance(10) ? { total: true } : {}),
    ...(hints === undefined ? {} : { joinHints: hints }),
    ...(tape.chance(40) ? { unreachableFilters: 'ignore' as const } : {}),
  };
}

/** All ways to name dimensions, `model.member` and `role.member`. */
export function allMembers(world: World): readonly Asked[] {
  return world.models.flatMap((model) => {
    const roles = world.models
      .flatMap(({ joins }) => joins)
      .filter((join) => join.model === model.name && !world.models.some(({ name }) => name === join.name));
    return [model.name, ...roles.map(({ name }) => name)].flatMap((name) =>
      model.dimensions.map((dimension) => ({ name: `${name}.${dimension.name}`, model, dimension })),
    );
  });
}

/** Mostly those that all facts reach in one way; mostly only those that some fact reaches by a fan-out, if there are any. */
function membersFor(
  tape: Tape,
  world: World,
  facts: readonly string[],
  hints: readonly (readonly string[])[] | undefined,
): readonly Asked[] {
  const all = allMembers(world);
  if (tape.chance(12)) return all;
  const ways = (name: string): readonly (Path | undefined)[] =>
    facts.map((fact) => {
      try {
        return pathTo(world, fact, name.split('.')[0] as string, hints);
      } catch {
        return undefined;
      }
    });
  const reached = all.filter(({ name }) => ways(name).every((path) => path !== undefined));
  if (reached.length === 0) return all;
  // Without keys: rows that meet several others in one group are what is easily counted twice.
  const fanned = reached.filter(
    ({ name }) => !/\.(id|part)$/.test(name) && ways(name).some((path) => path?.every(isToOne) === false),
  );
  return fanned.length > 0 && tape.chance(80) ? [...fanned, ...(tape.chance(50) ? reached : [])] : reached;
}

/** The models whose rows a measure counts. */
function factsOf(world: World, name: string): readonly string[] {
  const use = measureUse(world, name);
  return use === undefined ? [] : componentsOf(world, use).map(({ fact }) => fact.name);
}

function measuresOf(tape: Tape, world: World): string[] {
  const all = world.models.map((model) =>
    ['count', ...model.measures.map(({ name }) => name)].map((name) => `${model.name}.${name}`),
  );
  const first = tape.next(all.length);
  const measures = new Set([tape.pick(all[first] as string[])]);
  const more = tape.pick([0, 1, 1, 2]);
  for (let i = 0; i < more; i++) {
    const other = tape.chance(70) ? (first + 1 + tape.next(all.length)) % all.length : first;
    measures.add(tape.pick(all[other] as string[]));
  }
  // What needs a time is mostly asked with one, by `windowQueryOf`.
  return [...measures].map((name) =>
    OVER_TIME.has(name.split('.')[1] ?? '') && !tape.chance(25) ? name.replace(/\..*/, '.count') : name,
  );
}

export function measureNamed(world: World, name: string): WorldMeasure | undefined {
  const [model, member] = name.split('.');
  if (member === 'count') return { name: 'count', type: 'count', filters: [] };
  return world.models.find((each) => each.name === model)?.measures.find((each) => each.name === member);
}

const isTime = (type: ColumnType): boolean => type === 'date' || type === 'timestamp';

function granularityOf(tape: Tape, { dimension }: Asked): string {
  const own = (dimension.granularities ?? []).map(({ name }) => name);
  if (own.length > 0 && tape.chance(40)) return tape.pick(own);
  const isFine = tape.chance(dimension.type === 'timestamp' ? 20 : 4);
  return isFine ? tape.pick(['hour', 'minute']) : tape.pick(UNITS);
}

function dimensionName(tape: Tape, asked: Asked): string {
  if (!isTime(asked.dimension.type) || tape.chance(30)) return asked.name;
  return `${asked.name}.${granularityOf(tape, asked)}`;
}

function timesOf(tape: Tape, members: readonly Asked[], dimensions: readonly string[]): readonly QueryTime[] {
  const times = members.filter(({ dimension }) => isTime(dimension.type));
  if (times.length === 0 || !tape.chance(30)) return [];
  const isCompared = tape.chance(15);
  return tape.some(times, tape.chance(15) && !isCompared ? 2 : 1).flatMap((asked): readonly QueryTime[] => {
    const granularity = tape.chance(75) ? granularityOf(tape, asked) : undefined;
    if (granularity !== undefined && dimensions.includes(`${asked.name}.${granularity}`)) return [];
    const dateRange = tape.chance(50) || granularity === undefined ? rangeOf(tape) : undefined;
    if (isCompared)
      return [
        {
          dimension: asked.name,
          ...(granularity === undefined ? {} : { granularity }),
          compareDateRange: different([rangeOf(tape), rangeOf(tape)]),
        },
      ];
    return [
      {
        dimension: asked.name,
        ...(granularity === undefined ? {} : { granularity }),
        ...(dateRange === undefined ? {} : { dateRange }),
      },
    ];
  });
}

const RELATIVE = [
  'last month',
  'this month',
  'last 3 months',
  'this quarter',
  'last 60 days',
  'this year',
  'last year',
  'last 10 weeks',
  'yesterday',
  'today',
  'from 2024-01-15 to 2024-03-30',
  '2024-03-31',
] as const;

export function rangeOf(tape: Tape): string | readonly [string, string] {
  if (tape.chance(35)) return tape.pick(RELATIVE);
  const moments = [...DAYS, ...TIMES].sort();
  const from = tape.next(moments.length);
  const to = from + tape.next(moments.length - from);
  const [start = '', end = ''] = [moments[from], moments[to]];
  return start.slice(0, 10) === end.slice(0, 10) ? [start.slice(0, 10), end.slice(0, 10)] : [start, end];
}

/** The words of equal ranges could not be told apart. */
function different(
  ranges: readonly (string | readonly [string, string])[],
): readonly (string | readonly [string, string])[] {
  return [...new Map(ranges.map((range) => [JSON.stringify(range), range])).values()];
}

function filtersOf(tape: Tape, usable: readonly Asked[], members: readonly Asked[]): QueryFilter[] {
  const count = tape.pick([0, 0, 0, 1, 1, 2]);
  const filters: QueryFilter[] = [];
  for (let i = 0; i < count; i++) filters.push(filterOf(tape, usable, members, 0));
  return filters;
}

function filterOf(
  tape: Tape,
  usable: readonly Asked[],
  members: readonly Asked[],
  depth: number,
): QueryFilter {
  if (depth < 2 && tape.chance(depth === 0 ? 30 : 20)) {
    const kind = tape.chance(depth === 0 ? 25 : 50) ? 'and' : 'or';
    const count = 1 + tape.next(3);
    const filters: QueryFilter[] = [];
    for (let i = 0; i < count; i++) filters.push(filterOf(tape, usable, members, depth + 1));
    return { kind, filters };
  }
  const withDates = members.filter(({ dimension }) => isTime(dimension.type));
  if (withDates.length > 0 && tape.chance(15)) return dateFilter(tape, tape.pick(withDates).name);
  const filtered = usable.flatMap(({ model, name }) =>
    model.measures
      .filter(({ filters }) => filters.length > 0)
      .map((measure) => `${name.split('.')[0]}.${measure.name}`),
  );
  if (filtered.length > 0 && tape.chance(4))
    return { kind: 'member', member: tape.pick(filtered), operator: 'measureFilter', values: [] };
  return leafOf(tape, tape.pick(usable));
}

export function dateFilter(tape: Tape, name: string): QueryFilter {
  const operator = tape.pick([
    'inDateRange',
    'notInDateRange',
    'onTheDate',
    'beforeDate',
    'beforeOrOnDate',
    'afterDate',
    'afterOrOnDate',
  ] as const);
  if (!operator.endsWith('Range'))
    return { kind: 'member', member: name, operator, values: [tape.pick(DAYS)] };
  const range = rangeOf(tape);
  return { kind: 'member', member: name, operator, values: typeof range === 'string' ? [range] : [...range] };
}

export function leafOf(tape: Tape, { name, dimension }: Asked): QueryFilter {
  const leaf = (
    operator: Extract<QueryFilter, { kind: 'member' }>['operator'],
    values: readonly QueryValue[],
  ): QueryFilter => ({
    kind: 'member',
    member: name,
    operator,
    values,
  });
  if (tape.chance(15)) return leaf(tape.pick(['set', 'notSet'] as const), []);
  const values = [filterValue(tape, dimension.type)];
  while (values.length < 3 && tape.chance(30))
    values.push(tape.chance(25) ? null : filterValue(tape, dimension.type));
  if (dimension.type === 'text' && tape.chance(50)) {
    const operator = tape.pick([
      'contains',
      'notContains',
      'startsWith',
      'notStartsWith',
      'endsWith',
      'notEndsWith',
    ] as const);
    const parts = values
      .filter((value) => value !== null)
      .map((value) => [...`${value}`].slice(0, 1 + tape.next(3)).join(''));
    return leaf(operator, parts);
  }
  if (tape.chance(2)) return leaf(...misfit(tape, dimension.type));
  if (dimension.type !== 'boolean' && tape.chance(30))
    return leaf(tape.pick(['gt', 'gte', 'lt', 'lte'] as const), values.slice(0, 1));
  if (tape.chance(10)) values.push(null);
  return leaf(tape.pick(['equals', 'notEquals', 'in', 'notIn'] as const), values);
}

/** What no such member can be compared with. */
function misfit(
  tape: Tape,
  type: ColumnType,
): readonly [Extract<QueryFilter, { kind: 'member' }>['operator'], readonly QueryValue[]] {
  if (type === 'text' || tape.chance(30))
    return tape.pick([
      ['gt', ['1', '2']],
      ['lte', [null]],
      ['equals', []],
    ] as const);
  const values: readonly QueryValue[] =
    type === 'boolean'
      ? ['yes', 1]
      : type === 'int' || type === 'decimal'
        ? ['one', true, '', '1; DROP TABLE x', '0x10']
        : [
            'soon',
            20240101,
            false,
            '2024-13-01',
            type === 'date' ? '2024-01-01 12:00:00' : '2024-01-01 25:00:00',
          ];
  return [tape.pick(['equals', 'notIn'] as const), [tape.pick(values), null]];
}

function filterValue(tape: Tape, type: ColumnType): QueryValue {
  switch (type) {
    case 'int':
      return tape.chance(20) ? `${tape.next(5)}` : tape.next(6) - 1;
    case 'decimal':
      return tape.pick(['0', '1.5', '1.50', 0, '-2.25', '10.1', '99.99', '0.005']);
    case 'text':
      return tape.chance(60)
        ? tape.pick(['a', 'A', 'b b', 'big'])
        : tape.pick([...LABELS, "s'mall", 'none', "'; DROP TABLE x; --"]);
    case 'boolean':
      return tape.chance(80) ? tape.chance(50) : tape.pick(['true', 'false']);
    case 'date':
      return tape.pick(DAYS);
    case 'timestamp':
      return tape.chance(20) ? `${tape.pick(TIMES).replace(' ', 'T')}Z` : tape.pick([...TIMES, ...DAYS]);
  }
}

/** Measures that can be compared with a value without knowing the last bit of a DOUBLE. */
const isComparable = (measure: WorldMeasure | undefined): boolean =>
  measure?.type === 'count' ||
  measure?.type === 'sum' ||
  measure?.type === 'count_distinct' ||
  isOverGroups(measure);

const isOverGroups = (measure: WorldMeasure | undefined): boolean =>
  /^over_(share|rank|part|nested)$/.test(measure?.name ?? '');

/** Now and then one; mostly beside windows over groups, which it must not narrow. */
function addMeasureFilter(
  tape: Tape,
  world: World,
  measures: readonly string[],
  filters: QueryFilter[],
): void {
  const exact = measures.filter((name) => isComparable(measureNamed(world, name)));
  const hasWindow = measures.some((name) => isOverGroups(measureNamed(world, name)));
  if (exact.length > 0 && tape.chance(hasWindow ? 60 : 15)) filters.push(measureFilter(tape, world, exact));
}

function measureFilter(tape: Tape, world: World, exact: readonly string[]): QueryFilter {
  const others = world.models.map(({ name }) => `${name}.count`);
  const leaf = (): QueryFilter => {
    const member = tape.chance(15) ? tape.pick(others) : tape.pick(exact);
    if (tape.chance(20))
      return { kind: 'member', member, operator: tape.pick(['set', 'notSet'] as const), values: [] };
    return {
      kind: 'member',
      member,
      operator: tape.pick(['gt', 'gte', 'lt', 'lte', 'equals', 'notEquals'] as const),
      values: [member.endsWith('over_share') ? tape.pick(['0.5', '0.25', 0, 1]) : tape.next(5)],
    };
  };
  return tape.chance(25) ? { kind: 'or', filters: [leaf(), leaf()] } : leaf();
}

/** Whether some models are joined in more than one way. */
export function isCyclic(world: World): boolean {
  return world.models.some((a) => world.models.some((b) => pathsBetween(world, a.name, b.name).length > 1));
}

/** Lists of models and roles: stops on the way, now and then up to where it ends. */
function hintsOf(tape: Tape, world: World): readonly (readonly string[])[] {
  const roles = world.models
    .flatMap(({ joins }) => joins)
    .filter(({ type }) => type !== 'many_to_many')
    .map(({ name }) => name);
  const names = [
    ...new Set([...roles.filter((role) => role.startsWith('role')), ...world.models.map(({ name }) => name)]),
  ];
  const list = (): readonly string[] => {
    const stops = [tape.pick(names)];
    while (stops.length < 3 && tape.chance(45)) stops.push(tape.pick(names));
    return stops;
  };
  return tape.chance(25) ? [list(), list()] : [list()];
}

const isNear = (world: World, model: WorldModel, other: WorldModel): boolean => {
  const [path, ...more] = pathsBetween(world, model.name, other.name);
  return path !== undefined && more.length === 0 && path.every(isToOne);
};

const OF_ONE_ROW = new Set(['sum', 'avg', 'min', 'max', 'median', 'count']);

function ungroupedQuery(tape: Tape, world: World): SemanticQuery {
  const model = tape.pick(world.models);
  const measures = model.measures
    .filter(({ name, type }) => OF_ONE_ROW.has(type) && !OVER_TIME.has(name))
    .map(({ name }) => `${model.name}.${name}`);
  const near = allMembers(world).filter(({ model: other }) => other === model || isNear(world, model, other));
  const members = tape.chance(15) ? allMembers(world) : near;
  const chosen = tape.some(members, 1 + tape.next(2)).map(({ name }) => name);
  const filters = filtersOf(tape, members, members);
  return {
    measures: tape.some([`${model.name}.count`, ...measures], 1 + tape.next(2)),
    dimensions: [...new Set([`${model.name}.id`, ...chosen])],
    ...(filters.length > 0 ? { filters } : {}),
    ungrouped: true,
    ...(tape.chance(20) ? { limit: 1 + tape.next(4) } : {}),
  };
}

const OVER_TIME = new Set(['rolling', 'shifted', 'shifted_again', 'growth', 'stock', 'over_rolling']);

/** A question about measures over time: one time dimension in one or several granularities, and conditions on it in every shape. */
export function windowQueryOf(tape: Tape, world: World): SemanticQuery {
  const homes = world.models.filter(({ columns }) => columns.some(({ type }) => isTime(type)));
  if (homes.length === 0) return queryOf(tape, world);
  const home = tape.pick(homes);
  const names = home.measures
    .filter(({ name }) => OVER_TIME.has(name))
    .map(({ name }) => `${home.name}.${name}`);
  const measures = [...tape.some(names, 1 + tape.next(2))];
  if (tape.chance(30)) measures.push(`${home.name}.count`);
  if (tape.chance(20))
    measures.push(
      ...measuresOf(tape, world)
        .slice(0, 1)
        .filter((name) => !measures.includes(name)),
    );
  const facts = [...new Set(measures.flatMap((name) => factsOf(world, name)))];
  const hints = isCyclic(world) && tape.chance(40) ? hintsOf(tape, world) : undefined;
  const members = membersFor(tape, world, facts, hints);
  const plain = members.filter(({ dimension }) => !isTime(dimension.type));
  const times = members.filter(({ dimension }) => isTime(dimension.type));
  const own = allMembers(world).filter(
    ({ name, dimension }) => name.startsWith(`${home.name}.`) && isTime(dimension.type),
  );
  const time = tape.chance(12) && times.length > 0 ? tape.pick(times) : tape.pick(own);
  const hasBucket = !tape.chance(12);
  const filters = windowFilters(tape, time, plain);
  const isShiftedAlone = !hasBucket && measures.some((name) => /shifted|growth/.test(name));
  // Minutes of a year would be half a million buckets.
  const granularity = (): string =>
    tape.chance(80) ? tape.pick(UNITS) : granularityOf(tape, time).replace('minute', 'hour');
  const dimensions = tape.some(plain, tape.pick([0, 1, 1, 2])).map(({ name }) => name);
  const first = hasBucket || isShiftedAlone ? granularity() : undefined;
  const others: string[] = [];
  while (first !== undefined && others.length < 2 && tape.chance(35)) others.push(granularity());
  for (const other of others)
    if (other !== first && tape.chance(60)) dimensions.unshift(`${time.name}.${other}`);
  if (tape.chance(3)) dimensions.push(time.name);
  addMeasureFilter(tape, world, measures, filters);
  const isCompared = tape.chance(6);
  const dated = tape.chance(50) || (first === undefined && !tape.chance(30));
  const asked = [...new Set(dimensions)];
  const ordered = [
    ...asked,
    ...(first === undefined ? [] : [`${time.name}.${first}`]),
    ...measures.filter((name) => measureNamed(world, name)?.type !== 'count_distinct_approx'),
  ];
  return {
    measures,
    dimensions: asked,
    timeDimensions: [
      {
        dimension: time.name,
        ...(first === undefined ? {} : { granularity: first }),
        ...(isCompared
          ? { compareDateRange: different([rangeOf(tape), rangeOf(tape)]) }
          : dated
            ? { dateRange: rangeOf(tape) }
            : {}),
      },
      ...others
        .filter((other) => other !== first && !asked.includes(`${time.name}.${other}`))
        .slice(0, 1)
        .map((other) => ({ dimension: time.name, granularity: other })),
    ],
    ...(filters.length > 0 ? { filters } : {}),
    ...(tape.chance(20)
      ? {
          order: tape
            .some(ordered, 1 + tape.next(2))
            .map((member) => ({ member, direction: tape.chance(50) ? ('desc' as const) : ('asc' as const) })),
        }
      : {}),
    ...(tape.chance(25) ? { timezone: tape.pick(ZONES) } : {}),
    ...(tape.chance(20) ? { limit: 1 + tape.next(5) } : {}),
    ...(tape.chance(10) ? { offset: tape.next(3) } : {}),
    ...(tape.chance(8) ? { total: true } : {}),
    ...(hints === undefined ? {} : { joinHints: hints }),
  };
}

/** Conditions on the time of a window, alone and beside others. */
function windowFilters(tape: Tape, time: Asked, plain: readonly Asked[]): QueryFilter[] {
  const onTime = (): QueryFilter => {
    const sort = tape.next(10);
    if (sort < 6) return dateFilter(tape, time.name);
    if (sort < 8) return leafOf(tape, time);
    const dimension = { name: time.dimension.name, type: time.dimension.type };
    return leafOf(tape, { ...time, dimension, name: `${time.name}.${tape.pick(UNITS)}` });
  };
  const group = (kind: 'and' | 'or', filters: readonly QueryFilter[]): QueryFilter => ({ kind, filters });
  const filters: QueryFilter[] = [];
  if (tape.chance(25) && plain.length > 0) filters.push(leafOf(tape, tape.pick(plain)));
  if (tape.chance(8) && plain.length > 1)
    filters.push(group('or', [leafOf(tape, tape.pick(plain)), leafOf(tape, tape.pick(plain))]));
  if (tape.chance(25)) filters.push(onTime());
  if (tape.chance(8)) filters.push(group('and', [onTime(), onTime()]));
  if (tape.chance(18)) filters.push(group('or', [onTime(), onTime()]));
  if (tape.chance(8)) filters.push(group('or', [group('and', [onTime(), onTime()]), onTime()]));
  if (tape.chance(12) && plain.length > 0) {
    const other = leafOf(tape, tape.pick(plain));
    filters.push(
      tape.chance(50)
        ? group('or', [onTime(), other])
        : group('or', [group('and', [onTime(), other, onTime()]), onTime()]),
    );
  }
  return filters;
}
