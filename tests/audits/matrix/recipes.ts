/*
 * What each built-in audit must say, computed in TypeScript from its definition and not from its SQL: `fails` gets the rows that
 * the condition leaves and answers how many failures there are. Columns: a, c and d by recipe, b for conditions.
 */
import {
  divergenceOf,
  isEmail,
  isHttpMethod,
  isLike,
  isUrl,
  isUuid,
  lengthOf,
  meanOf,
  overlapping,
  repeated,
  spreadOf,
  squareOf,
} from './oracle.ts';

export type Cell = number | string | null;
export type Row = Readonly<Record<'a' | 'b' | 'c' | 'd', Cell>>;

/** One way to ask an audit, and what it must answer. */
export interface Variant {
  readonly given: Readonly<Record<string, string>>;
  fails(rows: readonly Row[]): number;
}

/** Values of another type than the audit can judge, or an argument of another type. */
export interface WrongType {
  /** SQL types of a, c and d. */
  readonly types?: Partial<Readonly<Record<'a' | 'c' | 'd', string>>>;
  /** SQL of the cells of a. */
  readonly cells?: readonly string[];
  readonly given: Readonly<Record<string, string>>;
  /** `error`, or how many failures there are where any type can be judged. */
  readonly expected: 'error' | number;
}

export interface Recipe {
  readonly type: 'INT' | 'VARCHAR';
  /** Values of a; c and d are numbers. */
  readonly pool: readonly Cell[];
  readonly variants: readonly Variant[];
  readonly wrong: readonly WrongType[];
}

const NUMBERS: readonly Cell[] = [-2, 0, 1, 2, 3, 4, 5, null];
const FEW: readonly Cell[] = [1, 2, null];
const WORDS: readonly Cell[] = ['x', 'xa', 'b1', 'ax', '', ' ', 'Xa', 'é1', 'ab', null];

const number = (cell: Cell): number => cell as number;
const isThere = (cell: Cell): boolean => cell !== null;
const rowsWhere =
  (isBad: (row: Row) => boolean) =>
  (rows: readonly Row[]): number =>
    rows.filter(isBad).length;
const each = (isBad: (value: never) => boolean) => rowsWhere(({ a }) => a !== null && isBad(a as never));
const once =
  (isBad: (rows: readonly Row[]) => boolean) =>
  (rows: readonly Row[]): number =>
    isBad(rows) ? 1 : 0;
const values = (rows: readonly Row[], column: 'a' | 'c' = 'a'): number[] =>
  rows.flatMap((row) => (row[column] === null ? [] : [number(row[column])]));
const variant = (given: Variant['given'], fails: Variant['fails']): Variant => ({ given, fails });

const inside = (
  value: number,
  min: number | undefined,
  max: number | undefined,
  isInclusive: boolean,
): boolean =>
  (min === undefined || (isInclusive ? value >= min : value > min)) &&
  (max === undefined || (isInclusive ? value <= max : value < max));

/** Each combination of bounds, over something measured of a row or of all rows. */
function bounded(
  failsOf: (isInside: (value: number) => boolean) => Variant['fails'],
  min: number,
  max: number,
): Variant[] {
  const base = { column: 'a' };
  const [low, high] = [String(min), String(max)];
  return [
    variant(
      { ...base, min_v: low },
      failsOf((v) => inside(v, min, undefined, true)),
    ),
    variant(
      { ...base, max_v: high },
      failsOf((v) => inside(v, undefined, max, true)),
    ),
    variant(
      { ...base, min_v: low, max_v: high, inclusive: 'true' },
      failsOf((v) => inside(v, min, max, true)),
    ),
    variant(
      { ...base, min_v: low, max_v: high, inclusive: 'false' },
      failsOf((v) => inside(v, min, max, false)),
    ),
    variant(
      { ...base, min_v: 'NULL', max_v: high, inclusive: 'false' },
      failsOf((v) => inside(v, undefined, max, false)),
    ),
  ];
}

const measured =
  (measure: (numbers: readonly number[]) => number | undefined) => (isInside: (value: number) => boolean) =>
    once((rows) => {
      const value = measure(values(rows));
      return value !== undefined && !isInside(value);
    });

const texts = (given: Variant['given'], isBad: (text: string) => boolean): Variant =>
  variant({ column: 'a', ...given }, each(isBad));

/** An audit of texts judges what a value looks like as text. */
const asText = (given: WrongType['given'], expected: number): WrongType => ({
  types: { a: 'DATE' },
  cells: ["DATE '2024-01-01'", "DATE '2024-01-02'", 'NULL'],
  given: { column: 'a', ...given },
  expected,
});
const onWords = (given: WrongType['given']): WrongType => ({
  types: { a: 'VARCHAR' },
  cells: ["'x'", "'y'"],
  given,
  expected: 'error',
});
const withWord = (given: WrongType['given']): WrongType => ({ given, expected: 'error' });
const onLists = (given: WrongType['given'], expected: number): WrongType => ({
  types: { a: 'INT[]' },
  cells: ['[1]', '[1]', 'NULL'],
  given,
  expected,
});

