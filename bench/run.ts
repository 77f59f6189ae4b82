import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeProject } from './generate/write-project.ts';
import { endKeepers } from './keepers.ts';
import {
  builtPlinth,
  type Command,
  commitOfHere,
  describeMachine,
  measureOnce,
  type Sample,
  type Summary,
  summarise,
} from './measure.ts';
import { ensurePeer, PEER_ENVIRONMENT, type Peer, runInPeer } from './peers.ts';
import { quietLoad, writeResults } from './quiet.ts';
import type { StateShare } from './state-share.ts';

// Run: from an empty warehouse with filled sources to every table built and audited, through each tool's own process.
//   backfill    plan and build everything (SQLMesh plan --auto-apply, dbt build, the bare statements and audits)
//   increment   the next day: full tables anew, incremental ones a day more, all audits (Plinth and the floor)
// Beside it, once more in one process with clocks around the ports: what the backfill waits for state (see state-share.ts).

const ROOT = join(import.meta.dirname, '..');
const WORK = join(tmpdir(), 'plinth-bench');
const PLINTH = join(ROOT, 'bin', 'plinth');
const SHARE_RUNS = 5;

type Scenario = 'backfill' | 'increment';
type Series = Partial<Record<Scenario, Summary>>;

interface RunTool {
  readonly name: string;
  readonly runs: number;
  /** Makes a folder with sources and nothing else, for one round. */
  readonly prepare: (round: number) => { readonly backfill: Command; readonly increment?: Command };
}

/** The bench behind `npm run bench run`. */
export async function runRunBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      models: { type: 'string', default: '250' },
      rows: { type: 'string', default: '200' },
      runs: { type: 'string', default: '5' },
      'peer-runs': { type: 'string', default: '1' },
      'no-peers': { type: 'boolean', default: false },
    },
  });
  const out = join(WORK, `run-${values.models}`);
  mkdirSync(out, { recursive: true });
  const manifest = writeProject(out, Number(values.models), Number(values.rows));
  const sources = join(out, 'sources.duckdb');
  rmSync(sources, { force: true });
  floor(sources, [join(out, 'bare', 'externals.sql')]);
  const peers: readonly Peer[] = values['no-peers'] ? [] : [ensurePeer('dbt'), ensurePeer('sqlmesh')];
  const tools = [
    plinthTool(out, sources, Number(values.runs)),
    floorTool(out, sources, Number(values.runs)),
    ...peers.flatMap((peer) =>
      peer.kind === 'available' ? [peerTool(out, peer, Number(values['peer-runs']))] : [],
    ),
  ];
  const commit = commitOfHere();
  const before = await quietLoad();
  const { series, failed } = await measureTools(tools, out);
  const stateShare = await measureStateShare(out, sources);
  const results = {
    bench: 'run',
    at: new Date().toISOString(),
    commit,
    machine: describeMachine(),
    loadAverage: { before, after: loadavg()[0]! },
    versions: versionsOf(peers),
    project: manifest,
    rowsPerSource: Number(values.rows),
    tools: series,
    failed,
    ratios: ratiosOf(series),
    stateShare,
  };
  report(results.ratios, series, failed);
  console.log(shareText(stateShare));
  if (!values['no-peers']) writeResults(join(import.meta.dirname, 'results', 'run.json'), results);
}

async function measureTools(
  tools: readonly RunTool[],
  out: string,
): Promise<{
  readonly series: Record<string, Series>;
  readonly failed: Record<string, string>;
}> {
  const samples = new Map<string, Record<Scenario, Sample[]>>();
  const failed: Record<string, string> = {};
  const load = loadavg()[0]!;
  const rounds = Math.max(...tools.map(({ runs }) => runs));
  for (let round = 0; round < rounds; round++)
    for (const tool of tools) {
      if (round >= tool.runs || failed[tool.name] !== undefined) continue;
      process.stderr.write(`[run] round ${round + 1}: ${tool.name}\n`);
      const own = samples.get(tool.name) ?? { backfill: [], increment: [] };
      samples.set(tool.name, own);
      try {
        const { backfill, increment } = tool.prepare(round);
        own.backfill.push(await measureOnce(backfill));
        if (increment !== undefined) own.increment.push(await measureOnce(increment));
        await endKeepers(out);
      } catch (error) {
        failed[tool.name] = error instanceof Error ? error.message : String(error);
      }
    }
  const series: Record<string, Series> = {};
  for (const [name, own] of samples)
    if (failed[name] === undefined)
      series[name] = {
        backfill: summarise(own.backfill, load),
        ...(own.increment.length === 0 ? {} : { increment: summarise(own.increment, load) }),
      };
  return { series, failed };
}

function plinthTool(out: string, sources: string, runs: number): RunTool {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  return {
    name: 'plinth',
    runs,
    // A folder for each round, which no keeper has seen.
    prepare: (round) => {
      const folder = plinthFolder(out, sources, String(round));
      return {
        backfill: { program: PLINTH, args: ['plan', '--yes', '--json'], cwd: folder },
        increment: {
          program: PLINTH,
          args: ['run', '--json', '--execution-time', tomorrow],
          cwd: folder,
        },
      };
    },
  };
}

