import { loadDefinition } from '../../../src/compiler/load/yaml/load-definition.ts';
import { ColumnFlow } from '../../../src/compiler/semantic/access/column-flow.ts';
import { compileQuery } from '../../../src/compiler/semantic/compile-query.ts';
import type { CompileResult } from '../../../src/compiler/semantic/compiled-query.ts';
import { type SemanticIndex, semanticIndex } from '../../../src/compiler/semantic/semantic-index.ts';
import {
  compileSemanticSql,
  OPEN_TABLES,
  type SqlCompileResult,
} from '../../../src/compiler/semantic/sql/compile-semantic-sql.ts';
import type { Metric } from '../../../src/domain/metric.ts';
import type { Model } from '../../../src/domain/model.ts';
import type { SemanticModel } from '../../../src/domain/semantic-model.ts';
import type { Caller, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import type { Dialect } from '../../../src/foundation/sql/dialect.ts';
import { tablesFor } from '../../../src/operations/ask/readable-models.ts';
import { plainDuckdb } from '../../support/plain-duckdb.ts';

const OWNER: Caller = { groups: [], isUnrestricted: true };

export interface Asking {
  readonly caller?: Caller;
  readonly dialect?: Dialect;
}

/** Tables in a DuckDB of their own, and semantic models and metrics over them, which are asked in SQL. */
export interface SqlWorld {
  readonly index: SemanticIndex;
  readonly compile: (sql: string, asking?: Asking) => SqlCompileResult;
  /** The compiled text; throws what is told. */
  readonly sql: (sql: string, asking?: Asking) => string;
  readonly rows: (sql: string, asking?: Asking) => Promise<readonly (readonly unknown[])[]>;
  /** `code@the text it points at`. */
  readonly told: (sql: string, asking?: Asking) => readonly string[];
  readonly json: (query: Partial<SemanticQuery>) => CompileResult;
  readonly raw: (sql: string) => Promise<readonly (readonly unknown[])[]>;
}

export async function sqlWorld(
  tables: Readonly<Record<string, string>>,
  yaml: readonly string[],
): Promise<SqlWorld> {
  const duckdb = await plainDuckdb('.');
  await duckdb.execute("SET TimeZone = 'UTC'", 'CREATE SCHEMA m');
  const models: Model[] = [];
  for (const [name, text] of Object.entries(tables)) {
    await duckdb.execute(`CREATE TABLE ${name} AS ${text}`);
    const { columns } = await duckdb.query(`SELECT * FROM ${name} LIMIT 0`);
    models.push({ name, columns, hasAllColumns: true, grains: [], dialect: 'duckdb' } as unknown as Model);
  }
  const semanticModels: SemanticModel[] = [];
  const metrics: Metric[] = [];
  yaml.forEach((text, i) => {
    const read = loadDefinition({ path: `models/semantics/s${i}.yml`, text });
    if (read.diagnostics.length > 0) throw new Error(JSON.stringify(read.diagnostics, null, 1));
    if (read.semanticModel !== undefined) semanticModels.push(read.semanticModel);
    if (read.metric !== undefined) metrics.push(read.metric);
  });
  const semantics = { semanticModels, metrics, models };
  const index = semanticIndex(semantics);
  const protection = { flow: new ColumnFlow([]), indexes: [index], rollups: new Set<string>() };
  const columns = (model: string): readonly string[] =>
    models.find(({ name }) => name === model)?.columns.map(({ name }) => name) ?? [];
  const optionsFor = ({ caller = OWNER, dialect = 'duckdb' }: Asking) => ({
    dialect,
    caller,
    now: Date.UTC(2024, 5, 15, 12),
    models: new Set(Object.keys(tables)),
    tables: caller.isUnrestricted ? OPEN_TABLES : tablesFor(caller, { protection, semantics, columns }),
    relationOf: (model: string) => {
      const [schema = '', name = ''] = model.split('.');
      return { schema, name };
    },
  });
  const compile: SqlWorld['compile'] = (text, asking = {}) =>
    compileSemanticSql(index, text, optionsFor(asking));
  const sql: SqlWorld['sql'] = (text, asking) => {
    const result = compile(text, asking);
    if (result.ok) return result.sql;
    throw new Error(result.diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  };
  const raw: SqlWorld['raw'] = async (text) => (await duckdb.query(text)).rows;
  return {
    index,
    compile,
    sql,
    raw,
    rows: (text, asking) => raw(sql(text, asking)),
    told(text, asking) {
      const result = compile(text, asking);
      if (result.ok) return [];
      return result.diagnostics.map(
        ({ code, at }) => `${code}@${at === undefined ? '' : text.slice(at.start, at.end)}`,
      );
    },
    json: (query) =>
      compileQuery(
        index,
        { measures: [], dimensions: [], ...query },
        { ...optionsFor({}), isUnlimited: true },
      ),
  };
}
