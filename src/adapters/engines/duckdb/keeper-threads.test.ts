import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeeperThreads } from './keeper-threads.ts';

const CALLERS_ALONE = 4;
const OWN_THREADS = 1;

let instance: DuckDBInstance;
let connection: DuckDBConnection;
beforeEach(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '4' });
  connection = await instance.connect();
});
afterEach(() => {
  connection.closeSync();
  instance.closeSync();
});

const QUICK = { smallMs: 10_000, slowMs: 30, lookMs: 5, keptMs: 40 };
const threadsOf = async (times = QUICK): Promise<KeeperThreads> =>
  KeeperThreads.of(await instance.connect(), times);

async function external(): Promise<number> {
  const found = await connection.runAndReadAll("SELECT current_setting('external_threads')");
  return Number(found.getRows()[0]?.[0]);
}

async function becomes(wanted: number): Promise<void> {
  await expect.poll(external, { timeout: 60_000, interval: 20 }).toBe(wanted);
}

test('small statements are done by their callers alone', async () => {
  const threads = await threadsOf({ ...QUICK, slowMs: 60_000 });
  expect(await external()).toBe(CALLERS_ALONE);
  for (let i = 0; i < 20; i++) {
    const leave = await threads.enter('run');
    await connection.run('SELECT 1');
    leave();
  }
  expect(await external()).toBe(CALLERS_ALONE);
  await threads.close();
});

test('a statement that lasts gets threads while it runs, and when it is over they end', async () => {
  const threads = await threadsOf();
  const leave = await threads.enter('run');
  await becomes(OWN_THREADS);
  leave();
  await becomes(CALLERS_ALONE);
  const again = await threads.enter('commit');
  await becomes(OWN_THREADS);
  again();
  await threads.close();
});

test('they do not end while another call runs', async () => {
  const threads = await threadsOf();
  const short = await threads.enter('run');
  const long = await threads.enter('run');
  await becomes(OWN_THREADS);
  short();
  await sleep(4 * QUICK.keptMs);
  expect(await external()).toBe(OWN_THREADS);
  long();
  await becomes(CALLERS_ALONE);
  await threads.close();
});

test('an answer that a person may wait for gets them at once', async () => {
  const threads = await threadsOf();
  const leave = await threads.enter('read');
  await becomes(OWN_THREADS);
  leave();
  await threads.close();
});

test('with a caller for each core there are no more', async () => {
  const threads = await threadsOf();
  const leaves = await Promise.all(Array.from({ length: 4 }, () => threads.enter('run')));
  await sleep(4 * QUICK.slowMs);
  expect(await external()).toBe(CALLERS_ALONE);
  leaves.pop()?.();
  await becomes(OWN_THREADS);
  for (const leave of leaves) leave();
  await threads.close();
});

test('what the options of the connection say stays', async () => {
  await connection.run('SET GLOBAL external_threads = 2');
  const threads = await threadsOf();
  const leave = await threads.enter('read');
  expect(await external()).toBe(2);
  leave();
  await threads.close();
});

test.skipIf(process.platform !== 'linux')(
  'a large statement that began alone is done by several threads',
  async () => {
    await connection.run('CREATE TABLE large AS SELECT i FROM range(2_000_000) AS r(i)');
    const threads = await threadsOf();
    const before = new Set(tasks().keys());
    const leave = await threads.enter('run');
    await connection.run('SELECT sum(sqrt(large.i * r.i)) FROM large, range(40) AS r(i)');
    const helpers = [...tasks()].filter(([id, ticks]) => !before.has(id) && ticks > 0);
    expect(helpers).toHaveLength(3);
    leave();
    await threads.close();
  },
);

/** The processor time of each thread of this process. */
function tasks(): ReadonlyMap<string, number> {
  return new Map(
    readdirSync('/proc/self/task').map((id) => {
      const [, , user] = / (\S+ ){12}(\d+) /.exec(readFileSync(`/proc/self/task/${id}/stat`, 'utf8')) ?? [];
      return [id, Number(user)];
    }),
  );
}
