/** `npm test`: builds, runs every test, and ends with one line a machine can read: `N passed, N failed`. */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTools } from './install-tools.ts';
import { step } from './step.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

await installTools();
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
