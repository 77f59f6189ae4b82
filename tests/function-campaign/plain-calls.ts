/** Arguments that fit, where values of the right types alone do not: names of parts, constants, several that belong together. */

const CUT = (count: number): string => `left(repeat('[', 1000000), ${count})`;
const CUT_OBJECT = `left(repeat('{"":', 1000000), 4000)`;
const ENUM = `'a'::ENUM('a', 'b')`;
const ITEMS = '[1, NULL, 3]';
const DAY = `DATE '2026-01-02'`;
const DEEP_STRUCTURE = `'${'['.repeat(900)}"INTEGER"${']'.repeat(900)}'`;
const STRUCTURES: readonly (readonly string[])[] = [
  [`'{"a": 1}'`, `'{"a": "INTEGER"}'`],
  [`repeat('[', 1000000)`, `'["INTEGER"]'`],
  [`'[[[[1]]]]'`, DEEP_STRUCTURE],
];
const BY_NAME: readonly (readonly string[])[] = [
  [ITEMS, `'sum'`],
  ['range(100000)', `'quantile_cont'`, '0.5'],
  [`['a', NULL]`, `'string_agg'`, `','`],
];
const PARTS: readonly (readonly string[])[] = [
  [`'year'`, DAY],
  [`'decade'`, `'infinity'::TIMESTAMP`],
];

export const PLAIN_CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  aggregate: BY_NAME,
  array_aggr: BY_NAME,
  array_aggregate: BY_NAME,
  list_aggr: BY_NAME,
  list_aggregate: BY_NAME,
  array_slice: [
    [ITEMS, '1', '2'],
    [ITEMS, '-1', '-3', '-1'],
  ],
  array_push_back: [[ITEMS, '2']],
  list_append: [[ITEMS, '2']],
  array_to_string_comma_default: [[`['a', NULL]`, `','`]],
  damerau_levenshtein: [[CUT(1_000), CUT(1_000)]],
  date_part: PARTS,
  datepart: PARTS,
  date_trunc: PARTS,
  date_diff: [[`'day'`, DAY, `DATE '-infinity'`]],
  enum_code: [[ENUM]],
  enum_first: [[ENUM]],
  enum_last: [[ENUM]],
  enum_range: [[ENUM]],
  enum_range_boundary: [
    [ENUM, ENUM],
    [`NULL::ENUM('a', 'b')`, ENUM],
  ],
  from_json: STRUCTURES,
  from_json_strict: STRUCTURES,
  json_transform: STRUCTURES,
  json_transform_strict: STRUCTURES,
  json_structure: [[CUT(4_000)], [CUT_OBJECT], [`'${'['.repeat(1_999)}${']'.repeat(1_999)}'`]],
  json_group_structure: [[`'${'['.repeat(1_999)}${']'.repeat(1_999)}'`]],
  json_contains: [[`'${'['.repeat(1_999)}${']'.repeat(1_999)}'`, `'1'`]],
  json_merge_patch: [['NULL', `'${'{"":'.repeat(700)}1${'}'.repeat(700)}'`]],
  map_concat: [[`MAP {'a': 1}`, `MAP {'a': NULL}`]],
  map_contains_value: [[`MAP {'a': 1}`, '1']],
  regexp_split_to_table: [[`'a b'`, `' '`]],
  reservoir_quantile: [
    ['2', '0.5', '100000'],
    ['2', '[0.5, 1]', '1'],
  ],
  split_part: [
    [`'a,b'`, `','`, '-9223372036854775808'],
    [`'a,b'`, `''`, '1'],
  ],
  struct_concat: [["{'a': 1}", "{'b': NULL}"]],
  struct_insert: [["{'a': 1}", 'b := NULL']],
  struct_update: [["{'a': 1}", 'a := [NULL]']],
  union_extract: [['union_value(a := NULL)', `'a'`]],
};
