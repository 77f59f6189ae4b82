import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Manifest, touchModel, writeProject } from './generate/write-project.ts';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { inTurns, type Timed, timedRequest } from './http-latency.ts';
import { credentials, makeProject, type Served, serve } from './http-served.ts';
import { endKeepers } from './keepers.ts';
import { type Command, commitOfHere, describeMachine, measureOnce } from './measure.ts';
import { quietLoad, writeResults } from './quiet.ts';

// Since: the program of here in turns with that of an earlier commit, through what both have: commands and addresses.
//   load, change   `plinth info` of a project of 1,000 models, nothing cached, and after one model changed
//   no-op          a plan of 1,000 applied models in which nothing changed
//   run            the first plan of 250 models with rows, from an empty warehouse
//   me … cached    requests to a server
// A figure is the median of the ratios of the rounds, here over there: a busy second falls on one pair.

const ROOT = join(import.meta.dirname, '..');
const BAR = 1.03;

interface Version {
  readonly name: 'before' | 'after';
  readonly plinth: string;
  readonly folder: string;
}

interface Figure {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly ratio: number;
  readonly rounds: number;
}

/** The bench behind `npm run bench since`. */
export async function runSinceBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      commit: { type: 'string' },
      rounds: { type: 'string', default: '9' },
      requests: { type: 'string', default: '1500' },
      only: { type: 'string' },
    },
  });
  if (values.commit === undefined) throw new Error('Name the earlier commit: --commit HASH');
  const work = mkdtempSync(join(tmpdir(), 'plinth-since-'));
  try {
    const versions = [
      { name: 'before', plinth: earlierProgram(work, values.commit), folder: join(work, 'of-before') },
      { name: 'after', plinth: join(ROOT, 'bin', 'plinth'), folder: join(work, 'of-after') },
    ] as const;
    for (const { folder } of versions) mkdirSync(folder);
    const commit = commitOfHere();
    const before = await quietLoad();
    const at = new Date().toISOString();
    const parts = {
      commands: () => measureCommands(work, versions, Number(values.rounds)),
      requests: () => measureRequests(versions, Number(values.requests)),
    };
    const figures: Record<string, Figure> = {};
    for (const [name, measure] of Object.entries(parts))
      if (values.only === undefined || values.only === name) Object.assign(figures, await measure());
    for (const [name, { beforeMs, afterMs, ratio }] of Object.entries(figures))
      console.log(
        `${name.padEnd(10)} before ${beforeMs} ms, after ${afterMs} ms, ratio ${ratio} (at most ${BAR})`,
      );
    if (values.only !== undefined) return;
    writeResults(join(import.meta.dirname, 'results', 'since.json'), {
      bench: 'since',
      at,
      commit,
      earlier: values.commit,
      machine: describeMachine(),
      loadAverage: { before, after: loadavg()[0]! },
      figures,
    });
  } finally {
    await endKeepers(work);
    rmSync(work, { recursive: true, force: true });
  }
}

/** The built program of a commit, with the packages of here: whoever compares commits of different packages installs by hand. */
function earlierProgram(work: string, commit: string): string {
  const tree = join(work, 'earlier');
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, tree]);
  execFileSync('git', ['checkout', '--quiet', commit], { cwd: tree });
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  execFileSync(process.execPath, [join(tree, 'scripts', 'build.ts')], { cwd: tree, stdio: 'inherit' });
  return join(tree, 'bin', 'plinth');
}

