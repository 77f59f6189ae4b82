import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { compileQuery } from '../src/compiler/semantic/compile-query.ts';
import type { CompileOptions } from '../src/compiler/semantic/compiled-query.ts';
import { readSemanticQuery } from '../src/compiler/semantic/read-query.ts';
import { type SemanticIndex, semanticIndex } from '../src/compiler/semantic/semantic-index.ts';
import { compileSemanticSql, OPEN_TABLES } from '../src/compiler/semantic/sql/compile-semantic-sql.ts';
import { loadProject } from '../src/operations/project/load-project.ts';
import { openWorkspace } from '../src/operations/workspace.ts';
import { createRandom, type Random } from './generate/random.ts';
import { type SemanticProjectSize, writeSemanticProject } from './generate/semantic-project.ts';
import { measureSeries, type Summary } from './measure.ts';

// How long it takes to know a project and to turn questions into SQL, in this process.

/** Milliseconds of single calls; the first ones, which meet cold code, are told apart. */
export interface CallTimes {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly firstMs: number;
}

export interface CompileFigures {
  readonly json: CallTimes;
  readonly sql: CallTimes;
  readonly inList: { readonly json: CallTimes; readonly sql: CallTimes };
  readonly index: CallTimes;
}

const OPTIONS: CompileOptions = {
  dialect: 'duckdb',
  caller: { groups: [], isUnrestricted: true },
  now: Date.UTC(2026, 0, 2),
  relationOf: (model) => ({ schema: 'raw', name: model.slice(model.indexOf('.') + 1) }),
};

/** Loads a generated project as a command does, without anything cached. */
export async function loadGenerated(folder: string, size: SemanticProjectSize) {
  writeSemanticProject(folder, size);
  return load(folder);
}

/** Loads what is in the folder again, cold. */
export async function load(folder: string) {
  rmSync(join(folder, '.plinth'), { recursive: true, force: true });
  const began = performance.now();
  const workspace = openWorkspace({ folder, variables: {}, executionTime: OPTIONS.now, userCodeMs: 30_000 });
  const loaded = await loadProject(workspace).finally(() => workspace.close());
  const ms = performance.now() - began;
  const [problem] = loaded.diagnostics;
  if (problem !== undefined)
    throw new Error(`the generated project is wrong: ${problem.code} ${problem.message}`);
  return { project: loaded.project, ms };
}

/** Cold loads as a user has them: `plinth validate` in a process of its own, from its start to its end, nothing cached. */
export function measureColdLoads(folder: string, size: SemanticProjectSize, runs: number): Promise<Summary> {
  writeSemanticProject(folder, size);
  const program = join(import.meta.dirname, '..', 'bin', 'plinth');
  return measureSeries(
    runs,
    { program, args: ['validate', '--json'], cwd: folder },
    () => rmSync(join(folder, '.plinth'), { recursive: true, force: true }),
    ({ stdout }) => {
      if (!stdout.includes(`"semantic_models":${size.semanticModels}`))
        throw new Error(`validate says ${stdout}`);
    },
  );
}

/** Compiles `calls` different questions of both forms, and lists of 10,000 values. */
export function measureCompile(
  project: Parameters<typeof semanticIndex>[0],
  groups: number,
  calls: number,
): CompileFigures {
  const random = createRandom(42);
  const questions = Array.from({ length: calls }, () => question(random, groups));
  const texts = Array.from({ length: calls }, () => text(random, groups));
  const values = Array.from({ length: 10_000 }, (_, i) => `value ${i}`);
  const long = {
    measures: ['fact_1_0.m0'],
    dimensions: ['fact_1_0.status'],
    filters: [{ member: 'fact_1_0.c0', operator: 'equals', values }],
  };
  const list = values.map((value) => `'${value}'`).join(', ');
  const longText = `SELECT status, MEASURE(m0) FROM fact_1_0 WHERE c0 IN (${list}) GROUP BY 1`;
  const repeat = <T>(times: number, value: T): readonly T[] => Array.from({ length: times }, () => value);
  const index = semanticIndex(project);
  return {
    index: timesOf(repeat(10, undefined), () => void semanticIndex(project)),
    json: timesOf(questions, (each) => compileJson(index, each)),
    sql: timesOf(texts, (each) => compileSql(index, each)),
    inList: {
      json: timesOf(repeat(20, long), (each) => compileJson(index, each)),
      sql: timesOf(repeat(20, longText), (each) => compileSql(index, each)),
    },
  };
}

function compileJson(index: SemanticIndex, data: unknown): void {
  const read = readSemanticQuery(data);
  const result = read.ok ? compileQuery(index, read.query, OPTIONS) : read;
  if (!result.ok) throw new Error(`${JSON.stringify(data).slice(0, 500)}: ${result.diagnostics[0]?.message}`);
}

const MODELS: ReadonlySet<string> = new Set();

function compileSql(index: SemanticIndex, sql: string): void {
  const result = compileSemanticSql(index, sql, { ...OPTIONS, models: MODELS, tables: OPEN_TABLES });
  if (!result.ok) throw new Error(`${sql.slice(0, 500)}: ${result.diagnostics[0]?.message}`);
}

/** A question as dashboards ask: one or two facts, dimensions near and far, filters, a month. */
function question(random: Random, groups: number): unknown {
  const group = random.int(1, groups - 1);
  const fact = `fact_${group}_${random.int(0, 1)}`;
  const other = `fact_${group}_${random.int(0, 1)}`;
  const dimension = (): string => `dim_${group}_${random.int(2, 9)}.${random.pick(['status', 'c0', 'c3'])}`;
  return {
    measures: [
      ...new Set([
        `${fact}.m${random.int(0, 15)}`,
        `${fact}.m${random.int(0, 15)}`,
        `${other}.m${random.int(0, 15)}`,
      ]),
    ],
    dimensions: [...new Set([dimension(), dimension()])],
    filters: [
      { member: dimension(), operator: 'equals', values: ['a', 'b'] },
      {
        or: [
          { member: `${dimension()}`, operator: 'set' },
          { member: dimension(), operator: 'contains', values: ['x'] },
        ],
      },
    ],
    timeDimensions: [
      { dimension: 'calendar.day', granularity: 'month', dateRange: ['2025-01-01', '2025-12-31'] },
    ],
    limit: 100,
  };
}

function text(random: Random, groups: number): string {
  const group = random.int(1, groups - 1);
  const fact = `fact_${group}_${random.int(0, 1)}`;
  const dimension = `dim_${group}_${random.int(2, 9)}`;
  const measures = [random.int(0, 15), random.int(0, 15)].map((n, i) => `MEASURE(${fact}.m${n}) AS x${i}`);
  return `WITH monthly AS (
  SELECT ${dimension}.status AS status, DATE_TRUNC('month', ${fact}.day) AS month, ${measures.join(', ')}
  FROM ${fact} CROSS JOIN ${dimension}
  WHERE ${dimension}.c0 IN ('a', 'b') AND ${fact}.day >= DATE '2025-01-01'
  GROUP BY 1, 2
)
SELECT status, SUM(x0) AS total, MAX(x1) AS most FROM monthly GROUP BY 1 ORDER BY 2 DESC LIMIT 100`;
}

function timesOf<T>(inputs: readonly T[], call: (input: T) => void): CallTimes {
  const times = inputs.map((input) => {
    const began = performance.now();
    call(input);
    return performance.now() - began;
  });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return {
    calls: times.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    firstMs: round(times[0] ?? 0),
  };
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
