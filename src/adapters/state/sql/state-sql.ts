/*
 * A rule of the state is a generator function over a connection of three calls. It neither opens nor ends a transaction
 * and knows no driver, so one text serves a database that answers at once and one that is awaited:
 *
 *   rule ──row · rows · run──▶ connection ──the answer is there──▶ rule
 *                                  └──yields the statement──▶ driver ──▶ database, then back
 *
 * A driver may run a rule from its beginning once more, so a rule changes nothing but the database.
 */

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;

export interface SqlCall {
  /** What the rule is resumed with: the first row or undefined, all rows, or how many rows were changed. */
  readonly kind: 'row' | 'rows' | 'run';
  /** Parameters are question marks; texts of SQL hold none. */
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** A rule on its way to a result, which `yield*` brings. */
export type Steps<Result> = Iterable<SqlCall, Result, unknown>;

/** What databases spell differently. */
export interface StateDialect {
  /** The elements of a list that is given as JSON, for `IN`. */
  readonly listed: string;
  /** A table with the column `value`: the elements of a JSON list, in a field of a JSON object where one is named. */
  elements(json: string, as: string, field?: string): string;
  /** The text in a field of a JSON object. */
  field(json: string, name: string): string;
  /** Behind a table: that index and no other, so that nothing is read of rows of others. */
  indexedBy(index: string): string;
  /** The product and its version, and the version of the schema, as a query with the columns of `StateVersions`. */
  readonly about: string;
  /** The names of all tables, as a query with the column `name`. */
  readonly tables: string;
  /** Those of the columns of a table. */
  columnsOf(table: string): string;
}

/** The connection as rules see it: three calls, and what the database spells in its own way. */
export interface StateSql {
  readonly dialect: StateDialect;
  /** What messages call the state. */
  readonly place: string;
  row(sql: string, ...parameters: readonly SqlValue[]): Steps<Row | undefined>;
  rows(sql: string, ...parameters: readonly SqlValue[]): Steps<readonly Row[]>;
  /** Answers with how many rows were changed. */
  run(sql: string, ...parameters: readonly SqlValue[]): Steps<number>;
}
