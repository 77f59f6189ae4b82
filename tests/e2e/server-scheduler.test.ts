/* The scheduler inside `plinth serve`: what is due is filled without anybody asking, and can be cancelled like any run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type PlannedProject, plannedProject } from './planned-project.ts';
import { type StartedServer, startedServer } from './served-project.ts';

const CONFIG = 'name: due\ngateways: {local: {connection: {type: duckdb, database: due.duckdb}}}\n';
const daily = (name: string, from: string): string =>
  `MODEL (name ${name}, kind INCREMENTAL_BY_TIME_RANGE (time_column day), start '2025-06-10', cron '@daily');
SELECT d::DATE AS day, ${from}
WHERE d BETWEEN @start_dt AND @end_dt
`;
/** The first days, which the plan fills, are quick; all later ones never end. */
const SLOW = `(SELECT count(*) FROM range(CASE WHEN @end_ds < '2025-06-20' THEN 1 ELSE 1000000000000 END) AS t(i) WHERE i % 7 = 3)::BIGINT AS n
FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)`;
const QUICK = '1::BIGINT AS n\nFROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)';

let project: PlannedProject;
let server: StartedServer;
afterEach(async () => {
  await server?.stop();
  project?.remove();
});

async function served(files: Readonly<Record<string, string>>): Promise<void> {
  project = plannedProject({ 'config.yaml': CONFIG, ...files }, '2025-06-15');
  const { code, stdout, stderr } = await project.plinth('plan', '--yes');
  if (code !== 0) throw new Error(stdout + stderr);
  server = await startedServer(project.folder, ['--auth', 'disabled'], { hasScheduler: true });
}

interface ShownRun {
  readonly id: string;
  readonly status: string;
}

const ask = async (path: string, method = 'GET'): Promise<unknown> =>
  (await fetch(`${server.products[0]?.base_url}${path}`, { method })).json();

/** The newest run, when it is as wanted; the plan's own run is the first. */
async function newestRun(isWanted: (run: ShownRun) => boolean): Promise<ShownRun> {
  for (let i = 0; i < 600; i++) {
    const { items } = (await ask('/activity/runs')) as { readonly items: readonly ShownRun[] };
    const [newest] = items;
    if (items.length > 1 && newest !== undefined && isWanted(newest)) return newest;
    await sleep(100);
  }
  throw new Error('nothing was run in a minute');
}

test('what has become due since the last run is filled, once, without anybody asking', async () => {
  await served({ 'models/quick.sql': daily('s.quick', QUICK) });
  const run = await newestRun(({ status }) => status !== 'running');
  expect(run.status).toBe('succeeded');
  const sql =
    'SELECT count(*) AS days, count(DISTINCT day) AS different, max(day) < current_date AS past FROM s.quick';
  const answer = (await fetch(`${server.products[0]?.base_url}/query/statement`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, wait: 20 }),
  }).then((each) => each.json())) as { result: { rows: readonly (readonly unknown[])[] } };
  const [[days, different, past] = []] = answer.result.rows;
  expect(days).toBe(different);
  expect(Number(days)).toBeGreaterThan(365);
  expect(past).toBe(true);
});

test('a run of the scheduler is cancelled through the server, which answers when it has ended', async () => {
  await served({ 'models/slow.sql': daily('s.slow', SLOW) });
  const { id } = await newestRun(({ status }) => status === 'running');
  const cancelled = (await ask(`/activity/runs/${id}/cancel`, 'POST')) as ShownRun;
  expect(cancelled, JSON.stringify(cancelled)).toMatchObject({ id, status: 'cancelled' });
});
