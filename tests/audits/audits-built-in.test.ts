/** Every built-in audit on a real DuckDB, with rows that pass and rows that fail, NULL among them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BUILT_IN_AUDITS, ROW_AUDITS } from '../../src/compiler/load/built-in-audits.ts';
import { rowCondition } from '../../src/compiler/load/row-condition.ts';
import { builtInQuery, THIS_MODEL } from '../../src/compiler/render/built-in-queries.ts';
import { parseQuery } from '../../src/foundation/sql/parse/parse-query.ts';
import { openWarehouse, type Warehouse } from '../support/materialize-warehouse.ts';

/** Audit with its arguments, the table as `columns: values`, and how many failures there are. */
type Case = readonly [audit: string, rows: string, failures: number];

const WRITTEN: readonly Case[] = [
  ['forall(criteria := (a > 0, b > 0))', 'a, b: (1, 1), (2, NULL)', 0],
  ['forall(criteria := (a > 0, b > 0))', 'a, b: (0, 1), (1, -1), (NULL, NULL)', 2],
  ['forall(criteria := (a > 0), condition := b = 1)', 'a, b: (0, 1), (0, 2)', 1],
  ['not_null(columns := (a, b))', 'a, b: (1, 1)', 0],
  ['not_null(columns := [a, b])', 'a, b: (1, NULL), (NULL, NULL), (1, 1)', 2],
  ['not_null(columns := a)', 'a: (NULL), (1)', 1],
  ['not_null(columns := (a), condition := b > 1)', 'a, b: (NULL, 1), (NULL, 2), (NULL, NULL)', 1],
  ['at_least_one(column := a)', 'a: (NULL), (1)', 0],
  ['at_least_one(column := a)', 'a: (NULL), (NULL)', 1],
  ['at_least_one(column := a, condition := b = 1)', 'a, b: (NULL, 1), (1, 2)', 1],
  ['not_null_proportion(column := a, threshold := 0.5)', 'a: (1), (NULL)', 0],
  ['not_null_proportion(column := a, threshold := 0.5)', 'a: (1), (NULL), (NULL)', 1],
  ['not_constant(column := a)', 'a: (1), (2), (NULL)', 0],
  ['not_constant(column := a)', 'a: (1), (1), (NULL)', 1],
  ['unique_values(columns := (a, b))', 'a, b: (1, 2), (2, 1), (NULL, NULL)', 0],
  ['unique_values(columns := (a, b))', 'a, b: (1, 1), (1, 2), (3, 2), (4, NULL), (5, NULL)', 3],
  ['unique_values(columns := (a))', 'a: (1), (1), (1), (NULL), (NULL)', 2],
  ['unique_values(columns := (a), condition := b = 1)', 'a, b: (1, 1), (1, 2)', 0],
  ['unique_combination_of_columns(columns := (a, b))', 'a, b: (1, 1), (1, 2), (NULL, 1)', 0],
  ['unique_combination_of_columns(columns := (a, b))', 'a, b: (1, 1), (1, 1), (NULL, 1), (NULL, 1)', 2],
  ['unique_where(columns := (a), condition := b)', 'a, b: (1, TRUE), (1, FALSE), (1, NULL)', 0],
  ['unique_where(columns := (a), condition := b)', 'a, b: (1, TRUE), (1, TRUE)', 1],
  ["accepted_values(column := a, is_in := ('x', 'y'))", "a: ('x'), (NULL)", 0],
  ["accepted_values(column := a, is_in := ('x', 'y'))", "a: ('x'), ('z'), ('X')", 2],
  ["accepted_values(column := a, is_in := ('x', NULL))", "a: ('x'), ('z'), (NULL)", 1],
  ['accepted_values(column := a, is_in := (1))', 'a: (1), (2)', 1],
  ["not_accepted_values(column := a, is_in := ('x', 'y'))", "a: ('z'), (NULL)", 0],
  ["not_accepted_values(column := a, is_in := ['x', 'y'])", "a: ('x'), ('y'), ('z')", 2],
  ['sequential_values(column := a)', 'a: (3), (1), (2), (NULL)', 0],
  ['sequential_values(column := a)', 'a: (1), (2), (4), (4)', 2],
  ['sequential_values(column := a, interval := 10)', 'a: (10), (20), (30)', 0],
  ["sequential_values(column := a, interval := INTERVAL '1' DAY)", "a: (DATE '2024-02-28'), (DATE '2024-02-29'), (DATE '2024-03-02')", 1],
  ['accepted_range(column := a, min_v := 1, max_v := 3)', 'a: (1), (3), (NULL)', 0],
  ['accepted_range(column := a, min_v := 1, max_v := 3)', 'a: (0), (4), (2)', 2],
  ['accepted_range(column := a, min_v := 1, max_v := 3, inclusive := false)', 'a: (1), (3), (2)', 2],
  ['accepted_range(column := a, max_v := 3)', 'a: (-100), (4)', 1],
  ['mutually_exclusive_ranges(lower_bound_column := a, upper_bound_column := b)', 'a, b: (1, 2), (2, 5), (5, 5)', 0],
  ['mutually_exclusive_ranges(lower_bound_column := a, upper_bound_column := b)', 'a, b: (1, 3), (2, 5), (9, 8), (NULL, 1), (10, NULL)', 4],
  ['mutually_exclusive_ranges(lower_bound_column := a, upper_bound_column := b, partition_clause := c)', 'a, b, c: (1, 3, 1), (2, 5, 2)', 0],
  ['number_of_rows(threshold := 1)', 'a: (1), (NULL)', 0],
  ['number_of_rows(threshold := 2)', 'a: (1), (NULL)', 1],
  ['number_of_rows(threshold := 1, condition := a = 1)', 'a: (1), (2)', 1],
  ['not_empty_string(column := a)', "a: ('x'), (' '), (NULL)", 0],
  ['not_empty_string(column := a)', "a: ('x'), ('')", 1],
  ['string_length_equal(column := a, v := 2)', "a: ('ab'), (NULL)", 0],
  ['string_length_equal(column := a, v := 2)', "a: ('ab'), ('abc'), ('')", 2],
  ['string_length_between(column := a, min_v := 1, max_v := 2)', "a: ('a'), ('ab'), (NULL)", 0],
  ['string_length_between(column := a, min_v := 1, max_v := 2, inclusive := false)', "a: ('a'), ('ab')", 2],
  ['valid_uuid(column := a)', "a: ('6ba7b810-9dad-11d1-80b4-00c04fd430c8'), ('6BA7B810-9DAD-11D1-80B4-00C04FD430C8'), (NULL)", 0],
  ['valid_uuid(column := a)', "a: ('6ba7b810'), (''), ('6ba7b810-9dad-11d1-80b4-00c04fd430c8x')", 3],
  ['valid_uuid(column := a)', "a: (CAST('6ba7b810-9dad-11d1-80b4-00c04fd430c8' AS UUID))", 0],
  ['valid_email(column := a)', "a: ('a.b+c@x-y.example.org'), (NULL)", 0],
  ['valid_email(column := a)', "a: ('a@b'), ('@x.org'), ('a b@x.org'), ('')", 4],
  ['valid_url(column := a)', "a: ('https://example.org/x?y=1'), ('ftp://h'), (NULL)", 0],
  ['valid_url(column := a)', "a: ('example.org'), ('https://'), ('https://a b')", 3],
  ['valid_http_method(column := a)', "a: ('GET'), ('PATCH'), (NULL)", 0],
  ['valid_http_method(column := a)', "a: ('get'), ('FETCH')", 2],
  ["match_regex_pattern_list(column := a, patterns := ('^x', '[0-9]$'))", "a: ('xa'), ('b1'), (NULL)", 0],
  ["match_regex_pattern_list(column := a, patterns := ('^x', '[0-9]$'))", "a: ('ax'), ('x')", 1],
  ["not_match_regex_pattern_list(column := a, patterns := ('^x', '[0-9]$'))", "a: ('ax'), (NULL)", 0],
  ["not_match_regex_pattern_list(column := a, patterns := ('^x', '[0-9]$'))", "a: ('xa'), ('b1'), ('c')", 2],
  ["match_like_pattern_list(column := a, patterns := ('x%', '%1'))", "a: ('xa'), ('b1'), (NULL)", 0],
  ["match_like_pattern_list(column := a, patterns := ('x%', '%1'))", "a: ('ax'), ('Xa')", 2],
  ["not_match_like_pattern_list(column := a, patterns := ('x%'))", "a: ('ax'), (NULL)", 0],
  ["not_match_like_pattern_list(column := a, patterns := ('x%'))", "a: ('xa'), ('b')", 1],
  ['mean_in_range(column := a, min_v := 1, max_v := 2)', 'a: (0), (4), (NULL)', 0],
  ['mean_in_range(column := a, min_v := 1, max_v := 2)', 'a: (0), (10)', 1],
  ['mean_in_range(column := a, min_v := 2, inclusive := false)', 'a: (2), (2)', 1],
  ['stddev_in_range(column := a, max_v := 2)', 'a: (1), (2), (3), (NULL)', 0],
  ['stddev_in_range(column := a, max_v := 0.5)', 'a: (1), (2), (3)', 1],
  ['z_score(column := a, threshold := 2)', 'a: (1), (2), (3), (NULL)', 0],
  ['z_score(column := a, threshold := 2)', 'a: (1), (1), (1), (1), (1), (1), (100)', 1],
  ['z_score(column := a, threshold := 2)', 'a: (5), (5), (5)', 0],
  ['kl_divergence(source_column := a, target_column := b, threshold := 0.1)', "a, b: ('x', 'y'), ('y', 'x'), ('x', 'x'), ('y', 'y'), (NULL, NULL)", 0],
  ['kl_divergence(source_column := a, target_column := b, threshold := 0.1)', "a, b: ('x', 'x'), ('x', 'y'), ('x', 'y'), ('y', 'y')", 1],
  ['kl_divergence(source_column := a, target_column := b, threshold := 0.1)', "a, b: ('x', 'u'), ('y', 'v')", 1],
  ['chi_square(column_a := a, column_b := b, critical_value := 3.84)', 'a, b: (1, 1), (1, 1), (2, 2), (2, 2), (NULL, 1)', 0],
  ['chi_square(column_a := a, column_b := b, critical_value := 3.84)', 'a, b: (1, 1), (1, 2), (2, 1), (2, 2)', 1],
  ['chi_square(column_a := a, column_b := b, critical_value := 3.84, dependent := false)', 'a, b: (1, 1), (1, 2), (2, 1), (2, 2)', 0],
  ['chi_square(column_a := a, column_b := b, critical_value := 3.84, dependent := false)', 'a, b: (1, 1), (1, 1), (2, 2), (2, 2)', 1],
  ['relationship(column := a, to := s.parent, field := id)', 'a: (1), (2), (NULL)', 0],
  ['relationship(column := a, to := s.parent, field := id)', 'a: (1), (3), (4), (NULL)', 2],
  ['relationship(column := a, to := s.parent, field := id, condition := a < 4)', 'a: (3), (4)', 1],
]; // biome-ignore format: a table

