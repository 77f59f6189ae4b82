/*
 * Tests of models that stand alone in the matrix of verdicts: parts of the format, names, times, and what is easy to get wrong. As in
 * verdict-matrix.ts, the verdict is SQLMesh's, whatever we think of it.
 */

/** `name: rest`, as a file of tests has it; the rest is indented text. */
export interface SingleCase {
  readonly name: string;
  readonly text: string;
}

const single = (name: string, ...lines: readonly string[]): SingleCase => ({
  name: `test_${name}`,
  text: `test_${name}:\n${lines.map((line) => `  ${line}\n`).join('')}`,
});

/** One input, and rows of the query. */
const oneInput = (name: string, model: string, input: string, rows: string, expected: string): SingleCase =>
  single(name, `model: ${model}`, 'inputs:', `  ${input}: ${rows}`, 'outputs:', `  query: ${expected}`);

const BOTH = 'rows: [{id: 1, v: 1}, {id: 2, v: 2}]';
const CTE = ['model: m.int_cte', 'inputs:', '  raw.int:', `    ${BOTH}`, 'outputs:'];

/** `partial` belongs to one output, or stands beside all of them. */
const PARTIAL: readonly SingleCase[] = [
  single('partial_cte_own', ...CTE, '  ctes: {kept: {partial: true, rows: [{id: 1}, {id: 2}]}}'),
  single('partial_cte_own_query_whole', ...CTE, '  ctes: {kept: {partial: true, rows: [{id: 1}, {id: 2}]}}', '  query: [{id: 1, v: 1}]'),
  single('partial_cte_own_query_left_out', ...CTE, '  ctes: {kept: {partial: true, rows: [{id: 1}, {id: 2}]}}', '  query: [{id: 1}]'),
  single('partial_query_cte_left_out', ...CTE, '  ctes: {kept: {rows: [{id: 1}, {id: 2}]}}', '  query: {partial: true, rows: [{id: 1}]}'),
  single('partial_query_cte_whole', ...CTE, '  ctes: {kept: [{id: 1, v: 1}, {id: 2, v: 2}]}', '  query: {partial: true, rows: [{id: 1}]}'),
  single('partial_false_beside', ...CTE, '  partial: false', '  query: {partial: true, rows: [{id: 1}]}'),
  single('partial_columns_nobody_has', ...CTE, '  query: {partial: true, rows: [{w: 1}]}'),
]; // biome-ignore format: one case a line

/** Values that do not fit their types. */
const UNFIT: readonly SingleCase[] = [
  oneInput('unfit_unread', 'm.ids', 'raw.int', '[{id: 1, v: abc}]', '[{id: 1}]'),
  oneInput('unfit_read', 'm.int', 'raw.int', '[{id: 1, v: abc}]', '[{id: 1, v: 1}]'),
  oneInput('unfit_filtered', 'm.only_one', 'raw.int', '[{id: 2, v: abc}, {id: 1, v: 1}]', '[{id: 1, v: 1}]'),
  oneInput('unfit_time_of_number', 'm.ids', 'raw.int', '[{id: 1, v: 2024-01-01 10:00:00}]', '[{id: 1}]'),
  oneInput('unfit_truth_of_number', 'm.int', 'raw.int', '[{id: 1, v: true}, {id: 2, v: false}]', '[{id: 1, v: 1}, {id: 2, v: 0}]'),
  oneInput('unfit_fraction_of_number', 'm.int', 'raw.int', '[{id: 1, v: 1.6}]', '[{id: 1, v: 2}]'),
  oneInput('unfit_number_of_text', 'm.varchar', 'raw.varchar', '[{id: 1, v: 5}]', "[{id: 1, v: '5'}]"),
  oneInput('unfit_fraction_of_text', 'm.varchar', 'raw.varchar', '[{id: 1, v: 5.50}]', "[{id: 1, v: '5.5'}]"),
  oneInput('unfit_truth_of_text', 'm.varchar', 'raw.varchar', '[{id: 1, v: true}]', "[{id: 1, v: 'true'}]"),
  oneInput('unfit_date_of_text', 'm.varchar', 'raw.varchar', '[{id: 1, v: 2024-01-01}]', "[{id: 1, v: '2024-01-01'}]"),
]; // biome-ignore format: one case a line

