import { compare, type Form, int, reference, text } from './form.ts';
import { conditionOf, neighbours } from './generate-forms.ts';
import { pathsBetween } from './paths.ts';
import type { Tape } from './tape.ts';
import type { Span, World, WorldMeasure, WorldModel } from './world.ts';

/** Gives every model measures: aggregates first, then those derived from them and from other models' measures. */
export function measuresFor(tape: Tape, world: World, hasWindows: boolean): World {
  const withAggregates: World = {
    ...world,
    models: world.models.map((model) => ({
      ...model,
      measures: [...aggregatesOf(tape, world, model), ...(hasWindows ? windowsOf(tape, world, model) : [])],
    })),
  };
  return {
    ...withAggregates,
    models: withAggregates.models.map((model) => ({
      ...model,
      measures: [...model.measures, ...derivedOf(tape, withAggregates, model)],
    })),
  };
}

function numbersOf(tape: Tape, world: World, model: WorldModel): Form {
  const near = neighbours(world, model);
  const choices: Form[] = [reference('n')];
  if (model.columns.some(({ name }) => name === 'amount'))
    choices.push(reference('amount'), reference('amount'));
  choices.push({ kind: 'times', left: reference('n'), right: int(2) });
  choices.push({ kind: 'coalesce', left: reference('n'), right: int(1) });
  choices.push({
    kind: 'choose',
    when: compare('>', reference('n'), int(1)),
    yes: reference('n'),
    no: int(0),
  });
  if (near.length > 0) {
    const other = tape.pick(near).name;
    choices.push(reference('n', other), { kind: 'plus', left: reference('n'), right: reference('n', other) });
  }
  if (model.dimensions.some(({ name }) => name === 'twice')) choices.push(reference('twice'));
  return tape.pick(choices);
}

function anyOf(tape: Tape, world: World, model: WorldModel): Form {
  const members = model.dimensions.filter(({ name }) => name !== 'far').map(({ name }) => reference(name));
  return tape.chance(50) ? numbersOf(tape, world, model) : tape.pick(members);
}

const TYPES = [
  'sum',
  'count',
  'avg',
  'min',
  'max',
  'count_distinct',
  'median',
  'percentile',
  'count_distinct_approx',
  'sum',
  'sum',
] as const;

function aggregatesOf(tape: Tape, world: World, model: WorldModel): readonly WorldMeasure[] {
  const measures: WorldMeasure[] = [];
  const count = 2 + tape.next(3);
  for (let i = 0; i < count; i++) {
    const type = tape.pick(TYPES);
    const isFree = type === 'min' || type === 'max' || type.startsWith('count');
    const filters = tape.chance(35) ? [conditionOf(tape, world, model)] : [];
    if (filters.length > 0 && tape.chance(25)) filters.push(conditionOf(tape, world, model));
    const isBare = type === 'count' && tape.chance(50);
    measures.push({
      name: `m${i}`,
      type,
      ...(isBare ? {} : { expression: isFree ? anyOf(tape, world, model) : numbersOf(tape, world, model) }),
      filters,
      ...(type === 'percentile' ? { p: tape.pick([0.25, 0.9, 0.5, 0, 1, 0.333]) } : {}),
    });
  }
  return measures;
}

/** Measures whose values are whole or decimal numbers, exactly. */
const isExact = ({ type, expression, rolling, shift, stock }: WorldMeasure): boolean =>
  rolling === undefined &&
  shift === undefined &&
  stock === undefined &&
  (type === 'sum' || type === 'count' || (type === 'count_distinct' && expression !== undefined));

function derivedOf(tape: Tape, world: World, model: WorldModel): readonly WorldMeasure[] {
  const own = ['count', ...model.measures.filter(isExact).map(({ name }) => name)];
  const others = world.models.filter(
    (other) => other !== model && pathsBetween(world, model.name, other.name).length === 1,
  );
  const operand = (): Form => {
    if (others.length > 0 && tape.chance(40)) {
      const other = tape.pick(others);
      return reference(
        tape.pick(['count', ...other.measures.filter(isExact).map(({ name }) => name)]),
        other.name,
      );
    }
    return reference(tape.pick(own));
  };
  const measures: WorldMeasure[] = [];
  const count = tape.next(3);
  for (let i = 0; i < count; i++) {
    const [left, right] = [operand(), operand()];
    const forms: readonly (readonly [WorldMeasure['type'], Form])[] = [
      ['number', { kind: 'divide', left, right }],
      ['number', { kind: 'minus', left, right }],
      ['number', { kind: 'plus', left: { kind: 'coalesce', left, right: int(0) }, right }],
      [
        'number',
        {
          kind: 'divide',
          left: { kind: 'aggregate', type: 'sum', of: reference('n') },
          right: { kind: 'aggregate', type: 'count' },
        },
      ],
      ['number', { kind: 'times', left: { kind: 'aggregate', type: 'max', of: reference('n') }, right }],
      ['string', { kind: 'choose', when: compare('>', left, int(2)), yes: text('many'), no: text('few') }],
      ['boolean', compare('>=', left, int(1))],
      [
        'number',
        {
          kind: 'plus',
          left: { kind: 'aggregate', type: 'count_distinct', of: reference('n') },
          right: int(1),
        },
      ],
      [
        'number',
        {
          kind: 'divide',
          left: { kind: 'divide', left, right },
          right: { kind: 'minus', left: right, right: int(1) },
        },
      ],
    ];
    const [type, expression] = tape.pick(forms);
    measures.push({ name: `d${i}`, type, expression, filters: [] });
  }
  if (measures[0]?.type === 'number' && tape.chance(30))
    measures.push({
      name: 'dd',
      type: 'number',
      expression: { kind: 'plus', left: reference('d0'), right: int(1) },
      filters: [],
    });
  return tape.chance(55) ? [...measures, ...overGroups(tape, operand)] : measures;
}

