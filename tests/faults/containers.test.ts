/** What a container has that a desktop has not: a user with a number and no name; and processes that any other of the same user signals. */
import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { PROGRAM } from '../e2e/run-plinth.ts';
import { type ServedProject, servedProject } from '../e2e/served-project.ts';
import { TINY_PROJECT } from '../e2e/tiny-project.ts';
import { keepersOf } from '../support/keepers-of.ts';

const NAMELESS = 54_321;

let project: PlannedProject | undefined;
let served: ServedProject | undefined;
afterEach(async () => {
  project?.remove();
  await served?.stop();
  project = undefined;
  served = undefined;
});

test.runIf(process.getuid?.() === 0)('a user without a name plans and asks', () => {
  project = plannedProject();
  execFileSync('chown', ['-R', `${NAMELESS}:${NAMELESS}`, project.folder]);
  const plinth = (...args: readonly string[]): string =>
    execFileSync(PROGRAM, args, {
      cwd: project?.folder ?? '',
      uid: NAMELESS,
      gid: NAMELESS,
      env: { PATH: process.env['PATH'] ?? '', PLINTH_NOW: '2025-01-04' },
      encoding: 'utf8',
    });
  plinth('plan', '--yes');
  expect(plinth('query', '--format', 'csv', '--sql', 'SELECT best_revenue FROM marts.best')).toContain('\n');
});

test.runIf(process.getuid?.() === 0)('a project that cannot be written can be asked', async () => {
  project = plannedProject();
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
  const { folder } = project;
  for (const keeper of keepersOf(join(realpathSync(folder), 'tiny.duckdb'))) process.kill(keeper, 'SIGTERM');
  await expect
    .poll(() => keepersOf(join(realpathSync(folder), 'tiny.duckdb')), { timeout: 30_000 })
    .toEqual([]);
  execFileSync('chown', ['-R', `${NAMELESS}:${NAMELESS}`, folder]);
  execFileSync('chmod', ['-R', 'a-w', folder]);
  const plinth = (...args: readonly string[]) =>
    spawnSync(PROGRAM, args, {
      cwd: folder,
      uid: NAMELESS,
      gid: NAMELESS,
      env: { PATH: process.env['PATH'] ?? '', PLINTH_NOW: '2025-01-04' },
      encoding: 'utf8',
    });
  const asked = plinth('query', '--format', 'csv', '--sql', 'SELECT count(*) AS n FROM staging.orders');
  expect(asked.stdout, asked.stderr).toBe('n\n6\n');
  expect(plinth('status').status).toBe(0);
  expect(plinth('plans').stdout).toContain('applied');
  const exported = plinth('state', 'export');
  expect(exported.status, exported.stderr).toBe(0);
  expect(exported.stdout).toMatch(/"kind":"end","lines":\d+\}\n$/);
  const refused = plinth('plan', '--yes');
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('error state.write-failed: The state ');
});

test('no signal opens the port of a debugger', async () => {
  served = await servedProject(TINY_PROJECT, async () => undefined);
  await fetch(`${served.url}/readyz`);
  const listening = (): string =>
    execFileSync('sh', ['-c', 'cat /proc/net/tcp /proc/net/tcp6'], { encoding: 'utf8' });
  // 9229, where Node's debugger listens.
  const debuggers = (): number =>
    listening()
      .split('\n')
      .filter((line) => / [0-9A-F]+:240D .* 0A /.test(line)).length;
  const before = debuggers();
  const keepers = keepersOf(join(realpathSync(served.folder), 'tiny.duckdb'));
  expect(keepers).toHaveLength(1);
  served.signal('SIGUSR1');
  for (const keeper of keepers) process.kill(keeper, 'SIGUSR1');
  await sleep(500);
  expect(debuggers()).toBe(before);
  expect((await fetch(`${served.url}/livez`)).status).toBe(200);
});
