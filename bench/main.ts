import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { runHttpBench } from './http.ts';
import { runLoadBench } from './load.ts';
import { runPlanBench } from './plan.ts';
import { runRunBench } from './run.ts';
import { runSemanticBench } from './semantic.ts';
import { runStateShare } from './state-share.ts';

// `npm run bench <name>`: prints a table and writes bench/results/<name>.json.

const BENCHES: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  http: runHttpBench,
  load: runLoadBench,
  plan: runPlanBench,
  run: runRunBench,
  semantic: runSemanticBench,
  'state-share': runStateShare,
};

/** Beside other work a figure says nothing. */
const LOAD_MAX = 1.5;
const WAIT_MS = 10 * 60_000;

/** Waits until the machine is quiet; false when it does not become so. */
async function isQuiet(): Promise<boolean> {
  const load = (): number => loadavg()[0] ?? 0;
  const until = Date.now() + WAIT_MS;
  if (load() > LOAD_MAX)
    console.error(`the load average is ${load().toFixed(1)}; waiting until it is at most ${LOAD_MAX}`);
  while (load() > LOAD_MAX && Date.now() < until) await sleep(5_000);
  return load() <= LOAD_MAX;
}

const [name = '', ...args] = process.argv.slice(2);
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`usage: npm run bench <${Object.keys(BENCHES).join('|')}> -- [flags]`);
  process.exitCode = 2;
} else if (await isQuiet()) {
  await bench(args);
} else {
  console.error('no figures are taken beside other work. Next step: end it, then measure again');
  process.exitCode = 1;
}
