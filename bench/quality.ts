import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { endKeepers } from './keepers.ts';
import { builtPlinth, type Command, describeMachine, measureOnce } from './measure.ts';
import { ensurePeer, PEER_ENVIRONMENT, type Peer } from './peers.ts';
import { ruleFloors } from './quality-floors.ts';
import {
  BENCH_PACKS,
  BENCH_RULES,
  benchExpectations,
  benchSodaChecks,
  benchTableSql,
} from './quality-rules.ts';
import { measurePart, writeResults } from './quiet.ts';

// 50 rules on one table of one file, in turns:
//   floors     in this process: ours with its probe, planning and decisions; one query with 50 expressions; 50 queries
//   commands   each as a process of its own, start and end included: `plinth check`, Soda Core, and with fewer rules Great Expectations
//   profile    30 columns: `plinth profile`, and the engine's own SUMMARIZE
// A tool that does not evaluate each of its rules, or finds one that does not pass, fails the bench.

const ROOT = join(import.meta.dirname, '..');
const WORK = join(tmpdir(), 'plinth-bench', 'quality');
const WIDE_ROWS_MAX = 1_000_000;

type Medians = Readonly<Record<string, number>>;
type Sorts = Readonly<Record<string, () => Promise<unknown>>>;

/** The bench behind `npm run bench quality`. */
export async function runQualityBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: { type: 'string', default: '10000000' },
      runs: { type: 'string', default: '5' },
      quick: { type: 'boolean', default: false },
    },
  });
  const rows = values.quick ? 100_000 : Number(values.rows);
  const runs = values.quick ? 1 : Number(values.runs);
  const file = await writeFolder(rows);
  const peers = [ensurePeer('soda'), ensurePeer('gx')];
  const measure = async (): Promise<Readonly<Record<string, Medians>>> => ({
    floors: await withFile(file, async (connection) => inTurns(await ruleFloors(connection), runs)),
    commands: await inTurns(commands(file, peers), runs),
    profile: await inTurns(profiles(file), runs),
  });
  if (values.quick) return report(await measure());
  const { figures, time } = await measurePart(measure);
  report(figures);
  const rules = {
    plinth: BENCH_RULES.length,
    'soda-core': BENCH_RULES.length,
    'great-expectations': benchExpectations().length,
  };
  const results = {
    ...{ bench: 'quality', ...time, machine: describeMachine(), versions: versionsOf(peers) },
    ...{ rows, runs, rules, medianMs: figures },
  };
  writeResults(join(import.meta.dirname, 'results', 'quality.json'), results);
}

/** A project over a file that DuckDB 1.0, which Soda Core brings, reads too. */
async function writeFolder(rows: number): Promise<string> {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(join(WORK, 'dq'), { recursive: true });
  const file = join(WORK, 'warehouse.duckdb');
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`ATTACH '${file}' AS bench (STORAGE_VERSION 'v1.0.0')`);
  await connection.run('USE bench');
  await connection.run(benchTableSql(rows));
  const copies = ['', '_2', '_3'].map((suffix) => `COLUMNS('(.*)') AS '\\1${suffix}'`);
  await connection.run(
    `CREATE TABLE wide AS SELECT ${copies.join(', ')} FROM orders LIMIT ${Math.min(rows, WIDE_ROWS_MAX)}`,
  );
  const tables = await connection.runAndReadAll(
    "SELECT table_name, string_agg(column_name || ': \"' || data_type || '\"', ', ') FROM duckdb_columns() WHERE database_name = 'bench' GROUP BY ALL",
  );
  connection.closeSync();
  instance.closeSync();
  writeFileSync(
    join(WORK, 'config.yaml'),
    'name: bench\ngateways:\n  default:\n    connection: {type: duckdb, database: warehouse.duckdb}\nmodel_defaults: {dialect: duckdb, start: 2026-01-01}\n',
  );
  writeFileSync(
    join(WORK, 'external_models.yaml'),
    tables
      .getRowsJson()
      .map(([name, columns]) => `- name: main.${name}\n  columns: {${columns}}\n`)
      .join(''),
  );
  await measureOnce(plinth('plan', '--yes'));
  await endKeepers(WORK);
  // Peers read a copy: a keeper has the file of the project for itself.
  const copy = join(WORK, 'copy.duckdb');
  copyFileSync(file, copy);
  for (const [name, text] of BENCH_PACKS) writeFileSync(join(WORK, 'dq', `${name}.yml`), text);
  await measureOnce(plinth('plan', '--yes'));
  await endKeepers(WORK);
  return copy;
}

