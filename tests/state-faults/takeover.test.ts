/** Two servers and three workers on one state in PostgreSQL: what they share, and who goes on when one of them is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { postgresPrograms } from '../postgres-server.ts';
import { expectWithin } from '../support/promised-times.ts';
import { type Machine, type Machines, type Member, sharedProject } from './machines.ts';

const TAKEN_OVER_MS = 10_000;
/** Rows are appended: a day that is filled twice is there twice. */
const APPENDED = `MODEL (name s.appended, kind INCREMENTAL_UNMANAGED);
SELECT d::DATE AS day FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)
`;
/** The first days, which the plan fills, are quick; later ones take minutes. */
const SLOW = `MODEL (name s.slow, kind INCREMENTAL_BY_TIME_RANGE (time_column day));
SELECT d::DATE AS day, (SELECT count(*) FROM range(CASE WHEN @end_ds < '2025-06-20' THEN 1 ELSE 1000000000000 END) AS t(i) WHERE i % 7 = 3)::BIGINT AS n
FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)
WHERE d BETWEEN @start_dt AND @end_dt
`;
const count = (rows: number): string => `SELECT count(*) AS n FROM range(${rows}) AS t(i) WHERE i % 7 = 3`;
/** Seconds of work, and work that only a cancellation ends. */
const [LONG, ENDLESS] = [500_000_000, 1_000_000_000_000];
const FIVE_MINUTES = 300_000;

let machines: Machines;
afterEach(() => machines.close());

async function planned(files: Readonly<Record<string, string>>): Promise<void> {
  machines = await sharedProject(files);
  const { code, stdout, stderr } = await machines.plinth('2025-06-15', 'plan', '--yes');
  expect(code, stdout + stderr).toBe(0);
}

async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined>,
  withinMs = 90_000,
): Promise<Found> {
  const by = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > by) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await sleep(25);
  }
}

/** The process that has a lease, as the state names it. */
const holderOf = async (name: string): Promise<string | undefined> => {
  const [row] = await machines.state(`SELECT who FROM leases WHERE name = '${name}' AND holder IS NOT NULL`);
  return row?.['who'] as string | undefined;
};
const leads = () => machines.state("SELECT holder, expires_at FROM leases WHERE name = 'scheduler'");
const isOf = (who: string, { pid }: Member): boolean => who.endsWith(`process ${pid})`);

