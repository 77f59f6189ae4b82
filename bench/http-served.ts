import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepersBelow } from './keepers.ts';

const PLINTH = join(import.meta.dirname, '..', 'bin', 'plinth');

/** Rows of `marts.orders`. */
export const ORDERS = 10_000;
/** The warehouse file of the project. */
export const WAREHOUSE = 'bench.duckdb';

const FILES: Readonly<Record<string, string>> = {
  'models/orders.sql': `MODEL (name marts.orders, kind FULL, grain order_id);
SELECT range::INTEGER AS order_id, (range % 997)::INTEGER AS customer_id, DATE '2025-01-01' + (range % 365)::INTEGER AS ordered_on,
  CASE range % 3 WHEN 0 THEN 'completed' WHEN 1 THEN 'returned' ELSE 'open' END AS status, (range % 5000 / 100)::DECIMAL(10, 2) AS amount
FROM range(${ORDERS})
`,
  'models/customers.sql': `MODEL (name marts.customers, kind FULL, grain customer_id);
SELECT range::INTEGER AS customer_id, CASE range % 2 WHEN 0 THEN 'EU' ELSE 'US' END AS region FROM range(997)
`,
  'models/semantics/orders.yml': `kind: semantic
name: orders
depends_on: marts.orders
dimensions: [order_id, status, ordered_on]
measures:
  - {name: revenue, type: sum, expression: "{amount}"}
joins:
  - {name: customers, type: many_to_one, on: "{customer_id} = {customers.customer_id}"}
`,
  'models/semantics/customers.yml': `kind: semantic
name: customers
depends_on: marts.customers
dimensions: [customer_id, region]
`,
};

const config = (synchronous: 'normal' | 'full'): string => `name: bench
tenant: acme
gateways:
  local:
    connection: {type: duckdb, database: ${WAREHOUSE}}
model_defaults: {dialect: duckdb, start: '2025-01-01'}
server: {limits: {requests_per_second: 1000000}}
${synchronous === 'full' ? 'state: {synchronous: full}\n' : ''}`;

/** A planned project that can be served, and the token of one of its consumers. */
export interface BenchProject {
  readonly folder: string;
  readonly token: string;
  /** Signed by the server's own key, for the same consumer. */
  readonly jwt: string;
}

/** The built program with authentication, and what a client needs to ask it. */
export interface Served extends BenchProject {
  readonly url: URL;
  /** Path of the Data Product API. */
  readonly base: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Makes and plans a project in `folder`, which is emptied first. */
export function makeProject(
  folder: string,
  { synchronous = 'normal', program = PLINTH }: { synchronous?: 'normal' | 'full'; program?: string } = {},
): BenchProject {
  rmSync(folder, { recursive: true, force: true });
  const files = { ...FILES, 'config.yaml': config(synchronous) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  execFileSync(program, ['plan', '--yes'], { cwd: folder, stdio: 'pipe' });
  return withConsumer(folder, program);
}

/** Makes a consumer in a planned project. */
export function withConsumer(folder: string, program: string = PLINTH): BenchProject {
  const plinth = (...args: readonly string[]): string =>
    execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  plinth('user', 'create', 'cleo');
  plinth('grant', 'cleo', 'consumer');
  const made = (...args: readonly string[]): Readonly<Record<string, string>> => {
    const line =
      plinth(...args, '--json')
        .trim()
        .split('\n')
        .at(-1) ?? '';
    return (JSON.parse(line) as { data: Readonly<Record<string, string>> }).data;
  };
  const token = made('token', 'create', '--user', 'cleo')['token'] ?? '';
  return { folder, token, jwt: made('auth', 'jwt', 'cleo')['jwt'] ?? '' };
}

/** Serves a project; `nodeOptions` are given to the server's Node, such as `--cpu-prof`. */
export async function serve(
  project: BenchProject,
  nodeOptions?: string,
  program: string = PLINTH,
): Promise<Served> {
  const child = spawn(program, ['serve', '--port', '0', '--json', '--no-scheduler', '--auth', 'required'], {
    cwd: project.folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...(nodeOptions === undefined ? {} : { NODE_OPTIONS: nodeOptions }) },
  });
  const { url, products } = JSON.parse(await firstLine(child)) as {
    url: string;
    products: { base_url: string }[];
  };
  const base = new URL(products[0]?.base_url ?? url).pathname;
  return { ...project, url: new URL(url), base, pid: child.pid as number, stop: () => end(child) };
}

/** The bare Fastify of floors/, answering each path of `bodies` with its text. */
export async function serveBare(
  bodies: Readonly<Record<string, string>>,
): Promise<{ readonly url: URL; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floors', 'bare-fastify.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, BODIES: JSON.stringify(bodies) },
  });
  return { url: new URL(await firstLine(child)), stop: () => end(child) };
}

/** Headers of a client that shows the token: the Platform API takes it as apikey, a product as Bearer. */
export function credentials({ token, base }: Served, path: string): Readonly<Record<string, string>> {
  return path.startsWith(base) ? { authorization: `Bearer ${token}` } : { apikey: token };
}

/** Processor time of a process so far, all its threads, in milliseconds. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The process that holds the warehouse of a project. */
export function keeperOf({ folder }: BenchProject): number {
  const [pid] = keepersBelow(folder);
  if (pid === undefined) throw new Error(`no process keeps a database below ${folder}`);
  return pid;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise<true>((resolve) => child.on('close', () => resolve(true)));
  for (const signal of ['SIGTERM', 'SIGTERM', 'SIGKILL'] as const) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    if (await Promise.race([ended, sleep(10_000, false, { ref: false })])) return;
  }
}
