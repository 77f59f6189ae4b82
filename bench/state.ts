import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type PostgresServer,
  STATE_DATABASE,
  STATE_PASSWORD,
  STATE_USER,
  startPostgresServer,
} from '../tests/postgres-server.ts';
import { type CountingProxy, countingProxy } from './counting-proxy.ts';
import { type Manifest, touchModel, writeProject } from './generate/write-project.ts';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { inTurns, type Latency, type Timed } from './http-latency.ts';
import { type BenchProject, credentials, type Served, serve, withConsumer } from './http-served.ts';
import { endKeepers } from './keepers.ts';
import {
  type Command,
  commitOfHere,
  describeMachine,
  measureOnce,
  type Sample,
  summarise,
} from './measure.ts';
import { quietLoad, writeResults } from './quiet.ts';

// State: the same project of 1,000 models twice, with its state in SQLite and in a PostgreSQL of this machine, in turns. The server
// writes through to the disk (fsync on), as it does when it is installed; SQLite syncs at checkpoints, as it does in a project.
//   no-op      a plan in which nothing changed
//   promotion  a plan of one changed model, applied: one table is built, all views of the environment are promoted
//   query      a statement of `plinth query`
//   answered   a statement of a server, submitted and answered in one request; every text another
//   asked      the same in two requests
// Round trips are counted once more through a proxy, in runs that are not timed; `idle` is what a served second has of its own.

const PLINTH = join(import.meta.dirname, '..', 'bin', 'plinth');
const STORES = ['sqlite', 'postgres'] as const;
type Store = (typeof STORES)[number];
const COMMANDS = ['no-op', 'promotion', 'query'] as const;
const REQUESTS = ['answered', 'asked'] as const;
const COUNTED_STATEMENTS = 50;
const IDLE_MS = 5_000;

type Times = Record<
  string,
  Partial<Record<Store, { readonly medianMs: number; readonly minMs: number; readonly runs: number }>>
>;

/** One of the two projects. */
interface Place {
  readonly store: Store;
  readonly folder: string;
  readonly manifest: Manifest;
  /** How often its model was changed. */
  changes: number;
  statements: number;
}

