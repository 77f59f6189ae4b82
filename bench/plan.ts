import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, touchModel, writeProject } from './generate/write-project.ts';
import { measureStress, type StressResult } from './interval-stress.ts';
import {
  type Command,
  describeMachine,
  measureOnce,
  type Sample,
  type Summary,
  summarise,
} from './measure.ts';
import { ensurePeer, PEER_ENVIRONMENT, type Peer, runInPeer } from './peers.ts';

// Plan: a project of 1,000 models is applied once with empty sources; then, without applying,
//   no-op         nothing changed
//   one-change    one mart that nobody reads got a new column
//   environment   a plan of an environment that does not exist yet, nothing changed
// Beside it the interval stress of Plinth alone.

const WORK = join(tmpdir(), 'plinth-bench');
const PLINTH = join(import.meta.dirname, '..', 'bin', 'plinth');
const SCENARIOS = ['no-op', 'one-change', 'environment'] as const;
type Scenario = (typeof SCENARIOS)[number];

interface PlanTool {
  readonly name: string;
  readonly folder: string;
  readonly runs: number;
  readonly apply: Command;
  readonly plan: Command;
  readonly planEnvironment: Command;
}

interface PlanResults {
  readonly apply: Record<string, number>;
  readonly series: Record<string, Partial<Record<Scenario, Summary>>>;
  readonly failed: Record<string, string>;
}

/** The bench behind `npm run bench plan`. */
export async function runPlanBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      models: { type: 'string', default: '1000' },
      runs: { type: 'string', default: '5' },
      'peer-runs': { type: 'string', default: '1' },
      'no-peers': { type: 'boolean', default: false },
      'no-stress': { type: 'boolean', default: false },
    },
  });
  const out = join(WORK, `plan-${values.models}`);
  mkdirSync(out, { recursive: true });
  const manifest = writeProject(out, Number(values.models), 0);
  const peer: Peer | undefined = values['no-peers'] ? undefined : ensurePeer('sqlmesh');
  const tools = [
    plinthTool(out, Number(values.runs)),
    ...(peer?.kind === 'available' ? [sqlmeshTool(out, peer, Number(values['peer-runs']))] : []),
  ];
  const before = loadavg()[0]!;
  const measured = await measureTools(tools, manifest);
  const stress: readonly StressResult[] = values['no-stress']
    ? []
    : await measureStress(join(WORK, 'stress'));
  const results = {
    bench: 'plan',
    at: new Date().toISOString(),
    machine: describeMachine(),
    loadAverage: { before, after: loadavg()[0]! },
    versions: peer?.kind === 'available' ? peer.versions : {},
    project: manifest,
    ...measured,
    ratios: ratiosOf(measured),
    stress,
  };
  console.log(
    JSON.stringify(
      { apply: measured.apply, failed: measured.failed, ratios: results.ratios, stress },
      null,
      2,
    ),
  );
  for (const [name, own] of Object.entries(measured.series))
    for (const [scenario, summary] of Object.entries(own))
      console.log(
        `${name.padEnd(8)} ${scenario.padEnd(12)} median ${summary.medianMs} ms, p95 ${summary.p95Ms} ms, ${summary.runs} runs`,
      );
  if (peer !== undefined)
    writeFileSync(join(import.meta.dirname, 'results', 'plan.json'), `${JSON.stringify(results, null, 2)}\n`);
}