/** The same with columns whose names DuckDB reserves, which users need not quote where an audit asks for a column. */
const RESERVED: Readonly<Record<string, string>> = { a: 'at', b: 'full', c: 'left' };
const CASES: readonly Case[] = [
  ...WRITTEN,
  ...WRITTEN.filter(([audit]) => !/forall|condition|number_of_rows/.test(audit)).map(
    ([audit, table, failures]): Case => [
      audit.replaceAll(/\b[abc]\b/g, (column) => RESERVED[column] as string),
      table.replace(/^[^:]*/, (columns) =>
        columns.replaceAll(/\b[abc]\b/g, (column) => `"${RESERVED[column]}"`),
      ),
      failures,
    ],
  ),
];

/** Tables without rows: an interval in which nothing happened must not stop a model, unless its number of rows is what is asked. */
const EMPTY_FAILS = new Set(['number_of_rows']);

let w: Warehouse;
const name = (i: number): string => `s.case_${i}`;
const nameOf = (audit: string): string => audit.slice(0, audit.indexOf('('));

function modelOf(i: number, [audit, table]: Case, isEmpty: boolean): string {
  const at = table.indexOf(':');
  const rows = `SELECT * FROM (VALUES ${table.slice(at + 1)}) AS v(${table.slice(0, at)})${isEmpty ? ' WHERE FALSE' : ''}`;
  return `MODEL (name ${name(i)}, kind FULL, audits (${audit}));\n${rows}`;
}

