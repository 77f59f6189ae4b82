/** `npm test`: builds, runs every test, and ends with one line a machine can read: `N passed, N failed`. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { step } from './step.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

// The kill tests need it. Where it cannot be had they are left out, and their name says why.
if (!existsSync('/usr/bin/strace') && existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
  const install = (): ReturnType<typeof step> =>
    step('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'strace'], { quiet: true });
  if ((await install()).code !== 0) {
    await step('apt-get', ['update', '-qq'], { quiet: true });
    if ((await install()).code !== 0)
      console.error('strace could not be installed: no process is killed in tests');
  }
}
const built = await step('node', ['scripts/build.ts']);
if (built.code !== 0) process.exit(built.code);
const file = join(tmpdir(), `plinth-test-${process.pid}.json`);
const tests = await step('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
  ...process.argv.slice(2),
]);
const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
rmSync(file);
// A file that cannot even be loaded has no failed tests of its own, and still counts.
const failed = Math.max(
  report.numFailedTests,
  tests.code === 0 ? 0 : Math.max(1, report.numFailedTestSuites),
);
console.log(`${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests} skipped`);
process.exitCode = tests.code;
