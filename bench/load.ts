import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, writeProject } from './generate/write-project.ts';
import { judge, printReport } from './load-report.ts';
import { dbtTool, type LoadTool, plinthTool, sqlmeshTool } from './load-tools.ts';
import { describeMachine, measureOnce, measureSeries, type Summary } from './measure.ts';
import { ensurePeer, type Peer } from './peers.ts';

// Load: how long until a whole project is known, through each tool's own process.
//   cold    no cache             leaf   one mart that nobody reads got a new column
//   warm    nothing changed      root   the staging model with most descendants got a new column
//                                macro  the shared macro has another effect
// Beside it the floors: reading the files, parsing the SQL with the library alone, starting Node.

export type Scenario = 'cold' | 'warm' | 'leaf' | 'root' | 'macro';

/** The figures of one tool, or the reason why there are none. */
export type ToolResult =
  | { readonly kind: 'measured'; readonly series: Readonly<Record<Scenario, Summary>> }
  | { readonly kind: 'not-available'; readonly reason: string };

/** A floor measured as a process (`wall`) and inside it, without starting Node and the library (`innerMs`). */
interface Floor {
  readonly wall: Summary;
  readonly innerMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Cold load of one project size, for memory and growth. */
interface SizePoint {
  readonly models: number;
  readonly cold: Summary;
}

/** All that `bench/results/load.json` holds except the judgement. */
export interface LoadResults {
  readonly bench: 'load';
  readonly at: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly loadAverage: { readonly before: number; readonly after: number };
  readonly versions: Readonly<Record<string, string>>;
  readonly project: Manifest;
  readonly notes: readonly string[];
  readonly tools: Readonly<Record<string, ToolResult>>;
  readonly floors: {
    readonly read: Floor;
    readonly parse: Floor;
    readonly node: Summary;
    readonly version: Summary | null;
  };
  readonly sizes: readonly SizePoint[];
}

// Outside the repository, so that no linter or compiler of ours looks at the generated files.
const WORK = join(tmpdir(), 'plinth-bench');
const NODE = process.execPath;
const SIZES = [1000, 5000, 10_000];

/** The bench behind `npm run bench load`. */
export async function runLoadBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      models: { type: 'string' },
      runs: { type: 'string', default: '5' },
      'peer-runs': { type: 'string', default: '3' },
      'no-peers': { type: 'boolean', default: false },
      'no-sizes': { type: 'boolean', default: false },
    },
  });
  const total = Number(values.models ?? (values.quick ? 100 : 1000));
  const runs = Number(values.runs);
  const peerRuns = Number(values['peer-runs']);
  const hasPeers = !values.quick && !values['no-peers'];
  const before = loadavg()[0]!;

  const out = join(WORK, `load-${total}`);
  mkdirSync(out, { recursive: true });
  const manifest = writeProject(out, total, 0);
  const site = { out, manifest };
  say(
    `project: ${manifest.sqlModels} SQL models, ${manifest.externals} external, ${Math.round(manifest.sqlBytes / 1000)} kB`,
  );

  const floors = await measureFloors(out, runs);
  const tools: Record<string, ToolResult> = { plinth: await measureTool(plinthTool(site), runs) };
  const peers: readonly Peer[] = hasPeers ? [ensurePeer('dbt'), ensurePeer('sqlmesh')] : [];
  for (const peer of peers) {
    if (peer.kind === 'not-available') tools[peer.name] = peer;
    else if (peer.name === 'dbt') tools['dbt parse'] = await measureTool(dbtTool(site, peer), peerRuns);
    else tools.sqlmesh = await measureTool(sqlmeshTool(site, peer), peerRuns);
  }
  const isBroken = tools.plinth!.kind === 'not-available';
  const sizes = values.quick || values['no-sizes'] || isBroken ? [] : await measureSizes();

  const results: LoadResults = {
    bench: 'load',
    at: new Date().toISOString(),
    machine: describeMachine(),
    loadAverage: { before, after: loadavg()[0]! },
    versions: versionsOf(peers),
    project: manifest,
    notes: [
      `${runs} runs for Plinth and the floors; ${peerRuns} for the peers, because SQLMesh takes about a minute a run`,
      'wall time of a whole process from start to exit; memory is the high-water mark of that process (SQLMesh also forks workers, which are not counted)',
      'Plinth runs `plinth info --json`; SQLMesh runs Context(paths=…) in a script, which is less than its command line does; dbt parse reads no SQL',
      'each touched run differs from the run before by one file',
    ],
    tools,
    floors,
    sizes,
  };
  const judgement = judge(results);
  printReport(results, judgement);
  // A quick run is for trying the bench; only full runs are kept with the code.
  const folder = values.quick ? WORK : join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'load.json'), `${JSON.stringify({ ...results, judgement }, null, 2)}\n`);
}