beforeAll(async () => {
  const files = CASES.flatMap((each, i) => [
    [`models/case_${i}.sql`, modelOf(i, each, false)],
    [`models/case_${i + 1000}.sql`, modelOf(i + 1000, each, true)],
  ]);
  w = await openWarehouse({
    ...Object.fromEntries(files),
    'models/parent.sql': 'MODEL (name s.parent, kind FULL); SELECT * FROM (VALUES (1), (2), (NULL)) AS v(id)',
  });
  await w.write('s.parent');
});
afterAll(() => w.close());

describe('built-in audits', () => {
  test('those that may hold rows back have the form that tells rows apart', () => {
    for (const [audit, { required }] of Object.entries(BUILT_IN_AUDITS)) {
      const given = Object.fromEntries(
        required.map((argument) => [argument, argument === 'to' ? 's.t' : 'x']),
      );
      const query = builtInQuery(audit, given) ?? '';
      const parsed = parseQuery(query, 'duckdb');
      expect([audit, parsed.ok]).toEqual([audit, true]);
      if (parsed.ok && ROW_AUDITS.has(audit))
        expect(rowCondition(parsed.value, query)?.alias).toBe(THIS_MODEL);
    }
  });

  test('all of them are here, with rows that pass and rows that fail', () => {
    for (const audit of Object.keys(BUILT_IN_AUDITS)) {
      const own = CASES.filter(([text]) => nameOf(text) === audit);
      expect([audit, own.some(([, , n]) => n === 0), own.some(([, , n]) => n > 0)]).toEqual([
        audit,
        true,
        true,
      ]);
    }
  });

  test.each(CASES.map((each, i) => [i, ...each] as const))(
    '%i: %s on %s has %i failures',
    async (i, audit, _, failures) => {
      const { audits, failed } = await w.write(name(i));
      expect(audits).toEqual([
        { name: nameOf(audit), status: failures === 0 ? 'passed' : 'failed', failedRows: failures },
      ]);
      expect(failed?.[0]?.rows.length ?? 0).toBe(failures);
      const empty = await w.write(name(i + 1000));
      expect(empty.audits[0]?.status).toBe(EMPTY_FAILS.has(nameOf(audit)) ? 'failed' : 'passed');
    },
  );
});