/** The bench behind `npm run bench state`. */
export async function runStateBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      models: { type: 'string', default: '1000' },
      runs: { type: 'string', default: '7' },
      requests: { type: 'string', default: '500' },
      /** A short form to see that it works: 100 models, no results. */
      quick: { type: 'boolean', default: false },
      results: { type: 'string', default: join(import.meta.dirname, 'results', 'state.json') },
    },
  });
  const models = values.quick ? 100 : Number(values.models);
  const runs = values.quick ? 2 : Number(values.runs);
  const requests = values.quick ? 20 : Number(values.requests);
  const work = mkdtempSync(join(tmpdir(), 'plinth-state-bench-'));
  const commit = commitOfHere();
  const before = values.quick ? loadavg()[0]! : await quietLoad();
  const at = new Date().toISOString();
  const server = await startPostgresServer(['fsync=on', 'full_page_writes=on']);
  try {
    const manifest = writeProject(join(work, 'generated'), models, 0);
    const places = STORES.map((store) => placeOf({ work, store, manifest, port: server.port }));
    const apply: Partial<Record<Store, number>> = {};
    for (const { store, folder } of places)
      apply[store] = Math.round((await measureOnce(plinth(folder, 'plan', '--yes', '--json'))).wallMs);
    const times: Times = { ...(await measureCommands(places, runs)) };
    const projects = places.map((place) => ({ place, project: withConsumer(place.folder) }));
    Object.assign(times, await measureRequests(projects, requests));
    const trips = await countTrips(projects[1]!, server);
    const [version] = await server.ask("SELECT current_setting('server_version') AS version");
    const figures = Object.fromEntries(
      Object.entries(times).map(([name, { sqlite, postgres }]) => [
        name,
        { sqlite, postgres, ratio: rounded(postgres!.medianMs / sqlite!.medianMs), roundTrips: trips[name] },
      ]),
    );
    for (const [name, { sqlite, postgres, ratio, roundTrips }] of Object.entries(figures))
      console.log(
        `${name.padEnd(10)} SQLite ${sqlite!.medianMs} ms, PostgreSQL ${postgres!.medianMs} ms, ratio ${ratio}, ${roundTrips} round trips`,
      );
    console.log(`idle       ${trips['idle']} round trips a second of a server`);
    if (values.quick) return;
    writeResults(values.results, {
      bench: 'state',
      at,
      commit,
      machine: describeMachine(),
      loadAverage: { before, after: loadavg()[0]! },
      versions: { postgres: String(version?.['version']), sqlite: process.versions['sqlite'] },
      project: manifest,
      firstPlanMs: apply,
      figures,
      idleTripsPerSecond: trips['idle'],
    });
  } finally {
    await endKeepers(work);
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

function placeOf({
  work,
  store,
  manifest,
  port,
}: {
  readonly work: string;
  readonly store: Store;
  readonly manifest: Manifest;
  readonly port: number;
}): Place {
  const folder = join(work, store);
  cpSync(join(work, 'generated', 'blocks'), folder, { recursive: true });
  const script = join(import.meta.dirname, 'floors', 'run-script.ts');
  const externals = join(work, 'generated', 'bare', 'externals.sql');
  execFileSync(process.execPath, [script, join(folder, 'warehouse.duckdb'), externals]);
  if (store === 'postgres') keepStateAt(folder, port);
  return { store, folder, manifest, changes: 0, statements: 0 };
}

/** Lets config.yaml say that the state lies on a server. */
function keepStateAt(folder: string, port: number): void {
  const file = join(folder, 'config.yaml');
  const connection = JSON.stringify({
    type: 'postgres',
    host: '127.0.0.1',
    port,
    user: STATE_USER,
    password: STATE_PASSWORD,
    database: STATE_DATABASE,
    sslmode: 'disable',
  });
  const text = readFileSync(file, 'utf8').replace(/^ {4}state_connection: .*\n/m, '');
  writeFileSync(file, text.replace('  local:\n', `  local:\n    state_connection: ${connection}\n`));
}

const plinth = (cwd: string, ...args: readonly string[]): Command => ({ program: PLINTH, args, cwd });

/** Does one of the commands, and looks at what came of it. */
async function perform(place: Place, name: (typeof COMMANDS)[number]): Promise<Sample> {
  const { folder, manifest } = place;
  if (name === 'query') {
    const number = ++place.statements;
    const asked = ['query', '--format', 'json', '--sql', `SELECT ${number} AS asked`];
    const sample = await measureOnce(plinth(folder, ...asked));
    const { rows } = JSON.parse(sample.stdout) as { readonly rows: readonly (readonly unknown[])[] };
    if (Number(rows[0]?.[0]) !== number) throw new Error(`statement ${number}: ${sample.stdout}`);
    return sample;
  }
  if (name === 'promotion') {
    const leaf = join(folder, manifest.leaf.blocks);
    const original = readFileSync(join(folder, '..', 'generated', 'blocks', manifest.leaf.blocks), 'utf8');
    writeFileSync(leaf, touchModel(original, ++place.changes));
  }
  const sample = await measureOnce(
    plinth(folder, 'plan', ...(name === 'promotion' ? ['--yes'] : []), '--json'),
  );
  const { ok, data } = JSON.parse(sample.stdout.trim().split('\n').at(-1) ?? '{}') as {
    readonly ok: boolean;
    readonly data: { readonly changes?: readonly { readonly change: string }[]; readonly status?: string };
  };
  const direct = data.changes?.filter(({ change }) => change === 'direct').length;
  if (!ok || (name === 'no-op' && direct !== 0) || (name === 'promotion' && data.status !== 'succeeded'))
    throw new Error(`${name}: ${sample.stdout.slice(-600)}`);
  return sample;
}

async function measureCommands(places: readonly Place[], runs: number): Promise<Times> {
  const samples: Record<string, Record<Store, Sample[]>> = {};
  for (const name of COMMANDS) {
    samples[name] = { sqlite: [], postgres: [] };
    // The first of each warms the keeper and the caches.
    for (let round = -1; round < runs; round++)
      for (const place of round % 2 === 0 ? places : places.toReversed()) {
        const sample = await perform(place, name);
        if (round >= 0) samples[name][place.store].push(sample);
      }
    process.stderr.write(`[state] ${name} is measured\n`);
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, own]) => [
      name,
      Object.fromEntries(STORES.map((store) => [store, summarise(own[store], loadavg()[0]!)])),
    ]),
  );
}

