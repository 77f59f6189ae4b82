import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Peers live in virtual environments under bench/.peers/ (git-ignored), one each, installed from the Python registry
// that pip is configured for. What does not install is reported with pip's reason and never guessed.

const HOME = join(import.meta.dirname, '.peers');

const REQUIREMENTS = {
  sqlmesh: ['sqlmesh[duckdb]'],
  // From 1.11 on these fetch a binary from elsewhere.
  dbt: ['dbt-core<1.11', 'dbt-duckdb<1.11'],
  metricflow: ['metricflow', 'dbt-core<1.11', 'dbt-duckdb<1.11'],
  // Brings DuckDB 1.0; newer versions have another language.
  soda: ['soda-core-duckdb<4'],
  // Versions that work together.
  gx: ['great_expectations', 'duckdb-engine', 'duckdb<1.5', 'sqlalchemy<2.1'],
  // No peer: makes the data of TPC-H.
  tpchgen: ['tpchgen-cli<5'],
} as const;

export type PeerName = keyof typeof REQUIREMENTS;

/** A peer that can be run, or the reason why it cannot. */
export type Peer =
  | {
      readonly kind: 'available';
      readonly name: PeerName;
      readonly bin: string;
      readonly versions: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'not-available'; readonly name: PeerName; readonly reason: string };

/** Environment for every peer: usage statistics off, no version checks over the network. */
export const PEER_ENVIRONMENT: Readonly<Record<string, string>> = {
  DO_NOT_TRACK: '1',
  SQLMESH__DISABLE_ANONYMIZED_ANALYTICS: 'true',
  DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
  DBT_NO_VERSION_CHECK: 'true',
  GX_ANALYTICS_ENABLED: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};

/** Finds a peer, installing it first when its environment is missing or was left half made. */
export function ensurePeer(name: PeerName): Peer {
  const folder = join(HOME, name);
  const bin = join(folder, 'bin');
  const marker = join(folder, 'installed.json');
  if (existsSync(marker)) {
    return { kind: 'available', name, bin, versions: JSON.parse(readFileSync(marker, 'utf8')) };
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(HOME, { recursive: true });
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['python3', ['-m', 'venv', folder]],
    [join(bin, 'pip'), ['install', '--quiet', ...REQUIREMENTS[name]]],
  ];
  for (const [command, args] of steps) {
    const { status, error, stderr } = run(command, args);
    if (status !== 0) {
      const lines = stderr
        .trim()
        .split('\n')
        .filter((line) => /error/i.test(line));
      return {
        kind: 'not-available',
        name,
        reason: error?.message ?? lines.at(-1) ?? `${command} exited with ${status}`,
      };
    }
  }
  const versions = installedVersions(bin);
  writeFileSync(marker, `${JSON.stringify(versions, null, 2)}\n`);
  return { kind: 'available', name, bin, versions };
}

/** Runs a SQL script in a DuckDB file with the peer's own DuckDB: another version's file it might not read. */
export function runInPeer(peer: Peer & { kind: 'available' }, database: string, script: string): void {
  const program =
    'import duckdb,sys\nc=duckdb.connect(sys.argv[1])\nc.execute(open(sys.argv[2]).read())\nc.close()';
  const { status, stderr } = run(join(peer.bin, 'python'), ['-c', program, database, script]);
  if (status !== 0) throw new Error(`${peer.name} could not run ${script}: ${stderr.trim().slice(-400)}`);
}

function installedVersions(bin: string): Record<string, string> {
  const list: { readonly name: string; readonly version: string }[] = JSON.parse(
    run(join(bin, 'pip'), ['list', '--format', 'json']).stdout,
  );
  const told = [
    'sqlmesh',
    'sqlglot',
    'dbt-core',
    'dbt-duckdb',
    'duckdb',
    'metricflow',
    'tpchgen-cli',
    'soda-core',
    'great_expectations',
    'pandas',
  ];
  return Object.fromEntries(
    list.filter((item) => told.includes(item.name)).map((item) => [item.name, item.version]),
  );
}

function run(
  command: string,
  args: readonly string[],
): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } {
  return spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, ...PEER_ENVIRONMENT } });
}

if (import.meta.main) {
  for (const name of Object.keys(REQUIREMENTS) as PeerName[]) {
    const peer = ensurePeer(name);
    console.log(
      peer.kind === 'available'
        ? `${name}: ${JSON.stringify(peer.versions)}`
        : `${name}: not available (${peer.reason})`,
    );
  }
}
