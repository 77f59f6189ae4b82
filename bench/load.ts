import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeProject } from './generate/write-project.ts';
import { compareWithBars, printReport } from './load-report.ts';
import type { Floor, LoadResults, Scenario, SizePoint, ToolResult } from './load-results.ts';
import { dbtTool, type LoadTool, plinthTool, sqlmeshTool } from './load-tools.ts';
import {
  builtPlinth,
  commitOfHere,
  describeMachine,
  measureOnce,
  measureSeries,
  type Sample,
  type Summary,
  summarise,
} from './measure.ts';
import { ensurePeer, type Peer } from './peers.ts';
import { quietLoad, writeResults } from './quiet.ts';

// Load: how long until a whole project is known, through each tool's own process.
//   cold    no cache             leaf   one mart that nobody reads got a new column
//   warm    nothing changed      root   the staging model with most descendants got a new column
//                                macro  the shared macro has another effect
// Beside it the floors: reading the files, parsing the SQL with the library alone, starting Node.

// Outside the repository, so that no linter or compiler of ours looks at the generated files.
const WORK = join(tmpdir(), 'plinth-bench');
const NODE = process.execPath;
const SIZES = [1000, 5000, 10_000];
const SCENARIOS = ['cold', 'warm', 'leaf', 'root', 'macro'] as const;
const START_RUNS = 15;

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
  const commit = commitOfHere();

  const out = join(WORK, `load-${total}`);
  mkdirSync(out, { recursive: true });
  const manifest = writeProject(out, total, 0);
  const site = { out, manifest };
  const peers: readonly Peer[] = hasPeers ? [ensurePeer('dbt'), ensurePeer('sqlmesh')] : [];
  say(
    `project: ${manifest.sqlModels} SQL models, ${manifest.externals} external, ${Math.round(manifest.sqlBytes / 1000)} kB`,
  );

  // What came before, such as the installation of peers, is over.
  const before = await quietLoad();
  say('start of Node and reading the files');
  const start = await measureStart();
  const read = floorOf('read-files.ts', join(out, 'blocks'));
  for (let i = 0; i < runs; i++) await read.once();
  const parse = floorOf('parse-queries.ts', join(out, 'bare', 'queries'));
  const entries: Entry[] = [{ tool: plinthTool(site), runs }];
  for (const peer of peers) {
    if (peer.kind === 'available') {
      entries.push({
        tool: peer.name === 'dbt' ? dbtTool(site, peer) : sqlmeshTool(site, peer),
        runs: peerRuns,
      });
    }
  }
  const tools = await measureTools(entries, parse.once);
  for (const peer of peers) if (peer.kind === 'not-available') tools[peer.name] = peer;
  const floors = { read: read.done(), parse: parse.done(), ...start };
  const isBroken = tools.plinth!.kind === 'not-available';
  const sizes = values.quick || values['no-sizes'] || isBroken ? [] : await measureSizes();

  const results: LoadResults = {
    bench: 'load',
    at: new Date().toISOString(),
    commit,
    machine: describeMachine(),
    loadAverage: { before, after: loadavg()[0]! },
    versions: versionsOf(peers),
    project: manifest,
    notes: [
      `${runs} runs for Plinth and the floors; ${peerRuns} for the peers, because SQLMesh takes about a minute a run`,
      'wall time of a whole process from start to exit; memory is the high-water mark of that process (SQLMesh also forks workers, which are not counted)',
      'Plinth runs `plinth info --json`; SQLMesh runs Context(paths=…) in a script, which is less than its command line does; dbt parse reads no SQL',
      'each touched run differs from the run before by one file; the tools take turns within each scenario',
    ],
    tools,
    floors,
    sizes,
  };
  const bars = compareWithBars(results);
  printReport(results, bars);
  // A quick run is for trying the bench; only full runs are kept with the code.
  const folder = values.quick ? WORK : join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeResults(join(folder, 'load.json'), { ...results, bars });
}

interface Entry {
  readonly tool: LoadTool;
  readonly runs: number;
}

