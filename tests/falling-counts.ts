/** Numbers of tests/architecture.test.ts that may only fall: a test fails when one grows, and when one could be lower than it is written here. */
export type Counts = Readonly<Record<string, number>>;

/** Lines of verbs that are longer than `VERB_LINES_MAX`. */
export const LONG_VERBS: Counts = {
  'operations/ask/statement-result.ts': 124,
  'operations/ask/statements.ts': 83,
  'operations/change/plan.ts': 109,
  'operations/open-world.ts': 125,
  'operations/workspace.ts': 206,
};

/** How often files of a room write the name of an engine. Only adapters and the dialects of `foundation/sql` have to. */
export const ENGINE_NAMES: Counts = {
  cli: 7,
  'compiler/load': 31,
  'compiler/macros': 41,
  'compiler/plan': 14,
  'compiler/render': 8,
  'compiler/semantic': 25,
  domain: 13,
  operations: 2,
  'operations/project': 12,
  'runtime/execute': 1,
  'server/http': 1,
};

/** Files that export one thing and have another name. */
export const OTHER_NAMES: Counts = {
  // Every engine has the same files: `<engine>-connection.ts` opens it.
  'adapters/engines/duckdb/duckdb-connection.ts': 1,
};