/** Inputs as CSV, queries, empty tables, tables without types. */
const INPUTS: readonly SingleCase[] = [
  oneInput('csv_dates', 'm.date', 'raw.date', '{format: csv, rows: "id,v\\n1,2024-01-31\\n2,\\n"}', '[{id: 1, v: 2024-01-31}, {id: 2}]'),
  oneInput('csv_separator', 'm.int', 'raw.int', '{format: csv, csv_settings: {sep: ";"}, rows: "id;v\\n1;7\\n"}', '[{id: 1, v: 7}]'),
  oneInput('csv_missing_word', 'm.varchar', 'raw.varchar', '{format: csv, rows: "id,v\\n1,NA\\n2,x\\n"}', '[{id: 1}, {id: 2, v: x}]'),
  oneInput('csv_undeclared', 'm.texts', 'ext.t', '{format: csv, rows: "a,b\\n1,x\\n2,y\\n"}', '[{a: 1, b: x}, {a: 2, b: y}]'),
  oneInput('csv_expected_numbers', 'm.int', 'raw.int', '[{id: 1, v: 5}]', '{format: csv, rows: "id,v\\n1,5\\n"}'),
  oneInput('csv_unknown_column', 'm.int', 'raw.int', '{format: csv, rows: "id,w\\n1,5\\n"}', '[{id: 1}]'),
  oneInput('query_of_all', 'm.int', 'raw.int', '{query: "SELECT * FROM (VALUES (1, 2), (3, 4)) AS t(id, v)"}', '[{id: 1, v: 2}, {id: 3, v: 4}]'),
  oneInput('query_of_texts', 'm.int', 'raw.int', "{query: \"SELECT '1' AS id, '2' AS v\"}", '[{id: 1, v: 2}]'),
  oneInput('query_other_order', 'm.int', 'raw.int', '{query: "SELECT 2 AS v, 1 AS id"}', '[{id: 1, v: 2}]'),
  oneInput('query_more_columns', 'm.int', 'raw.int', '{query: "SELECT 2 AS v, 1 AS id, 3 AS w"}', '[{id: 1, v: 2}]'),
  oneInput('query_refused', 'm.int', 'raw.int', '{query: "SELECT nothing"}', '[]'),
  oneInput('query_undeclared', 'm.texts', 'ext.t', "{query: \"SELECT 1 AS a, 'x' AS b\"}", '[{a: 1, b: x}]'),
  oneInput('rows_and_query', 'm.int', 'raw.int', '{rows: [{id: 1}], query: "SELECT 1 AS id"}', '[{id: 1}]'),
  oneInput('expected_query', 'm.int', 'raw.int', '[{id: 1, v: 2}]', '{query: "SELECT 2 AS v, 1 AS id"}'),
  oneInput('expected_query_left_out', 'm.int', 'raw.int', '[{id: 1, v: 2}]', '{query: "SELECT 1 AS id"}'),
  oneInput('expected_query_partial', 'm.int', 'raw.int', '[{id: 1, v: 2}]', '{partial: true, query: "SELECT 1 AS id"}'),
  oneInput('empty_table', 'm.int', 'raw.int', '[]', '[]'),
  oneInput('empty_row', 'm.int', 'raw.int', '[{}]', '[{}]'),
  oneInput('empty_rows', 'm.int', 'raw.int', '{rows: []}', '{rows: []}'),
  oneInput('unknown_column_in', 'm.int', 'raw.int', '[{id: 1, w: 1}]', '[{id: 1}]'),
  oneInput('types_of_test', 'm.texts', 'ext.t', '{columns: {a: int, b: varchar}, rows: [{a: 1}]}', '[{a: 1}]'),
  oneInput('types_over_those_of_model', 'm.ids', 'raw.int', '{columns: {id: varchar}, rows: [{id: 01}]}', "[{id: '01'}]"),
  oneInput('types_undeclared_null', 'm.texts', 'ext.t', '[{a: null, b: x}, {a: 1, b: y}]', '[{a: null, b: x}, {a: 1, b: y}]'),
  oneInput('types_undeclared_mixed', 'm.texts', 'ext.t', '[{a: 1, b: x}, {a: 1.5, b: y}]', '[{a: 1, b: x}, {a: 1.5, b: y}]'),
  oneInput('types_undeclared_later', 'm.texts', 'ext.t', '[{b: x}, {a: 1, b: y}]', '[{b: x}, {a: 1, b: y}]'),
  single('missing_all_inputs', 'model: m.int', 'outputs:', '  query: []'),
  single('one_input_too_many', 'model: m.int', 'inputs: {raw.int: [{id: 1}], raw.date: [{id: 7}]}', 'outputs: {query: [{id: 1}]}'),
  single('no_outputs', 'model: m.int', 'inputs: {raw.int: [{id: 1}]}'),
  single('outputs_of_nothing', 'model: m.int', 'inputs: {raw.int: [{id: 1}]}', 'outputs: {query: {}}'),
  single('outputs_rows', 'model: m.int', 'inputs: {raw.int: [{id: 1}]}', 'outputs: {rows: [{id: 1}]}'),
  single('schema', 'model: m.int', 'schema: fixed_name', 'inputs: {raw.int: [{id: 1}]}', 'outputs: {query: [{id: 1}]}'),
  single('description', 'model: m.int', 'description: What it shows', 'inputs: {raw.int: [{id: 1}]}', 'outputs: {query: [{id: 1}]}'),
]; // biome-ignore format: one case a line

