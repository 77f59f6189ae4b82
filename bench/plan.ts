import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, touchModel, writeProject } from './generate/write-project.ts';
import { measureStress, type StressResult } from './interval-stress.ts';
import {
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

// Plan: a project of 1,000 models is applied once with empty sources; then, without applying,
//   no-op         nothing changed
//   one-change    one mart that nobody reads got a new column
//   environment   a plan of an environment that does not exist yet, nothing changed
// Beside it the interval stress of Plinth alone. The peer's first plan takes minutes: results are written after each figure, and
// `isComplete` says whether they are all there.

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
      /** Where results go; without it nothing is written when there are no peers. */
      results: { type: 'string' },
    },
  });
  const file =
    values.results ?? (values['no-peers'] ? undefined : join(import.meta.dirname, 'results', 'plan.json'));
  const out = join(WORK, `plan-${values.models}`);
  mkdirSync(out, { recursive: true });
  const manifest = writeProject(out, Number(values.models), 0);
  const peer: Peer | undefined = values['no-peers'] ? undefined : ensurePeer('sqlmesh');
  const tools = [
    plinthTool(out, Number(values.runs)),
    ...(peer?.kind === 'available' ? [sqlmeshTool(out, peer, Number(values['peer-runs']))] : []),
  ];
  const commit = commitOfHere();
  const before = await quietLoad();
  let measured: PlanResults = { apply: {}, series: {}, failed: {} };
  let stress: readonly StressResult[] = [];
  const write = (isComplete: boolean): void => {
    if (file === undefined) return;
    const results = {
      bench: 'plan',
      at: new Date().toISOString(),
      isComplete,
      commit,
      machine: describeMachine(),
      loadAverage: { before, after: loadavg()[0]! },
      versions: peer?.kind === 'available' ? peer.versions : {},
      project: manifest,
      ...measured,
      ratios: ratiosOf(measured),
      stress,
    };
    writeResults(file, results);
  };
  // Before the peers, whose part is the long one.
  if (!values['no-stress'])
    stress = await measureStress(join(WORK, 'stress'), (found) => {
      stress = found;
      write(false);
    });
  measured = await measureTools(tools, manifest, (found) => {
    measured = found;
    write(false);
  });
  write(true);
  console.log(
    JSON.stringify(
      { apply: measured.apply, failed: measured.failed, ratios: ratiosOf(measured), stress },
      null,
      2,
    ),
  );
  for (const [name, own] of Object.entries(measured.series))
    for (const [scenario, summary] of Object.entries(own))
      console.log(
        `${name.padEnd(8)} ${scenario.padEnd(12)} median ${summary.medianMs} ms, p95 ${summary.p95Ms} ms, ${summary.runs} runs`,
      );
}

async function measureTools(
  tools: readonly PlanTool[],
  manifest: Manifest,
  tell: (found: PlanResults) => void,
): Promise<PlanResults> {
  const apply: Record<string, number> = {};
  const failed: Record<string, string> = {};
  const samples = new Map(tools.map(({ name }) => [name, new Map<Scenario, Sample[]>()]));
  const load = loadavg()[0]!;
  const found = (): PlanResults => ({
    apply,
    failed,
    series: Object.fromEntries(
      [...samples].map(([name, own]) => [
        name,
        Object.fromEntries([...own].map(([scenario, each]) => [scenario, summarise(each, load)])),
      ]),
    ),
  });
  /** One figure, told as soon as it is there; a tool that fails once is left out from then on. */
  const attempt = async (tool: PlanTool, what: string, work: () => Promise<Sample>): Promise<void> => {
    if (failed[tool.name] !== undefined) return;
    process.stderr.write(`[plan] ${new Date().toISOString().slice(11, 19)} ${what}: ${tool.name} …`);
    try {
      const { wallMs } = await work();
      process.stderr.write(` ${Math.round(wallMs)} ms\n`);
    } catch (error) {
      failed[tool.name] = `${what}: ${error instanceof Error ? error.message : String(error)}`;
      process.stderr.write(' failed\n');
    }
    tell(found());
  };
  for (const tool of tools)
    await attempt(tool, 'first plan', async () => {
      const sample = await measureOnce(tool.apply);
      apply[tool.name] = Math.round(sample.wallMs);
      return sample;
    });
  const rounds = Math.max(...tools.map(({ runs }) => runs));
  for (const scenario of SCENARIOS)
    for (let round = 0; round < rounds; round++)
      for (const tool of tools) {
        if (round >= tool.runs) continue;
        const leaf = join(tool.folder, manifest.leaf.blocks);
        const original = readFileSync(leaf, 'utf8');
        if (scenario === 'one-change') writeFileSync(leaf, touchModel(original, round + 1));
        await attempt(tool, `${scenario}, round ${round + 1}`, async () => {
          const sample = await measureOnce(scenario === 'environment' ? tool.planEnvironment : tool.plan);
          checkChanges(tool, scenario, sample);
          const own = samples.get(tool.name)!;
          own.set(scenario, [...(own.get(scenario) ?? []), sample]);
          return sample;
        });
        writeFileSync(leaf, original);
      }
  return found();
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
    // Without the flag it refuses to make an environment in which nothing changed.
    planEnvironment: command('dev', '--explain', '--include-unmodified'),
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
