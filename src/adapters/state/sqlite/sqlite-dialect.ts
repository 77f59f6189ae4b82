import type { StateDialect } from '../sql/state-sql.ts';

/** How SQLite spells what databases spell differently. */
export const SQLITE_DIALECT: StateDialect = {
  listed: '(SELECT value FROM json_each(?))',
  elements: (json, as, field) =>
    field === undefined ? `json_each(${json}) AS ${as}` : `json_each(${json}, '$.${field}') AS ${as}`,
  field: (json, name) => `${json} ->> '$.${name}'`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  about:
    "SELECT 'SQLite' AS product, sqlite_version() AS version, user_version AS schemaVersion FROM pragma_user_version",
  tables: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  columnsOf: (table) => `SELECT name FROM pragma_table_info('${table}')`,
};
