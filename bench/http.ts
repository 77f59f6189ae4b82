import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from './http-served.ts';
import { type Manner, type StatementRound, statementRound, storedStatements } from './http-statements.ts';
import { describeMachine } from './measure.ts';

// HTTP: what the server costs above what it stands on. The server is the built program with `--auth required`, a process of
// its own; this process is the client.
//   statements  durable statements a second over 16 connections, with state.synchronous normal and full
// Results are written after each part, and `isComplete` says whether they are all there.

const ROOT = join(import.meta.dirname, '..');
const WORK = join(tmpdir(), 'plinth-bench');
const BARS = { statementsPerSecond: 300 } as const;

interface StatementFigures {
  readonly perSecond: { readonly median: number; readonly best: number; readonly worst: number };
  readonly rounds: readonly StatementRound[];
}

interface Measured {
  readonly statements?: Readonly<Record<string, StatementFigures>>;
}

/** The bench behind `npm run bench http`. */
export async function runHttpBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      /** One of the parts above alone. */
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      statements: { type: 'string', default: '1500' },
      connections: { type: 'string', default: '16' },
      /** Given to the server's Node, e.g. `--cpu-prof`. */
      'node-options': { type: 'string' },
      results: { type: 'string', default: join(import.meta.dirname, 'results', 'http.json') },
    },
  });
  mkdirSync(WORK, { recursive: true });
  mkdirSync(dirname(values.results), { recursive: true });
  const before = loadavg()[0]!;
  let measured: Measured = {};
  const tell = (more: Measured, isComplete = false): void => {
    measured = { ...measured, ...more };
    const results = {
      bench: 'http',
      at: new Date().toISOString(),
      isComplete,
      machine: describeMachine(),
      versions: versions(),
      loadAverage: { before, after: loadavg()[0]! },
      bars: BARS,
      ...measured,
    };
    writeFileSync(values.results, `${JSON.stringify(results, null, 2)}\n`);
  };
  const nodeOptions = values['node-options'];
  const parts: Readonly<Record<string, () => Promise<Measured>>> = {
    statements: async () => ({
      statements: await measureStatements({
        rounds: Number(values.rounds),
        count: Number(values.statements),
        connections: Number(values.connections),
        ...(nodeOptions === undefined ? {} : { nodeOptions }),
      }),
    }),
  };
  const { only } = values;
  if (only !== undefined && !Object.hasOwn(parts, only))
    throw new Error(`--only is one of ${Object.keys(parts).join(', ')}`);
  for (const [name, measure] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    process.stderr.write(`[http] ${new Date().toISOString().slice(11, 19)} ${name}\n`);
    tell(await measure());
  }
  tell({}, only === undefined);
  print(measured);
}

async function measureStatements({
  rounds,
  nodeOptions,
  ...how
}: {
  readonly rounds: number;
  readonly count: number;
  readonly connections: number;
  readonly nodeOptions?: string;
}): Promise<Record<string, StatementFigures>> {
  const started = { ...(nodeOptions === undefined ? {} : { nodeOptions }) };
  const servers = {
    normal: await serve(join(WORK, 'http-normal'), started),
    full: await serve(join(WORK, 'http-full'), { ...started, synchronous: 'full' }),
  };
  const found: Record<string, StatementRound[]> = {};
  try {
    // A server is warm when its code is compiled; nobody's figure is that of the first second.
    for (const served of Object.values(servers)) await statementRound(served, { ...how, manner: 'wait' });
    for (let round = 0; round < rounds; round++)
      for (const [synchronous, manner] of [
        ['normal', 'wait'],
        ['full', 'wait'],
        ['normal', 'poll'],
      ] as const satisfies readonly (readonly ['normal' | 'full', Manner])[]) {
        const figures = await statementRound(servers[synchronous], { ...how, manner });
        const name = `${synchronous}, ${manner === 'wait' ? 'one request' : 'submit and ask'}`;
        process.stderr.write(`[http] round ${round + 1} ${name}: ${JSON.stringify(figures)}\n`);
        found[name] = [...(found[name] ?? []), figures];
      }
    const stored = storedStatements(servers.normal);
    const expected = (1 + rounds * 2) * how.count;
    if (stored !== expected) throw new Error(`${stored} statements are in the store and not ${expected}`);
  } finally {
    for (const served of Object.values(servers)) await served.stop();
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, own]) => {
      const sorted = own.map(({ perSecond }) => perSecond).sort((a, b) => a - b);
      const perSecond = {
        median: sorted[Math.floor((sorted.length - 1) / 2)]!,
        best: sorted.at(-1)!,
        worst: sorted[0]!,
      };
      return [name, { perSecond, rounds: own }];
    }),
  );
}

function print({ statements }: Measured): void {
  if (statements !== undefined)
    console.table(
      Object.entries(statements).map(([name, { perSecond, rounds }]) => ({
        statements: name,
        'median /s': perSecond.median,
        'best /s': perSecond.best,
        'worst /s': perSecond.worst,
        'server CPU ms': median(rounds.map(({ serverCpuMs }) => serverCpuMs)),
        'keeper CPU ms': median(rounds.map(({ keeperCpuMs }) => keeperCpuMs)),
        'client CPU ms': median(rounds.map(({ clientCpuMs }) => clientCpuMs)),
        ...(name.startsWith('normal, one')
          ? { 'at least': BARS.statementsPerSecond, held: perSecond.median >= BARS.statementsPerSecond }
          : {}),
      })),
    );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)]!;
}

function versions(): Record<string, string> {
  const of = (name: string): string =>
    (
      JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
        version: string;
      }
    ).version;
  return { node: process.version, fastify: of('fastify'), duckdb: of('@duckdb/node-api') };
}