/** The median of five, by the time that state alone was waited for. */
async function measureStateShare(out: string, sources: string): Promise<StateShare> {
  const shares: StateShare[] = [];
  for (let round = 0; round < SHARE_RUNS; round++) {
    process.stderr.write(`[run] round ${round + 1}: share of state\n`);
    const folder = plinthFolder(out, sources, `share-${round}`);
    const { stdout } = await measureOnce({
      program: process.execPath,
      args: [join(import.meta.dirname, 'main.ts'), 'state-share', folder],
      cwd: folder,
    });
    await endKeepers(out);
    shares.push(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as StateShare);
  }
  return shares.toSorted((a, b) => a.aloneShare - b.aloneShare)[Math.floor(SHARE_RUNS / 2)] as StateShare;
}

function shareText({ runMs, awaitedMs, aloneMs, threadCpuMs, processCpuMs, ...shares }: StateShare): string {
  const percent = (share: number | null): string =>
    share === null ? 'not measured' : `${(share * 100).toFixed(1)} %`;
  return `state      of a run of ${runMs} ms: ${awaitedMs} ms with a state call under way, ${aloneMs} ms (${percent(shares.aloneShare)}) with nothing else; its thread took ${threadCpuMs ?? '?'} of ${processCpuMs} ms of processor time of the command, without the keeper (${percent(shares.cpuShare)})`;
}

/** A folder with the project and its sources, which no keeper has seen. */
function plinthFolder(out: string, sources: string, name: string): string {
  const folder = join(out, `plinth-${process.pid}-${name}`);
  cpSync(join(out, 'blocks'), folder, { recursive: true });
  cpSync(sources, join(folder, 'warehouse.duckdb'));
  return folder;
}

function floorTool(out: string, sources: string, runs: number): RunTool {
  const folder = join(out, 'floor');
  const bare = (name: string): string => join(out, 'bare', name);
  const script = join(import.meta.dirname, 'floors', 'run-script.ts');
  const command = (...scripts: readonly string[]): Command => ({
    program: process.execPath,
    args: [script, 'floor.duckdb', ...scripts.map(bare)],
    cwd: folder,
  });
  return {
    name: 'floor',
    runs,
    prepare: () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      cpSync(sources, join(folder, 'floor.duckdb'));
      return {
        backfill: command('build.sql', 'audits.sql'),
        increment: command('increment.sql', 'audits.sql'),
      };
    },
  };
}

function peerTool(out: string, peer: Peer & { kind: 'available' }, runs: number): RunTool {
  const isDbt = peer.name === 'dbt';
  const folder = join(out, `run-${peer.name}`);
  return {
    name: peer.name,
    runs,
    prepare: () => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(join(out, isDbt ? 'dbt' : 'blocks'), folder, { recursive: true });
      runInPeer(peer, join(folder, 'warehouse.duckdb'), join(out, 'bare', 'externals.sql'));
      return {
        backfill: {
          program: join(peer.bin, peer.name),
          args: isDbt ? ['build'] : ['plan', '--auto-apply', '--no-prompts', '--skip-tests', '--skip-linter'],
          cwd: folder,
          env: { ...PEER_ENVIRONMENT, DBT_PROFILES_DIR: '.' },
          timeoutMs: 1_200_000,
        },
      };
    },
  };
}

function floor(database: string, scripts: readonly string[]): void {
  execFileSync(process.execPath, [
    join(import.meta.dirname, 'floors', 'run-script.ts'),
    database,
    ...scripts,
  ]);
}

function ratiosOf(series: Readonly<Record<string, Series>>): Record<string, number | null> {
  const ratio = (above: string, below: string, scenario: Scenario): number | null => {
    const [a, b] = [series[above]?.[scenario]?.medianMs, series[below]?.[scenario]?.medianMs];
    return a === undefined || b === undefined ? null : Math.round((a / b) * 100) / 100;
  };
  return {
    'backfill: plinth over the bare script (at most 1.5)': ratio('plinth', 'floor', 'backfill'),
    'increment: plinth over the bare script (at most 1.5)': ratio('plinth', 'floor', 'increment'),
    'backfill: dbt build over plinth (at least 8)': ratio('dbt', 'plinth', 'backfill'),
    'backfill: sqlmesh plan over plinth (at least 40)': ratio('sqlmesh', 'plinth', 'backfill'),
  };
}

function report(
  ratios: Readonly<Record<string, number | null>>,
  series: Readonly<Record<string, Series>>,
  failed: Readonly<Record<string, string>>,
): void {
  for (const [name, own] of Object.entries(series))
    for (const [scenario, summary] of Object.entries(own))
      console.log(
        `${name.padEnd(10)} ${scenario.padEnd(10)} median ${summary.medianMs} ms, p95 ${summary.p95Ms} ms, ${summary.runs} runs, peak ${summary.peakRssMb} MB`,
      );
  for (const [name, reason] of Object.entries(failed)) console.log(`${name}: not available: ${reason}`);
  for (const [name, value] of Object.entries(ratios)) console.log(`${name}: ${value ?? 'not measured'}`);
}

function versionsOf(peers: readonly Peer[]): Record<string, string> {
  const versions: Record<string, string> = {
    node: process.versions.node,
    plinth: builtPlinth(),
    duckdb: (
      JSON.parse(readFileSync(join(ROOT, 'node_modules', '@duckdb', 'node-api', 'package.json'), 'utf8')) as {
        version: string;
      }
    ).version,
  };
  for (const peer of peers)
    if (peer.kind === 'available') Object.assign(versions, { [peer.name]: peer.versions });
  return versions;
}