/** Names are compared as the dialect compares them. */
const NAMES: readonly SingleCase[] = [
  oneInput('names_upper_columns', 'm.int', 'raw.int', '[{ID: 1, V: 2}]', '[{ID: 1, V: 2}]'),
  oneInput('names_upper_tables', 'M.INT', 'RAW.INT', '[{id: 1, v: 2}]', '[{id: 1, v: 2}]'),
  oneInput('names_with_catalog', 'w.m.int', 'w.raw.int', '[{id: 1, v: 2}]', '[{id: 1, v: 2}]'),
  oneInput('names_quoted', '\'"m"."int"\'', '\'"raw"."int"\'', '[{id: 1, v: 2}]', '[{id: 1, v: 2}]'),
  single('names_upper_cte', 'model: m.int_cte', 'inputs: {raw.int: [{id: 1, v: 2}]}', 'outputs: {ctes: {KEPT: [{id: 1, v: 2}]}}'),
  oneInput('names_blank', 'm.blank', 'raw.int', '[{id: 1, v: 2}]', '[{the id: 1}]'),
]; // biome-ignore format: one case a line

const EMBEDDED = ['model: m.reads_embedded', 'inputs:'];

const KINDS: readonly SingleCase[] = [
  single('embedded_parent', ...EMBEDDED, '  raw.int: [{id: 1, v: 20}, {id: 2, v: 5}]', 'outputs: {query: [{id: 1}]}'),
  single('embedded_itself', ...EMBEDDED, '  m.embedded: [{id: 4, v: 1}]', 'outputs: {query: [{id: 4}]}'),
  oneInput('view', 'm.view', 'raw.int', '[{id: 1, v: 2}]', '[{id: 1, v: 2}]'),
  oneInput('limit_ordered', 'm.first', 'raw.int', '[{id: 1}, {id: 3}, {id: 2}]', '[{id: 3}, {id: 2}]'),
  oneInput('limit_ordered_swapped', 'm.first', 'raw.int', '[{id: 1}, {id: 3}, {id: 2}]', '[{id: 2}, {id: 3}]'),
  oneInput('union_distinct', 'm.unioned', 'raw.int', '[{id: 1}, {id: 1}]', '[{id: 1}]'),
  oneInput('aggregate_of_nothing', 'm.sums', 'raw.int', '[]', '[{total: null, n: 0}]'),
  oneInput('window', 'm.ranked', 'raw.int', '[{id: 1, v: 5}, {id: 2, v: 9}]', '[{id: 1, r: 2}, {id: 2, r: 1}]'),
  oneInput('bigquery', 'm.of_bigquery', 'raw.date', '[{id: 1, v: 2024-02-01}]', '[{id: 1, days: 31, text: "2024-02", n: null}]'),
  oneInput('snowflake', 'm.of_snowflake', 'raw.int', '[{id: 1, v: 5}]', '[{id: 1, size: big, zero: 5}]'),
  oneInput('postgres', 'm.of_postgres', 'raw.varchar', '[{id: 1, v: abc}]', '[{id: 1, has_b: true, n: 3}]'),
  oneInput('spark', 'm.of_spark', 'raw.date', '[{id: 1, v: 2024-02-01}]', '[{id: 1, later: 2024-02-03}]'),
]; // biome-ignore format: one case a line

const times = (name: string, vars: string, expected: string): SingleCase =>
  single(
    name,
    'model: m.all_times',
    `vars: ${vars}`,
    'inputs: {raw.int: [{id: 1}]}',
    `outputs: {query: {partial: true, rows: [${expected}]}}`,
  );

