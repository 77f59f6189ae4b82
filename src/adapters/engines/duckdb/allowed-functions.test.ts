import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import {
  AGGREGATES,
  BUILT_IN_MACROS,
  OPERATORS,
  STEADY_FUNCTIONS,
  TABLE_FUNCTIONS,
  UNSTEADY_FUNCTIONS,
} from './allowed-functions.ts';

interface Known {
  readonly type: string;
  readonly schemas: string;
  readonly stability: string;
  readonly hasSideEffects: boolean;
}

const functions = new Map<string, Known[]>();
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const { rows } = {
    rows: (
      await connection.runAndReadAll(
        "SELECT lower(function_name), function_type, string_agg(DISTINCT schema_name, ','), string_agg(DISTINCT stability, ','), bool_or(coalesce(has_side_effects, false)) FROM duckdb_functions() WHERE internal GROUP BY ALL",
      )
    ).getRowsJson(),
  };
  for (const [name, type, schemas, stability, hasSideEffects] of rows) {
    const known = functions.get(String(name)) ?? [];
    known.push({
      type: String(type),
      schemas: String(schemas),
      stability: String(stability),
      hasSideEffects: hasSideEffects === true,
    });
    functions.set(String(name), known);
  }
  connection.closeSync();
  instance.closeSync();
});

/** Names of a list for which DuckDB knows nothing that satisfies the condition. */
function without(names: ReadonlySet<string>, condition: (known: Known) => boolean): readonly string[] {
  return [...names].filter((name) => !(functions.get(name) ?? []).some(condition));
}

test('every allowed function is one of the installed DuckDB, of the kind that its list says', () => {
  expect(without(STEADY_FUNCTIONS, ({ type }) => type === 'scalar')).toEqual([]);
  expect(without(OPERATORS, ({ type }) => type === 'scalar')).toEqual([]);
  expect(without(AGGREGATES, ({ type }) => type === 'aggregate')).toEqual([]);
  expect(without(BUILT_IN_MACROS, ({ type, schemas }) => type === 'macro' && schemas === 'main')).toEqual([]);
  expect(without(UNSTEADY_FUNCTIONS, () => true)).toEqual([]);
  expect(without(TABLE_FUNCTIONS, ({ type }) => type === 'table')).toEqual([]);
});

test('functions that are said to be steady are so for DuckDB, and have no side effects', () => {
  const unsteady = [...STEADY_FUNCTIONS, ...OPERATORS, ...AGGREGATES].filter((name) =>
    functions.get(name)?.some(({ type, stability, hasSideEffects }) => {
      return (
        type !== 'table' && type !== 'pragma' && (hasSideEffects || /VOLATILE|WITHIN_QUERY/.test(stability))
      );
    }),
  );
  expect(unsteady).toEqual([]);
});

test('what has side effects and is allowed is only chance and identifiers', () => {
  const allowed = [...UNSTEADY_FUNCTIONS].filter((name) =>
    functions.get(name)?.some((known) => known.hasSideEffects),
  );
  expect(allowed.toSorted()).toEqual(['gen_random_uuid', 'random', 'uuid', 'uuidv4', 'uuidv7']);
});

test('nothing that reads settings, the catalog, files, secrets or the text of queries is allowed', () => {
  const all = [...STEADY_FUNCTIONS, ...OPERATORS, ...AGGREGATES, ...BUILT_IN_MACROS, ...UNSTEADY_FUNCTIONS];
  const suspicious =
    /^(?:read_|parquet_|duckdb_|pragma_|pg_|has_|inet_|sniff|glob|query|__internal|variant|current_(?!date|local)|json_(?:execute|serialize|deserialize))|getenv|getvariable|setting|secret|nextval|currval|write_log|sleep|setseed|finalize|combine/;
  expect(all.filter((name) => suspicious.test(name))).toEqual([]);
  expect([...TABLE_FUNCTIONS]).toEqual(['generate_series', 'range', 'unnest']);
});