async function measureTools(tools: readonly PlanTool[], manifest: Manifest): Promise<PlanResults> {
  const apply: Record<string, number> = {};
  const failed: Record<string, string> = {};
  const samples = new Map<string, Record<Scenario, Sample[]>>();
  const attempt = async (tool: PlanTool, work: () => Promise<void>): Promise<void> => {
    if (failed[tool.name] !== undefined) return;
    await work().catch((error: unknown) => {
      failed[tool.name] = error instanceof Error ? error.message : String(error);
    });
  };
  for (const tool of tools) {
    process.stderr.write(`[plan] first plan of ${tool.name}\n`);
    samples.set(tool.name, { 'no-op': [], 'one-change': [], environment: [] });
    await attempt(tool, async () => {
      apply[tool.name] = Math.round((await measureOnce(tool.apply)).wallMs);
    });
  }
  const load = loadavg()[0]!;
  const rounds = Math.max(...tools.map(({ runs }) => runs));
  for (const scenario of SCENARIOS)
    for (let round = 0; round < rounds; round++)
      for (const tool of tools) {
        if (round >= tool.runs) continue;
        process.stderr.write(`[plan] ${scenario}, round ${round + 1}: ${tool.name}\n`);
        const leaf = join(tool.folder, manifest.leaf.blocks);
        const original = readFileSync(leaf, 'utf8');
        if (scenario === 'one-change') writeFileSync(leaf, touchModel(original, round + 1));
        await attempt(tool, async () => {
          const command = scenario === 'environment' ? tool.planEnvironment : tool.plan;
          const sample = await measureOnce(command);
          checkChanges(tool, scenario, sample);
          samples.get(tool.name)![scenario].push(sample);
        });
        writeFileSync(leaf, original);
      }
  const series: PlanResults['series'] = {};
  for (const [name, own] of samples)
    if (failed[name] === undefined)
      series[name] = Object.fromEntries(
        SCENARIOS.map((scenario) => [scenario, summarise(own[scenario], load)]),
      );
  return { apply, series, failed };
}

/** A figure counts only when the plan said what it had to say. */
function checkChanges({ name }: PlanTool, scenario: Scenario, { stdout }: Sample): void {
  if (name !== 'plinth') return;
  const { ok, data } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as {
    ok: boolean;
    data: { changes: readonly { change: string }[] };
  };
  const direct = data.changes.filter(({ change }) => change === 'direct').length;
  if (!ok || direct !== (scenario === 'one-change' ? 1 : 0))
    throw new Error(`plinth found ${direct} direct changes in the ${scenario} plan`);
}

function plinthTool(out: string, runs: number): PlanTool {
  const folder = join(out, `plinth-${process.pid}`);
  cpSync(join(out, 'blocks'), folder, { recursive: true });
  const script = join(import.meta.dirname, 'floors', 'run-script.ts');
  execFileSync(process.execPath, [
    script,
    join(folder, 'warehouse.duckdb'),
    join(out, 'bare', 'externals.sql'),
  ]);
  const command = (...args: readonly string[]): Command => ({ program: PLINTH, args, cwd: folder });
  return {
    name: 'plinth',
    folder,
    runs,
    apply: command('plan', '--yes', '--json'),
    plan: command('plan', '--json'),
    planEnvironment: command('plan', 'dev', '--json'),
  };
}

function sqlmeshTool(out: string, peer: Peer & { kind: 'available' }, runs: number): PlanTool {
  const folder = join(out, 'sqlmesh');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(out, 'blocks'), folder, { recursive: true });
  runInPeer(peer, join(folder, 'warehouse.duckdb'), join(out, 'bare', 'externals.sql'));
  const command = (...args: readonly string[]): Command => ({
    program: join(peer.bin, 'sqlmesh'),
    args: ['plan', ...args, '--no-prompts', '--skip-tests', '--skip-linter'],
    cwd: folder,
    env: PEER_ENVIRONMENT,
    timeoutMs: 1_800_000,
  });
  return {
    name: 'sqlmesh',
    folder,
    runs,
    apply: command('--auto-apply'),
    plan: command('--explain'),
    planEnvironment: command('dev', '--explain'),
  };
}

function ratiosOf({ series }: PlanResults): Record<string, number | null> {
  return Object.fromEntries(
    SCENARIOS.map((scenario) => {
      const [theirs, ours] = [
        series['sqlmesh']?.[scenario]?.medianMs,
        series['plinth']?.[scenario]?.medianMs,
      ];
      const ratio = theirs === undefined || ours === undefined ? null : Math.round((theirs / ours) * 10) / 10;
      return [`${scenario}: sqlmesh over plinth (at least 30)`, ratio];
    }),
  );
}