describe.skipIf(postgresPrograms() === undefined)('processes that share a state in PostgreSQL', () => {
  test('two servers and three workers share statements and runs, with clocks five minutes apart', async () => {
    await planned({ 'models/appended.sql': APPENDED });
    const elsewhere: Machine = { name: 'elsewhere', aheadMs: FIVE_MINUTES };
    const behind: Machine = { name: 'behind', aheadMs: -FIVE_MINUTES };
    const [here, there] = await Promise.all([machines.serve(), machines.serve(elsewhere)]);
    const workers = await Promise.all([machines.work(), machines.work(elsewhere), machines.work(behind)]);

    // Both ask at once: one executes, and both have the same rows.
    const sql = count(300_000_000);
    const asked = await Promise.all(
      [here, there].map((each) => each.ask('/query/statement', { sql, wait: 30 })),
    );
    for (const [index, statement] of asked.entries()) {
      const other = index === 0 ? there : here;
      expect(statement, JSON.stringify(statement)).toMatchObject({ status: 'SUCCESS' });
      const seen = await other.ask(`/query/statement/${statement['id']}`);
      expect(seen, JSON.stringify(seen)).toMatchObject({ id: statement['id'], status: 'SUCCESS' });
      const { rows } = await other.ask(`/query/statement/${statement['id']}/result`);
      expect(rows).toEqual([[42857143]]);
    }
    expect(await machines.state('SELECT 1 FROM executions')).toHaveLength(1);

    // What was due since the plan was filled by one of the five, once.
    const [run] = await until('a scheduled run', async () => {
      const runs = await machines.state(
        "SELECT id, status FROM runs WHERE plan_id IS NULL AND status <> 'running'",
      );
      return runs.length === 0 ? undefined : runs;
    });
    expect(run).toMatchObject({ status: 'succeeded' });
    await sleep(6_000);
    expect(await machines.state('SELECT 1 FROM runs WHERE plan_id IS NULL')).toHaveLength(1);
    const answer = await there.ask('/query/statement', {
      sql: 'SELECT count(*) > 365 AS is_filled, count(*) = count(DISTINCT day) AS is_once FROM s.appended',
      wait: 30,
    });
    expect(answer['result']).toMatchObject({ rows: [[true, true]] });

    // A server of the state that is started again is missed by none.
    await machines.server.restart();
    for (const each of [here, there]) {
      const again = await each.ask('/query/statement', { sql: 'SELECT 1 AS one', cache: false, wait: 30 });
      expect(again, JSON.stringify(again)).toMatchObject({ status: 'SUCCESS' });
    }
    const [before] = await leads();
    await until('a heartbeat of the leader', async () =>
      (await leads())[0]?.['expires_at'] === before?.['expires_at'] ? undefined : true,
    );
    const running = [here, there, ...workers].map(({ ended }) => Promise.race([ended, 'runs']));
    expect(await Promise.all(running)).toEqual(running.map(() => 'runs'));
    expect(await machines.state('SELECT 1 FROM runs WHERE plan_id IS NULL')).toHaveLength(1);
  });

  test.each<[string, Machine]>([
    ['this machine', {}],
    ['another machine, whose clock is five minutes ahead,', { name: 'elsewhere', aheadMs: FIVE_MINUTES }],
  ])('a worker of %s that is killed while it runs is replaced within ten seconds', async (where, machine) => {
    await planned({ 'models/slow.sql': SLOW });
    const first = await machines.work(machine);
    const isRunning = async (not?: string): Promise<string | undefined> => {
      const who = await holderOf('environment:prod');
      return who === not ? undefined : who;
    };
    const before = await until('a run', isRunning);
    expect(isOf(before, first)).toBe(true);
    const others = await Promise.all([machines.work(), machines.serve()]);
    await sleep(3_000);
    const killedAt = performance.now();
    first.kill();
    const led = await until('another leader', async () => {
      const who = await holderOf('scheduler');
      return who !== undefined && others.some((each) => isOf(who, each)) ? who : undefined;
    });
    const ledMs = performance.now() - killedAt;
    const after = await until('another run', () => isRunning(before));
    const ranMs = performance.now() - killedAt;
    console.log(`${where} led again after ${seconds(ledMs)} s, ran again after ${seconds(ranMs)} s`);
    expect(after).toBe(led);
    expectWithin(ranMs, TAKEN_OVER_MS);
  });

  test.each<[string, Machine, number]>([
    ['this machine', {}, LONG],
    [
      'another machine, whose clock is five minutes behind,',
      { name: 'elsewhere', aheadMs: -FIVE_MINUTES },
      ENDLESS,
    ],
  ])(
    'the statement of a server of %s that is killed is executed by another within ten seconds',
    async (where, machine, rows) => {
      await planned({ 'models/appended.sql': APPENDED });
      const [first, second] = await Promise.all([
        machines.serve(machine, '--no-scheduler'),
        machines.serve({}, '--no-scheduler'),
      ]);
      const { id } = await first.ask('/query/statement', { sql: count(rows), cache: false, timeout: 120 });
      const workerBut = async (not?: unknown): Promise<unknown> => {
        const [row] = await machines.state("SELECT worker FROM executions WHERE status = 'IN_PROGRESS'");
        return row?.['worker'] === not ? undefined : row?.['worker'];
      };
      const before = await until('the statement', workerBut);
      const killedAt = performance.now();
      first.kill();
      await until('another worker', () => workerBut(before));
      const takenMs = performance.now() - killedAt;
      console.log(`the statement of ${where} was executed again after ${seconds(takenMs)} s`);
      expectWithin(takenMs, TAKEN_OVER_MS);
      if (rows === ENDLESS) await second.ask(`/query/statement/${id}/cancel`, {});
      const answer = await until('its end', async () => {
        const seen = await second.ask(`/query/statement/${id}?wait=20`);
        return seen['status'] === 'IN_PROGRESS' ? undefined : seen;
      });
      expect(answer, JSON.stringify(answer)).toMatchObject({
        status: rows === ENDLESS ? 'CANCELLED' : 'SUCCESS',
      });
      expect(await machines.state('SELECT attempt FROM executions')).toEqual([{ attempt: '2' }]);
      if (rows === LONG)
        expect((await second.ask(`/query/statement/${id}/result`))['rows']).toEqual([[71_428_571]]);
    },
  );
});

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
