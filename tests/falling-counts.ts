/** Numbers of tests/architecture.test.ts that may only fall: a test fails when one grows, and when one could be lower than it is written here. */
export type Counts = Readonly<Record<string, number>>;

/** Lines of verbs that are longer than `VERB_LINES_MAX`. */
export const LONG_VERBS: Counts = {
  'operations/open-world.ts': 125,
  'operations/workspace.ts': 206,
};

/** Lines of functions that are longer than `FUNCTION_LINES_MAX`, by file and name. */
export const LONG_FUNCTIONS: Counts = {
  'adapters/engines/duckdb/duckdb-connection.ts duckdbEngine': 282,
  'adapters/engines/duckdb/duckdb-reading.ts duckdbReading': 74,
  'adapters/engines/duckdb/duckdb-write-session.ts duckdbWriteSession': 104,
  'adapters/engines/duckdb/inspect-tree.ts inspectTree': 234,
  'adapters/engines/duckdb/keeper-warehouse.ts openWarehouse': 132,
  'adapters/engines/duckdb/keeper.ts serve': 279,
  'adapters/files/folder-file-source.ts folderFileSource': 96,
  'adapters/files/folder-file-writer.ts folderFileWriter': 72,
  'adapters/state/sql/schema.ts migrations': 174,
  'adapters/state/sqlite/state-thread.ts startStateThread': 73,
  'adapters/user-code/worker-user-code.ts workerUserCode': 146,
  'compiler/load/check-sql-statement.ts checkParts': 71,
  'compiler/load/config/build-config.ts buildConfig': 106,
  'compiler/macros/evaluate.ts evaluate': 82,
  'compiler/macros/operators/queries.ts spine': 81,
  'compiler/plan/categorize/expression-value.ts computed': 99,
  'compiler/plan/plan-migrations.ts planMigrations': 90,
  'compiler/plan/prepare-plan.ts preparePlan': 86,
  'compiler/resolve/compile-context.ts compileContextOf': 90,
  'compiler/resolve/compile-project.ts compileProject': 82,
  'compiler/resolve/resolve-models.ts resolveModels': 99,
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
  'operations/change/draft-plan.ts draftPlan': 76,
  'operations/change/explain-queries.ts explainQueries': 95,
  'runtime/execute/contents.ts contentsOf': 110,
  'runtime/execute/engine-columns.ts engineColumns': 95,
  'runtime/execute/execute-stages.ts executeRun': 87,
  'server/http/http-server.ts httpServer': 106,
  'server/http/routes/directory-routes.ts principalRoutes': 140,
  'server/http/routes/query-routes.ts questionRoutes': 137,
  'server/start-server.ts serve': 120,
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
  'operations/project': 10,
  'runtime/execute': 1,
  'server/http': 1,
};

/** Files that export one thing and have another name. */
export const OTHER_NAMES: Counts = {
  // Every engine has the same files: `<engine>-connection.ts` opens it.
  'adapters/engines/duckdb/duckdb-connection.ts': 1,
};