const TIMES: readonly SingleCase[] = [
  times('time_of_day', "{start: '2024-01-01 06:30:00', end: '2024-01-02 07:00:00'}", "{s: '2024-01-01 06:30:00', e: '2024-01-02 07:00:00'}"),
  times('time_end_of_date', '{start: 2024-01-01, end: 2024-01-02}', "{s: '2024-01-01 00:00:00+00:00', e: '2024-01-02 23:59:59.999999+00:00'}"),
  times('time_end_date', '{start: 2024-01-01, end: 2024-01-02}', '{sd: 2024-01-01, ed: 2024-01-02}'),
  times('time_execution', "{execution_time: '2024-03-04 05:06:07'}", "{xd: 2024-03-04, xts: '2024-03-04 05:06:07+00:00'}"),
  times('time_execution_zone', "{execution_time: '2024-03-04 01:00:00+02:00'}", '{xd: 2024-03-03}'),
  times('time_execution_date', '{execution_time: 2024-03-04}', '{xd: 2024-03-04}'),
  times('time_hour', "{start: '2024-01-01 06:30:00'}", '{h: 6}'),
  times('time_number', "{x: 5, y: two}", "{x: '5', y: two}"),
  times('time_macro_name', "{start_ds: '2024-01-09'}", "{sds: '2024-01-09'}"),
  single('clock_of_day', 'model: m.clocks', "vars: {execution_time: '2023-01-15 12:30:00'}", 'inputs: {raw.int: [{id: 1}]}', "outputs: {query: {partial: true, rows: [{day: 2023-01-15, local: '2023-01-15 12:30:00'}]}}"),
  single('clock_in_cte', 'model: m.clock_in_cte', "vars: {execution_time: '2023-01-15 12:30:00'}", 'inputs: {raw.date: [{id: 1, v: 2023-01-14}, {id: 2, v: 2023-01-16}]}', 'outputs: {ctes: {past: [{id: 1}]}, query: [{id: 1}]}'),
  single('clock_in_embedded', 'model: m.reads_embedded_clock', "vars: {execution_time: '2023-01-15 12:30:00'}", 'inputs: {raw.int: [{id: 1}]}', 'outputs: {query: [{day: 2023-01-15}]}'),
]; // biome-ignore format: one case a line

export const SINGLE_CASES: readonly SingleCase[] = [
  ...PARTIAL,
  ...UNFIT,
  ...INPUTS,
  ...NAMES,
  ...KINDS,
  ...TIMES,
];

/** What the cases test beside the models of the matrix: name, query, and what else stands in the MODEL block. */
export const SINGLE_MODELS: readonly (readonly [string, string, string?])[] = [
  ['m.ids', 'SELECT id FROM raw.int'],
  ['m.only_one', 'SELECT id, v FROM raw.int WHERE id = 1'],
  ['m.texts', 'SELECT a, b FROM ext.t'],
  ['m.blank', 'SELECT id AS "the id" FROM raw.int'],
  ['m.embedded', 'SELECT id, v FROM raw.int WHERE v > 10', 'kind EMBEDDED'],
  ['m.reads_embedded', 'SELECT id FROM m.embedded'],
  ['m.embedded_clock', 'SELECT CURRENT_DATE AS day FROM raw.int', 'kind EMBEDDED'],
  ['m.reads_embedded_clock', 'SELECT day FROM m.embedded_clock'],
  ['m.view', 'SELECT id, v FROM raw.int', 'kind VIEW'],
  ['m.first', 'SELECT id FROM raw.int ORDER BY id DESC LIMIT 2'],
  ['m.unioned', 'SELECT id FROM raw.int UNION SELECT id FROM raw.int'],
  ['m.sums', 'SELECT SUM(v)::INT AS total, COUNT(*) AS n FROM raw.int'],
  ['m.ranked', 'SELECT id, RANK() OVER (ORDER BY v DESC) AS r FROM raw.int'],
  ['m.of_bigquery', "SELECT id, DATE_DIFF(v, DATE '2024-01-01', DAY) AS days, FORMAT_DATE('%Y-%m', v) AS text, SAFE_CAST('x' AS INT64) AS n FROM raw.date", 'kind FULL, dialect bigquery'],
  ['m.of_snowflake', "SELECT id, IFF(v > 3, 'big', 'small') AS size, ZEROIFNULL(v) AS zero FROM raw.int", 'kind FULL, dialect snowflake'],
  ['m.of_postgres', "SELECT id, v ~ 'b' AS has_b, CHAR_LENGTH(v) AS n FROM raw.varchar", 'kind FULL, dialect postgres'],
  ['m.of_spark', 'SELECT id, DATE_ADD(v, 2) AS later FROM raw.date', 'kind FULL, dialect spark'],
  ['m.all_times', "SELECT @start_ts AS s, @end_ts AS e, @start_date AS sd, @end_date AS ed, @execution_date AS xd, @execution_ts AS xts, @start_hour AS h, @start_ds AS sds, @VAR('x', 0)::TEXT AS x, @VAR('y', 'none') AS y, DATE '2024-01-01' AS d FROM raw.int", 'kind INCREMENTAL_BY_TIME_RANGE (time_column d)'],
  ['m.clocks', 'SELECT CURRENT_DATE AS day, CURRENT_TIMESTAMP AS stamp, LOCALTIMESTAMP AS local, NOW() AS now FROM raw.int'],
  ['m.clock_in_cte', 'WITH past AS (SELECT id FROM raw.date WHERE v < CURRENT_DATE) SELECT id FROM past'],
]; // biome-ignore format: one model a line
