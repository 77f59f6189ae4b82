/** `npm start`: builds Plinth, creates the example project in ./shop if it is not there and fills it as time would have, shows its tables, and serves it until Ctrl-C. Safe to repeat. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHOP_STORY } from './shop-story.ts';
import { root, step } from './step.ts';

const plinth = join(root, 'bin/plinth');
const shop = join(root, 'shop');
const promotedOrders = join(shop, 'models/marts/promoted_orders.sql');
/** Not every order of December had a promotion: its audit finds those without. */
const PROMOTED_ORDERS = `MODEL (
  name marts.promoted_orders,
  kind FULL,
  description 'Orders of December with the promotion that brought them; npm start made this model to show an audit that fails',
  audits (not_null(columns := (promotion_code), blocking := false))
);

SELECT order_id, order_date, promotion_code FROM marts.orders WHERE order_date >= DATE '2025-12-01';
`;

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
if (!existsSync(shop)) {
  await show('init', 'shop');
  for (const words of SHOP_STORY) await show(...words, '--project', 'shop');
} else {
  await show('plan', '--yes', '--project', 'shop');
  await show('run', '--project', 'shop');
}
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
await showNotification();
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
  const base = products[0]?.base_url ?? url;
  tellHow(url, base);
  void showInbox(base);
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
  ../bin/plinth notify inbox --user dev
  ../bin/plinth lineage marts.daily_sales.revenue
  ../bin/plinth query --measures orders.revenue --dimensions customers.region
  ../bin/plinth help`);
}

/** dev follows the audits of the product; that of the promoted orders fails, does not block, and is in the inbox of dev once the server deals the event out. */
async function showNotification(): Promise<void> {
  await show('follow', 'product', '--event', 'audit.failed', '--user', 'dev', '--project', 'shop');
  if (existsSync(promotedOrders)) return;
  writeFileSync(promotedOrders, PROMOTED_ORDERS);
  await show('plan', '--yes', '--project', 'shop');
}

/** What dev was told, as a caller of the API reads it. */
async function showInbox(base: string): Promise<void> {
  for (let time = 0; time < 40; time++) {
    const answer = await fetch(`${base}/notifications/inbox`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { items, unread } = (await answer.json()) as {
      unread: number;
      items: readonly { readonly title: string; readonly severity: string; readonly at: string }[];
    };
    if (items.length > 0) {
      console.error(`\nThe inbox of dev, who follows the audits of the product (${unread} unread):`);
      for (const { at, severity, title } of items.slice(0, 3))
        console.error(`  ${at}  ${severity}  ${title}`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
