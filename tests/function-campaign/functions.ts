/** Every function that users may call, from the lists that the sandbox uses, with its overloads from DuckDB itself. */
import { DuckDBInstance } from '@duckdb/node-api';
import {
  STEADY_FUNCTIONS,
  TABLE_FUNCTIONS,
  UNSTEADY_FUNCTIONS,
} from '../../src/adapters/engines/duckdb/allowed-functions.ts';
import { DUCKDB_OPERATORS } from '../../src/foundation/sql/functions/duckdb-functions.ts';
import type { Overload } from './calls.ts';

/** By name; the table functions under a name of their own, for some are both. */
export async function allowedFunctions(): Promise<ReadonlyMap<string, readonly Overload[]>> {
  const known = await knownOverloads();
  const found = new Map<string, readonly Overload[]>();
  for (const name of [...STEADY_FUNCTIONS, ...UNSTEADY_FUNCTIONS])
    found.set(name, different((known.get(name) ?? []).filter(({ kind }) => kind !== 'table')));
  for (const name of TABLE_FUNCTIONS)
    found.set(`FROM ${name}`, different((known.get(name) ?? []).filter(({ kind }) => kind === 'table')));
  found.set('unnest', [{ name: 'unnest', kind: 'scalar', types: ['ANY[]'], varargs: null }]);
  return found;
}

async function knownOverloads(): Promise<ReadonlyMap<string, readonly Overload[]>> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const rows = (
    await connection.runAndReadAll(
      'SELECT lower(function_name), function_type, parameter_types, varargs FROM duckdb_functions() WHERE internal ORDER BY ALL',
    )
  ).getRowsJson();
  connection.closeSync();
  instance.closeSync();
  const known = new Map<string, Overload[]>();
  for (const [written, type, types, varargs] of rows) {
    const name = String(written);
    const kind = kindOf(name, String(type));
    if (kind === undefined) continue;
    const overloads = known.get(name) ?? [];
    overloads.push({
      name,
      kind,
      types: (types ?? []) as readonly (string | null)[],
      varargs: varargs as string | null,
    });
    known.set(name, overloads);
  }
  return known;
}

function kindOf(name: string, type: string): Overload['kind'] | undefined {
  if (DUCKDB_OPERATORS.has(name)) return 'operator';
  return type === 'scalar' || type === 'aggregate' || type === 'macro' || type === 'table' ? type : undefined;
}

function different(overloads: readonly Overload[]): readonly Overload[] {
  return [...new Map(overloads.map((overload) => [JSON.stringify(overload), overload])).values()];
}
