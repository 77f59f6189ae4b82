/** `npm start`: builds Plinth, creates the example project in ./shop if it is not there, plans and runs it, and shows its tables. Safe to repeat. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, step } from './step.ts';

const plinth = join(root, 'bin/plinth');
const shop = join(root, 'shop');

/** The command as a user would type it, then its output; ends everything when it fails. */
async function show(...args: readonly string[]): Promise<void> {
  console.error(`\n$ plinth ${args.map((word) => (/[^\w./:-]/.test(word) ? `'${word}'` : word)).join(' ')}`);
  const { code } = await step(plinth, args);
  if (code !== 0) process.exit(code);
}

/** The last line of a command with `--json`. */
async function ask(...args: readonly string[]): Promise<unknown> {
  const { output, code } = await step(plinth, [...args, '--json', '--quiet'], { quiet: true });
  if (code !== 0) throw new Error(output);
  return (JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as { data: unknown }).data;
}

const built = await step('node', ['scripts/build.ts']);
if (built.code !== 0) process.exit(built.code);
if (!existsSync(shop)) await show('init', 'shop');
await show('plan', '--yes', '--project', 'shop');
await show('run', '--project', 'shop');
const { models } = (await ask('info', '--project', 'shop')) as {
  models: readonly { readonly name: string; readonly kind: string }[];
};
const counts = models
  .filter(({ kind }) => kind !== 'embedded' && kind !== 'external')
  .map(({ name, kind }) => `SELECT '${name}' AS model, '${kind}' AS kind, COUNT(*) AS rows FROM ${name}`);
await step(plinth, ['query', '--project', 'shop', '--sql', `${counts.join(' UNION ALL ')} ORDER BY model`]);
await show('query', '--project', 'shop', '--sql', 'SELECT * FROM marts.daily_sales ORDER BY 1 DESC LIMIT 5');
console.error(`
Try next, in ${shop}:
  ../bin/plinth status
  ../bin/plinth lineage marts.daily_sales.revenue
  ../bin/plinth query --sql 'SELECT region, SUM(revenue) FROM marts.orders GROUP BY region'
  ../bin/plinth help`);
