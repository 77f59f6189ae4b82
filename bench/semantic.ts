import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { plainDuckdb } from '../tests/plain-duckdb.ts';
import { TPCH_QUERIES } from '../tests/semantic/tpch/queries.ts';
import { tpchProject } from '../tests/semantic/tpch/tpch-project.ts';
import { describeMachine, summarise } from './measure.ts';
import { load, loadGenerated, measureCompile } from './semantic-compile.ts';
import { tpchData, tpchTables } from './tpch-data.ts';

// Semantic: what questions cost before and in the engine.
//   compile    questions as JSON and as SQL to 500 semantic models, and lists of 10,000 values, after a warm-up
//   load       300 semantic models with 400 members each, nothing cached
//   execution  TPC-H as semantic queries beside hand-written SQL, in turns

const WORK = join(tmpdir(), 'plinth-bench');
const COMPILED = { semanticModels: 500, membersEach: 40 } as const;
const LOADED = { semanticModels: 300, membersEach: 400 } as const;
const BARS = { jsonP95Ms: 2, sqlP95Ms: 10, inListMs: 50, loadMs: 3000, executionRatio: 1.1 } as const;

interface Execution {
  readonly query: string;
  readonly oursMs: number;
  readonly handWrittenMs: number;
  readonly ratio: number;
}

/** The bench behind `npm run bench semantic`. */
export async function runSemanticBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', default: '1' },
      runs: { type: 'string', default: '7' },
      results: { type: 'string', default: join(import.meta.dirname, 'results', 'semantic.json') },
    },
  });
  mkdirSync(WORK, { recursive: true });
  const before = loadavg()[0]!;
  const { project } = await loadGenerated(join(WORK, 'semantic-compile'), COMPILED);
  const groups = COMPILED.semanticModels / 10;
  measureCompile(project, groups, 200);
  const compile = measureCompile(project, groups, 2000);
  const folder = join(WORK, 'semantic-load');
  const loads = [(await loadGenerated(folder, LOADED)).ms];
  while (loads.length < 5) loads.push((await load(folder)).ms);
  const loading = summarise(
    loads.map((wallMs) => ({ wallMs, peakRssMb: null })),
    before,
  );
  const execution = await measureExecution(Number(values.scale), Number(values.runs));
  const results = {
    bench: 'semantic',
    at: new Date().toISOString(),
    machine: describeMachine(),
    loadAverage: { before, after: loadavg()[0]! },
    bars: BARS,
    compile: { project: COMPILED, ...compile },
    load: { project: LOADED, ...loading },
    execution,
    peers: { metricflow: 'not available: its library installs, a driver for it is not written yet' },
  };
  writeFileSync(values.results, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`json p95 ${compile.json.p95Ms} ms, sql p95 ${compile.sql.p95Ms} ms`);
  console.log(`10,000 values: json ${compile.inList.json.p50Ms} ms, sql ${compile.inList.sql.p50Ms} ms`);
  console.log(`load median ${loading.medianMs} ms`);
  console.table(execution.queries);
}

async function measureExecution(
  scale: number,
  runs: number,
): Promise<{ readonly scale: number; readonly reason?: string; readonly queries: readonly Execution[] }> {
  const data = tpchData(scale);
  if (data.kind === 'not-available') return { scale, reason: data.reason, queries: [] };
  const compile = await tpchProject();
  const duckdb = await plainDuckdb('.');
  await duckdb.execute(...tpchTables(data.folder));
  const queries: Execution[] = [];
  for (const { name, semantic, sql } of TPCH_QUERIES) {
    const texts = [compile(semantic).sql, sql] as const;
    const times: [number[], number[]] = [[], []];
    for (let run = 0; run <= runs; run++)
      for (const side of [0, 1] as const) {
        const began = performance.now();
        await duckdb.query(texts[side]);
        // The first of each warms up.
        if (run > 0) times[side].push(performance.now() - began);
      }
    const [oursMs, handWrittenMs] = [medianOf(times[0]), medianOf(times[1])];
    queries.push({
      query: name,
      oursMs,
      handWrittenMs,
      ratio: Math.round((oursMs / handWrittenMs) * 100) / 100,
    });
  }
  return { scale, queries };
}

function medianOf(times: readonly number[]): number {
  return summarise(
    times.map((wallMs) => ({ wallMs, peakRssMb: null })),
    0,
  ).medianMs;
}
