import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { cpuMs, keeperOf, makeProject, ORDERS, type Served, serve } from './http-served.ts';

// Statements that are acknowledged, stored and finished per second. Each has a text of its own, so nothing is taken from a
// cache, shared, or known to the parser; each answer is looked at.

/** The rounds of one manner with one setting. */
export interface StatementFigures {
  readonly perSecond: { readonly median: number; readonly best: number; readonly worst: number };
  readonly rounds: readonly StatementRound[];
}

/** One round. CPU milliseconds are per statement. */
interface StatementRound {
  readonly perSecond: number;
  readonly serverCpuMs: number;
  readonly keeperCpuMs: number;
  readonly clientCpuMs: number;
}

/** `wait`: one request, answered at the end. `poll`: submitted with one, asked for with a second that waits. */
type Manner = 'wait' | 'poll';

let asked = 0;

/** In turns: with state that survives every kill, with state that survives a power loss too, and in two requests. */
export async function measureStatements({
  work,
  rounds,
  nodeOptions,
  ...how
}: {
  readonly work: string;
  readonly rounds: number;
  readonly count: number;
  readonly connections: number;
  readonly nodeOptions: string | undefined;
}): Promise<Record<string, StatementFigures>> {
  const servers = {
    normal: await serve(makeProject(join(work, 'http-normal')), nodeOptions),
    full: await serve(makeProject(join(work, 'http-full'), { synchronous: 'full' }), nodeOptions),
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

/** Runs `count` statements over `connections`. */
async function statementRound(
  served: Served,
  {
    manner,
    count,
    connections,
  }: { readonly manner: Manner; readonly count: number; readonly connections: number },
): Promise<StatementRound> {
  const open = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(served.url)));
  const last = asked + count;
  // The first statement after a pause may have to start a keeper.
  await one(served, open[0] as HttpConnection, 'wait');
  const pids = [served.pid, keeperOf(served)] as const;
  const [serverBefore, keeperBefore] = pids.map(cpuMs) as [number, number];
  const clientBefore = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    open.map(async (connection) => {
      while (asked < last) await one(served, connection, manner);
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const [serverAfter, keeperAfter] = pids.map(cpuMs) as [number, number];
  const client = process.cpuUsage(clientBefore);
  for (const connection of open) connection.close();
  const each = (ms: number): number => Math.round((ms / count) * 100) / 100;
  return {
    perSecond: Math.round((count - 1) / seconds),
    serverCpuMs: each(serverAfter - serverBefore),
    keeperCpuMs: each(keeperAfter - keeperBefore),
    clientCpuMs: each((client.user + client.system) / 1000),
  };
}

async function one(served: Served, connection: HttpConnection, manner: Manner): Promise<void> {
  const number = ++asked;
  const target = { url: served.url, headers: { authorization: `Bearer ${served.token}` } };
  const sql = `SELECT order_id, amount, ${number} AS asked FROM marts.orders WHERE order_id = ${number % ORDERS}`;
  const path = `${served.base}/query/statement`;
  const wait = manner === 'wait' ? 25 : 0;
  const submitted = await connection.ask(requestBytes(target, 'POST', path, { statement: sql, wait }));
  const statement = JSON.parse(submitted.body.toString()) as {
    readonly id: string;
    readonly status: string;
    readonly row_count?: number;
    readonly result?: { readonly rows: readonly (readonly unknown[])[] };
  };
  if (manner === 'wait') {
    if (statement.status !== 'SUCCESS' || statement.result?.rows[0]?.[2] !== number)
      throw new Error(`statement ${number}: ${submitted.status} ${submitted.body.toString().slice(0, 400)}`);
    return;
  }
  if (submitted.status !== 202 && submitted.status !== 200)
    throw new Error(`statement ${number}: ${submitted.status} ${submitted.body.toString().slice(0, 400)}`);
  const ended = await connection.ask(requestBytes(target, 'GET', `${path}/${statement.id}?wait=25`));
  const { status, row_count } = JSON.parse(ended.body.toString()) as typeof statement;
  if (status !== 'SUCCESS' || row_count !== 1)
    throw new Error(`statement ${number}: ${ended.status} ${ended.body.toString().slice(0, 400)}`);
}

/** Statements in the store that have ended well. */
function storedStatements({ folder }: Served): number {
  const database = new DatabaseSync(join(folder, '.plinth', 'state.db'), { readOnly: true });
  try {
    const row = database.prepare("SELECT count(*) AS n FROM statements WHERE status = 'SUCCESS'").get();
    return Number(row?.['n']);
  } finally {
    database.close();
  }
}
