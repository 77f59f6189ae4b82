/** Numbers of tests/architecture.test.ts that may only fall: a test fails when one grows, and when one could be lower than it is written here. */
export type Counts = Readonly<Record<string, number>>;

/** Lines of verbs that are longer than `VERB_LINES_MAX`. */
export const LONG_VERBS: Counts = {
  'operations/open-world.ts': 125,
  'operations/workspace.ts': 201,
};

/** Lines of functions that are longer than `FUNCTION_LINES_MAX`, by file and name. */
export const LONG_FUNCTIONS: Counts = {
  'adapters/engines/duckdb/duckdb-connection.ts duckdbEngine': 282,
  'adapters/engines/duckdb/duckdb-reading.ts duckdbReading': 74,
  'adapters/engines/duckdb/duckdb-write-session.ts duckdbWriteSession': 104,
  'adapters/engines/duckdb/inspect-tree.ts inspectTree': 234,
  'adapters/engines/duckdb/keeper.ts serve': 279,
  'adapters/files/folder-file-source.ts folderFileSource': 96,
  'adapters/files/folder-file-writer.ts folderFileWriter': 72,
  'adapters/state/sql/schema.ts migrations': 177,
  'adapters/state/sqlite/state-thread.ts startStateThread': 73,
  'adapters/user-code/worker-user-code.ts workerUserCode': 146,
  'compiler/load/check-sql-statement.ts checkParts': 71,
  'compiler/load/config/build-config.ts buildConfig': 101,
  'compiler/macros/evaluate.ts evaluate': 82,
  'compiler/macros/operators/queries.ts spine': 81,
  'compiler/plan/categorize/expression-value.ts computed': 99,
  'compiler/plan/plan-migrations.ts planMigrations': 90,
  'compiler/resolve/compile-context.ts compileContextOf': 90,
  'compiler/resolve/compile-project.ts compileProject': 80,
  'compiler/semantic/build-logical.ts buildLogical': 72,
  'compiler/semantic/resolve-query.ts resolveQuery': 84,
  'compiler/semantic/sql/read-selects.ts readSelects': 96,
  'foundation/sql/canonical/canonical-expression.ts writeSimple': 114,
  'foundation/sql/canonical/canonical-table.ts writeSimpleTable': 72,
  'foundation/sql/each-child.ts eachChild': 125,
  'foundation/sql/library/library-client.ts createLibraryClient': 118,
  'foundation/sql/map-children.ts mapChildren': 131,
  'foundation/sql/print/print-expression.ts writeSimple': 81,
  'foundation/sql/resolve/expressions.ts typeNode': 95,
  'foundation/sql/tokenize.ts tokenize': 86,
  'foundation/time/cron-fields.ts parseCronFields': 73,
  'foundation/yaml/collection-schemas.ts object': 111,
  'server/http/routes/directory-routes.ts principalRoutes': 140,
  'server/http/routes/query-routes.ts questionRoutes': 137,
};

/** How often files of a room write the name of an engine. Only adapters and the dialects of `foundation/sql` have to. */
export const ENGINE_NAMES: Counts = {
  'compiler/load': 31,
  'compiler/macros': 41,
  'compiler/plan': 14,
  'compiler/render': 8,
  'compiler/semantic': 25,
  domain: 13,
  operations: 2,
  'operations/project': 5,
  'runtime/execute': 1,
  'server/http': 1,
};

/** Files that export one thing and have another name. */
export const OTHER_NAMES: Counts = {
  // Every engine has the same files: `<engine>-connection.ts` opens it.
  'adapters/engines/duckdb/duckdb-connection.ts': 1,
};

/** How many files export a type of this name, where it is more than one. */
export const SHARED_TYPE_NAMES: Counts = {
  // A number that a check needs, and a measure of a semantic model.
  Measure: 2,
  // Of SQL, and of the API: docs/glossary.md has both.
  Token: 2,
};

/** By room: files that export several things and are named after none of them, but after what they have in common. */
export const TOPIC_FILES: Counts = {
  'adapters/channels': 1,
  'adapters/engines': 21,
  'adapters/state': 35,
  cli: 4,
  'cli/picture': 1,
  'cli/render': 8,
  client: 4,
  'compiler/catalog': 2,
  'compiler/lint': 1,
  'compiler/load': 25,
  'compiler/macros': 12,
  'compiler/notify': 1,
  'compiler/plan': 17,
  'compiler/quality': 20,
  'compiler/render': 4,
  'compiler/resolve': 1,
  'compiler/semantic': 16,
  domain: 19,
  foundation: 4,
  'foundation/arrow': 1,
  'foundation/jinja': 1,
  'foundation/sql': 48,
  'foundation/time': 7,
  'foundation/yaml': 5,
  'operations/access': 2,
  'operations/ask': 3,
  'operations/change': 3,
  'operations/notify': 6,
  'operations/perspectives': 1,
  'operations/project': 10,
  'operations/quality': 1,
  'operations/serve': 1,
  'runtime/execute': 12,
  'runtime/schedule': 1,
  'runtime/statements': 2,
  'server/graphql': 6,
  'server/http': 20,
};