/** Measures with windows over the groups of the answer; the share is one of whole numbers, so that its DOUBLEs can be compared. */
function overGroups(tape: Tape, operand: () => Form): readonly WorldMeasure[] {
  const number = (name: string, expression: Form): WorldMeasure => ({
    name: `over_${name}`,
    type: 'number',
    expression,
    filters: [],
  });
  const count = reference('count');
  const of = operand();
  const by = tape.chance(40) ? { by: compare('>', count, int(1)) } : {};
  return [
    number('share', { kind: 'divide', left: count, right: { kind: 'over', type: 'sum', of: count } }),
    number('rank', { kind: 'over', type: 'rank', of, ...by }),
    number('part', { kind: 'minus', left: of, right: { kind: 'over', type: 'max', of, ...by } }),
    number('nested', {
      kind: 'over',
      type: tape.pick(['sum', 'count'] as const),
      of: reference('over_rank'),
    }),
  ];
}

const SPANS: readonly Span[] = [
  { count: 1, unit: 'month' },
  { count: 5, unit: 'day' },
  { count: 7, unit: 'day' },
  { count: 1, unit: 'day' },
  { count: 30, unit: 'day' },
  { count: 2, unit: 'week' },
  { count: 3, unit: 'month' },
  { count: 1, unit: 'year' },
  { count: 1, unit: 'quarter' },
  { count: 36, unit: 'hour' },
];

/** Measures over time: rolling, to date, shifted, and stocks. */
function windowsOf(tape: Tape, world: World, model: WorldModel): readonly WorldMeasure[] {
  const measures: WorldMeasure[] = [];
  const types = ['sum', 'count', 'avg', 'max', 'count_distinct'] as const;
  const filters = tape.chance(25) ? [conditionOf(tape, world, model)] : [];
  measures.push({
    name: 'rolling',
    type: tape.pick(types),
    expression: numbersOf(tape, world, model),
    filters,
    rolling: tape.chance(25)
      ? { kind: 'to-date', unit: tape.pick(['month', 'quarter', 'year', 'week']) }
      : {
          kind: 'trailing',
          trailing: tape.chance(15) ? 'unbounded' : tape.pick(SPANS),
          ...(tape.chance(25) ? { leading: tape.pick(SPANS) } : {}),
          offset: tape.chance(25) ? 'start' : 'end',
        },
  });
  const shift = {
    by: tape.pick(SPANS),
    direction: tape.chance(25) ? ('next' as const) : ('prior' as const),
  };
  if (tape.chance(50))
    measures.push({
      name: 'shifted',
      type: 'number',
      expression: reference(tape.pick(['count', 'rolling'])),
      filters: [],
      shift,
    });
  else
    measures.push({
      name: 'shifted',
      type: 'sum',
      expression: numbersOf(tape, world, model),
      filters: [],
      shift,
    });
  measures.push({
    name: 'shifted_again',
    type: 'number',
    expression: reference(tape.pick(['shifted', 'shifted', 'rolling', 'over_rolling'])),
    filters: [],
    shift: {
      by: tape.pick(SPANS),
      direction: tape.chance(25) ? ('next' as const) : ('prior' as const),
    },
  });
  measures.push({
    name: 'over_rolling',
    type: 'number',
    expression: { kind: 'over', type: 'max', of: reference('rolling') },
    filters: [],
  });
  measures.push({
    name: 'growth',
    type: 'number',
    expression: { kind: 'minus', left: reference('count'), right: reference('shifted') },
    filters: [],
  });
  const times = model.columns.filter(({ type }) => type === 'date' || type === 'timestamp');
  if (times.length > 0) {
    const type = tape.pick(['sum', 'count', 'sum'] as const);
    measures.push({
      name: 'stock',
      type,
      expression: numbersOf(tape, world, model),
      filters: [],
      stock: {
        time: tape.pick(times).name,
        treatment: tape.pick(['last', 'first', 'avg', 'min', 'max']),
        per: tape.chance(40)
          ? ['n']
          : tape.chance(30) && model.columns.some(({ name }) => name === 'label')
            ? ['label']
            : [],
      },
    });
  }
  return measures;
}
