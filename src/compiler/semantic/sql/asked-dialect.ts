/** The dialect of questions in SQL. */
export const ASKED_DIALECT = 'duckdb';
