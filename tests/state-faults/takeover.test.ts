/** Two servers and three workers on one state in PostgreSQL: what they share, and who goes on when one of them is killed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { postgresPrograms } from '../postgres-server.ts';
import { everyNth, IS_LONG } from '../support/long-form.ts';
import { expectWithin } from '../support/promised-times.ts';
import { type Machine, type Machines, type Member, sharedProject } from './machines.ts';
import { until } from './until.ts';

const TAKEN_OVER_MS = 10_000;
/** What is left of a lease at most, by decision 25; a longer one would be waited for after a death. */
const LEASE_MS = 7_000;
/** Rows are appended: a day that is filled twice is there twice. The days that the plan fills are quick, the later ones take as long as that count. */
const appended = (rows = 1): string => `MODEL (name s.appended, kind INCREMENTAL_UNMANAGED);
SELECT d::DATE AS day, (SELECT count(*) FROM range(CASE WHEN @end_ds < '2025-06-20' THEN 1 ELSE ${rows} END) AS t(i) WHERE i % 7 = 3)::BIGINT AS n
FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)
`;
const FILLED_ONCE = {
  sql: 'SELECT count(*) > 365 AS is_filled, count(*) = count(DISTINCT day) AS is_once FROM s.appended',
  cache: false,
  wait: 30,
};
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

/** The process that has a lease, as the state names it. */
const holderOf = async (name: string): Promise<string | undefined> => {
  const [row] = await machines.state(`SELECT who FROM leases WHERE name = '${name}' AND holder IS NOT NULL`);
  return row?.['who'] as string | undefined;
};
const leads = () => machines.state("SELECT holder, expires_at FROM leases WHERE name = 'scheduler'");
const isOf = (who: string, { pid }: Member): boolean => who.endsWith(`process ${pid})`);

/** Of a run, or of the scheduler, by the clock of the state. */
interface SeenLease {
  readonly who: string;
  readonly token: number;
  readonly since: number;
  readonly expiresAt: number;
}

async function leaseSeen(name: string): Promise<SeenLease | undefined> {
  const [row] = await machines.state(
    `SELECT who, token::INTEGER, since::FLOAT8, expires_at::FLOAT8, expires_at - extract(epoch FROM clock_timestamp())::FLOAT8 * 1000 AS left FROM leases WHERE name = '${name}' AND holder IS NOT NULL`,
  );
  if (row === undefined) return undefined;
  expect(row['left'], `what is left of the lease ${name}`).toBeLessThanOrEqual(LEASE_MS);
  return {
    who: row['who'],
    token: row['token'],
    since: row['since'],
    expiresAt: row['expires_at'],
  } as SeenLease;
}

/** Kills, and waits until one of `others` has the lease: the next to hold it; from here a process elsewhere is not known to be gone before its lease has passed. */
async function killHolder(
  name: string,
  holder: Member,
  { others, isElsewhere }: { readonly others: readonly Member[]; readonly isElsewhere: boolean },
): Promise<SeenLease> {
  let last = await leaseSeen(name);
  expect(last !== undefined && isOf(last.who, holder), `${name} is held by ${last?.who}`).toBe(true);
  holder.kill();
  const next = await until(`another holder of ${name}`, async () => {
    const seen = await leaseSeen(name);
    if (seen === undefined || !isOf(seen.who, holder)) return seen;
    last = seen;
    return undefined;
  });
  expect(others.some((each) => isOf(next.who, each))).toBe(true);
  expect(next.token).toBe((last as SeenLease).token + 1);
  if (isElsewhere) expect(next.since).toBeGreaterThanOrEqual((last as SeenLease).expiresAt);
  return next;
}

