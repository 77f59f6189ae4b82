/* Metrics of a world, and questions to them. */
import type { QueryFilter, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import { compare, type Form, int, reference } from './form.ts';
import { neighbours } from './generate-forms.ts';
import { dateFilter, rangeOf, ZONES } from './generate-query.ts';
import { pathsBetween } from './paths.ts';
import type { Tape } from './tape.ts';
import type { World, WorldMetric, WorldModel } from './world.ts';

const isTime = (type: string): boolean => type === 'date' || type === 'timestamp';
const timesOf = (model: WorldModel): readonly string[] =>
  model.columns.filter(({ type }) => isTime(type)).map(({ name }) => name);

/** Metrics of each kind for every model with a time. */
export function metricsOf(tape: Tape, whole: World): readonly WorldMetric[] {
  // Windows over groups see those of the metrics beside them; a metric alone, as it is computed here, has none.
  const models = whole.models.map((model) => ({
    ...model,
    measures: model.measures.filter(({ name }) => !name.startsWith('over_')),
  }));
  const world: World = { ...whole, models };
  const homes = models.filter((model) => timesOf(model).length > 0);
  const plain = homes.flatMap((model) => plainMetrics(tape, world, model));
  const simple = plain.filter(({ kind }) => kind === 'simple');
  return [...plain, ...homes.flatMap((model) => conversionsOf(tape, world, model, simple))];
}

/** Measures whose values are exact and 0 or NULL where nothing is. */
const additive = (model: WorldModel): readonly string[] => [
  'count',
  ...model.measures.filter(({ type }) => type === 'sum' || type === 'count').map(({ name }) => name),
];

function around(
  tape: Tape,
  world: World,
  model: WorldModel,
): Omit<WorldMetric, 'name' | 'kind' | 'measures'> {
  const reached = world.models.filter(
    (other) => other === model || pathsBetween(world, model.name, other.name).length === 1,
  );
  const texts = model.dimensions.filter(({ type }) => type === 'text').map(({ name }) => name);
  const dimensions = [
    { name: 'n', model: model.name, member: 'n' },
    { name: 'far', model: tape.pick(reached).name, member: 'n' },
    ...(texts.length > 0 ? [{ name: 'word', model: model.name, member: tape.pick(texts) }] : []),
  ];
  const qualified = reference('n', model.name);
  return {
    model: model.name,
    ts: tape.pick(timesOf(model)),
    dimensions,
    ...(model.segments.length > 0 && tape.chance(30) ? { segment: 'seg' } : {}),
    ...(tape.chance(25)
      ? { filter: tape.pick<Form>([compare('>', qualified, int(0)), { kind: 'is-null', of: qualified }]) }
      : {}),
  };
}

function plainMetrics(tape: Tape, world: World, model: WorldModel): readonly WorldMetric[] {
  const some = (): WorldMetric['measures'][number] => ({ name: tape.pick(additive(model)) });
  const other = (): WorldMetric['measures'][number] => {
    const others = world.models.filter((each) => pathsBetween(world, each.name, model.name).length === 1);
    if (others.length === 0 || !tape.chance(30)) return some();
    const { name, ...found } = tape.pick(others);
    return { model: name, name: tape.pick(additive({ name, ...found })) };
  };
  const simple: WorldMetric = {
    name: `${model.name}_simple`,
    kind: 'simple',
    measures: [{ name: tape.pick(['count', ...model.measures.map(({ name }) => name)]) }],
    ...around(tape, world, model),
  };
  const measures = [some()];
  // A metric over the same measure would name another time for its conversions.
  const ts = measures[0]?.name === simple.measures[0]?.name ? { ts: simple.ts } : {};
  return [
    simple,
    {
      name: `${model.name}_ratio`,
      kind: 'ratio',
      measures: [some(), other()],
      ...around(tape, world, model),
    },
    {
      name: `${model.name}_derived`,
      kind: 'derived',
      measures: [other(), some()],
      ...around(tape, world, model),
    },
    {
      name: `${model.name}_cumulative`,
      kind: 'cumulative',
      measures,
      ...(tape.chance(40)
        ? {
            window: tape.pick([
              { count: 7, unit: 'day' },
              { count: 2, unit: 'month' },
            ] as const),
          }
        : tape.chance(50)
          ? { toDate: tape.pick(['month', 'year'] as const) }
          : {}),
      ...around(tape, world, model),
      ...ts,
    },
  ];
}

function conversionsOf(
  tape: Tape,
  world: World,
  base: WorldModel,
  simple: readonly WorldMetric[],
): readonly WorldMetric[] {
  const near = (model: WorldModel): readonly WorldModel[] => [model, ...neighbours(world, model)];
  const targets = simple.flatMap((metric) => {
    const model = world.models.find(({ name }) => name === metric.model) as WorldModel;
    const measure = metric.measures[0]?.name as string;
    const isAggregate = measure === 'count' || /^m\d$/.test(measure);
    const both = near(base).filter((each) => near(model).includes(each));
    return both.length > 0 && isAggregate ? [{ metric, measure, model, both }] : [];
  });
  if (targets.length === 0) return [];
  const { metric, measure, model, both } = tape.pick(targets);
  const own = ['count', ...base.measures.map(({ name }) => name).filter((name) => /^m\d$/.test(name))];
  const entity = tape.pick(both);
  return [
    {
      name: `${base.name}_conversion`,
      kind: 'conversion',
      measures: [{ name: tape.pick(own) }],
      ...around(tape, world, base),
      ...(tape.chance(60)
        ? {
            window: tape.pick([
              { count: 30, unit: 'day' },
              { count: 1, unit: 'month' },
              { count: 12, unit: 'hour' },
            ] as const),
          }
        : {}),
      conversion: {
        model: model.name,
        measure,
        time: metric.ts,
        entity: {
          model: entity.name,
          member: tape.pick([
            'n',
            'id',
            ...entity.dimensions.filter(({ type }) => type === 'text').map(({ name }) => name),
          ]),
        },
      },
    },
  ];
}

/** One to three metrics by columns that all of them have. */
export function metricQueryOf(tape: Tape, metrics: readonly WorldMetric[]): SemanticQuery {
  const first = tape.pick(metrics);
  const chosen = [...new Set([first, ...tape.some(metrics, tape.pick([0, 1, 1, 2]))])];
  const columns = first.dimensions
    .map(({ name }) => name)
    .filter((name) => chosen.every(({ dimensions }) => dimensions.some((each) => each.name === name)));
  const column = (name: string): string => `${tape.pick(chosen).name}.${name}`;
  const measures = chosen.map(({ name }) => tape.pick([`${name}.measure`, `${name}.${name}`, name]));
  const dimensions = tape.some(columns, tape.next(3)).map(column);
  const filters: QueryFilter[] = [];
  if (tape.chance(30)) filters.push(columnFilter(tape, column(tape.pick(columns))));
  if (tape.chance(25)) filters.push(dateFilter(tape, column('ts')));
  const isOwnGranularity = tape.chance(12);
  if (isOwnGranularity) dimensions.push(column('ts'));
  const hasTime = !isOwnGranularity && !tape.chance(12);
  const exact = chosen.flatMap(({ kind, measures: [of] }, i) =>
    kind === 'cumulative' || (kind === 'simple' && of?.name === 'count') ? [measures[i] as string] : [],
  );
  if (exact.length > 0 && tape.chance(12))
    filters.push({
      kind: 'member',
      member: tape.pick(exact),
      operator: tape.pick(['gt', 'lte', 'set'] as const),
      values: [1],
    });
  return {
    measures,
    dimensions,
    ...(hasTime
      ? {
          timeDimensions: [
            {
              dimension: column('ts'),
              ...(tape.chance(88)
                ? { granularity: tape.pick(['month', 'day', 'year', 'week', 'quarter']) }
                : {}),
              ...(tape.chance(40) ? { dateRange: rangeOf(tape) } : {}),
            },
          ],
        }
      : {}),
    ...(filters.length > 0 ? { filters: filters.map(valued) } : {}),
    ...(tape.chance(20) ? { timezone: tape.pick(ZONES) } : {}),
    ...(tape.chance(15) ? { limit: 1 + tape.next(4) } : {}),
  };
}

function columnFilter(tape: Tape, member: string): QueryFilter {
  if (member.endsWith('.word'))
    return { kind: 'member', member, operator: tape.pick(['contains', 'notEquals'] as const), values: ['a'] };
  const operator = tape.pick(['equals', 'gt', 'notEquals', 'set', 'notSet'] as const);
  return { kind: 'member', member, operator, values: [1 + tape.next(2)] };
}

const valued = (filter: QueryFilter): QueryFilter =>
  filter.kind === 'member' && /^(set|notSet)$/.test(filter.operator) ? { ...filter, values: [] } : filter;
