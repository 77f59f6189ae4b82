/** Where a test of the matrix does not end as in SQLMesh: the reason, and per test what SQLMesh says → what Plinth says. */
export const VERDICT_DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'SQLMesh casts what is expected to the type that came, so 1.5 becomes the integer 1 and passes: 1.5 is no integer':
    {
      test_int__near_0: 'pass → fail',
    },
  "SQLMesh casts what is expected to a boolean, so any text is true ('false' too) and NULL is false": {
    test_boolean__near_0: 'pass → fail',
    test_boolean__two_value_but_null_expected: 'pass → fail',
    test_boolean__value_but_left_out: 'pass → fail',
  },
  'SQLMesh compares a UUID that came with the text that was written, and these are never the same': {
    test_uuid__same: 'fail → pass',
    test_uuid__swapped: 'fail → pass',
    test_uuid__columns_swapped: 'fail → pass',
    test_uuid__null_null: 'fail → pass',
    test_uuid__null_left_out: 'fail → pass',
    test_uuid__nulls_swapped: 'fail → pass',
    test_uuid__duplicates: 'fail → pass',
    test_uuid__ordered: 'fail → pass',
    test_uuid__cte: 'fail → pass',
    test_uuid__cte_swapped: 'fail → pass',
    test_uuid__cte_and_query: 'fail → pass',
  },
  'SQLMesh compares JSON as text, with the blanks that the engine wrote, and cannot infer its type from NULL':
    {
      test_json__same: 'fail → pass',
      test_json__swapped: 'fail → pass',
      test_json__columns_swapped: 'fail → pass',
      test_json__null_null: 'error → pass',
      test_json__null_left_out: 'error → pass',
      test_json__all_null: 'error → pass',
      test_json__all_left_out: 'error → pass',
      test_json__nulls_swapped: 'error → pass',
      test_json__duplicates: 'fail → pass',
      test_json__ordered: 'fail → pass',
      test_json__cte: 'fail → pass',
      test_json__cte_swapped: 'fail → pass',
      test_json__cte_and_query: 'fail → pass',
    },
  'SQLMesh compares a HUGEINT as a float, so its last digits do not count': {
    test_hugeint__near_0: 'pass → fail',
  },
  'a number without quotes keeps its spelling in a text column: 5.50 is 5.50, and 01 is 01': {
    test_unfit_fraction_of_text: 'pass → fail',
    test_types_over_those_of_model: 'fail → pass',
  },
  'the engine decides whether a value that the query filters out is converted': {
    test_unfit_filtered: 'error → pass',
  },
  'the rows of a query get the types of the model, and a star is one of its columns': {
    test_query_of_texts: 'fail → pass',
    test_query_of_all: 'error → pass',
  },
  'SQLMesh infers the type of an undeclared column from the first row alone': {
    test_types_undeclared_later: 'error → pass',
    test_types_undeclared_mixed: 'fail → pass',
    test_types_undeclared_null: 'error → pass',
  },
  'an embedded model is written out, so its own inputs are enough': {
    test_embedded_parent: 'error → pass',
    test_clock_in_embedded: 'error → pass',
  },
  'SQLMesh does not stop LOCALTIMESTAMP': {
    test_clock_of_day: 'fail → pass',
  },
  'SQLMesh does not find the model of another dialect by the name that its file has, and says nothing of the test':
    {
      test_snowflake: 'none → pass',
    },
};
