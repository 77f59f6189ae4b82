/** `npm run check`: everything that can be known without running the product, each check named, all of them run, one exit code. */
import { step } from './step.ts';

const checks: readonly { readonly name: string; readonly command: readonly [string, ...string[]] }[] = [
  { name: 'types', command: ['tsc', '-p', '.', '--noEmit'] },
  { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'unused code', command: ['knip', '--no-progress'] },
  {
    name: 'architecture',
    command: ['vitest', 'run', 'tests/architecture.test.ts', 'tests/plain-words.test.ts', '--reporter=dot'],
  },
  { name: 'generated files', command: ['node', 'scripts/generate.ts', '--check'] },
  { name: 'native packages', command: ['node', 'scripts/import-native.ts'] },
];

let failed = 0;
const queue = [...checks];
const worker = async (): Promise<void> => {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
    const [command, ...args] = check.command;
    const { code, output, ms } = await step(command, args, { quiet: true });
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${check.name} (${(ms / 1000).toFixed(1)} s)`);
    if (code !== 0) {
      failed++;
      console.log(output.trimEnd());
    }
  }
};
await Promise.all([worker(), worker()]);
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