const UUIDS: readonly Cell[] = [
  '6ba7b810-9dad-11d1-80b4-00c04fd430c8', '6BA7B810-9DAD-41D1-B0B4-00C04FD430C8', '6ba7b810', '', null,
  '6ba7b810-9dad-61d1-80b4-00c04fd430c8', '6ba7b810-9dad-11d1-c0b4-00c04fd430c8', '6ba7b8109dad11d180b400c04fd430c8', 'gba7b810-9dad-11d1-80b4-00c04fd430c8',
]; // biome-ignore format: a list
const EMAILS: readonly Cell[] = [
  'a.b+c@x-y.example.org',
  'a@b',
  '@x.org',
  'a b@x.org',
  '',
  'a@b.c',
  'a@b..c',
  'a@b.c ',
  'é@b.c',
  'a@@b.c',
  null,
];
const URLS: readonly Cell[] = [
  'https://example.org/x?y=1',
  'ftp://ho',
  'example.org',
  'https://',
  'https://a b',
  'http:///x',
  'HTTP://ab',
  'http://.ab',
  null,
];
const METHODS: readonly Cell[] = ['GET', 'PATCH', 'get', 'FETCH', '', 'CONNECT', null];

export const RECIPES: Readonly<Record<string, Recipe>> = {
  forall: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ criteria: '(a > 0)' }, each((a) => a <= 0)),
      variant({ criteria: '(a > 0, c < 3)' }, rowsWhere(({ a, c }) => (a !== null && number(a) <= 0) || (c !== null && number(c) >= 3))),
    ],
    wrong: [onWords({ criteria: '(a > 0)' })],
  },
  not_null: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ columns: '(a)' }, rowsWhere(({ a }) => a === null)),
      variant({ columns: '[a, c]' }, rowsWhere(({ a, c }) => a === null || c === null)),
    ],
    wrong: [onLists({ columns: '(a)' }, 1)],
  },
  at_least_one: {
    type: 'INT',
    pool: FEW,
    variants: [variant({ column: 'a' }, once((rows) => rows.length > 0 && values(rows).length === 0))],
    wrong: [onLists({ column: 'a' }, 0)],
  },
  not_null_proportion: {
    type: 'INT',
    pool: FEW,
    variants: [0.5, 0.7].map((share) =>
      variant({ column: 'a', threshold: String(share) }, once((rows) => values(rows).length < rows.length * share)),
    ),
    wrong: [withWord({ column: 'a', threshold: "'most'" })],
  },
  not_constant: {
    type: 'INT',
    pool: FEW,
    variants: [variant({ column: 'a' }, once((rows) => rows.length > 0 && new Set(values(rows)).size <= 1))],
    wrong: [onLists({ column: 'a' }, 1)],
  },
  unique_values: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ columns: '(a)' }, (rows) => repeated(rows, ['a'])),
      variant({ columns: '(a, c)' }, (rows) => repeated(rows, ['a']) + repeated(rows, ['c'])),
    ],
    wrong: [onLists({ columns: '(a)' }, 1)],
  },
  unique_combination_of_columns: {
    type: 'INT',
    pool: FEW,
    variants: [variant({ columns: '(a, c)' }, (rows) => repeated(rows, ['a', 'c']))],
    wrong: [onLists({ columns: '(a, b)' }, 1)],
  },
  unique_where: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ columns: '(a)', condition: 'c > 1' }, (rows) => repeated(rows.filter(({ c }) => c !== null && number(c) > 1), ['a'])),
    ],
    wrong: [onWords({ columns: '(b)', condition: 'a > 1' })],
  },
  accepted_values: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ column: 'a', is_in: '(1, 2, 3)' }, each((a) => ![1, 2, 3].includes(a))),
      variant({ column: 'a', is_in: '[1]' }, each((a) => a !== 1)),
    ],
    wrong: [onWords({ column: 'a', is_in: '(1, 2)' })],
  },
  not_accepted_values: {
    type: 'INT',
    pool: NUMBERS,
    variants: [variant({ column: 'a', is_in: '(1, 2)' }, each((a) => [1, 2].includes(a)))],
    wrong: [onWords({ column: 'a', is_in: '(1, 2)' })],
  },
  sequential_values: {
    type: 'INT',
    pool: NUMBERS,
    variants: [1, 2].map((step) =>
      variant({ column: 'a', ...(step === 1 ? {} : { interval: String(step) }) }, (rows) => {
        const sorted = values(rows).sort((x, y) => x - y);
        return sorted.filter((value, i) => i > 0 && value - (sorted[i - 1] as number) !== step).length;
      }),
    ),
    wrong: [onWords({ column: 'a' })],
  },
  accepted_range: {
    type: 'INT',
    pool: NUMBERS,
    variants: bounded((isInside) => each((a) => !isInside(a)), 0, 3),
    wrong: [onWords({ column: 'a', min_v: '1' })],
  },
  mutually_exclusive_ranges: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ lower_bound_column: 'a', upper_bound_column: 'c' }, (rows) => overlapping(rows, () => '')),
      variant({ lower_bound_column: 'a', upper_bound_column: 'c', partition_clause: 'PARTITION BY d' }, (rows) => overlapping(rows, ({ d }) => String(d))),
    ],
    wrong: [onWords({ lower_bound_column: 'a', upper_bound_column: 'c' })],
  },
  number_of_rows: {
    type: 'INT',
    pool: NUMBERS,
    variants: [0, 3].map((least) => variant({ threshold: String(least) }, once((rows) => rows.length <= least))),
    wrong: [withWord({ threshold: "'many'" })],
  },
  not_empty_string: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({}, (a) => a === '')],
    wrong: [asText({}, 0)],
  },
  string_length_equal: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({ v: '2' }, (a) => lengthOf(a) !== 2)],
    wrong: [asText({ v: '9' }, 2), withWord({ column: 'a', v: "'two'" })],
  },
  string_length_between: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: bounded((isInside) => each((a: string) => !isInside(lengthOf(a))), 1, 2),
    wrong: [asText({ max_v: '9' }, 2), withWord({ column: 'a', min_v: "'two'" })],
  },
  valid_uuid: { type: 'VARCHAR', pool: UUIDS, variants: [texts({}, (a) => !isUuid(a))], wrong: [asText({}, 2)] },
  valid_email: { type: 'VARCHAR', pool: EMAILS, variants: [texts({}, (a) => !isEmail(a))], wrong: [asText({}, 2)] },
  valid_url: { type: 'VARCHAR', pool: URLS, variants: [texts({}, (a) => !isUrl(a))], wrong: [asText({}, 2)] },
  valid_http_method: {
    type: 'VARCHAR',
    pool: METHODS,
    variants: [texts({}, (a) => !isHttpMethod(a))],
    wrong: [{ types: { a: 'INT' }, cells: ['1', '2'], given: { column: 'a' }, expected: 'error' }],
  },
  match_regex_pattern_list: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({ patterns: "('^x', '[0-9]$')" }, (a) => !a.startsWith('x') && !/\d$/.test(a))],
    wrong: [asText({ patterns: "('^x')" }, 2), withWord({ column: 'a', patterns: "('(')" })],
  },
  not_match_regex_pattern_list: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({ patterns: "('^x', '[0-9]$')" }, (a) => a.startsWith('x') || /\d$/.test(a))],
    wrong: [asText({ patterns: "('^2024')" }, 2), withWord({ column: 'a', patterns: "('(')" })],
  },
  match_like_pattern_list: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({ patterns: "('x%', '_1')" }, (a) => !isLike(a, 'x%') && !isLike(a, '_1'))],
    wrong: [asText({ patterns: "('x%')" }, 2)],
  },
  not_match_like_pattern_list: {
    type: 'VARCHAR',
    pool: WORDS,
    variants: [texts({ patterns: "('x%', '_1')" }, (a) => isLike(a, 'x%') || isLike(a, '_1'))],
    wrong: [asText({ patterns: "('2024%')" }, 2)],
  },
  mean_in_range: { type: 'INT', pool: NUMBERS, variants: bounded(measured(meanOf), 1, 3), wrong: [onWords({ column: 'a', min_v: '1' })] },
  stddev_in_range: { type: 'INT', pool: NUMBERS, variants: bounded(measured(spreadOf), 1, 2), wrong: [onWords({ column: 'a', min_v: '1' })] },
  z_score: {
    type: 'INT',
    pool: NUMBERS,
    variants: [
      variant({ column: 'a', threshold: '1.1' }, (rows) => {
        const [mean, spread] = [meanOf(values(rows)), spreadOf(values(rows))];
        if (mean === undefined || spread === undefined || spread === 0) return 0;
        return values(rows).filter((value) => Math.abs((value - mean) / spread) > 1.1).length;
      }),
    ],
    wrong: [onWords({ column: 'a', threshold: '1' })],
  },
  kl_divergence: {
    type: 'INT',
    pool: FEW,
    variants: [
      variant({ source_column: 'a', target_column: 'c', threshold: '0.3' }, once((rows) => divergenceOf(rows) > 0.3)),
    ],
    wrong: [withWord({ source_column: 'a', target_column: 'c', threshold: "'near'" })],
  },
  chi_square: {
    type: 'INT',
    pool: FEW,
    variants: [
      variant({ column_a: 'a', column_b: 'c', critical_value: '2.1' }, once((rows) => squareOf(rows) <= 2.1)),
      variant({ column_a: 'a', column_b: 'c', critical_value: '2.1', dependent: 'false' }, once((rows) => squareOf(rows) > 2.1)),
    ],
    wrong: [withWord({ column_a: 'a', column_b: 'c', critical_value: "'far'" })],
  },
  relationship: {
    type: 'INT',
    pool: NUMBERS,
    variants: [variant({ column: 'a', to: 's.parent', field: 'id' }, each((a) => ![1, 2, 3].includes(a)))],
    wrong: [onWords({ column: 'a', to: 's.parent', field: 'id' })],
  },
}; // biome-ignore format: a table

/** Whether anything is null of what an audit could look at. */
export const hasNull = (rows: readonly Row[]): boolean => rows.some(({ a, c }) => !isThere(a) || !isThere(c));
