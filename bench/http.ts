import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Crowd, measureCrowds } from './http-crowd.ts';
import { type CubePeer, tryCube } from './http-cube.ts';
import { measureOverhead, type Overhead } from './http-latency.ts';
import { copyWarehouse, measureSemantic, type SemanticFigures } from './http-semantic.ts';
import { makeProject, type Served, serve } from './http-served.ts';
import { measureStatements, type StatementFigures } from './http-statements.ts';
import { measureStreams, type StreamFigures } from './http-stream.ts';
import { describeMachine } from './measure.ts';
import { measurePart, type PartTime, unfit, writeResults } from './quiet.ts';

// HTTP: what the server costs above what it stands on. The server is the built program with `--auth required`, a process of
// its own; this process is the client.
//   overhead    authentication and routing beside bare Fastify answering the same JSON
//   crowd       the same routes asked by 1, 20 and 200 connections at once
//   semantic    a small semantic query, executed and from the cache, beside the same SQL in a bare DuckDB
//   stream      1 and 10 million rows as csv, ndjson and arrow, with the memory of the server
//   statements  durable statements a second over 16 connections, with state.synchronous normal and full
// Results are written after each part, and `isComplete` says whether they are all there.

const ROOT = join(import.meta.dirname, '..');
// Of this process: two may run at once, and each takes away its own.
const WORK = join(tmpdir(), 'plinth-bench', `http-${process.pid}`);
const BARS = {
  overheadMs: 0.3,
  uncachedAboveMs: 5,
  cachedAboveMs: 2,
  statementsPerSecond: 300,
  streamGrowthMb: 60,
  /** By how much two runs of the same stream were seen to differ: the longer result may be so much above the shorter. */
  streamNoiseMb: 8,
} as const;

interface Measured {
  readonly overhead?: Readonly<Record<string, Overhead>>;
  readonly crowd?: Readonly<Record<string, readonly Crowd[]>>;
  readonly semantic?: SemanticFigures;
  readonly streams?: readonly StreamFigures[];
  readonly statements?: Readonly<Record<string, StatementFigures>>;
  readonly peers?: { readonly cube: CubePeer };
}

interface Results extends Measured {
  readonly parts: Readonly<Record<string, PartTime>>;
}

/** The bench behind `npm run bench http`. */
export async function runHttpBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      /** One of the parts above alone. */
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      requests: { type: 'string', default: '2500' },
      rows: { type: 'string', default: '10000000' },
      statements: { type: 'string', default: '1500' },
      connections: { type: 'string', default: '16' },
      /** Also tries to install what others would compare themselves with. */
      peers: { type: 'boolean', default: false },
      /** Given to the server's Node, e.g. `--cpu-prof`. */
      'node-options': { type: 'string' },
      results: { type: 'string', default: join(import.meta.dirname, 'results', 'http.json') },
    },
  });
  mkdirSync(WORK, { recursive: true });
  mkdirSync(dirname(values.results), { recursive: true });
  // A part that is measured alone is put beside those that were measured before.
  let known: Results = { parts: {}, ...(values.only === undefined ? {} : resultsIn(values.results)) };
  const tell = (more: Partial<Results>): void => {
    known = { ...known, ...more, parts: { ...known.parts, ...more.parts } };
    const results = {
      bench: 'http',
      at: new Date().toISOString(),
      isComplete: Object.keys(parts).every((name) => known.parts[name] !== undefined),
      machine: describeMachine(),
      versions: versions(),
      bars: BARS,
      ...known,
    };
    writeResults(values.results, results);
  };
  const nodeOptions = values['node-options'];
  const requests = Number(values.requests);
  const parts: Readonly<Record<string, () => Promise<Measured>>> = {
    overhead: async () => ({
      overhead: await withServer(nodeOptions, (served) => measureOverhead(served, requests)),
    }),
    crowd: async () => ({ crowd: await withServer(nodeOptions, measureCrowds) }),
    semantic: async () => ({
      semantic: await withServer(nodeOptions, (served, warehouse) =>
        measureSemantic(served, warehouse, requests),
      ),
    }),
    stream: async () => ({
      streams: await measureStreams(
        makeProject(join(WORK, 'http-stream')),
        [Number(values.rows) / 10, Number(values.rows)],
        {
          nodeOptions,
          onFigures: (figures) => process.stderr.write(`[http] ${JSON.stringify(figures)}\n`),
        },
      ),
    }),
    statements: async () => ({
      statements: await measureStatements({
        work: WORK,
        rounds: Number(values.rounds),
        count: Number(values.statements),
        connections: Number(values.connections),
        nodeOptions,
      }),
    }),
  };
  const { only } = values;
  if (only !== undefined && !Object.hasOwn(parts, only))
    throw new Error(`--only is one of ${Object.keys(parts).join(', ')}`);
  try {
    for (const [name, measure] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue;
      process.stderr.write(`[http] ${new Date().toISOString().slice(11, 19)} ${name}\n`);
      const { figures, time } = await measurePart(measure);
      tell({ ...figures, parts: { [name]: time } });
    }
    if (values.peers) tell({ peers: { cube: tryCube() } });
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
  print(known);
}

