/*
 * Queries that run away, through the real server: they end when they are cancelled, by their own time or for want of memory,
 * whether they obey or the keeper must die for it; meanwhile others are answered, and a backfill ends exactly once.
 * PLINTH_CAMPAIGN=1 takes all of them, with the promises as bars and its figures in bench/results/runaway.json.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitOfHere } from '../../bench/measure.ts';
import { SEMANTIC_PROJECT } from '../e2e/semantic-project.ts';
import { type ServedProject, servedProject } from '../e2e/served-project.ts';
import { keeperOf } from '../kill/processes.ts';
import { everyNth, IS_LONG } from '../support/long-form.ts';
import { expectWithin } from '../support/promised-times.ts';
import { RUNAWAYS, type RunawayName } from './runaways.ts';

const CANCEL_MS = 2_500;
const ENGINE_ANSWER_MS = 3_000;
const OTHER_ANSWER_MS = 100;
const MEMORY_LEFT_MB = 150;

const SHORT: readonly RunawayName[] = [
  'a range without end',
  'rows without end',
  'a cross join',
  'a huge unnest',
  'a sort of everything',
  'JSON of a long list',
];
const NAMES = IS_LONG ? (Object.keys(RUNAWAYS) as RunawayName[]) : SHORT;
/** These take more than the engine has before anything else can end them. */
const GREEDY: readonly RunawayName[] = [
  'a huge unnest',
  'an unnest of 1e9',
  'one text of gigabytes',
  'lists made and sorted',
  'a long list, transformed',
];
/** These do not obey, so that the keeper dies for them. */
const DEAF: readonly RunawayName[] = ['JSON of a long list', 'a list of timestamps'];

interface Body {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly code?: string;
  readonly result?: { readonly rows: readonly (readonly unknown[])[] };
}

let served: ServedProject;
let base = '';
const figures: Record<string, unknown>[] = [];

beforeAll(async () => {
  served = await servedProject(
    {
      ...SEMANTIC_PROJECT,
      'config.yaml': `${SEMANTIC_PROJECT['config.yaml']?.replace(
        'database: asked.duckdb',
        'database: asked.duckdb, connector_config: {memory_limit: 1GB}',
      )}server: {limits: {requests_per_second: 100000, statements_running: 6}}\n`,
    },
    () => Promise.resolve(),
    ['--auth', 'disabled'],
  );
  base = served.products[0]?.base_url ?? '';
  await small(0);
});
afterAll(async () => {
  await served.stop();
  if (IS_LONG && figures.length > 0)
    writeFileSync(
      join(import.meta.dirname, '../../bench/results/runaway.json'),
      `${JSON.stringify({ command: 'PLINTH_CAMPAIGN=1 npx vitest run tests/hostile/runaway-http.test.ts', commit: commitOfHere(), loadAtEnd: loadavg().map(Math.round), figures }, null, 2)}\n`,
    );
});

async function post(path: string, body: unknown = {}): Promise<Body> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as Body;
}

/** A question that needs the engine, and is never one that was asked before. */
async function small(n: number): Promise<void> {
  const sql = `SELECT ${n} + order_id FROM marts.orders ORDER BY 1`;
  const body = await post('/query/statement', { sql, wait: 30, cache: false });
  expect([body.status, body.code, body.error ?? undefined, body.result?.rows]).toEqual([
    'SUCCESS',
    undefined,
    undefined,
    [[n + 1], [n + 2], [n + 3], [n + 4]],
  ]);
}

async function statement(id: string, wait: number): Promise<Body> {
  return (await (await fetch(`${base}/query/statement/${id}?wait=${wait}`)).json()) as Body;
}

