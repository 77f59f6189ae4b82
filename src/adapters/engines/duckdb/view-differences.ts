import type { MadeView, Occupant, ViewDifference } from '../../../domain/engine.ts';
import { type Relation, relationText } from '../../../domain/relation.ts';
import { WAREHOUSE } from './duckdb-config.ts';
import { textSql } from './duckdb-dialect.ts';
import { keyOf } from './duckdb-names.ts';

/** Every view that is not DuckDB's own, with its SQL. */
export const ALL_VIEWS_SQL =
  'SELECT database_name, schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal AND NOT temporary';

/**
 * Columns of views that their tables do not have, or have with another type; the index of the view comes first. A view keeps the types
 * of when it was made, until it is first read after a change. Only tables are looked at: a view over a view follows it.
 */
export function columnDifferencesSql(made: readonly MadeView[]): string {
  const parts = ({ catalog = WAREHOUSE, schema, name }: Relation): string =>
    [catalog, schema, name].map((part) => textSql(part.toLowerCase())).join(', ');
  const pairs = made.map(({ view, from }, index) => `(${index}, ${parts(view)}, ${parts(from)})`);
  const name = 'lower(database_name), lower(schema_name), lower(table_name)';
  return [
    `WITH pairs(id, vc, vs, vn, tc, ts, tn) AS (VALUES ${pairs.join(', ')}),`,
    'all_columns AS MATERIALIZED (SELECT * FROM duckdb_columns() WHERE NOT internal),',
    'shown AS (SELECT id, tc, ts, tn, column_name, column_index, data_type FROM pairs',
    `JOIN all_columns ON (vc, vs, vn) = (${name})`,
    `WHERE (tc, ts, tn) IN (SELECT (${name}) FROM duckdb_tables() WHERE NOT internal))`,
    'SELECT id, shown.column_name, shown.data_type, present.data_type FROM shown',
    `LEFT JOIN all_columns AS present ON (tc, ts, tn) = (${name.replaceAll('lower(', 'lower(present.')})`,
    'AND lower(present.column_name) = lower(shown.column_name)',
    'WHERE present.data_type IS DISTINCT FROM shown.data_type ORDER BY id, shown.column_index',
  ].join(' ');
}

/** `columns` are rows of `columnDifferencesSql`; `standing` is what has the names of the views. */
export function viewDifferences(
  made: readonly MadeView[],
  existing: ReadonlyMap<string, Occupant>,
  columns: readonly (readonly unknown[])[],
): readonly ViewDifference[] {
  const others = new Set(
    made.filter((one) => {
      const occupant = existing.get(relationText(one.view));
      return occupant?.object === 'view' && !isAsMade(one, occupant.definition);
    }),
  );
  const replaced = [...others].map(({ view }): ViewDifference => ({ view, kind: 'other-query' }));
  const changed = columns.flatMap(([id, column, was, is]): readonly ViewDifference[] => {
    const one = made[Number(id)];
    if (one === undefined || others.has(one)) return [];
    if (is === null) return [{ view: one.view, kind: 'column-gone', column: String(column) }];
    return [{ view: one.view, kind: 'other-type', column: String(column), was: String(was), is: String(is) }];
  });
  return [...replaced, ...changed];
}

/** DuckDB prints the text of a view itself: with quotes only where they are needed, and with the catalog or without. */
function isAsMade({ view, query }: MadeView, definition: string): boolean {
  const text = plain(definition);
  const end = ` as ${plain(query)}`;
  const names = [
    view,
    { ...view, catalog: view.catalog ?? WAREHOUSE },
    { schema: view.schema, name: view.name },
  ];
  return (
    text.endsWith(end) &&
    names.some((each) => text.slice(0, -end.length) === `create view ${plain(relationText(each))}`)
  );
}

const plain = (sql: string): string =>
  sql.replaceAll('"', '').replace(/\s+/g, ' ').replace(/; ?$/, '').toLowerCase();

const NAME = String.raw`(?:"(?:[^"]|"")*"|[\w$]+)`;
const QUALIFIED = new RegExp(String.raw`(?:(${NAME})\.)?(${NAME})\.(${NAME})`, 'g');

/** Over rows of `ALL_VIEWS_SQL`. A name that only looks like one of the relations keeps it, too. */
export function readersOf(
  relations: readonly Relation[],
  views: readonly (readonly unknown[])[],
): ReadonlyMap<string, Relation> {
  const wanted = new Map(relations.map((relation) => [endOf(relation), relationText(relation)]));
  const readBy = new Map<string, readonly string[]>();
  const outer: { readonly view: Relation; readonly end: string }[] = [];
  for (const [catalog, schema, name, sql] of views) {
    const view = {
      ...(catalog === WAREHOUSE ? {} : { catalog: String(catalog) }),
      ...{ schema: String(schema), name: String(name) },
    };
    const own = keyOf(view);
    readBy.set(own, namesIn(String(sql)));
    if (!view.schema.startsWith('plinth__')) outer.push({ view, end: own });
  }
  const byEnd = Map.groupBy(readBy.keys(), (key) => key.split('\0').slice(1).join('\0'));
  const found = new Map<string, Relation>();
  const seen = new Set<string>();
  for (const { view, end } of outer) {
    const open = [end];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      for (const name of readBy.get(key) ?? []) {
        const text = wanted.get(name);
        if (text !== undefined && !found.has(text)) found.set(text, view);
        if (seen.has(name)) continue;
        seen.add(name);
        open.push(...(byEnd.get(name) ?? []));
      }
    }
  }
  return found;
}

/** Schema and name alone: DuckDB prints the catalog of a table only where it was written. */
const endOf = ({ schema, name }: Relation): string => `${schema}\0${name}`.toLowerCase();

function namesIn(sql: string): readonly string[] {
  const bare = (name: string): string =>
    (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name).toLowerCase();
  return [...sql.matchAll(QUALIFIED)].map(([, , schema = '', name = '']) => `${bare(schema)}\0${bare(name)}`);
}
