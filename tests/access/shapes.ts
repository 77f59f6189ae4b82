/*
 * Ways to make a model from others. Each writes the query and says at the same time which columns flow where and which rows
 * come out, so that nothing of the product is needed to know it.
 */
import type { Chance } from './chance.ts';
import {
  type Cell,
  type Ref,
  type Role,
  type Row,
  refOf,
  type WorldColumn,
  type WorldModel,
} from './world.ts';

export type Made = Omit<WorldModel, 'name' | 'kind' | 'relation'>;

/** What a shape may use besides the model itself: one that has `key` and `note`. */
export interface Surroundings {
  readonly chance: Chance;
  readonly other: WorldModel;
}

export type Shape = (parent: WorldModel, around: Surroundings) => Made;

const columnOf = ({ columns, name }: WorldModel, role: Role): WorldColumn => {
  const found = columns.find((column) => column.role === role);
  if (found === undefined) throw new Error(`${name} has no ${role}`);
  return found;
};

/** The same values under a name. */
const kept = (model: WorldModel, column: WorldColumn, name = column.name): WorldColumn => ({
  name,
  role: column.role,
  type: column.type,
  from: [refOf(model.name, column.name)],
});

const refsOf = (model: WorldModel, columns: readonly WorldColumn[]): readonly Ref[] =>
  columns.map(({ name }) => refOf(model.name, name));

const pick = (rows: readonly Row[], columns: readonly (readonly [string, string])[]): readonly Row[] =>
  rows.map((row) => Object.fromEntries(columns.map(([to, from]) => [to, row[from] ?? null])));

const same = (columns: readonly WorldColumn[]) => columns.map(({ name }) => [name, name] as const);

export const byText = (a: Cell | undefined, b: Cell | undefined): number => {
  const [x, y] = [String(a), String(b)];
  return x < y ? -1 : x > y ? 1 : 0;
};

/** The greatest that is not NULL, as SQL compares. */
export function greatest(cells: readonly Cell[]): Cell {
  const some = cells.filter((cell) => cell !== null);
  return some.length === 0
    ? null
    : some.reduce((a, b) => ((typeof a === 'number' ? Number(a) >= Number(b) : byText(a, b) >= 0) ? a : b));
}

export function total(cells: readonly Cell[]): Cell {
  const some = cells.filter((cell) => cell !== null);
  return some.length === 0 ? null : some.reduce<number>((sum, cell) => sum + Number(cell), 0);
}

function groups(rows: readonly Row[], column: string): readonly (readonly [Cell, readonly Row[]])[] {
  return [...Map.groupBy(rows, (row) => row[column] ?? null)];
}

/* Shapes that keep every column. */

const copy: Shape = (parent) => ({
  shape: 'copy',
  reads: [parent.name],
  columns: parent.columns.map((column) => kept(parent, column)),
  conditions: [],
  rows: parent.rows,
  sql: `SELECT ${parent.columns.map(({ name, type }) => `${name}::${type} AS ${name}`).join(', ')} FROM ${parent.name}`,
});

const star: Shape = (parent) => ({
  ...copy(parent, never),
  shape: 'star',
  sql: `SELECT * FROM ${parent.name}`,
});

const renamed: Shape = (parent) => {
  const names = parent.columns.map(({ name }) => [`the_${name}`, name] as const);
  return {
    shape: 'renamed',
    reads: [parent.name],
    columns: parent.columns.map((column) => kept(parent, column, `the_${column.name}`)),
    conditions: [],
    rows: pick(parent.rows, names),
    sql: `SELECT ${names.map(([to, from]) => `${from} AS ${to}`).join(', ')} FROM ${parent.name}`,
  };
};

const named: Shape = (parent) => ({
  ...copy(parent, never),
  shape: 'common table',
  sql: `WITH t AS (SELECT * FROM ${parent.name}) SELECT ${parent.columns.map(({ name }) => `t.${name}`).join(', ')} FROM t`,
});

const filtered: Shape = (parent) => {
  const { name } = columnOf(parent, 'key');
  return {
    ...copy(parent, never),
    shape: 'filtered',
    conditions: [refOf(parent.name, name)],
    rows: parent.rows.filter((row) => Number(row[name]) > 1),
    sql: `SELECT * FROM ${parent.name} WHERE ${name} > 1`,
  };
};

