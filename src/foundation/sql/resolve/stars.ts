/** `*`, `t.*`, `struct.*` with EXCLUDE, REPLACE and RENAME. */
import type { Identifier, Star } from '../tree.ts';
import { type SqlType, settle } from '../types/sql-type.ts';
import { Flow, type FromItem, type ScopeColumn, type TableReads } from './columns.ts';
import {
  findFromItem,
  type NameScope,
  type ResolveSession,
  report,
  reportUnknownAlias,
} from './name-scope.ts';
import { resolveReference } from './reference.ts';

/** The columns a star stands for, each of them read; `open` when more may come from unknown tables. */
export function expandStar(
  session: ResolveSession,
  scope: NameScope,
  star: Star,
): { readonly columns: readonly ScopeColumn[]; readonly open: readonly TableReads[] | undefined } {
  if (star.qualifiers.length === 0 && scope.fromItems.length === 0)
    report(session, 'star-without-from', '*', { span: star.span, isCertain: true });
  const plain = star.qualifiers.length === 0 ? allColumns(scope) : qualifiedColumns(session, scope, star);
  for (const column of plain.columns) if (column.leaf !== undefined) column.leaf.isRead = true;
  for (const relation of plain.relations) {
    for (const table of relation.open ?? []) table.readsAll = true;
    if ('use' in relation) (relation.use as TableReads).readsAll = true;
    if (relation.open !== undefined)
      report(session, 'star-not-expanded', relation.name, { span: star.span, isCertain: false });
  }
  const opens = plain.relations.flatMap((relation) => relation.open ?? []);
  const isOpen = plain.relations.some((relation) => relation.open !== undefined);
  const open = isOpen ? [...new Set(opens)] : undefined;
  if (star.exclude.length === 0 && star.replace.length === 0 && star.rename.length === 0)
    return { columns: plain.columns, open };
  return { columns: changed(session, scope, star, { columns: plain.columns, isOpen }), open };
}

interface Plain {
  readonly columns: readonly ScopeColumn[];
  readonly relations: readonly FromItem[];
}

function allColumns(scope: NameScope): Plain {
  const columns: ScopeColumn[] = [];
  for (const relation of scope.fromItems) {
    for (const column of relation.all()) {
      if (relation.hidden?.has(column.key) === true) continue;
      columns.push(scope.merged?.get(column.key) ?? column);
    }
  }
  return { columns, relations: scope.fromItems };
}

function qualifiedColumns(session: ResolveSession, scope: NameScope, star: Star): Plain {
  const relation = findFromItem(scope, star.qualifiers);
  if (relation !== undefined) return { columns: relation.all(), relations: [relation] };
  const struct = structOf(session, scope, star.qualifiers);
  return { columns: struct ?? [], relations: [] };
}

/** `s.*` of a struct column: one column per field. */
function structOf(
  session: ResolveSession,
  scope: NameScope,
  path: readonly Identifier[],
): readonly ScopeColumn[] | undefined {
  const name = path.at(-1) as Identifier;
  const before = session.isMuted;
  session.isMuted = true;
  const reference = resolveReference(session, scope, {
    kind: 'column',
    name,
    qualifiers: path.slice(0, -1),
    span: name.span,
  });
  session.isMuted = before;
  if (reference?.column === undefined) {
    reportUnknownAlias(session, scope, path[0] as Identifier);
    return undefined;
  }
  const holder = reference.column;
  if (holder.leaf !== undefined) holder.leaf.isRead = true;
  const type = reference.fields.reduce<SqlType>(
    (at, field) =>
      at.kind === 'struct'
        ? (at.fields.find((each) => each.name.toLowerCase() === field.name.toLowerCase())?.type ?? at)
        : at,
    reference.type,
  );
  return structColumns(type, holder);
}

/** A struct taken apart into columns. */
export function structColumns(
  type: SqlType,
  from: Pick<ScopeColumn, 'sources' | 'transformation'>,
): readonly ScopeColumn[] | undefined {
  if (type.kind !== 'struct') return undefined;
  return type.fields.map((field, at) => {
    const name = field.name === '' ? `element${at + 1}` : field.name;
    const transformation = from.transformation === 'identity' ? 'derived' : from.transformation;
    return {
      name,
      key: name.toLowerCase(),
      type: settle(field.type),
      sources: from.sources,
      transformation,
    };
  });
}

function changed(
  session: ResolveSession,
  scope: NameScope,
  star: Star,
  plain: { readonly columns: readonly ScopeColumn[]; readonly isOpen: boolean },
): readonly ScopeColumn[] {
  const excluded = new Set(star.exclude.map((name) => name.name.toLowerCase()));
  const renamed = new Map(star.rename.map(({ from, to }) => [from.name.toLowerCase(), to.name]));
  const replaced = new Map<string, ScopeColumn>();
  for (const { expression, alias } of star.replace) {
    const flow = new Flow();
    const type = settle(session.typeExpression(session, scope, expression, flow));
    const name = alias?.name ?? '';
    replaced.set(name.toLowerCase(), {
      name,
      key: name.toLowerCase(),
      type,
      sources: flow.sources,
      transformation: flow.isAggregated ? 'aggregated' : 'derived',
    });
  }
  const present = new Set(plain.columns.map((column) => column.key));
  const replacedNames = star.replace.flatMap((each) => (each.alias === undefined ? [] : [each.alias]));
  for (const name of [...star.exclude, ...replacedNames]) {
    if (present.has(name.name.toLowerCase())) continue;
    const candidates = plain.columns.map((column) => column.name);
    report(session, 'unknown-column', name.name, {
      span: name.span,
      isCertain: !plain.isOpen && session.dialect === 'duckdb',
      candidates,
    });
  }
  const columns: ScopeColumn[] = [];
  for (const column of plain.columns) {
    if (excluded.has(column.key)) continue;
    const other = replaced.get(column.key);
    replaced.delete(column.key);
    const name = renamed.get(column.key);
    const kept = other === undefined ? column : { ...other, name: column.name };
    columns.push(name === undefined ? kept : { ...kept, name, key: name.toLowerCase() });
  }
  // Replacements of columns that only the unknown part has: they are there, their place is not known.
  if (plain.isOpen) columns.push(...replaced.values());
  return columns;
}