// All tools take turns within each scenario, and the parser's floor with them in the cold one, so that a busy minute of
// the machine falls on everybody and not on one series.
async function measureTools(
  entries: readonly Entry[],
  parseFloor: () => Promise<void>,
): Promise<Record<string, ToolResult>> {
  const series = new Map<string, Partial<Record<Scenario, Summary>>>();
  const broken = new Map<string, string>();
  const attempt = async ({ tool }: Entry, work: () => Promise<void>): Promise<void> => {
    if (broken.has(tool.name)) return;
    await work().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      broken.set(tool.name, reason.replaceAll(join(import.meta.dirname, '..'), '.').replaceAll(WORK, '.'));
    });
  };
  for (const scenario of SCENARIOS) {
    const loadAverage = loadavg()[0]!;
    const samples = new Map<string, Sample[]>(entries.map(({ tool }) => [tool.name, []]));
    // The last cold run may have been told not to keep its cache (dbt), so warm up once unmeasured.
    if (scenario === 'warm') {
      for (const entry of entries)
        await attempt(entry, async () => void (await measureOnce(entry.tool.warm)));
    }
    const rounds = Math.max(...entries.map(({ runs }) => runs));
    for (let round = 0; round < rounds; round++) {
      say(`${scenario}: round ${round + 1} of ${rounds}`);
      if (scenario === 'cold') await parseFloor();
      for (const entry of entries) {
        if (round < entry.runs) {
          await attempt(entry, async () => {
            samples.get(entry.tool.name)!.push(await runScenario(entry.tool, scenario, round));
          });
        }
      }
    }
    for (const [name, list] of samples) {
      if (!broken.has(name))
        series.set(name, { ...series.get(name), [scenario]: summarise(list, loadAverage) });
    }
  }
  const results: Record<string, ToolResult> = {};
  for (const { tool } of entries) {
    const reason = broken.get(tool.name);
    results[tool.name] =
      reason === undefined
        ? { kind: 'measured', series: series.get(tool.name) as Record<Scenario, Summary> }
        : { kind: 'not-available', reason };
  }
  return results;
}

async function runScenario(tool: LoadTool, scenario: Scenario, round: number): Promise<Sample> {
  if (scenario === 'cold') tool.clearCache();
  else if (scenario !== 'warm') tool.touch(scenario, round + 1);
  const sample = await measureOnce(scenario === 'cold' ? tool.cold : tool.warm);
  tool.check(sample);
  return sample;
}

async function measureStart(): Promise<{ readonly node: Summary; readonly version: Summary | null }> {
  const root = join(import.meta.dirname, '..');
  const commands = {
    node: { program: NODE, args: ['-e', '0'], cwd: root },
    version: { program: join(root, 'bin', 'plinth'), args: ['--version'], cwd: root },
  };
  const node: Sample[] = [];
  const version: Sample[] = [];
  let isBroken = false;
  const loadAverage = loadavg()[0]!;
  for (let i = 0; i < START_RUNS; i++) {
    node.push(await measureOnce(commands.node));
    if (!isBroken) {
      await measureOnce(commands.version).then(
        (sample) => version.push(sample),
        () => {
          isBroken = true;
        },
      );
    }
  }
  return { node: summarise(node, loadAverage), version: isBroken ? null : summarise(version, loadAverage) };
}

/** A floor script that is run now and then; `done` gives what its runs say together. */
function floorOf(
  script: string,
  folder: string,
): { readonly once: () => Promise<void>; readonly done: () => Floor } {
  const command = {
    program: NODE,
    args: [join('bench', 'floors', script), folder],
    cwd: join(import.meta.dirname, '..'),
  };
  const samples: Sample[] = [];
  const inner: number[] = [];
  let detail: Record<string, unknown> = {};
  const loadAverage = loadavg()[0]!;
  return {
    once: async () => {
      const sample = await measureOnce(command);
      detail = JSON.parse(sample.stdout);
      inner.push(Number(detail.innerMs));
      samples.push(sample);
    },
    done: () => {
      const sorted = inner.toSorted((a, b) => a - b);
      return {
        wall: summarise(samples, loadAverage),
        innerMs: Math.round(sorted[Math.floor(sorted.length / 2)]!),
        detail,
      };
    },
  };
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
    plinth: `${versionIn()} (${builtPlinth()})`,
    'sql library': versionIn('node_modules', '@polyglot-sql', 'sdk'),
  };
  for (const peer of peers) if (peer.kind === 'available') Object.assign(versions, peer.versions);
  return versions;
}

function say(text: string): void {
  process.stderr.write(`[load] ${text}\n`);
}