/** Every column, and the note of what the other model says of the row. */
export const joinedWhole: Shape = (parent, { other }) => {
  const [key, ref, note] = [columnOf(parent, 'key'), columnOf(other, 'ref'), columnOf(other, 'note')];
  const noted = parent.rows.flatMap((row) =>
    other.rows
      .filter((each) => each[ref.name] === row[key.name])
      .map((each) => ({ ...row, remark: each[note.name] ?? null })),
  );
  return {
    shape: 'joined',
    reads: [parent.name, other.name],
    columns: [
      ...parent.columns.map((column) => kept(parent, column)),
      { ...kept(other, note, 'remark'), role: 'made' },
    ],
    conditions: [refOf(parent.name, key.name), refOf(other.name, ref.name)],
    rows: noted,
    sql: `SELECT ${parent.columns.map(({ name }) => `p.${name}`).join(', ')}, o.${note.name} AS remark FROM ${parent.name} AS p JOIN ${other.name} AS o ON o.${ref.name} = p.${key.name}`,
  };
};

/* Shapes that keep some. */

const narrow: Shape = (parent, { chance }) => {
  const columns = chance.some(parent.columns);
  return {
    shape: 'narrow',
    reads: [parent.name],
    columns: columns.map((column) => kept(parent, column)),
    conditions: [],
    rows: pick(parent.rows, same(columns)),
    sql: `SELECT ${columns.map(({ name }) => name).join(', ')} FROM ${parent.name}`,
  };
};

const without: Shape = (parent) => {
  const mail = columnOf(parent, 'mail');
  const columns = parent.columns.filter((column) => column !== mail);
  return {
    ...copy(parent, never),
    shape: 'star without',
    columns: columns.map((column) => kept(parent, column)),
    rows: pick(parent.rows, same(columns)),
    sql: `SELECT * EXCLUDE (${mail.name}) FROM ${parent.name}`,
  };
};

const changed: Shape = (parent, { chance }) => {
  const text = columnOf(parent, chance.of(['mail', 'word'] as const));
  const key = columnOf(parent, 'key');
  return {
    shape: 'changed',
    reads: [parent.name],
    columns: [
      kept(parent, key),
      { name: 'loud', role: 'made', type: 'TEXT', from: [refOf(parent.name, text.name)] },
      { name: 'flag', role: 'made', type: 'INTEGER', from: [refOf(parent.name, text.name)] },
    ],
    conditions: [],
    rows: parent.rows.map((row) => {
      const cell = row[text.name] ?? null;
      return {
        [key.name]: row[key.name] ?? null,
        loud: cell === null ? null : String(cell).toUpperCase(),
        flag: cell === null ? 0 : 1,
      };
    }),
    sql: `SELECT ${key.name}, upper(${text.name}) AS loud, CASE WHEN ${text.name} > 'a' THEN 1 ELSE 0 END::INTEGER AS flag FROM ${parent.name}`,
  };
};

const grouped: Shape = (parent, { chance }) => {
  const by = columnOf(parent, 'region');
  const top = columnOf(parent, chance.of(['mail', 'word'] as const));
  const amount = columnOf(parent, 'amount');
  return {
    shape: 'grouped',
    reads: [parent.name],
    columns: [
      kept(parent, by),
      { name: 'top', role: 'made', type: 'TEXT', from: [refOf(parent.name, top.name)] },
      { name: 'total', role: 'made', type: 'BIGINT', from: [refOf(parent.name, amount.name)] },
      { name: 'n', role: 'made', type: 'BIGINT', from: [], isUnsure: true },
    ],
    conditions: [refOf(parent.name, by.name)],
    rows: groups(parent.rows, by.name).map(([group, rows]) => ({
      [by.name]: group,
      top: greatest(rows.map((row) => row[top.name] ?? null)),
      total: total(rows.map((row) => row[amount.name] ?? null)),
      n: rows.length,
    })),
    sql: `SELECT ${by.name}, max(${top.name}) AS top, sum(${amount.name})::BIGINT AS total, count(*) AS n FROM ${parent.name} GROUP BY ${by.name}`,
  };
};

const having: Shape = (parent) => {
  const [key, mail] = [columnOf(parent, 'key'), columnOf(parent, 'mail')];
  return {
    ...copy(parent, never),
    shape: 'having',
    columns: [kept(parent, key)],
    conditions: refsOf(parent, [key, mail]),
    rows: pick(parent.rows, same([key])),
    sql: `SELECT ${key.name} FROM ${parent.name} GROUP BY ${key.name} HAVING max(${mail.name}) > 'a'`,
  };
};

