/**
 * `npm test` and `npm run test:campaigns`: installs what is missing, builds, runs its part of the tests, and ends with one line that a machine
 * can read: `N passed, N failed, N skipped`. Files that are named run, whichever part they belong to; `--long` runs campaigns in their
 * long form, which takes hours.
 */
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTools } from './install-tools.ts';
import { step } from './step.ts';
import { CAMPAIGN_ROOMS } from './test-rooms.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

await installTools();
const built = await step('node', ['scripts/build.ts']);
if (built.code !== 0) process.exit(built.code);
const words = process.argv.slice(2);
const isCampaigns = words.includes('--campaigns');
if (words.includes('--long')) process.env['PLINTH_CAMPAIGN'] = '1';
const named = words.filter((word) => !['--campaigns', '--long'].includes(word));
// Quick tests wait for processes a sixth of their time: one worker more than cores fills it. Campaigns measure and keep the cores to themselves.
const files = isCampaigns
  ? CAMPAIGN_ROOMS
  : [...CAMPAIGN_ROOMS.map((room) => `--exclude=${room}**`), `--maxWorkers=${availableParallelism() + 1}`];
const file = join(tmpdir(), `plinth-test-${process.pid}.json`);
const tests = await step('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
  ...(named.length > 0 ? named : files),
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
