import type { Occupant } from '../../../domain/engine.ts';
import { type Relation, relationText } from '../../../domain/relation.ts';
import { WAREHOUSE } from './duckdb-config.ts';
import { textSql } from './duckdb-dialect.ts';

/** DuckDB compares names without regard to case. */
export function keyOf({ catalog = WAREHOUSE, schema, name }: Relation): string {
  return [catalog, schema, name].join('\0').toLowerCase();
}

/** Tables and views of these names in these schemas, of any catalog, and all catalogs. */
export function occupantsSql(relations: readonly Relation[]): string {
  const listed = (texts: readonly string[]): string =>
    [...new Set(texts.map((text) => textSql(text.toLowerCase())))].join(', ');
  const schemas = listed(relations.map(({ schema }) => schema));
  const names = listed(relations.map(({ name }) => name));
  const among = (column: string): string =>
    `lower(schema_name) IN (${schemas}) AND lower(${column}) IN (${names}) AND NOT internal AND NOT temporary`;
  return [
    `SELECT 'table', database_name, schema_name, table_name, NULL FROM duckdb_tables() WHERE ${among('table_name')}`,
    `SELECT 'view', database_name, schema_name, view_name, sql FROM duckdb_views() WHERE ${among('view_name')}`,
    `SELECT 'catalog', database_name, NULL, NULL, NULL FROM duckdb_databases() WHERE NOT internal AND lower(database_name) IN (${schemas})`,
  ].join(' UNION ALL ');
}

export function occupantsOf(
  relations: readonly Relation[],
  rows: readonly (readonly unknown[])[],
): ReadonlyMap<string, Occupant> {
  const objects = new Map<string, Occupant>();
  const catalogs = new Map<string, string>();
  for (const [object, catalog, schema, name, definition] of rows) {
    if (object === 'catalog') {
      catalogs.set(String(catalog).toLowerCase(), String(catalog));
      continue;
    }
    const key = keyOf({ catalog: String(catalog), schema: String(schema), name: String(name) });
    objects.set(
      key,
      object === 'view' ? { object: 'view', definition: String(definition) } : { object: 'table' },
    );
  }
  const found = new Map<string, Occupant>();
  for (const relation of relations) {
    const hidden = relation.catalog === undefined ? catalogs.get(relation.schema.toLowerCase()) : undefined;
    const occupant =
      hidden === undefined ? objects.get(keyOf(relation)) : ({ object: 'catalog', name: hidden } as const);
    if (occupant !== undefined) found.set(relationText(relation), occupant);
  }
  return found;
}