async function measureTool(tool: LoadTool, runs: number): Promise<ToolResult> {
  try {
    const series: Partial<Record<Scenario, Summary>> = {};
    say(`${tool.name}: cold`);
    series.cold = await measureSeries(runs, tool.cold, tool.clearCache, tool.check);
    // The last cold run may have been told not to keep its cache (dbt), so warm up once unmeasured.
    await measureOnce(tool.warm);
    say(`${tool.name}: warm`);
    series.warm = await measureSeries(runs, tool.warm, () => {}, tool.check);
    for (const what of ['leaf', 'root', 'macro'] as const) {
      say(`${tool.name}: ${what} changed`);
      series[what] = await measureSeries(runs, tool.warm, (run) => tool.touch(what, run + 1), tool.check);
    }
    return { kind: 'measured', series: series as Record<Scenario, Summary> };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: 'not-available',
      reason: reason.replaceAll(join(import.meta.dirname, '..'), '.').replaceAll(WORK, '.'),
    };
  }
}

async function measureFloors(out: string, runs: number): Promise<LoadResults['floors']> {
  say('floors');
  const root = join(import.meta.dirname, '..');
  const read = await floor(join('bench', 'floors', 'read-files.ts'), join(out, 'blocks'), runs);
  const parse = await floor(join('bench', 'floors', 'parse-queries.ts'), join(out, 'bare', 'queries'), runs);
  const node = await measureSeries(10, { program: NODE, args: ['-e', '0'], cwd: root });
  const version = await measureSeries(10, {
    program: join(root, 'bin', 'plinth'),
    args: ['--version'],
    cwd: root,
  }).catch(() => null);
  return { read, parse, node, version };
}

async function floor(script: string, folder: string, runs: number): Promise<Floor> {
  const command = { program: NODE, args: [script, folder], cwd: join(import.meta.dirname, '..') };
  const inner: number[] = [];
  let detail: Record<string, unknown> = {};
  const wall = await measureSeries(
    runs,
    command,
    () => {},
    ({ stdout }) => {
      detail = JSON.parse(stdout);
      inner.push(Number(detail.innerMs));
    },
  );
  const sorted = inner.sort((a, b) => a - b);
  return { wall, innerMs: Math.round(sorted[Math.floor(sorted.length / 2)]!), detail };
}

async function measureSizes(): Promise<SizePoint[]> {
  const points: SizePoint[] = [];
  for (const models of SIZES) {
    say(`plinth: cold load of ${models}`);
    const out = join(WORK, `size-${models}`);
    mkdirSync(out, { recursive: true });
    const tool = plinthTool({ out, manifest: writeProject(out, models, 0) });
    points.push({ models, cold: await measureSeries(3, tool.cold, tool.clearCache, tool.check) });
    rmSync(out, { recursive: true, force: true });
  }
  return points;
}

function versionsOf(peers: readonly Peer[]): Record<string, string> {
  const root = join(import.meta.dirname, '..');
  const versionIn = (...path: string[]): string =>
    (JSON.parse(readFileSync(join(root, ...path, 'package.json'), 'utf8')) as { version: string }).version;
  const versions: Record<string, string> = {
    node: process.versions.node,
    plinth: `${versionIn()} (${existsSync(join(root, 'dist', 'cli', 'main.js')) ? 'built' : 'from source'})`,
    'sql library': versionIn('node_modules', '@polyglot-sql', 'sdk'),
  };
  for (const peer of peers) if (peer.kind === 'available') Object.assign(versions, peer.versions);
  return versions;
}

function say(text: string): void {
  process.stderr.write(`[load] ${text}\n`);
}
