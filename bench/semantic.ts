import { mkdirSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitOfHere, describeMachine, type Summary } from './measure.ts';
import { quietLoad, writeResults } from './quiet.ts';
import { type CompileFigures, loadGenerated, measureColdLoads, measureCompile } from './semantic-compile.ts';
import { type ExecutionFigures, measureExecution } from './semantic-execution.ts';
import { type MetricflowFigures, measureMetricflow } from './semantic-metricflow.ts';

// Semantic: what questions cost before and in the engine.
//   compile     questions as JSON and as SQL to 500 semantic models, and lists of 10,000 values, after a warm-up
//   load        300 semantic models with 400 members each: `plinth validate`, a process each time, nothing cached
//   execution   TPC-H as semantic queries beside hand-written SQL, in turns
//   metricflow  metrics of four kinds in the project of `compile`, turned into SQL by both tools
// Results are written after each figure, and `isComplete` says whether they are all there.

const WORK = join(tmpdir(), 'plinth-bench');
const COMPILED = { semanticModels: 500, membersEach: 40 } as const;
const LOADED = { semanticModels: 300, membersEach: 400 } as const;
const LOADS = 5;
const BARS = { jsonP95Ms: 2, sqlP95Ms: 10, inListMs: 50, loadMs: 3000, executionRatio: 1.1 } as const;

interface Measured {
  readonly compile?: CompileFigures;
  readonly load?: Summary;
  readonly execution?: ExecutionFigures;
  readonly metricflow?: MetricflowFigures;
}

/** The bench behind `npm run bench semantic`. */
export async function runSemanticBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scale: { type: 'string', default: '1' },
      runs: { type: 'string', default: '11' },
      'no-peers': { type: 'boolean', default: false },
      /** One of the parts above alone. */
      only: { type: 'string' },
      results: { type: 'string', default: join(import.meta.dirname, 'results', 'semantic.json') },
    },
  });
  mkdirSync(WORK, { recursive: true });
  mkdirSync(dirname(values.results), { recursive: true });
  const commit = commitOfHere();
  const before = await quietLoad();
  let measured: Measured = {};
  const tell = (more: Measured, isComplete = false): void => {
    measured = { ...measured, ...more };
    const { compile, load: loading, execution, metricflow } = measured;
    const results = {
      bench: 'semantic',
      at: new Date().toISOString(),
      isComplete,
      commit,
      machine: { ...describeMachine(), node: process.version },
      loadAverage: { before, after: loadavg()[0]! },
      bars: BARS,
      compile: compile && { project: COMPILED, ...compile },
      load: loading && { project: LOADED, ...loading },
      execution,
      peers: { metricflow },
    };
    writeResults(values.results, results);
  };
  const parts: Readonly<Record<string, () => Promise<Measured>>> = {
    async compile() {
      const { project } = await loadGenerated(join(WORK, 'semantic-compile'), COMPILED);
      const groups = COMPILED.semanticModels / 10;
      measureCompile(project, groups, 200);
      return { compile: measureCompile(project, groups, 2000) };
    },
    load: async () => ({ load: await measureColdLoads(join(WORK, 'semantic-load'), LOADED, LOADS) }),
    execution: async () => ({
      execution: await measureExecution(Number(values.scale), Number(values.runs), (execution) =>
        tell({ execution }),
      ),
    }),
    metricflow: async () => ({
      metricflow: await measureMetricflow(join(WORK, 'semantic-metricflow'), COMPILED, (metricflow) =>
        tell({ metricflow }),
      ),
    }),
  };
  const { only } = values;
  if (only !== undefined && !(only in parts))
    throw new Error(`--only takes ${Object.keys(parts).join(', ')}`);
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== undefined ? name !== only : name === 'metricflow' && values['no-peers']) continue;
    process.stderr.write(`[semantic] ${new Date().toISOString().slice(11, 19)} ${name}\n`);
    tell(await measure());
  }
  tell({}, only === undefined && !values['no-peers']);
  print(measured);
}

function print({ compile, load: loading, execution, metricflow }: Measured): void {
  const bar = (figure: string, ms: number | undefined, atMost: number) =>
    ms === undefined ? [] : [{ figure, ms, 'at most': atMost, held: ms <= atMost }];
  if (compile !== undefined || loading !== undefined)
    console.table([
      ...bar('JSON question, p95', compile?.json.p95Ms, BARS.jsonP95Ms),
      ...bar('SQL question, p95', compile?.sql.p95Ms, BARS.sqlP95Ms),
      ...bar('10,000 values in JSON, median', compile?.inList.json.p50Ms, BARS.inListMs),
      ...bar('10,000 values in SQL, median', compile?.inList.sql.p50Ms, BARS.inListMs),
      ...bar('load, median', loading?.medianMs, BARS.loadMs),
    ]);
  if (execution?.reason !== undefined) console.log(`TPC-H: not available (${execution.reason})`);
  if (execution !== undefined)
    console.table(
      execution.queries.map(({ query, plinth, handWritten, ratio, cpuRatio }) => ({
        query,
        'plinth ms': plinth.medianMs,
        'by hand ms': handWritten.medianMs,
        ratio,
        'cpu ratio': cpuRatio,
        held: ratio <= BARS.executionRatio,
      })),
    );
  if (metricflow === undefined) return;
  if (metricflow.reason !== undefined) console.log(`MetricFlow: ${metricflow.reason}`);
  console.table(
    Object.entries(metricflow.plinth).map(([metric, ours]) => {
      const theirs = metricflow.metricflow[metric as keyof typeof metricflow.metricflow];
      return {
        metric,
        'plinth ms': ours.medianMs,
        'plinth p95': ours.p95Ms,
        'metricflow ms': theirs?.medianMs ?? 'not available',
        'metricflow p95': theirs?.p95Ms ?? 'not available',
      };
    }),
  );
}
