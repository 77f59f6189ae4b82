import { expect, test } from 'vitest';
import { DUCKDB_FUNCTION_NAMES } from '../../../foundation/sql/functions/generated/duckdb-functions.ts';
import { wordsOf } from '../../../foundation/sql/functions/words-of.ts';
import { STEADY_FUNCTIONS, TABLE_FUNCTIONS, UNSTEADY_FUNCTIONS } from './allowed-functions.ts';

const allowed = [...STEADY_FUNCTIONS, ...UNSTEADY_FUNCTIONS];
const { aggregate, changing, consistent, macro, table } = DUCKDB_FUNCTION_NAMES;

test('every allowed function is one of the installed DuckDB', () => {
  const named = new Set([aggregate, changing, consistent, macro].flatMap(wordsOf));
  expect(allowed.length).toBeGreaterThan(500);
  expect(allowed.filter((name) => !named.has(name))).toEqual([]);
  expect([...TABLE_FUNCTIONS].filter((name) => !wordsOf(table).includes(name))).toEqual([]);
});

test('functions that are said to be steady are so for DuckDB, and have no side effects', () => {
  const unsteady = new Set(wordsOf(changing));
  expect([...STEADY_FUNCTIONS].filter((name) => unsteady.has(name))).toEqual([]);
});

test('what changes or has side effects and is allowed is only the clock, chance and identifiers', () => {
  expect([...UNSTEADY_FUNCTIONS].toSorted()).toEqual(
    wordsOf(`age ago current_date current_localtime current_localtimestamp gen_random_uuid get_current_time
      get_current_timestamp now random reservoir_quantile today transaction_timestamp uuid uuidv4 uuidv7`),
  );
});

test('nothing that reads settings, the catalog, files, secrets or the text of queries is allowed', () => {
  const suspicious =
    /^(?:read_|parquet_|duckdb_|pragma_|pg_|has_|inet_|sniff|glob|query|__internal|variant|icu_|st_|current_(?!date|local)|json_(?:execute|serialize|deserialize))|getenv|getvariable|setting|secret|nextval|currval|write_log|sleep|setseed|finalize|combine|version$/;
  expect(allowed.filter((name) => suspicious.test(name) && name !== 'uuid_extract_version')).toEqual([]);
  expect(wordsOf(`${consistent} ${changing}`).filter((name) => suspicious.test(name)).length).toBeGreaterThan(
    100,
  );
  expect([...TABLE_FUNCTIONS]).toEqual(['generate_series', 'range', 'unnest']);
});