const plinth = (...args: readonly string[]): Command => ({
  program: join(ROOT, 'bin', 'plinth'),
  args: [...args, '--project', WORK],
  cwd: WORK,
});

async function withFile<Result>(
  file: string,
  work: (connection: DuckDBConnection) => Promise<Result>,
): Promise<Result> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    return await work(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function commands(file: string, peers: readonly Peer[]): Sorts {
  const [soda, gx] = [join(WORK, 'soda.yml'), join(WORK, 'expectations.json')];
  writeFileSync(soda, benchSodaChecks());
  writeFileSync(gx, JSON.stringify(benchExpectations()));
  const asked: Readonly<Record<string, { readonly rules: number; readonly args: readonly string[] }>> = {
    soda: { rules: BENCH_RULES.length, args: [join(import.meta.dirname, 'quality-soda.py'), file, soda] },
    gx: { rules: benchExpectations().length, args: [join(import.meta.dirname, 'quality-gx.py'), file, gx] },
  };
  return {
    'plinth check': () => check('all'),
    'plinth, rules of gx': () => check('gx'),
    ...Object.fromEntries(
      peers.flatMap((peer) => {
        const one = asked[peer.name];
        if (peer.kind === 'not-available' || one === undefined) return [];
        return [[peer.name, () => askPeer(join(peer.bin, 'python'), one)]];
      }),
    ),
  };
}

async function check(pack: string): Promise<void> {
  await measureOnce(plinth('check', '--pack', pack));
  await endKeepers(WORK);
}

async function askPeer(
  program: string,
  { rules, args }: { readonly rules: number; readonly args: readonly string[] },
): Promise<void> {
  const { stdout } = await measureOnce({
    program,
    args,
    cwd: WORK,
    env: PEER_ENVIRONMENT,
  });
  const { outcomes, errors } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as {
    readonly outcomes: readonly string[];
    readonly errors: readonly string[];
  };
  const passed = outcomes.filter((outcome) => outcome === 'pass').length;
  if (passed !== rules || errors.length > 0)
    throw new Error(`${args[0]}: ${passed} of ${rules} rules passed. ${errors.join('; ')}`);
}

function profiles(file: string): Sorts {
  return {
    'plinth profile': async () => {
      await measureOnce(plinth('profile', 'main.wide'));
      await endKeepers(WORK);
    },
    SUMMARIZE: () => withFile(file, (connection) => connection.runAndReadAll('SUMMARIZE wide')),
  };
}

async function inTurns(sorts: Sorts, runs: number): Promise<Medians> {
  const times = new Map<string, number[]>();
  for (let run = 0; run < runs; run++)
    for (const [name, work] of Object.entries(sorts)) {
      process.stderr.write(`[quality] run ${run + 1}: ${name}\n`);
      const start = performance.now();
      await work();
      times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
    }
  return Object.fromEntries([...times].map(([name, own]) => [name, median(own)]));
}

const median = (numbers: readonly number[]): number =>
  Math.round(numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0);

const versionsOf = (peers: readonly Peer[]): Readonly<Record<string, unknown>> => ({
  plinth: builtPlinth(),
  ...Object.fromEntries(
    peers.map((peer) => [peer.name, peer.kind === 'available' ? peer.versions : peer.reason]),
  ),
});

function report(figures: Readonly<Record<string, Medians>>): void {
  for (const [part, medians] of Object.entries(figures)) {
    const [first = 0] = Object.values(medians);
    for (const [name, ms] of Object.entries(medians))
      console.log(
        `${part.padEnd(10)} ${name.padEnd(20)} ${String(ms).padStart(8)} ms  ${(ms / first).toFixed(2)}x of the first`,
      );
  }
}
