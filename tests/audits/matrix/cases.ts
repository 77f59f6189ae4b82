/** Tables for every variant of every built-in audit, from a seed: full of NULLs, of one value, empty, as they come. */
import { seededNumbers } from '../../support/seeded-bits.ts';
import { type Cell, hasNull, RECIPES, type Recipe, type Row, type Variant } from './recipes.ts';

export interface MatrixCase {
  readonly id: string;
  readonly audit: string;
  readonly given: Readonly<Record<string, string>>;
  /** SQL of the table. */
  readonly table: string;
  readonly rows: number;
  readonly expected: number | 'error';
  readonly has: ReadonlySet<'nulls' | 'empty' | 'condition' | 'wrong-type'>;
}

const TABLES = 7;
const CONDITION = 'b > 1';
const NUMBERS: readonly Cell[] = [1, 2, 3, 4, null];

const sqlOf = (cell: Cell): string =>
  cell === null ? 'NULL' : typeof cell === 'string' ? `'${cell.replaceAll("'", "''")}'` : String(cell);

/** SQL of rows with typed columns. */
function tableSql(
  types: Readonly<Record<'a' | 'b' | 'c' | 'd', string>>,
  rows: readonly (readonly string[])[],
): string {
  const casts = Object.entries(types).map(([name, type]) => `CAST(${name} AS ${type}) AS ${name}`);
  const cells =
    rows.length === 0 ? '(NULL, NULL, NULL, NULL)' : rows.map((row) => `(${row.join(', ')})`).join(', ');
  return `SELECT ${casts.join(', ')} FROM (VALUES ${cells}) AS v(a, b, c, d)${rows.length === 0 ? ' WHERE FALSE' : ''}`;
}

function rowsOf(recipe: Recipe, table: number, random: () => number): readonly Row[] {
  const pick = (pool: readonly Cell[]): Cell => pool[Math.floor(random() * pool.length)] ?? null;
  const there = recipe.pool.filter((cell) => cell !== null);
  const one = pick(there);
  const count = [0, 1, 2, 4, 6, 9, 14][table] as number;
  return Array.from({ length: count }, () => ({
    a: table === 3 ? one : table === 2 ? null : pick(table === 4 ? there : recipe.pool),
    b: pick([0, 1, 2, 3, null]),
    c: pick(table === 4 ? [2, 3, 4] : NUMBERS),
    d: pick([1, 2]),
  }));
}

function casesOf(audit: string, recipe: Recipe, random: () => number): readonly MatrixCase[] {
  const types = { a: recipe.type, b: 'INT', c: 'INT', d: 'INT' };
  const asked: (readonly [Variant, boolean])[] = recipe.variants.flatMap((variant) =>
    'condition' in variant.given
      ? [[variant, false]]
      : [
          [variant, false],
          [variant, true],
        ],
  );
  const judged = asked.flatMap(([variant, isConditional], which) =>
    Array.from({ length: TABLES }, (_, table): MatrixCase => {
      const rows = rowsOf(recipe, table, random);
      const left = isConditional ? rows.filter(({ b }) => b !== null && (b as number) > 1) : rows;
      const has = new Set<'nulls' | 'empty' | 'condition' | 'wrong-type'>();
      if (hasNull(rows)) has.add('nulls');
      if (rows.length === 0) has.add('empty');
      if (isConditional || 'condition' in variant.given) has.add('condition');
      return {
        ...{ id: `${audit} ${which}.${table}`, audit, rows: rows.length, has },
        given: { ...variant.given, ...(isConditional ? { condition: CONDITION } : {}) },
        table: tableSql(
          types,
          rows.map(({ a, b, c, d }) => [a, b, c, d].map(sqlOf)),
        ),
        expected: variant.fails(left),
      };
    }),
  );
  const wrong = recipe.wrong.map(
    ({ types: other, cells = ['1', '2'], given, expected }, i): MatrixCase => ({
      ...{
        id: `${audit} wrong ${i}`,
        audit,
        given,
        expected,
        rows: cells.length,
        has: new Set(['wrong-type'] as const),
      },
      table: tableSql(
        { ...types, ...other },
        cells.map((cell, row) => [
          recipe.type === 'VARCHAR' && other === undefined ? `'${cell}'` : cell,
          '1',
          String(row + 1),
          '1',
        ]),
      ),
    }),
  );
  return [...judged, ...wrong];
}

/** Of the tables that tests and recorded answers are about. */
export const SEED = 17;

/** Audits that SQLMesh does not have. */
export const OURS_ALONE: readonly string[] = ['relationship', 'unique_where'];

/** The whole matrix, the same each time. */
export function matrixCases(seed: number): readonly MatrixCase[] {
  const random = seededNumbers(seed);
  return Object.entries(RECIPES).flatMap(([audit, recipe]) => casesOf(audit, recipe, random));
}

/** How a model asks for it; SQLMesh knows both signs. */
export function useOf(
  { audit, given }: Pick<MatrixCase, 'audit' | 'given'>,
  more: Readonly<Record<string, string>> = {},
): string {
  const all = Object.entries({ ...given, ...more }).map(
    ([name, text], i) => `${name} ${i % 2 === 0 ? ':=' : '='} ${text}`,
  );
  return `${audit}(${all.join(', ')})`;
}
