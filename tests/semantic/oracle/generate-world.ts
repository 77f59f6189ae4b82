/*
 * Random small projects. Models are connected to a tree of joins in random directions, so stars, chains, snowflakes, several facts and
 * bridges all happen; some worlds get one more join (a second role, or a diamond) or a model that nothing reaches.
 */
import { compare, int, reference, text } from './form.ts';
import { conditionOf, has, neighbours } from './generate-forms.ts';
import { measuresFor } from './generate-measures.ts';
import { rational } from './rational.ts';
import { Tape } from './tape.ts';
import type { ColumnType, Row, Value } from './value.ts';
import type { World, WorldDimension, WorldGranularity, WorldJoin, WorldModel, WorldPolicy } from './world.ts';

export interface WorldChoices {
  readonly shape: readonly number[];
  /** Per model, per row, per cell. */
  readonly rows: readonly (readonly (readonly number[])[])[];
}

const NAMES = ['alpha', 'beta', 'gamma', 'delta', 'omega'] as const;
export const LABELS = [
  'a',
  'A',
  'b b',
  "it's",
  '100%',
  'x_y',
  'é',
  'É',
  '日本',
  '',
  'back\\slash',
  '"q"',
  'ab',
  '{a}',
  'z\u{1F600}',
  '--',
  'a%b',
];
const NUMBERS = [0, 1, 2, 3, 5, -2, 1, 2];
const AMOUNTS = [0, 150, 1, -225, 1010, 9999, 150, 333];
export const DAYS = [
  '2024-01-01',
  '2024-01-31',
  '2024-02-01',
  '2024-02-29',
  '2024-03-01',
  '2023-12-31',
  '2024-03-30',
  '2024-03-31',
  '2024-04-01',
  '2023-11-15',
  '2024-01-15',
  '2024-01-08',
];
export const TIMES = [
  '2024-01-01 00:00:00',
  '2023-12-31 23:30:00',
  '2024-02-29 12:00:00',
  '2024-03-31 00:30:00',
  '2024-03-31 01:00:00',
  '2024-03-31 22:15:00',
  '2024-03-10 06:59:59',
  '2024-03-10 07:00:00',
  '2024-01-31 23:59:59.999',
  '2024-02-01 00:00:00',
  '2024-01-15 05:00:00',
  '2023-10-29 00:30:00',
  '2023-10-29 01:30:00',
];

const GRANULARITIES: readonly WorldGranularity[] = [
  { name: 'fiscal', count: 1, unit: 'year', offset: { count: 1, unit: 'month' } },
  { name: 'fortnight', count: 2, unit: 'week', origin: '2024-01-03' },
  { name: 'ten_days', count: 10, unit: 'day' },
  { name: 'two_weeks', count: 2, unit: 'week' },
  { name: 'sunday', count: 1, unit: 'week', offset: { count: 6, unit: 'day' } },
  { name: 'two_months', count: 2, unit: 'month' },
];

interface Draft {
  readonly name: string;
  columns: { name: string; type: ColumnType }[];
  isComposite: boolean;
  /** No column tells its rows apart, as far as anybody is told; where nothing joins it, that is so. */
  isKeyless: boolean;
  joins: WorldJoin[];
  /** How the key columns that joins need are filled. */
  keys: { readonly columns: readonly string[]; readonly to: Draft; readonly isUnique: boolean }[];
}

/** What a campaign is about: windows and policies need questions of their own; shapes are both, and facts that share dimensions. */
export type Theme = 'plain' | 'windows' | 'policies' | 'shapes';

export function worldOf(choices: WorldChoices, theme: Theme = 'plain'): World {
  const tape = new Tape(choices.shape);
  const count = tape.pick([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5]);
  const drafts: Draft[] = [];
  for (let i = 0; i < count; i++) drafts.push(draft(tape, NAMES[i] as string));
  const isShared = tape.chance(theme === 'shapes' ? 60 : 8) && count > 3;
  if (isShared) shareDimensions(tape, drafts);
  else {
    const isLoose = tape.chance(4) && count > 2;
    for (let i = 1; i < (isLoose ? count - 1 : count); i++)
      connect(tape, drafts[i] as Draft, drafts[tape.next(i)] as Draft, drafts);
    if (tape.chance(18) && count > 1) {
      const one = drafts[tape.next(count)] as Draft;
      const other = drafts[(drafts.indexOf(one) + 1 + tape.next(count - 1)) % count] as Draft;
      connect(tape, one, other, drafts, tape.chance(80));
    }
    if (tape.chance(30)) addManyToMany(drafts);
  }
  const rows = drafts.map((each, i) => rowsOf(each, choices.rows[i] ?? [], drafts, choices.rows));
  const bare: World = {
    metrics: [],
    models: drafts.map((each, i) => ({
      name: each.name,
      columns: each.columns,
      key: each.isKeyless ? [] : each.isComposite ? ['id', 'part'] : ['id'],
      rows: rows[i] as readonly Row[],
      dimensions: [],
      measures: [],
      segments: [],
      joins: each.joins,
    })),
  };
  const withDimensions: World = {
    ...bare,
    models: bare.models.map((model) => ({
      ...model,
      dimensions: dimensionsOf(tape, bare, model),
      segments: segmentsOf(tape, bare, model),
    })),
  };
  const whole = measuresFor(tape, withDimensions, theme === 'windows' || theme === 'shapes');
  if (theme !== 'policies' && !(theme === 'shapes' && tape.chance(50))) return whole;
  return { ...whole, models: whole.models.map((model) => withPolicies(tape, model)) };
}