const FIGURES = {
  overhead: 'overhead',
  crowd: 'crowd',
  semantic: 'semantic',
  stream: 'streams',
  statements: 'statements',
} as const;

/** Figures of the parts in a results file, as far as there are any that may stay there. */
function resultsIn(file: string): Partial<Results> {
  if (!existsSync(file)) return {};
  const found = JSON.parse(readFileSync(file, 'utf8')) as Partial<Results>;
  const kept: [string, unknown][] = [];
  const parts: Record<string, PartTime> = {};
  for (const [name, key] of Object.entries(FIGURES)) {
    const time = found.parts?.[name];
    if (time === undefined) continue;
    const reason = unfit(time);
    if (reason !== undefined) console.error(`${file}: ${name} ${reason}, and is left out. Measure it again.`);
    else {
      parts[name] = time;
      kept.push([key, found[key]]);
    }
  }
  if (found.peers !== undefined) kept.push(['peers', found.peers]);
  return { parts, ...Object.fromEntries(kept) };
}

async function withServer<Found>(
  nodeOptions: string | undefined,
  measure: (served: Served, warehouse: string) => Promise<Found>,
): Promise<Found> {
  const project = makeProject(join(WORK, 'http'));
  const warehouse = copyWarehouse(project);
  const served = await serve(project, nodeOptions);
  try {
    return await measure(served, warehouse);
  } finally {
    await served.stop();
  }
}

function print({ overhead, crowd, semantic, streams, statements, peers }: Measured): void {
  if (overhead !== undefined)
    console.table(
      Object.entries(overhead).map(([route, { plinth, bare, aboveMs }]) => ({
        route,
        'plinth p50 ms': plinth.p50Ms,
        'p95 ms': plinth.p95Ms,
        'bare p50 ms': bare.p50Ms,
        'bare p95 ms': bare.p95Ms,
        'above ms': aboveMs,
        'at most': BARS.overheadMs,
        held: aboveMs <= BARS.overheadMs,
      })),
    );
  if (crowd !== undefined)
    console.table(
      Object.entries(crowd).flatMap(([route, each]) =>
        each.map(({ connections, plinth, bare }) => ({
          route,
          connections,
          'plinth /s': plinth.perSecond,
          'p50 ms': plinth.p50Ms,
          'p99 ms': plinth.p99Ms,
          'bare /s': bare.perSecond,
          'bare p50 ms': bare.p50Ms,
          'bare p99 ms': bare.p99Ms,
        })),
      ),
    );
  if (semantic !== undefined) {
    const { bareEngine, uncached, cached, uncachedAboveMs, cachedAboveMs } = semantic;
    const line = (query: string, { p50Ms, p95Ms }: typeof cached, aboveMs?: number, atMost = 0) => ({
      query,
      'p50 ms': p50Ms,
      'p95 ms': p95Ms,
      ...(aboveMs === undefined ? {} : { 'above ms': aboveMs, 'at most': atMost, held: aboveMs <= atMost }),
    });
    console.table([
      line('bare engine', bareEngine),
      line('semantic, executed', uncached, uncachedAboveMs, BARS.uncachedAboveMs),
      line('semantic, cached', cached, cachedAboveMs, BARS.cachedAboveMs),
    ]);
  }
  if (streams !== undefined)
    console.table(
      streams.map(({ growthMb, ...figures }) => {
        const shorter = streams.find(({ phase, rows }) => phase === figures.phase && rows < figures.rows);
        const atMost = Math.min(
          BARS.streamGrowthMb,
          (shorter?.growthMb ?? BARS.streamGrowthMb) + BARS.streamNoiseMb,
        );
        return { ...figures, growthMb, 'at most': atMost, held: growthMb <= atMost };
      }),
    );
  if (statements !== undefined)
    console.table(
      Object.entries(statements).map(([name, { perSecond, rounds }]) => ({
        statements: name,
        'median /s': perSecond.median,
        'best /s': perSecond.best,
        'worst /s': perSecond.worst,
        'server CPU ms': median(rounds.map(({ serverCpuMs }) => serverCpuMs)),
        'keeper CPU ms': median(rounds.map(({ keeperCpuMs }) => keeperCpuMs)),
        'client CPU ms': median(rounds.map(({ clientCpuMs }) => clientCpuMs)),
        ...(name.startsWith('normal, one')
          ? { 'at least': BARS.statementsPerSecond, held: perSecond.median >= BARS.statementsPerSecond }
          : {}),
      })),
    );
  if (peers !== undefined) console.log(`Cube REST: ${peers.cube.kind} (${peers.cube.reason})`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)]!;
}

function versions(): Record<string, string> {
  const of = (name: string): string =>
    (
      JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      }
    ).version;
  return { node: process.version, fastify: of('fastify'), duckdb: of('@duckdb/node-api') };
}
