/* A world given to the compiler and to DuckDB. The only file of the oracle that knows them. */
import { DuckDBInstance } from '@duckdb/node-api';
import { checkSemantics } from '../../../src/compiler/load/yaml/check-semantics.ts';
import { loadDefinition } from '../../../src/compiler/load/yaml/load-definition.ts';
import { compileQuery } from '../../../src/compiler/semantic/compile-query.ts';
import type { CompileResult } from '../../../src/compiler/semantic/compiled-query.ts';
import type { RollupTable } from '../../../src/compiler/semantic/rollups/choose-rollup.ts';
import { type RollupShape, rollupShapes } from '../../../src/compiler/semantic/rollups/rollup-shape.ts';
import { semanticIndex } from '../../../src/compiler/semantic/semantic-index.ts';
import {
  compileSemanticSql,
  OPEN_TABLES,
  type SqlCompileResult,
} from '../../../src/compiler/semantic/sql/compile-semantic-sql.ts';
import type { Metric } from '../../../src/domain/metric.ts';
import type { Model } from '../../../src/domain/model.ts';
import type { SemanticModel } from '../../../src/domain/semantic-model.ts';
import type { Caller, SemanticQuery } from '../../../src/domain/semantic-query.ts';
import type { World } from './world.ts';
import { metricYaml, modelYaml, SQL_TYPES, tableName, tablesSql } from './yaml.ts';

/** "Now" of all relative dates: in the middle of the data. */
export const NOW = Date.UTC(2024, 3, 1, 1, 30);

const OWNER: Caller = { groups: [], isUnrestricted: true };

/** A world that is refused when it is loaded. */
export class NotLoaded extends Error {
  readonly codes: readonly string[];

  constructor(errors: readonly { readonly code: string; readonly message: string }[]) {
    super(`the world does not load: ${errors.map(({ code, message }) => `${code} ${message}`).join('\n')}`);
    this.codes = errors.map(({ code }) => code);
  }
}

/** Compiles questions about one world. */
export type Compile = ((query: SemanticQuery, caller?: Caller) => CompileResult) & {
  /** The same questions in SQL. */
  readonly sql: (text: string) => SqlCompileResult;
  /** Statements that build what is kept ready. */
  readonly rollupTables: () => readonly string[];
  /** With what is kept ready. */
  readonly rolled: (query: SemanticQuery, caller?: Caller) => CompileResult;
};

export function compilerFor(world: World): Compile {
  const models = world.models.map(
    (model) =>
      ({
        name: tableName(model),
        columns: model.columns.map(({ name, type }) => ({ name, type: SQL_TYPES[type] })),
        hasAllColumns: true,
        grains: model.key.length > 0 ? [model.key] : [],
        dialect: 'duckdb',
      }) as unknown as Model,
  );
  const semanticModels: SemanticModel[] = [];
  const metrics: Metric[] = [];
  const problems = [];
  for (const model of world.models) {
    const loaded = loadDefinition({ path: `models/semantics/${model.name}.yml`, text: modelYaml(model) });
    if (loaded.semanticModel !== undefined) semanticModels.push(loaded.semanticModel);
    problems.push(...loaded.diagnostics);
  }
  for (const metric of world.metrics) {
    const loaded = loadDefinition({ path: `models/metrics/${metric.name}.yml`, text: metricYaml(metric) });
    if (loaded.metric !== undefined) metrics.push(loaded.metric);
    problems.push(...loaded.diagnostics);
  }
  problems.push(...checkSemantics({ semanticModels, metrics, models }));
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new NotLoaded(errors);
  const index = semanticIndex({ semanticModels, metrics, models });
  const options = {
    dialect: 'duckdb',
    relationOf: (name: string) => {
      const [schema = '', table = ''] = name.split('.');
      return { schema, name: table };
    },
    now: NOW,
  } as const;
  const shapes = (): readonly RollupShape[] =>
    [...rollupShapes(index).values()].flatMap((shape) => ('reason' in shape ? [] : [shape]));
  const rollups = (): ReadonlyMap<string, RollupTable> =>
    new Map(
      shapes().map(({ name, model }) => [
        name,
        { relation: options.relationOf(model), versionSql: "(SELECT '1:1')" },
      ]),
    );
  return Object.assign(
    (query: SemanticQuery, caller: Caller = OWNER) => compileQuery(index, query, { ...options, caller }),
    {
      sql: (text: string) =>
        compileSemanticSql(index, text, {
          ...options,
          caller: OWNER,
          models: new Set<string>(),
          tables: OPEN_TABLES,
        }),
      rollupTables: () =>
        shapes().map(
          ({ model, sql }) =>
            `CREATE OR REPLACE TABLE ${model} AS SELECT * REPLACE (plinth__source || ' 1:1' AS plinth__source) FROM (${sql})`,
        ),
      rolled: (query: SemanticQuery, caller: Caller = OWNER) =>
        compileQuery(index, query, { ...options, caller, rollups: rollups() }),
    },
  );
}

/** One database in memory, whose tables are those of one world at a time. */
export interface Database {
  fill(world: World): Promise<void>;
  execute(statements: readonly string[]): Promise<void>;
  query(
    sql: string,
  ): Promise<{ readonly columns: readonly string[]; readonly rows: readonly (readonly unknown[])[] }>;
}

export async function database(): Promise<Database> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return {
    async fill(world) {
      await connection.run(tablesSql(world).join(';\n'));
    },
    async execute(statements) {
      for (const statement of statements) await connection.run(statement);
    },
    async query(sql) {
      const reader = await connection.runAndReadAll(sql);
      return { columns: reader.columnNames(), rows: reader.getRowsJson() };
    },
  };
}
