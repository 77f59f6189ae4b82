import { loadDefinition } from '../../src/compiler/load/yaml/load-definition.ts';
import { compileQuery } from '../../src/compiler/semantic/compile-query.ts';
import type { CompiledQuery, CompileResult } from '../../src/compiler/semantic/compiled-query.ts';
import { type SemanticIndex, semanticIndex } from '../../src/compiler/semantic/semantic-index.ts';
import type { Metric } from '../../src/domain/metric.ts';
import type { Model } from '../../src/domain/model.ts';
import type { SemanticModel } from '../../src/domain/semantic-model.ts';
import type { Caller, SemanticQuery } from '../../src/domain/semantic-query.ts';
import type { Dialect } from '../../src/foundation/sql/dialect.ts';
import { plainDuckdb } from './plain-duckdb.ts';

/** Tables as SQL (`SELECT … ` or VALUES with names), semantic models and metrics as YAML, in a DuckDB of their own. */
export interface World {
  readonly index: SemanticIndex;
  readonly compile: (query: Partial<SemanticQuery>, options?: AskOptions) => CompileResult;
  readonly sql: (query: Partial<SemanticQuery>, options?: AskOptions) => CompiledQuery;
  /** Rows as JSON values. */
  readonly rows: (
    query: Partial<SemanticQuery>,
    options?: AskOptions,
  ) => Promise<readonly (readonly unknown[])[]>;
  /** Types of the columns as DuckDB answers. */
  readonly types: (query: Partial<SemanticQuery>, options?: AskOptions) => Promise<readonly string[]>;
  /** Codes of the problems. */
  readonly codes: (query: Partial<SemanticQuery>, options?: AskOptions) => readonly string[];
}

export interface AskOptions {
  readonly dialect?: Dialect;
  readonly caller?: Caller;
  readonly now?: number;
}

const OWNER: Caller = { groups: [], isUnrestricted: true };

/** `tables` are named like models (`m.orders`) and get their columns from DuckDB. */
export async function semanticProject(
  tables: Readonly<Record<string, string>>,
  yaml: readonly string[],
  dialects: Readonly<Record<string, Dialect>> = {},
): Promise<World> {
  const duckdb = await plainDuckdb('.');
  await duckdb.execute("SET TimeZone = 'UTC'", 'CREATE SCHEMA m');
  const models: Model[] = [];
  for (const [name, sql] of Object.entries(tables)) {
    await duckdb.execute(`CREATE TABLE ${name} AS ${sql}`);
    const { columns } = await duckdb.query(`SELECT * FROM ${name} LIMIT 0`);
    models.push({
      name,
      columns,
      hasAllColumns: true,
      grains: [],
      dialect: dialects[name] ?? 'duckdb',
    } as unknown as Model);
  }
  const semanticModels: SemanticModel[] = [];
  const metrics: Metric[] = [];
  yaml.forEach((text, i) => {
    const read = loadDefinition({ path: `models/semantics/s${i}.yml`, text });
    if (read.diagnostics.length > 0) throw new Error(JSON.stringify(read.diagnostics, null, 1));
    if (read.semanticModel !== undefined) semanticModels.push(read.semanticModel);
    if (read.metric !== undefined) metrics.push(read.metric);
  });
  const index = semanticIndex({ semanticModels, metrics, models });
  const compile: World['compile'] = (query, options = {}) =>
    compileQuery(
      index,
      { measures: [], dimensions: [], ...query },
      {
        dialect: options.dialect ?? 'duckdb',
        caller: options.caller ?? OWNER,
        now: options.now ?? Date.UTC(2024, 5, 15, 12),
        relationOf: (model) => {
          const [schema = '', name = ''] = model.split('.');
          return { schema, name };
        },
      },
    );
  const sql: World['sql'] = (query, options) => {
    const result = compile(query, options);
    if (!result.ok)
      throw new Error(result.diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
    return result.compiled;
  };
  return {
    index,
    compile,
    sql,
    async rows(query, options) {
      const compiled = sql(query, options);
      return (await duckdb.query(compiled.sql)).rows;
    },
    async types(query, options) {
      return (await duckdb.query(sql(query, options).sql)).columns.map(({ type }) => type);
    },
    codes(query, options) {
      const result = compile(query, options);
      return result.ok ? [] : result.diagnostics.map(({ code }) => code);
    },
  };
}