describe.skipIf(postgresPrograms() === undefined)('processes that share a state in PostgreSQL', () => {
  test('two servers and three workers share statements and runs, with clocks five minutes apart', async () => {
    await planned({ 'models/appended.sql': appended() });
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
    const answer = await there.ask('/query/statement', FILLED_ONCE);
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

  test.runIf(IS_LONG)(
    'when a worker that runs and a server that executes are killed, each day is filled once and each statement is answered',
    {
      timeout: 600_000,
    },
    async () => {
      await planned({ 'models/appended.sql': appended(3_000_000_000) });
      const first = await machines.work({ name: 'elsewhere', aheadMs: FIVE_MINUTES });
      await until('a run', () => holderOf('environment:prod'));
      const third: Machine = { name: 'third', aheadMs: -FIVE_MINUTES };
      const [here, there] = await Promise.all([machines.serve(), machines.serve(third)]);
      const workers = await Promise.all([machines.work(), machines.work(third)]);

      const killedAt = performance.now();
      const run = await leaseSeen('environment:prod');
      await killHolder('scheduler', first, { others: [here, there, ...workers], isElsewhere: true });
      const ledMs = performance.now() - killedAt;
      const nextRun = await until('another run', async () => {
        const seen = await leaseSeen('environment:prod');
        return seen === undefined || isOf(seen.who, first) ? undefined : seen;
      });
      const ranMs = performance.now() - killedAt;
      expect(nextRun.token).toBe((run as SeenLease).token + 1);
      expectWithin(ranMs, TAKEN_OVER_MS);

      // Some are executed, the others wait for their turn; those of one server are taken over.
      const rows = Array.from({ length: 10 }, (_, index) => 100_000_000 + index * 7);
      const ids = await Promise.all(
        [2 * LONG, ...rows].map(async (each, index) => {
          const asked = { sql: count(each), cache: false, timeout: 300 };
          return (await (index % 3 === 2 ? here : there).ask('/query/statement', asked))['id'];
        }),
      );
      const longest = () =>
        machines.state(
          `SELECT worker, attempt::INTEGER FROM executions JOIN statements ON execution_id = executions.id WHERE statements.id = '${ids[0]}' AND executions.status = 'IN_PROGRESS'`,
        );
      const [begun] = await until('the longest statement', async () => {
        const found = await longest();
        return found.length === 0 ? undefined : found;
      });
      const killedThereAt = performance.now();
      there.kill();
      await until('another worker of the longest statement', async () => {
        const [found] = await longest();
        return found !== undefined && found['worker'] !== begun?.['worker'] ? found : undefined;
      });
      const takenMs = performance.now() - killedThereAt;
      console.log(
        `of five: led again after ${seconds(ledMs)} s, ran again after ${seconds(ranMs)} s, statements taken over after ${seconds(takenMs)} s`,
      );
      expectWithin(takenMs, TAKEN_OVER_MS);

      for (const [index, id] of ids.entries()) {
        const ended = await until('the end of a statement', async () => {
          const seen = await here.ask(`/query/statement/${id}?wait=20`);
          return seen['status'] === 'IN_PROGRESS' || seen['status'] === 'QUEUED' ? undefined : seen;
        });
        expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'SUCCESS' });
        const counted = Math.floor(((index === 0 ? 2 * LONG : (rows[index - 1] as number)) + 3) / 7);
        expect((await here.ask(`/query/statement/${id}/result`))['rows']).toEqual([[counted]]);
      }
      const attempts = await machines.state('SELECT attempt::INTEGER FROM executions ORDER BY attempt DESC');
      expect(attempts).toHaveLength(ids.length);
      expect(attempts[0]).toEqual({ attempt: 2 });

      const runs = () =>
        machines.state('SELECT status FROM runs WHERE plan_id IS NULL ORDER BY started_at, id');
      await until(
        'a run that succeeded',
        async () => ((await runs()).at(-1)?.['status'] === 'succeeded' ? true : undefined),
        180_000,
      );
      // One that was killed with its worker, at most one with the server that had its lease, and none that was not due.
      const ended = (await runs()).map(({ status }) => status);
      expect(ended.filter((status) => status === 'succeeded')).toHaveLength(1);
      expect(ended.length).toBeLessThanOrEqual(isOf(nextRun.who, there) ? 3 : 2);
      expect((await here.ask('/query/statement', FILLED_ONCE))['result']).toMatchObject({
        rows: [[true, true]],
      });
      const running = [here, ...workers].map(({ ended: end }) => Promise.race([end, 'runs']));
      expect(await Promise.all(running)).toEqual(running.map(() => 'runs'));
    },
  );

  test.each<[string, Machine]>(
    everyNth(
      [
        ['this machine', {}],
        ['another machine, whose clock is five minutes ahead,', { name: 'elsewhere', aheadMs: FIVE_MINUTES }],
      ],
      2,
      1,
    ),
  )('a worker of %s that is killed while it runs is replaced within ten seconds', async (where, machine) => {
    await planned({ 'models/slow.sql': SLOW });
    const first = await machines.work(machine);
    const before = await until('a run', () => leaseSeen('environment:prod'));
    expect(isOf(before.who, first)).toBe(true);
    const others = await Promise.all([machines.work(), machines.serve()]);
    await sleep(3_000);
    const killedAt = performance.now();
    const led = await killHolder('scheduler', first, { others, isElsewhere: machine.name !== undefined });
    const ledMs = performance.now() - killedAt;
    const after = await until('another run', async () => {
      const seen = await leaseSeen('environment:prod');
      return seen?.who === before.who ? undefined : seen;
    });
    const ranMs = performance.now() - killedAt;
    console.log(`${where} led again after ${seconds(ledMs)} s, ran again after ${seconds(ranMs)} s`);
    expect(after).toMatchObject({ who: led.who, token: before.token + 1 });
    expectWithin(ranMs, TAKEN_OVER_MS);
  });

  test.each<[string, Machine, number]>(
    everyNth(
      [
        ['this machine', {}, LONG],
        [
          'another machine, whose clock is five minutes behind,',
          { name: 'elsewhere', aheadMs: -FIVE_MINUTES },
          ENDLESS,
        ],
      ],
      2,
    ),
  )(
    'the statement of a server of %s that is killed is executed by another within ten seconds',
    async (where, machine, rows) => {
      await planned({ 'models/appended.sql': appended() });
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
      const [left] = await machines.state(
        'SELECT max(expires_at) - extract(epoch FROM clock_timestamp())::FLOAT8 * 1000 AS ms FROM statement_workers',
      );
      expect(left?.['ms'], 'until a worker of statements is taken for dead').toBeLessThanOrEqual(LEASE_MS);
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
