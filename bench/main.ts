import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { runHttpBench } from './http.ts';
import { runLoadBench } from './load.ts';
import { runPlanBench } from './plan.ts';
import { runQualityBench } from './quality.ts';
import { quietLoad } from './quiet.ts';
import { runRunBench } from './run.ts';
import { runSemanticBench } from './semantic.ts';
import { runSinceBench } from './since.ts';
import { runStateBench } from './state.ts';
import { runStateShare } from './state-share.ts';

// `npm run bench <name>`: prints a table and writes bench/results/<name>.json.

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  http: runHttpBench,
  load: runLoadBench,
  plan: runPlanBench,
  quality: runQualityBench,
  run: runRunBench,
  semantic: runSemanticBench,
  since: runSinceBench,
  state: runStateBench,
  'state-share': runStateShare,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`usage: npm run bench <${Object.keys(BENCHES).join('|')}> -- [flags]`);
  process.exitCode = 2;
} else {
  try {
    // What is installed is measured: the bundle and not the sources.
    execFileSync(process.execPath, [join(import.meta.dirname, '..', 'scripts', 'build.ts')], {
      stdio: 'inherit',
    });
    await quietLoad();
    await bench(args);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