/** Columns of the other model, of rows that this one decides. */
const conditional: Shape = (parent, { chance, other }) => {
  const [key, mail] = [columnOf(parent, 'key'), columnOf(parent, chance.of(['mail', 'word'] as const))];
  const [ref, note] = [columnOf(other, 'ref'), columnOf(other, 'note')];
  const keys = new Set(parent.rows.filter((row) => row[mail.name] !== null).map((row) => row[key.name]));
  return {
    shape: 'condition only',
    reads: [parent.name, other.name],
    columns: [kept(other, note)],
    conditions: [...refsOf(parent, [key, mail]), refOf(other.name, ref.name)],
    rows: pick(
      other.rows.filter((row) => keys.has(row[ref.name] ?? null)),
      same([note]),
    ),
    sql: `SELECT ${note.name} FROM ${other.name} WHERE ${ref.name} IN (SELECT ${key.name} FROM ${parent.name} WHERE ${mail.name} IS NOT NULL)`,
  };
};

const joined: Shape = (parent, around) => {
  const bare = { ...parent, columns: parent.columns.filter(({ name }) => name !== 'remark') };
  const whole = joinedWhole(bare, around);
  const columns = [...around.chance.some(whole.columns.slice(0, -1)), ...whole.columns.slice(-1)];
  return {
    ...whole,
    shape: 'join',
    columns,
    rows: pick(whole.rows, same(columns)),
    sql: `SELECT ${columns.map(({ name }) => `x.${name}`).join(', ')} FROM (${whole.sql}) AS x`,
  };
};

const stacked: Shape = (parent, { chance, other }) => {
  const [text, note] = [columnOf(parent, chance.of(['mail', 'word'] as const)), columnOf(other, 'note')];
  return {
    shape: 'union',
    reads: [parent.name, other.name],
    columns: [
      {
        name: 'said',
        role: 'made',
        type: 'TEXT',
        from: [refOf(parent.name, text.name), refOf(other.name, note.name)],
      },
    ],
    conditions: [],
    rows: [...pick(parent.rows, [['said', text.name]]), ...pick(other.rows, [['said', note.name]])],
    sql: `SELECT ${text.name} AS said FROM ${parent.name} UNION ALL SELECT ${note.name} FROM ${other.name}`,
  };
};

const distinct: Shape = (parent, { chance }) => {
  const columns = [columnOf(parent, 'key'), columnOf(parent, chance.of(['mail', 'word', 'region'] as const))];
  return {
    shape: 'distinct',
    reads: [parent.name],
    columns: columns.map((column) => kept(parent, column)),
    conditions: refsOf(parent, columns),
    rows: pick(parent.rows, same(columns)),
    sql: `SELECT DISTINCT ${columns.map(({ name }) => name).join(', ')} FROM ${parent.name}`,
  };
};

const ranked: Shape = (parent, { chance }) => {
  const [key, mail] = [columnOf(parent, 'key'), columnOf(parent, chance.of(['mail', 'amount'] as const))];
  const sorted = parent.rows.toSorted((a, b) => byText(a[mail.name], b[mail.name]));
  return {
    shape: 'window',
    reads: [parent.name],
    columns: [
      kept(parent, key),
      { name: 'place', role: 'made', type: 'BIGINT', from: [refOf(parent.name, mail.name)] },
    ],
    conditions: [refOf(parent.name, mail.name)],
    rows: parent.rows.map((row) => ({ [key.name]: row[key.name] ?? null, place: 1 + sorted.indexOf(row) })),
    sql: `SELECT ${key.name}, row_number() OVER (ORDER BY ${mail.name}) AS place FROM ${parent.name}`,
  };
};

const first: Shape = (parent, { chance }) => {
  const [key, by] = [columnOf(parent, 'key'), columnOf(parent, chance.of(['mail', 'amount'] as const))];
  return {
    shape: 'first rows',
    reads: [parent.name],
    columns: [kept(parent, key)],
    conditions: [refOf(parent.name, by.name)],
    rows: pick(parent.rows.toSorted((a, b) => byText(a[by.name], b[by.name])).slice(0, 3), same([key])),
    sql: `SELECT ${key.name} FROM ${parent.name} ORDER BY ${by.name} LIMIT 3`,
  };
};

/** `copy` and its kin look at nothing beside the model. */
const never = undefined as unknown as Surroundings;

/** Columns that every protected row has. */
export const WHOLE_ROLES: readonly Role[] = ['key', 'region', 'mail', 'word', 'amount', 'day'];

export const WHOLE_SHAPES: readonly Shape[] = [copy, star, renamed, named, filtered];

export const PARTIAL_SHAPES: readonly Shape[] = [
  narrow,
  without,
  changed,
  grouped,
  having,
  conditional,
  joined,
  stacked,
  distinct,
  ranked,
  first,
];