function draft(tape: Tape, name: string): Draft {
  const columns: Draft['columns'] = [
    { name: 'id', type: 'int' },
    { name: 'n', type: 'int' },
  ];
  const isComposite = tape.chance(12);
  const isKeyless = tape.chance(15);
  if (isComposite) columns.push({ name: 'part', type: 'int' });
  if (!tape.chance(25)) columns.push({ name: 'label', type: 'text' });
  if (!tape.chance(35)) columns.push({ name: 'amount', type: 'decimal' });
  if (!tape.chance(50)) columns.push({ name: 'day', type: 'date' });
  if (tape.chance(50)) columns.push({ name: 'at', type: 'timestamp' });
  if (tape.chance(50)) columns.push({ name: 'flag', type: 'boolean' });
  return { name, columns, isComposite, isKeyless, joins: [], keys: [] };
}

/** Facts that each join the same dimensions, with a join left out or doubled now and then. */
function shareDimensions(tape: Tape, drafts: readonly Draft[]): void {
  const dimensions = drafts.slice(0, 2);
  for (const fact of drafts.slice(2))
    for (const dimension of dimensions) {
      if (tape.chance(8)) continue;
      link(tape, fact, dimension, drafts, tape.chance(15));
      if (tape.chance(8)) link(tape, fact, dimension, drafts, true);
    }
  const [first, second] = dimensions;
  if (first !== undefined && second !== undefined && tape.chance(15)) link(tape, first, second, drafts);
}

/** Joins two models; the many side gets the key columns, either side the join. */
function connect(tape: Tape, a: Draft, b: Draft, drafts: readonly Draft[], hasRole = false): void {
  if (tape.chance(35)) link(tape, b, a, drafts, hasRole);
  else link(tape, a, b, drafts, hasRole);
}

function link(tape: Tape, many: Draft, one: Draft, drafts: readonly Draft[], hasRole = false): void {
  const serial = drafts.reduce((sum, each) => sum + each.keys.length, 0);
  const columns = one.isComposite ? [`k${serial}`, `k${serial}_part`] : [`k${serial}`];
  for (const name of columns) many.columns.push({ name, type: 'int' });
  const kind = tape.chance(8) ? 'one_to_one' : 'many_to_one';
  many.keys.push({ columns, to: one, isUnique: kind === 'one_to_one' });
  const targets = one.isComposite ? ['id', 'part'] : ['id'];
  const pairs = columns.map((column, i) => [column, targets[i] as string] as const);
  const isFromOne = tape.chance(25);
  const target = isFromOne ? many : one;
  const owner = isFromOne ? one : many;
  const isTaken = owner.joins.some((join) => join.name === target.name);
  owner.joins.push({
    name: hasRole || isTaken ? `role${serial}` : target.name,
    model: target.name,
    type: kind === 'one_to_one' ? kind : isFromOne ? 'one_to_many' : kind,
    on: isFromOne ? pairs.map(([own, other]) => [other, own] as const) : pairs,
  });
}

/** Where a model lies between two others, they are many-to-many through it. */
function addManyToMany(drafts: readonly Draft[]): void {
  for (const bridge of drafts) {
    const [first, second] = bridge.keys.filter((key) => !key.isUnique).map((key) => key.to);
    if (first === undefined || second === undefined || first === second) continue;
    first.joins.push({
      name: `through_${bridge.name}`,
      model: second.name,
      type: 'many_to_many',
      on: [],
      through: bridge.name,
    });
    return;
  }
}

const idOf = (each: Draft, row: number): readonly number[] =>
  each.isComposite ? [1 + Math.floor(row / 2), 1 + (row % 2)] : [row + 1];

function rowsOf(
  each: Draft,
  choices: readonly (readonly number[])[],
  drafts: readonly Draft[],
  all: WorldChoices['rows'],
): readonly Row[] {
  return choices.map((cells, i) => {
    const tape = new Tape(cells);
    const row: Record<string, Value> = {};
    const isJoined = drafts.some(({ keys }) => keys.some(({ to }) => to === each));
    const [id = 0, part = 0] = idOf(each, each.isKeyless && !isJoined ? i % 3 : i);
    for (const { name, type } of each.columns)
      if (name === 'id' || name === 'part') row[name] = rational(name === 'id' ? id : part);
      else if (!name.startsWith('k')) row[name] = cell(tape, type);
    for (const { columns, to, isUnique } of each.keys) {
      const size = all[drafts.indexOf(to)]?.length ?? 0;
      const choice = tape.next(100);
      // Nobody's row, no row at all, or one of those that are there.
      const target = isUnique
        ? i
        : choice < 8
          ? size + 20
          : tape.next(Math.max(Math.min(size, choice < 60 ? 2 : size), 1));
      const isNull = choice >= 84;
      const ids = idOf(to, target);
      columns.forEach((column, part) => {
        row[column] =
          isNull && (part === choice % 2 || columns.length === 1) ? null : rational(ids[part] ?? 0);
      });
    }
    return row;
  });
}

