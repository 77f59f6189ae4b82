import { HttpConnection, requestBytes } from './http-connection.ts';
import { credentials, type Served, serveBare } from './http-served.ts';

// How many requests a second are answered to 1, 20 and 200 connections that each ask again as soon as they are answered, beside
// bare Fastify with the same answers. Both are asked in turns. The client shares the two cores with the server.

const CROWDS = [1, 20, 200] as const;
const SECONDS = 3;
const ROUNDS = 3;

/** Medians of the rounds. */
export interface CrowdFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Crowd {
  readonly connections: number;
  readonly plinth: CrowdFigures;
  readonly bare: CrowdFigures;
}

/** By address. */
export async function measureCrowds(served: Served): Promise<Record<string, readonly Crowd[]>> {
  const requests = await requestsOf(served);
  const bare = await serveBare(Object.fromEntries(requests.map(({ path, body }) => [path, body])));
  const found: Record<string, Crowd[]> = {};
  try {
    for (const { name, path, headers, request } of requests)
      for (const connections of CROWDS) {
        const [plinth, floor]: [CrowdFigures[], CrowdFigures[]] = [[], []];
        for (let round = 0; round < ROUNDS; round++) {
          plinth.push(await crowd(served.url, request, connections));
          floor.push(
            await crowd(bare.url, requestBytes({ url: bare.url, headers }, 'GET', path), connections),
          );
        }
        found[name] = [
          ...(found[name] ?? []),
          { connections, plinth: medians(plinth), bare: medians(floor) },
        ];
      }
    return found;
  } finally {
    await bare.stop();
  }
}

interface CrowdRequest {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly request: Buffer;
  /** What it is answered with. */
  readonly body: string;
}

async function requestsOf(served: Served): Promise<readonly CrowdRequest[]> {
  const connection = await HttpConnection.open(served.url);
  const answerTo = async (request: Buffer): Promise<string> => {
    const { status, body } = await connection.ask(request);
    if (status !== 200) throw new Error(`${status} ${body.toString().slice(0, 400)}`);
    return body.toString();
  };
  const at = `${served.base}/query/statement`;
  const target = { url: served.url, headers: credentials(served, at) };
  const statement = JSON.parse(
    await answerTo(requestBytes(target, 'POST', at, { statement: 'SELECT 1', wait: 20 })),
  ) as { id: string };
  const semantic = `${served.base}/query/semantic/rest`;
  const query = { measures: ['orders.revenue'], dimensions: ['customers.region'] };
  const asked = [
    { name: '/me', path: '/platform-api/v1/me', method: 'GET' },
    { name: '…/query/statement/{id}', path: `${at}/${statement.id}`, method: 'GET' },
    { name: '…/query/semantic/rest, cached', path: semantic, method: 'POST', json: { query, wait: 20 } },
  ];
  try {
    const requests: CrowdRequest[] = [];
    for (const { name, path, method, json } of asked) {
      const headers = credentials(served, path);
      const request = requestBytes({ url: served.url, headers }, method, path, json);
      requests.push({ name, path, headers, request, body: await answerTo(request) });
    }
    return requests;
  } finally {
    connection.close();
  }
}

async function crowd(url: URL, request: Buffer, connections: number): Promise<CrowdFigures> {
  const all = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(url)));
  const times: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  try {
    await Promise.all(
      all.map(async (connection) => {
        while (performance.now() < until) {
          const began = performance.now();
          const { status, body } = await connection.ask(request);
          if (status !== 200) throw new Error(`${status} ${body.toString().slice(0, 400)}`);
          times.push(performance.now() - began);
        }
      }),
    );
  } finally {
    for (const connection of all) connection.close();
  }
  times.sort((a, b) => a - b);
  const share = (of: number): number => times[Math.min(times.length - 1, Math.floor(times.length * of))] ?? 0;
  return { perSecond: times.length / SECONDS, p50Ms: share(0.5), p99Ms: share(0.99) };
}

function medians(rounds: readonly CrowdFigures[]): CrowdFigures {
  const of = (figure: keyof CrowdFigures): number => {
    const sorted = rounds.map((round) => round[figure]).toSorted((a, b) => a - b);
    return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 100) / 100;
  };
  return { perSecond: of('perSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}
