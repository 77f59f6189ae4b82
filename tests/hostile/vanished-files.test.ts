/** A warehouse or state that is gone, replaced or without room is an error that says so; nothing empty is made in its place. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { type StartedServer, startedServer } from '../e2e/served-project.ts';
import { keepersOf } from '../support/keepers-of.ts';

const FILES = {
  'config.yaml': `name: gone
gateways:
  local:
    connection: {type: duckdb, database: data/w.duckdb}
    state_connection: {type: sqlite, database: kept/state.db}
`,
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a\n',
  'models/v.sql': 'MODEL (name s.v, kind VIEW);\nSELECT 1 AS a\n',
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function planned(): Promise<PlannedProject & { readonly warehouse: string; readonly state: string }> {
  const project = plannedProject(FILES, '2025-06-15');
  cleanups.push(() => project.remove());
  const warehouse = join(project.folder, 'data/w.duckdb');
  cleanups.push(() => endKeepers(warehouse));
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
  return { ...project, warehouse, state: join(project.folder, 'kept/state.db') };
}

/** The keepers of a file, as if the machine had been started anew. */
function endKeepers(warehouse: string): void {
  for (const pid of keepersOf(warehouse)) process.kill(pid, 'SIGKILL');
  // A process that was killed ends when it gets a processor.
  for (let looks = 0; keepersOf(warehouse).length > 0 && looks < 1_000; looks++)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}

async function served(folder: string): Promise<StartedServer> {
  const server = await startedServer(folder, ['--auth', 'disabled']);
  cleanups.push(() => server.stop());
  return server;
}

async function ready({ url }: StartedServer): Promise<unknown> {
  const answer = await fetch(`${url}/readyz`);
  const body = (await answer.json()) as { readonly errors?: readonly { path: string; code: string }[] };
  return [answer.status, ...(body.errors ?? []).map(({ path, code }) => `${path} ${code}`)];
}
const question = async ({ url, products }: StartedServer): Promise<string> => {
  const base = products[0]?.base_url ?? '';
  const answer = await fetch(`${base.startsWith('http') ? '' : url}${base}/query/statement`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'SELECT a FROM s.m', wait: 30, cache: false }),
  });
  const body = (await answer.json()) as {
    readonly status?: unknown;
    readonly code?: string;
    readonly error?: { readonly code: string };
  };
  return body.code ?? body.error?.code ?? String(body.status);
};

describe('a warehouse that has vanished', () => {
  test.each([
    ['plan', '--yes'],
    ['plan', 'dev', '--yes'],
    ['run'],
    ['query', '--sql', 'SELECT a FROM s.m'],
    ['audit'],
    ['janitor'],
  ])('is told by its name and not made anew: plinth %s %s', async (...args) => {
    const project = await planned();
    endKeepers(project.warehouse);
    rmSync(project.warehouse);
    const { code, error, diagnostics } = await project.json(...args.filter((arg) => arg !== undefined));
    expect(code).not.toBe(0);
    expect(JSON.stringify([error, diagnostics])).toContain('engine.warehouse-gone');
    expect(JSON.stringify([error, diagnostics])).toContain('data/w.duckdb');
    expect(existsSync(project.warehouse)).toBe(false);
  });

  test('is told by the server, also when its keeper was lost, and is asked again when it is back', async () => {
    const project = await planned();
    const server = await served(project.folder);
    expect(await ready(server)).toEqual([200]);
    expect(await question(server)).toBe('SUCCESS');
    renameSync(project.warehouse, `${project.warehouse}.away`);
    expect(await ready(server)).toEqual([503, 'warehouse engine.warehouse-gone']);
    endKeepers(project.warehouse);
    expect(await question(server)).toBe('engine.warehouse-gone');
    expect(await ready(server)).toEqual([503, 'warehouse engine.warehouse-gone']);
    expect(existsSync(project.warehouse)).toBe(false);
    renameSync(`${project.warehouse}.away`, project.warehouse);
    expect(await question(server)).toBe('SUCCESS');
    expect(await ready(server)).toEqual([200]);
  });

  test('is told by a server that is started without it', async () => {
    const project = await planned();
    endKeepers(project.warehouse);
    rmSync(project.warehouse);
    const server = await served(project.folder);
    expect(await ready(server)).toEqual([503, 'warehouse engine.warehouse-gone']);
    expect(await question(server)).toBe('engine.warehouse-gone');
    expect(existsSync(project.warehouse)).toBe(false);
  });

  test('is made anew by a plan when the state is gone, too', async () => {
    const project = await planned();
    endKeepers(project.warehouse);
    for (const path of ['data', 'kept']) rmSync(join(project.folder, path), { recursive: true });
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    expect(await project.rows('SELECT a FROM s.m')).toEqual([[1]]);
  });
});

