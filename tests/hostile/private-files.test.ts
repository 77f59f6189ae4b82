/** What Plinth keeps on the disk is for the eyes of its owner, whatever the umask it was started with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backupFile, openDatabase } from '../../src/adapters/state/sqlite/database.ts';
import { MIGRATIONS } from '../../src/adapters/state/sqlite/schema.ts';
import { openWorkspace } from '../../src/operations/workspace.ts';
import { plannedProject } from '../e2e/planned-project.ts';
import { PROGRAM } from '../e2e/run-plinth.ts';
import { temporaryProject } from '../support/temporary-project.ts';

const OUT = 'state.out';
const project = plannedProject(
  {
    'config.yaml': `name: modes
gateways:
  local: {connection: {type: duckdb, database: data/w.duckdb, connector_config: {memory_limit: 300MB, threads: 1}}}
`,
    'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT i FROM range(10) AS t(i)\n',
  },
  '2025-06-15',
);

/** The real program under an umask that takes nothing away. */
const open = (...args: readonly string[]): ChildProcess =>
  spawn('/bin/sh', ['-c', 'umask 000; exec "$0" "$@"', PROGRAM, ...args], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.on('close', resolve));
const plinth = async (...args: readonly string[]): Promise<void> => {
  const child = open(...args);
  child.stdout?.resume();
  expect(await ended(child)).toBe(0);
};

let server: ChildProcess;
let base = '';
beforeAll(async () => {
  await plinth('plan', '--yes');
  server = open('serve', '--port', '0', '--json', '--no-scheduler', '--auth', 'disabled');
  const line = await new Promise<string>((resolve) => {
    server.stdout?.on('data', (chunk: Buffer) => resolve(chunk.toString().split('\n')[0] as string));
  });
  const { url, products } = JSON.parse(line);
  base = products[0].base_url.startsWith('http') ? products[0].base_url : `${url}${products[0].base_url}`;
});
afterAll(async () => {
  server.kill('SIGTERM');
  await ended(server);
  project.remove();
});

/** Files and folders that others than their owner may do something with. */
function openOnes(path: string, found: Map<string, string> = new Map()): Map<string, string> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSocket()) return found;
  const mode = stats.mode & 0o777;
  if (mode !== (stats.isDirectory() ? 0o700 : 0o600)) found.set(path, mode.toString(8));
  if (stats.isDirectory()) for (const name of readdirSync(path)) openOnes(join(path, name), found);
  return found;
}
const kept = (): Map<string, string> =>
  new Map([...openOnes(join(project.folder, '.plinth')), ...openOnes(join(project.folder, 'data'))]);
const names = (): string =>
  ['.plinth', 'data']
    .flatMap((folder) =>
      readdirSync(join(project.folder, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name}`,
      ),
    )
    .join('\n');

test('state, warehouse, results, exchange, keys, cache and what does not fit into memory', async () => {
  const post = (body: unknown): Promise<Response> =>
    fetch(`${base}/query/statement`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const asked = await post({ sql: "SELECT repeat('x', 100) AS a, i FROM range(5000) AS t(i)", wait: 40 });
  const { id } = (await asked.json()) as { readonly id: string };
  for (const format of ['json', 'csv', 'ndjson', 'arrow', 'parquet']) {
    const reading = fetch(`${base}/query/statement/${id}/result?format=${format}`).then((answer) =>
      answer.arrayBuffer(),
    );
    let isRead = false;
    const read = reading.finally(() => {
      isRead = true;
    });
    while (!isRead) {
      expect(kept()).toEqual(new Map());
      await new Promise(setImmediate);
    }
    await read;
  }
  // More than fits into memory.
  const { id: large } = (await (
    await post({
      sql: "SELECT count(*) AS n FROM (SELECT i, repeat('y', 200) || i AS a FROM range(6000000) AS t(i) ORDER BY a DESC) AS s WHERE a <> ''",
    })
  ).json()) as { readonly id: string };
  let hasSpilled = false;
  for (let status = 'QUEUED'; !['SUCCESS', 'FAILED', 'CANCELLED'].includes(status); ) {
    expect(kept()).toEqual(new Map());
    hasSpilled ||= /duckdb_temp_storage/.test(names());
    const path = `${base}/query/statement/${large}`;
    const answer = hasSpilled
      ? await fetch(`${path}/cancel`, { method: 'POST' })
      : await fetch(`${path}?wait=0.1`);
    ({ status } = (await answer.json()) as { status: string });
  }
  expect(hasSpilled).toBe(true);
  expect(names()).toMatch(/state\.db-wal[\s\S]*w\.duckdb/);
  expect(names()).toContain('.rows');
});

test('an exported state, and the copy that is made before a migration', async () => {
  await plinth('state', 'export', OUT);
  expect(openOnes(join(project.folder, OUT))).toEqual(new Map());
  const old = temporaryProject({});
  try {
    const file = join(old.folder, 'states', 'state.db');
    openDatabase({ file, migrations: MIGRATIONS.slice(0, -1) }).close();
    const database = openDatabase({ file });
    expect(readdirSync(dirname(file))).toContain(basename(backupFile(file, MIGRATIONS.length - 1)));
    expect(openOnes(dirname(file))).toEqual(new Map());
    database.close();
  } finally {
    old.delete();
  }
});

test('what was there before is closed at the next start, and a private folder is looked into no further', () => {
  const old = temporaryProject({});
  try {
    const home = join(old.folder, '.plinth');
    mkdirSync(join(home, 'results'), { recursive: true, mode: 0o755 });
    writeFileSync(join(home, 'state.db'), '', { mode: 0o644 });
    writeFileSync(join(home, 'results', 'a.1.rows'), '', { mode: 0o644 });
    for (const folder of [home, join(home, 'results')]) chmodSync(folder, 0o755);
    const openNow = (): void => {
      openWorkspace({ folder: old.folder, variables: {}, executionTime: 0 });
    };
    openNow();
    expect(openOnes(home)).toEqual(new Map());
    chmodSync(join(home, 'state.db'), 0o644);
    openNow();
    expect([...openOnes(home).values()]).toEqual(['644']);
  } finally {
    old.delete();
  }
});
