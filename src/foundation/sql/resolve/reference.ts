/** What a name in an expression means: a column, a field of one, a lambda's variable, a whole row. */
import { NILADIC } from '../functions/portable-functions.ts';
import type { ColumnReference, Identifier } from '../tree.ts';
import { callResult } from '../types/functions.ts';
import { type SqlType, structType, UNKNOWN } from '../types/sql-type.ts';
import type { ScopeColumn } from './columns.ts';
import {
  columnOf,
  findColumn,
  findFromItem,
  type NameScope,
  type ResolveSession,
  reportUnknown,
  reportUnknownAlias,
} from './name-scope.ts';

/** What a reference means: a column, and the struct fields that are taken from it. */
export interface Reference {
  readonly column: ScopeColumn | undefined;
  readonly type: SqlType;
  readonly fields: readonly Identifier[];
}

const NO_FIELDS: readonly Identifier[] = [];

/** `a`, `t.a`, `t.s.f`, `s.f`: a table's column first, then a column's field, as in DuckDB. Reports what it cannot find. */
export function resolveReference(
  session: ResolveSession,
  scope: NameScope,
  e: ColumnReference,
): Reference | undefined {
  if (e.qualifiers.length === 0) return resolveBare(session, scope, e.name);
  if (e.qualifiers.length === 1) {
    const relation = findFromItem(scope, e.qualifiers);
    const column = relation?.find(e.name.name.toLowerCase());
    if (column !== undefined) return { column, type: column.type, fields: NO_FIELDS };
  }
  const parts = [...e.qualifiers, e.name];
  for (let size = 1; size < parts.length && size <= 3; size++) {
    const relation = findFromItem(scope, parts.slice(0, size));
    if (relation === undefined) continue;
    const name = parts[size] as Identifier;
    const known = relation.find(name.name.toLowerCase());
    if (known !== undefined) return { column: known, type: known.type, fields: parts.slice(size + 1) };
    const asField = size === 1 ? structColumn(scope, parts[0] as Identifier) : undefined;
    if (asField !== undefined) return { column: asField, type: asField.type, fields: parts.slice(1) };
    const column = columnOf(session, relation, name);
    return column === undefined ? undefined : { column, type: column.type, fields: parts.slice(size + 1) };
  }
  const first = parts[0] as Identifier;
  const variable = variableOf(scope, first);
  if (variable !== undefined) return { column: undefined, type: variable, fields: parts.slice(1) };
  const holder = structColumn(scope, first);
  if (holder !== undefined) return { column: holder, type: holder.type, fields: parts.slice(1) };
  reportUnknownAlias(session, scope, first);
  return undefined;
}

function variableOf(scope: NameScope, name: Identifier): SqlType | undefined {
  const key = name.name.toLowerCase();
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    const type = at.variables?.get(key);
    if (type !== undefined) return type;
  }
  return undefined;
}

/** A column of this name in a relation or among the aliases, silently. */
function structColumn(scope: NameScope, name: Identifier): ScopeColumn | undefined {
  const key = name.name.toLowerCase();
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    const merged = at.merged?.get(key);
    if (merged !== undefined) return merged;
    for (const relation of at.fromItems) {
      const column = relation.find(key);
      if (column !== undefined) return column;
    }
    const alias = at.aliases?.get(key);
    if (alias !== undefined) return alias;
  }
  return undefined;
}

function resolveBare(session: ResolveSession, scope: NameScope, name: Identifier): Reference | undefined {
  const found = findColumn(session, scope, name);
  if (found !== undefined) {
    return 'variable' in found
      ? { column: undefined, type: found.variable, fields: [] }
      : { column: found, type: found.type, fields: [] };
  }
  const row = rowOf(scope, name);
  if (row !== undefined) return row;
  const key = name.name.toLowerCase();
  if (!name.quoted && NILADIC.has(key))
    return {
      column: undefined,
      type: callResult({ name: key, types: [], names: [], constantAt: () => undefined }),
      fields: [],
    };
  if (!hasDoubt(scope)) reportUnknown(session, scope, name);
  return undefined;
}

/** findColumn has already said that it doubts. */
function hasDoubt(scope: NameScope): boolean {
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    if (at.fromItems.filter((relation) => relation.open !== undefined).length > 1) return true;
  }
  return false;
}

/** A table's name where a column is expected is its whole row, as a struct. */
function rowOf(scope: NameScope, name: Identifier): Reference | undefined {
  const relation = findFromItem(scope, [name]);
  if (relation === undefined) return undefined;
  const columns = relation.all();
  for (const column of columns) if (column.leaf !== undefined) column.leaf.isRead = true;
  for (const table of relation.open ?? []) table.readsAll = true;
  const sources = [...new Set(columns.flatMap((column) => column.sources))];
  const type =
    relation.open === undefined
      ? structType(columns.map((column) => ({ name: column.name, type: column.type })))
      : UNKNOWN;
  const column: ScopeColumn = {
    name: name.name,
    key: name.name.toLowerCase(),
    type,
    sources,
    transformation: 'derived',
  };
  return { column, type, fields: [] };
}
