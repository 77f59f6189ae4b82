/** `npm start`: builds Plinth, creates the example project in ./shop if it is not there, loads, lints and shows it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, step } from './step.ts';

const plinth = join(root, 'bin/plinth');
const shop = join(root, 'shop');

const built = await step('node', ['scripts/build.ts']);
if (built.code !== 0) process.exit(built.code);
const commands = [
  ...(existsSync(shop) ? [] : [['init', 'shop']]),
  ['info', '--project', 'shop'],
  ['lint', '--project', 'shop'],
  ['lineage', 'marts.daily_sales.revenue', '--project', 'shop'],
];
for (const args of commands) {
  console.error(`\n$ plinth ${args.join(' ')}`);
  const { code } = await step(plinth, args);
  if (code !== 0) process.exit(code);
}
console.error(`
Try next, in ${shop}:
  ../bin/plinth render marts.orders --start 2025-03-01 --end 2025-03-01
  ../bin/plinth lineage marts.orders --format html > lineage.html
  ../bin/plinth help`);