interface ServedPlace {
  readonly place: Place;
  readonly project: BenchProject;
}

async function measureRequests(projects: readonly ServedPlace[], count: number): Promise<Times> {
  const served: Served[] = [];
  const connections: HttpConnection[] = [];
  try {
    const work: Record<string, Timed> = {};
    for (const { place, project } of projects) {
      const one = await serve(project);
      served.push(one);
      const connection = await HttpConnection.open(one.url);
      connections.push(connection);
      for (const name of REQUESTS)
        work[`${name} ${place.store}`] = () => answered(one, { connection, place, name });
    }
    const taken = await inTurns(work, count);
    const timesOf = ({ p50Ms, minMs, requests }: Latency) => ({ medianMs: p50Ms, minMs, runs: requests });
    return Object.fromEntries(
      REQUESTS.map((name) => [
        name,
        Object.fromEntries(STORES.map((store) => [store, timesOf(taken[`${name} ${store}`]!)])),
      ]),
    );
  } finally {
    for (const connection of connections) connection.close();
    for (const one of served) await one.stop();
  }
}

/** One statement with a text of its own, in one request or in two; answers with how long it took. */
async function answered(
  served: Served,
  {
    connection,
    place,
    name,
  }: { readonly connection: HttpConnection; readonly place: Place; readonly name: (typeof REQUESTS)[number] },
): Promise<number> {
  const number = ++place.statements;
  const path = `${served.base}/query/statement`;
  const target = { url: served.url, headers: credentials(served, path) };
  const body = { statement: `SELECT ${number} AS asked`, cache: false, wait: name === 'answered' ? 25 : 0 };
  const began = performance.now();
  let answer = await connection.ask(requestBytes(target, 'POST', path, body));
  type Statement = { readonly id: string; readonly status: string; readonly row_count?: number };
  let statement = JSON.parse(answer.body.toString()) as Statement;
  if (name === 'asked') {
    answer = await connection.ask(requestBytes(target, 'GET', `${path}/${statement.id}?wait=25`));
    statement = JSON.parse(answer.body.toString()) as Statement;
  }
  const ms = performance.now() - began;
  if (statement.status !== 'SUCCESS' || statement.row_count !== 1)
    throw new Error(`statement ${number}: ${answer.status} ${answer.body.toString().slice(0, 400)}`);
  return ms;
}

/** How often the project with the server waits for it, by what it does. */
async function countTrips(
  { place, project }: ServedPlace,
  server: PostgresServer,
): Promise<Readonly<Record<string, number>>> {
  const proxy = await countingProxy(server.port);
  try {
    keepStateAt(place.folder, proxy.port);
    const trips: Record<string, number> = {};
    for (const name of COMMANDS) {
      proxy.takeTrips();
      await perform(place, name);
      trips[name] = proxy.takeTrips();
    }
    const served = await serve(project);
    const connection = await HttpConnection.open(served.url);
    try {
      for (const name of REQUESTS)
        trips[name] = await tripsOf(proxy, () => answered(served, { connection, place, name }));
      proxy.takeTrips();
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      trips['idle'] = rounded(proxy.takeTrips() / (IDLE_MS / 1000));
    } finally {
      connection.close();
      await served.stop();
    }
    return trips;
  } finally {
    proxy.close();
    keepStateAt(place.folder, server.port);
  }
}

async function tripsOf(proxy: CountingProxy, perform_: Timed): Promise<number> {
  await perform_();
  proxy.takeTrips();
  for (let i = 0; i < COUNTED_STATEMENTS; i++) await perform_();
  return rounded(proxy.takeTrips() / COUNTED_STATEMENTS);
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
