/*
 * The long form: runs Soda Core, Great Expectations and this program on the same data, in one run, and compares.
 *
 *   node tests/quality-peers/compare.ts            compare; exit code 1 when a verdict or a value differs
 *   node tests/quality-peers/compare.ts --record   also write the verdicts of the peers to recorded.json, which the test compares with
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePeer, PEER_ENVIRONMENT } from '../../bench/peers.ts';
import { differences } from './agreement.ts';
import { EXPECTATIONS } from './expectations.ts';
import { ourVerdicts, type Verdicts } from './our-verdicts.ts';
import { peerTables, VARIANTS, type Variant } from './peer-data.ts';

const HERE = import.meta.dirname;
const CHECKS = join(HERE, 'checks.yml');
const PEERS = { soda: 'run-soda.py', gx: 'run-gx.py' } as const;

interface PeerAnswer {
  readonly versions: Readonly<Record<string, string>>;
  readonly verdicts: Verdicts;
  readonly errors: readonly string[];
}

function askPeer(name: keyof typeof PEERS, folder: string, file: string): PeerAnswer {
  const peer = ensurePeer(name);
  if (peer.kind === 'not-available') throw new Error(`${name} is not available: ${peer.reason}`);
  const output = execFileSync(join(peer.bin, 'python'), [join(HERE, PEERS[name]), folder, file], {
    encoding: 'utf8',
    env: { ...process.env, ...PEER_ENVIRONMENT },
    stdio: ['ignore', 'pipe', 'ignore'],
    maxBuffer: 64 * 1024 * 1024,
  });
  const answer = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as PeerAnswer;
  if (answer.errors.length > 0) throw new Error(`${name}: ${answer.errors.join('; ')}`);
  return answer;
}

function writeTables(variant: Variant, home: string): string {
  const folder = join(home, variant);
  mkdirSync(folder);
  const tables = peerTables(variant);
  for (const { name, csv } of tables) writeFileSync(join(folder, `${name}.csv`), csv);
  writeFileSync(
    join(folder, 'tables.json'),
    JSON.stringify(tables.map(({ name, columns }) => ({ name, columns }))),
  );
  return folder;
}

const home = mkdtempSync(join(tmpdir(), 'plinth-peers-'));
const complaints: string[] = [];
const recorded: Record<string, unknown> = {};
try {
  const expectations = join(home, 'expectations.json');
  writeFileSync(
    expectations,
    JSON.stringify(EXPECTATIONS.map(({ name, type, kwargs }) => ({ name, type, kwargs }))),
  );
  for (const variant of VARIANTS) {
    const folder = writeTables(variant, home);
    const [soda, gx] = [askPeer('soda', folder, CHECKS), askPeer('gx', folder, expectations)];
    recorded['versions'] = { ...soda.versions, ...gx.versions };
    recorded[variant] = { soda: sorted(soda.verdicts), gx: sorted(gx.verdicts) };
    const ours = await ourVerdicts(variant, readFileSync(CHECKS, 'utf8'));
    const found = [...differences(soda.verdicts, ours.soda), ...differences(gx.verdicts, ours.gx)];
    complaints.push(...found.map((words) => `${variant}: ${words}`));
    console.log(
      `${variant}: ${Object.keys(soda.verdicts).length} checks of Soda Core, ${Object.keys(gx.verdicts).length} expectations of Great Expectations, ${found.length} differences`,
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
console.log(JSON.stringify(recorded['versions']));
for (const complaint of complaints) console.log(complaint);
if (process.argv.includes('--record'))
  writeFileSync(join(HERE, 'recorded.json'), `${JSON.stringify(recorded, null, 2)}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;

function sorted(verdicts: Verdicts): Verdicts {
  return Object.fromEntries(Object.entries(verdicts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