describe('a catalog of the warehouse that has vanished', () => {
  const config = (catalogs: string): string =>
    `name: gone\ngateways: {local: {connection: {type: duckdb, catalogs: {main_db: data/w.duckdb, ${catalogs}}}}}\n`;
  test('is told by its name; one that nothing was applied to is made', async () => {
    const project = plannedProject(
      {
        'config.yaml': config('other: data/other.duckdb'),
        'models/m.sql': 'MODEL (name other.s.m, kind FULL);\nSELECT 1 AS a\n',
      },
      '2025-06-15',
    );
    cleanups.push(() => project.remove());
    const at = (name: string): string => join(project.folder, 'data', name);
    cleanups.push(() => endKeepers(at('w.duckdb')));
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    project.write('config.yaml', config('other: data/other.duckdb, third: data/third.duckdb'));
    endKeepers(at('w.duckdb'));
    expect((await project.plinth('run')).code).toBe(0);
    expect(existsSync(at('third.duckdb'))).toBe(true);
    endKeepers(at('w.duckdb'));
    rmSync(at('other.duckdb'));
    const { code, error } = await project.json('run');
    expect([code === 0, error?.['code']]).toEqual([false, 'engine.warehouse-gone']);
    expect(String(error?.['message'])).toContain('data/other.duckdb');
    expect(existsSync(at('other.duckdb'))).toBe(false);
  });
});

describe('a server is not ready', () => {
  test('when its keeper does not start', async () => {
    const project = await planned();
    const server = await served(project.folder);
    endKeepers(project.warehouse);
    renameSync(project.warehouse, `${project.warehouse}.away`);
    writeFileSync(project.warehouse, 'not a database, only a text that is long enough '.repeat(100));
    expect(await ready(server)).toEqual([503, 'warehouse engine.cannot-open']);
    renameSync(`${project.warehouse}.away`, project.warehouse);
    expect(await ready(server)).toEqual([200]);
  });

  test('when the file of its state is gone', async () => {
    const project = await planned();
    const server = await served(project.folder);
    renameSync(project.state, `${project.state}.away`);
    expect(await ready(server)).toEqual([503, 'state state.cannot-open']);
    renameSync(`${project.state}.away`, project.state);
    expect(await ready(server)).toEqual([200]);
  });

  test.each([
    ['state', 'kept', 'state.write-failed'],
    ['warehouse', 'data', 'engine.disk-full'],
  ])('when the disk of its %s is full', async (what, folder, code) => {
    const project = plannedProject(FILES, '2025-06-15');
    cleanups.push(() => project.remove());
    const place = join(project.folder, folder);
    mkdirSync(place);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', place], { stdio: 'pipe' });
    } catch (error) {
      console.warn(`NOT TESTED: a full disk, because mount is refused: ${(error as Error).message}`);
      return;
    }
    cleanups.push(() => execFileSync('umount', ['--lazy', place]));
    cleanups.push(() => endKeepers(join(project.folder, 'data/w.duckdb')));
    expect((await project.plinth('plan', '--yes')).code).toBe(0);
    const server = await served(project.folder);
    expect(await ready(server)).toEqual([200]);
    const filler = join(place, 'filler');
    for (let size = 24; size > 0; size--)
      try {
        writeFileSync(filler, Buffer.alloc(1024 ** 2), { flag: 'a' });
      } catch {
        break;
      }
    expect(await ready(server)).toEqual([503, `${what} ${code}`]);
    rmSync(filler);
    expect(await ready(server)).toEqual([200]);
    await server.stop();
  });
});
