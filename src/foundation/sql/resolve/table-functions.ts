/** Functions in FROM: what columns `unnest`, `range`, `read_csv` and the like give. */
import type { TableColumns } from '../query-facts.ts';
import type { Call, Expression, TableFunction, TableReference } from '../tree.ts';
import { tableResult } from '../types/function-table.ts';
import { elementOf } from '../types/list-functions.ts';
import {
  BIGINT,
  BLOB,
  JSON_TYPE,
  type SqlType,
  settle,
  TIMESTAMP_TZ,
  UBIGINT,
  UNKNOWN,
  VARCHAR,
} from '../types/sql-type.ts';
import { parseType } from '../types/type-names.ts';
import { Flow, NO_SOURCES, type ScopeColumn } from './columns.ts';
import type { NameScope, ResolveSession, ReturnedColumns } from './name-scope.ts';
import { structColumns } from './stars.ts';

type Listed = readonly (readonly [string, SqlType])[];

const JSON_ROWS: Listed = [
  ['key', VARCHAR],
  ['value', JSON_TYPE],
  ['type', VARCHAR],
  ['atom', JSON_TYPE],
  ['id', UBIGINT],
  ['parent', UBIGINT],
  ['fullkey', VARCHAR],
  ['path', VARCHAR],
];

const fileRows = (content: SqlType): Listed => [
  ['filename', VARCHAR],
  ['content', content],
  ['size', BIGINT],
  ['last_modified', TIMESTAMP_TZ],
];

const FIXED: Readonly<Record<string, Listed>> = {
  json_each: JSON_ROWS,
  json_tree: JSON_ROWS,
  read_text: fileRows(VARCHAR),
  read_blob: fileRows(BLOB),
  glob: [['file', VARCHAR]],
};

/** The columns of a function in FROM; open when only executing it would show them. */
export function bindTableFunction(
  session: ResolveSession,
  scope: NameScope,
  e: TableFunction,
): ReturnedColumns {
  const flow = new Flow();
  const name = e.call.name.name.toLowerCase();
  const types = e.call.arguments
    .filter((argument) => argument.name === undefined && !isNamedByEquals(argument.value))
    .map((argument) => session.typeExpression(session, scope, argument.value, flow));
  session.deciders.addSources(flow.sources);
  const listed = columnsOf(session, name, e.call, types) ?? listedColumns(session.fileSchemaOf(e));
  if (listed === undefined) return { columns: [], open: [] };
  const columns = listed.map((column) => made(column, flow));
  if (e.withOrdinality) columns.push(made(['ordinality', BIGINT], flow));
  return { columns, open: undefined };
}

const made = ([name, type]: Listed[number], { sources }: Flow): ScopeColumn => ({
  name,
  key: name.toLowerCase(),
  type: settle(type),
  sources: sources.length === 0 ? NO_SOURCES : sources,
  transformation: 'derived',
});

/** The columns of a file that stands in FROM by its path; open when they are not known. */
export function bindFile(session: ResolveSession, table: TableReference): ReturnedColumns {
  const listed = listedColumns(session.fileSchemaOf(table));
  return listed === undefined
    ? { columns: [], open: [] }
    : { columns: listed.map((column) => made(column, new Flow())), open: undefined };
}

/** Columns of a file, as its reader gives them. */
function listedColumns(schema: TableColumns | undefined): Listed | undefined {
  return schema?.columns.map(({ name, type }) => [name, parseType(type)] as const);
}

/** DuckDB's older spelling of a named argument: `columns = {…}`. */
function isNamedByEquals(e: Expression): boolean {
  return (
    e.kind === 'binary' && e.operator === '=' && e.left.kind === 'column' && e.left.qualifiers.length === 0
  );
}

function readsFiles(name: string): boolean {
  return name.startsWith('read_') || name.endsWith('_scan');
}

function columnsOf(
  session: ResolveSession,
  name: string,
  call: Call,
  types: readonly SqlType[],
): Listed | undefined {
  switch (name) {
    case 'unnest':
    case 'flatten':
    case 'explode':
      return session.dialect === 'snowflake' ? undefined : unnested(session, name, types, call);
    case 'range':
    case 'generate_series': {
      const list = tableResult(name, types);
      return [[name, list === undefined ? UNKNOWN : elementOf(list)]];
    }
    case 'repeat': {
      const text = call.arguments[0]?.value;
      return [[text?.kind === 'literal' ? text.text : 'repeat', settle(types[0] ?? UNKNOWN)]];
    }
    default:
      return FIXED[name] ?? (readsFiles(name) ? declaredColumns(call) : undefined);
  }
}

/** One column per list; a list of structs becomes its fields when `recursive := true` asks for it, or in BigQuery always. */
function unnested(
  session: ResolveSession,
  name: string,
  types: readonly SqlType[],
  call: Call,
): Listed | undefined {
  const label = session.dialect === 'duckdb' || session.dialect === 'postgres' ? name : 'unnest';
  const isRecursive = call.arguments.some((argument) => argument.name?.name.toLowerCase() === 'recursive');
  const element = elementOf(types[0] ?? UNKNOWN);
  if (isRecursive || (session.dialect === 'bigquery' && element.kind === 'struct')) {
    const fields = structColumns(element, { sources: NO_SOURCES, transformation: 'derived' });
    return fields?.map((column) => [column.name, column.type] as const);
  }
  return types.length <= 1 ? [[label, element]] : types.map((type) => [label, elementOf(type)] as const);
}

/** `columns = {'a': 'INTEGER', …}` of a file reader is a promise about its columns. */
function declaredColumns(call: Call): Listed | undefined {
  const option = namedArgument(call, 'columns');
  if (option?.kind !== 'struct') return undefined;
  const listed: (readonly [string, SqlType])[] = [];
  for (const field of option.fields) {
    if (field.name === undefined) return undefined;
    listed.push([field.name.name, field.value.kind === 'literal' ? parseType(field.value.text) : UNKNOWN]);
  }
  return listed;
}

/** `name := x`, `name => x`, and DuckDB's older `name = x`. */
function namedArgument(call: Call, name: string): Expression | undefined {
  for (const argument of call.arguments) {
    if (argument.name?.name.toLowerCase() === name) return argument.value;
    const { value } = argument;
    if (
      value.kind === 'binary' &&
      value.operator === '=' &&
      value.left.kind === 'column' &&
      value.left.name.name.toLowerCase() === name
    )
      return value.right;
  }
  return undefined;
}
