/** One server of two folders, of which the second has a damaged state: whoever owns the first must not suffer. */
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { runPlinth } from '../e2e/run-plinth.ts';
import { type StartedServer, startedServer } from '../e2e/served-project.ts';

const filesOf = (name: string, tenant: string): Readonly<Record<string, string>> => ({
  'config.yaml': `name: ${name}\ntenant: ${tenant}\ngateways: {local: {connection: {type: duckdb, database: w.duckdb}}}\n`,
  'models/m.sql': 'MODEL (name s.m, kind FULL);\nSELECT 1 AS a\n',
});
const restOf = (tenant: string, name: string): string =>
  `/plinth/tenants/${tenant}/data-products/${tenant}-${name}/api/v1`;

let first: PlannedProject;
let second: PlannedProject;
let server: StartedServer | undefined;
beforeEach(async () => {
  first = plannedProject(filesOf('a', 'acme'));
  second = plannedProject(filesOf('b', 'globex'));
  for (const project of [first, second]) expect((await project.plinth('plan', '--yes')).code).toBe(0);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  first.remove();
  second.remove();
});

const stateOf = ({ folder }: PlannedProject): string => join(folder, '.plinth', 'state.db');

const DAMAGE: readonly (readonly [string, (path: string) => void])[] = [
  ['a head that is no database', (path) => overwrite(path, 0, Buffer.alloc(4096, 'x'))],
  ['pages of noise', (path) => overwrite(path, 4096, Buffer.alloc(statSync(path).size - 4096, 0x5a))],
  ['half of it gone', (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
];

function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
}

test.each(DAMAGE)(
  'with %s, the first is served, and it is said that the second is not',
  async (_, damage) => {
    damage(stateOf(second));
    server = await startedServer(first.folder, [first.folder, second.folder]);
    expect(server.products.map(({ name }) => name)).toEqual(['a']);
    const { stdout } = server.output();
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({
      lost: [{ tenant: 'globex', name: 'b', code: 'state.unreadable' }],
    });
    await expect
      .poll(() => server?.output().stderr)
      .toContain('error server.not-served: The product globex-b is not served: The state ');
    const ask = (path: string): Promise<Response> => fetch(`${server?.url}${path}`);
    expect((await ask(`${restOf('acme', 'a')}/metadata`)).status).toBe(200);
    const lost = await ask(`${restOf('globex', 'b')}/metadata`);
    const body = await lost.json();
    expect([lost.status, body]).toMatchObject([503, { code: 'server.not-served' }]);
    expect(JSON.stringify(body)).not.toContain(second.folder);
    expect(await (await ask('/readyz')).json()).toEqual({ status: 'ok', products: 1, lost: 1 });
    // Nobody else speaks for its people, and nobody is made in its place.
    const users = `${server.url}/platform-api/v1/tenants/globex/users`;
    const headers = { 'content-type': 'application/json' };
    const made = await fetch(users, { method: 'POST', headers, body: JSON.stringify({ name: 'mallory' }) });
    expect([made.status, await made.json()]).toMatchObject([503, { code: 'server.not-served' }]);
    expect(await server.stop()).toBe(0);
  },
);

test('the first folder must be whole: it keeps those who administer the platform', async () => {
  overwrite(stateOf(first), 0, Buffer.alloc(4096, 'x'));
  const ended = await runPlinth(['serve', '--port', '0', '--json', first.folder, second.folder]);
  expect(ended.code).not.toBe(0);
  expect(JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
    error: { code: 'state.unreadable' },
  });
});