function cell(tape: Tape, type: ColumnType): Value {
  const choice = tape.next(1000);
  if (choice >= 860) return null;
  switch (type) {
    case 'int':
      return rational(NUMBERS[choice % NUMBERS.length] as number);
    case 'decimal':
      return rational(AMOUNTS[choice % AMOUNTS.length] as number, 100);
    case 'text':
      return (choice < 500 ? LABELS.slice(0, 3)[choice % 3] : LABELS[choice % LABELS.length]) as string;
    case 'boolean':
      return choice % 2 === 1;
    case 'date':
      return { kind: 'date', ms: Date.parse(`${DAYS[choice % DAYS.length]}T00:00:00Z`) };
    case 'timestamp':
      return { kind: 'timestamp', ms: Date.parse(`${TIMES[choice % TIMES.length]?.replace(' ', 'T')}Z`) };
  }
}

function dimensionsOf(tape: Tape, world: World, model: WorldModel): readonly WorldDimension[] {
  const dimensions: WorldDimension[] = model.columns
    .filter(({ name }) => !name.startsWith('k'))
    .map(({ name, type }) => ({
      name,
      type,
      ...((type === 'date' || type === 'timestamp') && tape.chance(60)
        ? { granularities: tape.some(GRANULARITIES, 2) }
        : {}),
    }));
  if (tape.chance(50))
    dimensions.push({
      name: 'size',
      type: 'text',
      expression: {
        kind: 'choose',
        when: compare('>', reference('n'), int(1)),
        yes: text('big'),
        no: text("s'mall"),
      },
    });
  if (tape.chance(30))
    dimensions.push({
      name: 'twice',
      type: 'int',
      expression: { kind: 'plus', left: reference('n'), right: reference('n') },
    });
  if (tape.chance(30) && has(model, 'label'))
    dimensions.push({
      name: 'named',
      type: 'text',
      expression: { kind: 'coalesce', left: reference('label'), right: text('none') },
    });
  if (tape.chance(20))
    dimensions.push({ name: 'is_low', type: 'boolean', expression: compare('<', reference('n'), int(2)) });
  const near = neighbours(world, model);
  if (tape.chance(40) && near.length > 0) {
    const other = tape.pick(near).name;
    dimensions.push({
      name: 'far',
      type: 'int',
      expression: tape.chance(50)
        ? reference('n', other)
        : {
            kind: 'coalesce',
            left: reference('n', other),
            right: { kind: 'plus', left: reference('n'), right: int(1) },
          },
    });
    if (tape.chance(30) && dimensions.some(({ name }) => name === 'size'))
      dimensions.push({
        name: 'sized',
        type: 'text',
        expression: { kind: 'concat', left: reference('size'), right: text('!') },
      });
  }
  return dimensions;
}

function segmentsOf(tape: Tape, world: World, model: WorldModel): WorldModel['segments'] {
  return tape.chance(60) ? [{ name: 'seg', condition: conditionOf(tape, world, model) }] : [];
}

/** Rows by a value of a column, and masks with or without an expression. */
function withPolicies(tape: Tape, model: WorldModel): WorldModel {
  if (!tape.chance(65)) return model;
  const maskable = model.dimensions.filter(
    ({ type, name }) => name !== 'id' && (type === 'text' || type === 'int'),
  );
  const masked = tape.some(maskable, 1 + tape.next(2)).map(({ name }) => name);
  const policies: WorldPolicy[] = [];
  const count = 1 + tape.next(3);
  // Of several policies of a caller each masks something else: what one leaves clear another hides in its own rows.
  const isSplit = tape.chance(40);
  for (let i = 0; i < count; i++) {
    const filters = [];
    if (tape.chance(isSplit && i > 0 ? 90 : 60))
      filters.push({ member: 'n', value: tape.pick([1, 2, 3, null]) });
    if (tape.chance(20) && has(model, 'label'))
      filters.push({ member: 'label', value: tape.pick(['a', "it's", 'A']) });
    policies.push({
      group: isSplit ? '*' : tape.pick(['*', 'red', 'blue', 'red']),
      filters,
      mask: isSplit
        ? i === 0
          ? masked
          : masked.slice(tape.next(2), 1)
        : tape.chance(60)
          ? masked
          : tape.chance(30)
            ? masked.slice(0, 1)
            : [],
    });
  }
  return {
    ...model,
    policies,
    dimensions: model.dimensions.map((dimension) =>
      masked.includes(dimension.name) && tape.chance(50)
        ? {
            ...dimension,
            mask:
              dimension.type === 'text'
                ? text('***')
                : tape.chance(50)
                  ? int(7)
                  : { kind: 'plus', left: reference('n'), right: int(100) },
          }
        : dimension,
    ),
  };
}
