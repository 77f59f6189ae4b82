import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HttpConnection, requestBytes } from './http-connection.ts';
import { cpuMs, keeperOf, ORDERS, type Served } from './http-served.ts';

// Statements that are acknowledged, stored and finished per second. Each has a text of its own, so nothing is taken from a
// cache, shared, or known to the parser; each answer is looked at.

/** One round. CPU milliseconds are per statement. */
export interface StatementRound {
  readonly perSecond: number;
  readonly serverCpuMs: number;
  readonly keeperCpuMs: number;
  readonly clientCpuMs: number;
}

/** `wait`: one request, answered at the end. `poll`: submitted with one, asked for with a second that waits. */
export type Manner = 'wait' | 'poll';

let asked = 0;

/** Runs `count` statements over `connections`. */
export async function statementRound(
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
export function storedStatements({ folder }: Served): number {
  const database = new DatabaseSync(join(folder, '.plinth', 'state.db'), { readOnly: true });
  try {
    const row = database.prepare("SELECT count(*) AS n FROM statements WHERE status = 'SUCCESS'").get();
    return Number(row?.['n']);
  } finally {
    database.close();
  }
}
