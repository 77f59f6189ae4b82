/** A process that may open few files says so, whatever it was about to open, and never that it has a bug. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from '../e2e/planned-project.ts';
import { PROGRAM } from '../e2e/run-plinth.ts';
import { keepersOf } from '../support/keepers-of.ts';

let project: PlannedProject;
beforeAll(async () => {
  project = plannedProject();
  expect((await project.plinth('plan', '--yes')).code).toBe(0);
});
afterAll(() => project.remove());

/** Node alone needs some twenty. `bin/plinth.js` is the program without the shell that looks at the limit first. */
const within = (files: number, ...words: readonly string[]) =>
  spawnSync('/bin/sh', ['-c', `ulimit -n ${files}; exec "$0" "$@"`, ...words], {
    cwd: project.folder,
    encoding: 'utf8',
    timeout: 120_000,
  });

test('fewer than Node needs are refused before it is started', () => {
  const { status, stderr } = within(20, PROGRAM, 'status');
  expect([status, stderr]).toEqual([
    1,
    'plinth: this process may open 20 files, and 32 is the least. Next step: ulimit -n 1024.\n',
  ]);
});

test('some more are an answer, or a refusal that names the limit', async () => {
  const ends = new Set<string>();
  for (let files = 22; files <= 32; files++) {
    for (const keeper of keepersOf(join(project.folder, 'tiny.duckdb'))) process.kill(keeper, 'SIGKILL');
    const { status, stderr } = within(
      files,
      ...[process.execPath, '--disable-warning=ExperimentalWarning', `${PROGRAM}.js`],
      ...['query', '--sql', 'SELECT 1 AS one'],
    );
    // Node itself ends without a word.
    if (status === null || status > 2) continue;
    if (status !== 0) expect(stderr, String(files)).toContain('ulimit -n');
    ends.add(status === 0 ? 'answered' : (/error ([\w.-]+)/.exec(stderr)?.[1] ?? stderr));
  }
  expect([...ends].sort()).toEqual(
    expect.arrayContaining(['answered', 'engine.cannot-open', 'state.cannot-open']),
  );
});
