import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEER_ENVIRONMENT } from './peers.ts';

const FOLDER = join(import.meta.dirname, '.peers', 'cube');
const PACKAGES = ['@cubejs-backend/server-core', '@cubejs-backend/duckdb-driver'];
/** Four minutes were seen until it gave up. */
const INSTALL_MS_MAX = 420_000;

/** What came of trying to install a peer. */
export interface CubePeer {
  readonly kind: 'not-available' | 'not-measured';
  readonly reason: string;
}

/** Installs Cube's REST server from the registry. Its native part and its store are downloads from elsewhere: where those are out of reach it cannot run, and is told so. */
export function tryCube(): CubePeer {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), '{"name": "cube-peer", "private": true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--fetch-retries=0', ...PACKAGES];
  const { status, error, stderr } = spawnSync('npm', args, {
    cwd: FOLDER,
    encoding: 'utf8',
    timeout: INSTALL_MS_MAX,
    env: { ...process.env, ...PEER_ENVIRONMENT, CUBEJS_TELEMETRY: 'false' },
  });
  if (status === 0) return { kind: 'not-measured', reason: 'it installs here, but nothing measures it yet' };
  rmSync(FOLDER, { recursive: true, force: true });
  const isLate = (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT';
  if (isLate) return { kind: 'not-available', reason: `npm did not end within ${INSTALL_MS_MAX / 1000} s` };
  const told = stderr.split('\n').find((line) => /Error: /.test(line)) ?? stderr.trim().split('\n').at(-1);
  return {
    kind: 'not-available',
    reason: error?.message ?? told?.replace(/^npm error /, '') ?? `npm: ${status}`,
  };
}
