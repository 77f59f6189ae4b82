import { loadavg } from 'node:os';
import { type Answer, HttpConnection, requestBytes } from './http-connection.ts';
import { credentials, type Served, serveBare } from './http-served.ts';

// Latencies on one kept-alive connection each, in turns, so that what disturbs the machine disturbs all of them alike.

/** A series of milliseconds. */
export interface Latency {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly minMs: number;
  readonly loadAverage: number;
}

/** Something to do again and again; answers with how long it took. */
export type Timed = () => Promise<number>;

/** Does each of them `count` times, one after the other, after a warm-up of a tenth at most 300. */
export async function inTurns<Name extends string>(
  work: Readonly<Record<Name, Timed>>,
  count: number,
): Promise<Record<Name, Latency>> {
  const names = Object.keys(work) as Name[];
  const taken = new Map<Name, number[]>(names.map((name) => [name, []]));
  const loadAverage = Math.round(loadavg()[0]! * 10) / 10;
  const warm = Math.min(300, Math.ceil(count / 10));
  for (let i = -warm; i < count; i++)
    for (const name of names) {
      const ms = await work[name]();
      if (i >= 0) taken.get(name)?.push(ms);
    }
  const latencies = names.map((name) => [name, latencyOf(taken.get(name) ?? [], loadAverage)] as const);
  return Object.fromEntries(latencies) as Record<Name, Latency>;
}

function latencyOf(taken: readonly number[], loadAverage: number): Latency {
  const sorted = taken.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]! * 1000) / 1000;
  return { requests: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), minMs: at(0), loadAverage };
}

/** Sends the same request each time; anything but 200 ends the bench. */
export function timedRequest(
  connection: HttpConnection,
  request: Buffer,
  check: (answer: Answer) => void = () => {},
): Timed {
  return async () => {
    const began = performance.now();
    const answer = await connection.ask(request);
    const ms = performance.now() - began;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.toString().slice(0, 400)}`);
    check(answer);
    return ms;
  };
}

/** One route beside bare Fastify answering the same bytes. */
export interface Overhead {
  readonly plinth: Latency;
  readonly bare: Latency;
  readonly aboveMs: number;
}

/** What authentication, routing and all else around an answer cost; the routes do as good as nothing themselves. */
export async function measureOverhead(served: Served, count: number): Promise<Record<string, Overhead>> {
  const connection = await HttpConnection.open(served.url);
  const me = '/platform-api/v1/me';
  const statement = await statementPath(served, connection);
  const asked: Readonly<Record<string, Asked>> = {
    [me]: { path: me, headers: credentials(served, me) },
    [`${me}, JWT`]: { path: me, headers: { authorization: `Bearer ${served.jwt}` } },
    '…/query/statement/{id}': { path: statement, headers: credentials(served, statement) },
  };
  const bodies: Record<string, string> = {};
  for (const { path, headers } of Object.values(asked))
    bodies[path] = (
      await connection.ask(requestBytes({ url: served.url, headers }, 'GET', path))
    ).body.toString();
  const bare = await serveBare(bodies);
  const bareConnection = await HttpConnection.open(bare.url);
  try {
    const work: Record<string, Timed> = {};
    for (const [name, { path, headers }] of Object.entries(asked)) {
      const request = (url: URL): Buffer => requestBytes({ url, headers }, 'GET', path);
      work[`plinth ${name}`] = timedRequest(connection, request(served.url));
      // The same headers, so that both parse the same.
      work[`bare ${name}`] = timedRequest(bareConnection, request(bare.url));
    }
    const found = await inTurns(work, count);
    return Object.fromEntries(
      Object.keys(asked).map((name) => {
        const [plinth, floor] = [found[`plinth ${name}`]!, found[`bare ${name}`]!];
        return [name, { plinth, bare: floor, aboveMs: above(plinth, floor) }];
      }),
    );
  } finally {
    connection.close();
    bareConnection.close();
    await bare.stop();
  }
}

interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An address of the product door that reads one row. */
async function statementPath(served: Served, connection: HttpConnection): Promise<string> {
  const path = `${served.base}/query/statement`;
  const target = { url: served.url, headers: credentials(served, path) };
  const answer = await connection.ask(
    requestBytes(target, 'POST', path, { statement: 'SELECT 1', wait: 20 }),
  );
  return `${path}/${(JSON.parse(answer.body.toString()) as { id: string }).id}`;
}

/** Difference of the medians. */
export function above(upper: Latency, lower: Latency): number {
  return Math.round((upper.p50Ms - lower.p50Ms) * 1000) / 1000;
}
