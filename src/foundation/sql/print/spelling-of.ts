import type { Dialect } from '../dialect.ts';
import type { DialectSpelling } from './dialect-spelling.ts';
import { bigquery } from './dialects/bigquery.ts';
import { clickhouse } from './dialects/clickhouse.ts';
import { duckdb } from './dialects/duckdb.ts';
import { generic } from './dialects/generic.ts';
import { mysql } from './dialects/mysql.ts';
import { postgres } from './dialects/postgres.ts';
import { redshift } from './dialects/redshift.ts';
import { snowflake } from './dialects/snowflake.ts';
import { databricks, spark } from './dialects/spark.ts';
import { sqlite } from './dialects/sqlite.ts';
import { trino } from './dialects/trino.ts';
import { tsql } from './dialects/tsql.ts';

const SPELLINGS: Readonly<Record<Dialect, DialectSpelling>> = {
  duckdb,
  postgres,
  mysql,
  trino,
  spark,
  snowflake,
  bigquery,
  redshift,
  databricks,
  clickhouse,
  tsql,
  sqlite,
  generic,
};

/** The table of a dialect: a new dialect is a file in `dialects/` and a line here. */
export function spellingOf(dialect: Dialect): DialectSpelling {
  return SPELLINGS[dialect];
}

/** Whether some dialect's table knows this function of DuckDB, so that a target without it cannot have it. */
export function isKnownFunction(name: string): boolean {
  return Object.values(SPELLINGS).some(
    ({ functions }) => Object.hasOwn(functions, name) || Object.hasOwn(functions, `${name}/1`),
  );
}
