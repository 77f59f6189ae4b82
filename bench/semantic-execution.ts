import { TPCH_QUERIES } from '../tests/semantic/tpch/queries.ts';
import { tpchProject } from '../tests/semantic/tpch/tpch-project.ts';
import { type PlainDuckdb, plainDuckdb } from '../tests/support/plain-duckdb.ts';
import { summarise } from './measure.ts';
import { tpchData, tpchTables } from './tpch-data.ts';

// TPC-H as semantic queries beside the same questions written by hand, in turns in one DuckDB with its tables in memory.

/** Milliseconds of one text in the engine. */
interface ExecutionTimes {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly cpuMedianMs: number;
}

interface Execution {
  readonly query: string;
  readonly runs: number;
  readonly plinth: ExecutionTimes;
  readonly handWritten: ExecutionTimes;
  /** Of the medians of wall time. */
  readonly ratio: number;
  /** Of the medians of processor time, which other work on the machine moves less. */
  readonly cpuRatio: number;
}

export interface ExecutionFigures {
  readonly scale: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly queries: readonly Execution[];
  /** Why there are no figures. */
  readonly reason?: string;
}

interface Time {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Measures every question; `tell` gets the figures each time there are more. */
export async function measureExecution(
  scale: number,
  runs: number,
  tell: (figures: ExecutionFigures) => void,
): Promise<ExecutionFigures> {
  const data = tpchData(scale);
  if (data.kind === 'not-available') return { scale, versions: {}, queries: [], reason: data.reason };
  const compile = await tpchProject();
  const duckdb = await plainDuckdb('.');
  await duckdb.execute(...tpchTables(data.folder));
  const [[version] = []] = (await duckdb.query('SELECT version()')).rows;
  let figures: ExecutionFigures = {
    scale,
    versions: { ...data.versions, duckdb: String(version) },
    queries: [],
  };
  for (const { name, semantic, sql } of TPCH_QUERIES) {
    const measured = await inTurns(duckdb, [compile(semantic).sql, sql], runs);
    figures = { ...figures, queries: [...figures.queries, { query: name, runs, ...measured }] };
    tell(figures);
  }
  return figures;
}

/** The first run of each warms up, and must have the same answer; then the one that begins changes. */
async function inTurns(
  duckdb: PlainDuckdb,
  texts: readonly [plinth: string, handWritten: string],
  runs: number,
): Promise<Omit<Execution, 'query' | 'runs'>> {
  const [first, second] = [await duckdb.query(texts[0]), await duckdb.query(texts[1])];
  if (JSON.stringify(first.rows) !== JSON.stringify(second.rows))
    throw new Error(`the answers differ:\n${texts.join('\n\n')}`);
  const times: readonly [Time[], Time[]] = [[], []];
  for (let run = 0; run < runs; run++)
    for (const side of run % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
      times[side].push(await timeOf(() => duckdb.query(texts[side])));
  const [plinth, handWritten] = [summary(times[0]), summary(times[1])];
  return {
    plinth,
    handWritten,
    ratio: ratio(plinth.medianMs, handWritten.medianMs),
    cpuRatio: ratio(plinth.cpuMedianMs, handWritten.cpuMedianMs),
  };
}

async function timeOf(work: () => Promise<unknown>): Promise<Time> {
  const worked = process.cpuUsage();
  const began = performance.now();
  await work();
  const wallMs = performance.now() - began;
  const { user, system } = process.cpuUsage(worked);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

function summary(times: readonly Time[]): ExecutionTimes {
  const of = (pick: (time: Time) => number) =>
    summarise(
      times.map((time) => ({ wallMs: pick(time), peakRssMb: null })),
      0,
    );
  const { medianMs, p95Ms } = of(({ wallMs }) => wallMs);
  return { medianMs, p95Ms, cpuMedianMs: of(({ cpuMs }) => cpuMs).medianMs };
}

function ratio(a: number, b: number): number {
  return Math.round((a / b) * 100) / 100;
}
