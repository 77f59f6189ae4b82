/** `npm start`: builds Plinth, creates the example project in ./shop if it is not there, plans and runs it, shows its tables, and serves it until Ctrl-C. Safe to repeat. */
import { spawn } from 'node:child_process';
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
const { users } = (await ask('user', 'list', '--project', 'shop')) as {
  users: readonly { readonly name: string }[];
};
if (!users.some(({ name }) => name === 'dev'))
  await ask('user', 'create', 'dev', '--role', 'admin', '--group', 'admin', '--project', 'shop');
const { token } = (await ask(
  'token',
  'create',
  '--user',
  'dev',
  '--name',
  'npm start',
  '--expires',
  '12 hours',
  '--project',
  'shop',
)) as {
  token: string;
};
const port = process.env['PORT'] ?? '8088';
const server = spawn(plinth, ['serve', 'shop', '--auth', 'required', '--port', port, '--json', '--quiet'], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
let said = '';
server.stdout.on('data', (chunk: Buffer) => {
  said += chunk.toString();
  if (!said.includes('\n')) return;
  const { url, products } = JSON.parse(said.slice(0, said.indexOf('\n'))) as {
    url: string;
    products: readonly { readonly base_url: string }[];
  };
  server.stdout.removeAllListeners('data').resume();
  tellHow(url, products[0]?.base_url ?? url);
});
server.on('exit', (code) => process.exit(code ?? 1));

/** Addresses, and lines to paste. */
function tellHow(url: string, base: string): void {
  const graphql = base.replace(/\/api\/v1$/, '/graphql');
  console.error(`
Serving at ${url} until Ctrl-C:
  Data Product API   ${base}
  GraphQL            ${graphql}
  Platform API       ${url}/platform-api/v1
  API reference      ${base}/reference, ${url}/platform-api/reference
  health, metrics    ${url}/readyz, ${url}/metrics

A token of the user dev, for 12 hours (plinth token create makes others):
  export TOKEN=${token}

curl:
  curl -s -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' ${base}/query/semantic/rest \\
    -d '{"query": {"measures": ["orders.revenue"], "dimensions": ["customers.region"]}}'
  curl -s -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' ${base}/query/statement \\
    -d '{"sql": "SELECT * FROM marts.daily_sales ORDER BY 1 DESC LIMIT 5", "wait": 10}'
  curl -s -H "apikey: $TOKEN" ${url}/platform-api/v1/tenants/default/resources/apps

GraphQL:
  curl -s -H "Authorization: Bearer $TOKEN" -H 'content-type: application/json' ${graphql} \\
    -d '{"query": "{ orders(limit: 5) { status revenue } }"}'

Python (pip install ./python):
  import os
  from plinth import DataProductClient
  client = DataProductClient(fqdn="${url}", dp_name="shop", access_token=os.environ["TOKEN"], tenant="default")
  print(client.query.run("SELECT * FROM marts.daily_sales LIMIT 5").rows)

In another terminal, in ${shop}:
  ../bin/plinth status
  ../bin/plinth lineage marts.daily_sales.revenue
  ../bin/plinth query --measures orders.revenue --dimensions customers.region
  ../bin/plinth help`);
}