async function measureCommands(
  work: string,
  versions: readonly Version[],
  rounds: number,
): Promise<Record<string, Figure>> {
  const large = join(work, 'large');
  const small = join(work, 'small');
  const manifest = writeProject(large, 1000, 0);
  writeProject(small, 250, 200);
  for (const { folder } of versions) {
    const project = join(folder, 'large');
    cpSync(join(large, 'blocks'), project, { recursive: true });
    sourcesOf(large, join(project, 'warehouse.duckdb'));
  }
  sourcesOf(small, join(small, 'sources.duckdb'));
  const taken = new Map<string, Record<Version['name'], number[]>>();
  const take = async (name: string, version: Version, command: Omit<Command, 'program'>): Promise<void> => {
    const { wallMs } = await measureOnce({ program: version.plinth, ...command });
    const own = taken.get(name) ?? { before: [], after: [] };
    taken.set(name, own);
    own[version.name].push(wallMs);
  };
  for (const version of versions) {
    await measureOnce({
      program: version.plinth,
      args: ['plan', '--yes', '--json'],
      cwd: join(version.folder, 'large'),
    });
  }
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`[since] round ${round + 1} of ${rounds}\n`);
    const turn = round % 2 === 0 ? versions : versions.toReversed();
    for (const version of turn) await takeLoads(version, manifest, round, take);
    for (const version of turn)
      await take('no-op', version, { args: ['plan', '--json'], cwd: join(version.folder, 'large') });
    await endKeepers(work);
    for (const version of turn) {
      const cwd = join(version.folder, `run-${round}`);
      cpSync(join(small, 'blocks'), cwd, { recursive: true });
      cpSync(join(small, 'sources.duckdb'), join(cwd, 'warehouse.duckdb'));
      await take('run', version, { args: ['plan', '--yes', '--json'], cwd });
      await endKeepers(work);
      rmSync(cwd, { recursive: true });
    }
  }
  return Object.fromEntries([...taken].map(([name, { before, after }]) => [name, figureOf(before, after)]));
}

async function takeLoads(
  version: Version,
  manifest: Manifest,
  round: number,
  take: (name: string, version: Version, command: Omit<Command, 'program'>) => Promise<void>,
): Promise<void> {
  const cwd = join(version.folder, 'large');
  rmSync(join(cwd, '.plinth', 'cache'), { recursive: true, force: true });
  await take('load', version, { args: ['info', '--json'], cwd });
  const leaf = join(cwd, manifest.leaf.blocks);
  const original = readFileSync(leaf, 'utf8');
  writeFileSync(leaf, touchModel(original, round + 1));
  await take('change', version, { args: ['info', '--json'], cwd });
  writeFileSync(leaf, original);
  // What the change left behind is read again before the next measurement.
  await measureOnce({ program: version.plinth, args: ['info', '--json'], cwd });
}

function sourcesOf(project: string, file: string): void {
  const script = join(import.meta.dirname, 'floors', 'run-script.ts');
  execFileSync(process.execPath, [script, file, join(project, 'bare', 'externals.sql')]);
}

const QUERY = {
  measures: ['orders.revenue', 'orders.count'],
  dimensions: ['customers.region', 'orders.status'],
} as const;

async function measureRequests(versions: readonly Version[], count: number): Promise<Record<string, Figure>> {
  const served: Served[] = [];
  const connections: HttpConnection[] = [];
  try {
    const work: Record<string, Timed> = {};
    for (const { name, plinth, folder } of versions) {
      const one = await serve(makeProject(join(folder, 'http'), { program: plinth }), undefined, plinth);
      served.push(one);
      const connection = await HttpConnection.open(one.url);
      connections.push(connection);
      const asked = {
        me: ['GET', '/platform-api/v1/me'],
        compile: ['POST', `${one.base}/query/transpile`, { query: QUERY }],
        question: ['POST', `${one.base}/query/semantic/rest`, { query: QUERY, cache: false }],
        cached: ['POST', `${one.base}/query/semantic/rest`, { query: QUERY }],
      } as const;
      for (const [what, [method, path, body]] of Object.entries(asked)) {
        const target = { url: one.url, headers: credentials(one, path) };
        work[`${what} ${name}`] = timedRequest(connection, requestBytes(target, method, path, body));
      }
    }
    const taken = await inTurns(work, count);
    return Object.fromEntries(
      ['me', 'compile', 'question', 'cached'].map((what) => {
        const [before, after] = [taken[`${what} before`]!.p50Ms, taken[`${what} after`]!.p50Ms];
        return [what, { beforeMs: before, afterMs: after, ratio: rounded(after / before), rounds: count }];
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
    for (const one of served) await one.stop();
  }
}

function figureOf(before: readonly number[], after: readonly number[]): Figure {
  return {
    beforeMs: rounded(median(before)),
    afterMs: rounded(median(after)),
    ratio: rounded(median(after.map((ms, round) => ms / before[round]!))),
    rounds: before.length,
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