let asked = 0;
/** Asks all the time, both kinds; ends when it is told to. */
function others(): {
  stop(): Promise<{ readonly engine: readonly number[]; readonly other: readonly number[] }>;
} {
  let isOver = false;
  const engine: number[] = [];
  const other: number[] = [];
  const addresses = [
    `${served.url}/livez`,
    `${served.url}/platform-api/v1/me`,
    `${base}/query/statement?limit=20`,
    `${base}/metadata/models`,
  ];
  const asking = Promise.all([
    (async () => {
      for (let i = 0; !isOver; i++) {
        const begun = performance.now();
        const answer = await fetch(addresses[i % addresses.length] as string);
        await answer.arrayBuffer();
        other.push(performance.now() - begun);
        expect([answer.url, answer.status]).toEqual([answer.url, 200]);
        await sleep(5);
      }
    })(),
    (async () => {
      while (!isOver) {
        const begun = performance.now();
        await small(++asked);
        engine.push(performance.now() - begun);
        await sleep(150);
      }
    })(),
  ]);
  return {
    async stop() {
      isOver = true;
      await asking;
      return { engine, other };
    },
  };
}

/** Resident megabytes of the keeper; 0 when there is none. */
function residentMb(): number {
  try {
    const status = readFileSync(`/proc/${keeperOf(served.folder)}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** Threads of a process that run or wait for a disk; undefined when it is gone. */
function busyThreads(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) => {
      const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1];
      return state === 'R' || state === 'D';
    }).length;
  } catch {
    return undefined;
  }
}

/** Waits until the keeper has nothing to do for a while between the questions of others, or has died. */
async function untilQuiet(pid: number): Promise<'obeyed' | 'killed' | 'never'> {
  for (let i = 0, calm = 0; i < 2_000; i++) {
    const busy = busyThreads(pid);
    if (busy === undefined) return 'killed';
    calm = busy === 0 ? calm + 1 : 0;
    if (calm === 5) return 'obeyed';
    await sleep(10);
  }
  return 'never';
}

async function isWithin(ms: number, condition: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < ms && !condition(); waited += 50) await sleep(50);
  return condition();
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

describe('a query that runs away', () => {
  test.each(everyNth(NAMES, 2))(
    '%s ends when it is cancelled, others are answered meanwhile, and memory returns',
    async (name) => {
      const idleMb = residentMb();
      const around = others();
      const { id } = await post('/query/statement', { sql: RUNAWAYS[name], cache: false, timeout: 120 });
      await sleep(700);
      const pid = keeperOf(served.folder);
      const runningMb = residentMb();
      const begun = performance.now();
      const cancelled = await post(`/query/statement/${id}/cancel`);
      const answeredMs = performance.now() - begun;
      const how = await untilQuiet(pid);
      const quietMs = performance.now() - begun;
      // Some lacked memory before they were cancelled.
      expect(['CANCELLED', 'FAILED']).toContain(cancelled.status);
      if (cancelled.status === 'FAILED') expect(cancelled.error?.code).toBe('statement.out-of-resources');
      expect(how).not.toBe('never');
      await sleep(Math.max(0, 2_600 - quietMs));
      const { engine, other } = await around.stop();
      const limitMb = Math.max(idleMb, 110) + MEMORY_LEFT_MB;
      expect(await isWithin(10_000, () => residentMb() < limitMb)).toBe(true);
      const figure = {
        name,
        how: cancelled.status === 'FAILED' ? 'out of memory' : how,
        answeredMs: Math.round(answeredMs),
        endedMs: Math.round(quietMs),
        memoryMb: { idle: idleMb, running: runningMb, after: residentMb() },
        otherMs: { count: other.length, p95: quantile(other, 0.95), max: quantile(other, 1) },
        engineMs: { count: engine.length, p95: quantile(engine, 0.95), max: quantile(engine, 1) },
      };
      figures.push(figure);
      expectWithin(figure.endedMs, CANCEL_MS, JSON.stringify(figure));
      expectWithin(figure.engineMs.max, ENGINE_ANSWER_MS, JSON.stringify(figure));
      expectWithin(figure.otherMs.p95, OTHER_ANSWER_MS, JSON.stringify(figure));
    },
  );

  test.each(everyNth(NAMES, 2, 1))('%s ends by its own time', async (name) => {
    const begun = performance.now();
    // Another text than above, which may be refused for an hour by now.
    const sql = `${RUNAWAYS[name]} /* by its time */`;
    const { id } = await post('/query/statement', { sql, cache: false, timeout: 1 });
    let body = await statement(id, 10);
    for (let i = 0; i < 5 && body.status === 'IN_PROGRESS'; i++) body = await statement(id, 10);
    const endedMs = performance.now() - begun;
    expect(body.status).toBe('FAILED');
    expect(['statement.timed-out', 'statement.out-of-resources']).toContain(body.error?.code);
    expectWithin(endedMs, 1_000 + CANCEL_MS);
    await small(++asked);
  });

  test.each(GREEDY)('%s is out of resources, and nobody else is', async (name) => {
    const around = others();
    // Another text than above, which may be refused for an hour by now.
    const sql = `${RUNAWAYS[name]} /* ${name} */`;
    const { id, status } = await post('/query/statement', { sql, cache: false, timeout: 60 });
    expect(status).not.toBe('SUCCESS');
    let body = await statement(id, 30);
    for (let i = 0; i < 5 && body.status !== 'FAILED'; i++) body = await statement(id, 30);
    expect([body.status, body.error?.code]).toEqual(['FAILED', 'statement.out-of-resources']);
    await around.stop();
  });
});

describe('a backfill', () => {
  const DAYS = 20;
  const MODELS = 8;
  const ROWS = 50_000;

  test('ends exactly once while queries run away beside it and the keeper dies for some', async () => {
    for (let n = 0; n < MODELS; n++)
      served.write(
        `models/many_${n}.sql`,
        `MODEL (name many.model_${n}, kind INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size 2), start '2025-05-01', end '2025-05-${DAYS}', cron '@daily');
SELECT d::DATE AS day, i::BIGINT AS id, (i + ${n})::BIGINT AS amount
FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d), range(${ROWS}) AS r(i)
WHERE d BETWEEN @start_dt AND @end_dt
`,
      );
    let isOver = false;
    const backfill = served.plinth('plan', '--yes').finally(() => {
      isOver = true;
    });
    const around = others();
    let kills = 0;
    for (let round = 0; round < 40 && !isOver; round++) {
      // The first two do not obey; then only such that do, so that a backfill that is repeated comes to its end.
      const names: readonly RunawayName[] =
        round < 2 ? [DEAF[round] as RunawayName] : ['a range without end', 'a cross join'];
      const running = await Promise.all(
        names.map((name) =>
          post('/query/statement', { sql: `${RUNAWAYS[name]} /* ${round} */`, cache: false }),
        ),
      );
      await sleep(500);
      const pid = keeperOf(served.folder);
      for (const { id } of running)
        expect((await post(`/query/statement/${id}/cancel`)).status).toBe('CANCELLED');
      if (round < 2 && (await isKilled(pid)) && !isOver) kills++;
    }
    const ended = await backfill;
    await around.stop();
    expect([ended.code, ended.stderr]).toEqual([0, expect.any(String)]);
    expect(kills).toBeGreaterThan(0);
    for (let n = 0; n < MODELS; n++)
      expect(
        await served.rows(
          `SELECT count(*), count(DISTINCT day), count(DISTINCT (day, id)), sum(amount) FROM many.model_${n}`,
        ),
      ).toEqual([
        [DAYS * ROWS, DAYS, DAYS * ROWS, String(DAYS * ((ROWS * (ROWS - 1)) / 2 + n * ROWS))].map(
          expectNumber,
        ),
      ]);
    const { items } = (await (await fetch(`${base}/activity/runs`)).json()) as {
      items: readonly { readonly status: string }[];
    };
    // The first plan, and this one.
    expect(items.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  }, 300_000);

  async function isKilled(pid: number): Promise<boolean> {
    for (let i = 0; i < 400; i++) {
      if (busyThreads(pid) === undefined) return true;
      await sleep(10);
    }
    return false;
  }
});

/** Whether a sum is a number or a text is for others to test. */
function expectNumber(value: number | string): unknown {
  return expect.toSatisfy((found: unknown) => Number(found) === Number(value), String(value));
}
