/** A server of the state that can only be read: a standby from the start, one that becomes a standby, and one that is set to read for a while. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { audit, person } from '../conformance/access-store-fixtures.ts';
import { runOf } from '../conformance/state-store-fixtures.ts';
import { envelope, runPlinth } from '../e2e/run-plinth.ts';
import {
  type PostgresServer,
  postgresPrograms,
  STATE_PASSWORD,
  startPostgresServer,
  startStandby,
} from '../postgres-server.ts';
import { configOn, newSchema } from '../postgres-state.ts';
import { IS_LONG } from '../support/long-form.ts';
import { temporaryProject } from '../support/temporary-project.ts';
import { configText } from './configured-state.ts';
import { type Machines, type Member, sharedProject } from './machines.ts';
import { until } from './until.ts';

describe.skipIf(postgresPrograms() === undefined)('a state on a server that can only be read', () => {
  let server: PostgresServer;
  beforeEach(async () => {
    server = await startPostgresServer();
  });
  afterEach(() => server.stop());

  test('is refused by every command when it is a standby, with gateway and next step', async () => {
    const project = temporaryProject({
      'config.yaml': configText(server.port, {}),
      'models/one.sql': 'MODEL (name m.one);\nSELECT 1 AS id\n',
    });
    const plinth = (...words: readonly string[]) =>
      runPlinth(words, { cwd: project.folder, variables: { STATE_PASSWORD } });
    const planned = await plinth('plan', '--yes');
    expect(planned.code, planned.stderr).toBe(0);
    const standby = await startStandby(server);
    try {
      // It follows: it has the plan, and gets what the primary server is told from now on.
      const changed = await plinth('plan', 'dev', '--yes');
      expect(changed.code, changed.stderr).toBe(0);
      await until('both environments on the standby', async () => {
        const found = await standby.ask('SELECT name FROM plinth.environments ORDER BY 1');
        return found.length === 2 ? found : undefined;
      });
      project.write({ 'config.yaml': configText(standby.port, {}) });
      for (const words of [
        ['plan', '--yes'],
        ['plan', '--explain'],
        ['run'],
        ['status'],
        ['environments'],
        ['query', '--sql', 'SELECT 1 AS one'],
        ['state', 'export', 'away.jsonl'],
        ['worker'],
        ['serve', '--port', '0', '--auth', 'disabled'],
      ]) {
        const ended = await plinth(...words, '--json');
        const said = `${words.join(' ')}: ${ended.stdout}${ended.stderr}`;
        expect(ended.code, said).toBe(1);
        expect(envelope(ended).error, said).toMatchObject({
          code: 'state.read-only',
          message: expect.stringMatching(/gateway local .*can only be read: the server is a standby/),
          hint: expect.stringContaining('gateways.local.state_connection'),
        });
      }
    } finally {
      await standby.stop();
      project.delete();
    }
  });

  test('refuses reads and changes while it is a standby, and makes them once it is promoted', async () => {
    const state = await postgresStateStore(configOn(server.port, newSchema()));
    const create = (name: string) => state.principals.createPrincipal(person(name), audit('create'));
    try {
      await create('ada');
      writeFileSync(join(server.folder, 'data', 'standby.signal'), '');
      await server.restart();
      expect(await server.ask('SELECT pg_is_in_recovery() AS is_standby')).toEqual([{ is_standby: true }]);
      const refused = {
        code: 'state.read-only',
        message: expect.stringMatching(/^The state of the gateway local at .* can only be read: /),
        diagnostic: expect.objectContaining({ hint: expect.stringContaining('gateways.local') }),
      };
      await expect(create('bob')).rejects.toMatchObject(refused);
      await expect(state.principals.principals({ tenant: 'acme' })).rejects.toMatchObject(refused);
      await server.ask('SELECT pg_promote()');
      expect(await create('bob')).toBe(true);
      const names = (await state.principals.principals({ tenant: 'acme' })).map(({ name }) => name);
      expect(names.toSorted()).toEqual(['ada', 'bob']);
      expect(await state.principals.auditLog({ tenant: 'acme', limit: 9 })).toHaveLength(2);
    } finally {
      await state.close();
    }
  });

  test('answers reads when only its transactions are set to read, and refuses changes', async () => {
    const state = await postgresStateStore(configOn(server.port, newSchema()));
    const begin = (id: string) =>
      state.journal.startRun(runOf(id, { environment: id }), { now: 1, events: [] });
    try {
      await begin('first');
      await setReadOnly(server, true);
      await expect(begin('second')).rejects.toMatchObject({ code: 'state.read-only' });
      expect((await state.journal.runs({ limit: 9 })).map(({ id }) => id)).toEqual(['first']);
      await setReadOnly(server, false);
      expect((await begin('second')).kind).toBe('granted');
    } finally {
      await state.close();
    }
  });
});

/** Rows are appended: a day that is filled twice is there twice. The first days, which the plan fills, are quick; later ones take seconds. */
const APPENDED = `MODEL (name s.appended, kind INCREMENTAL_UNMANAGED);
SELECT d::DATE AS day, (SELECT count(*) FROM range(CASE WHEN @end_ds < '2025-06-20' THEN 1 ELSE 1000000000 END) AS t(i) WHERE i % 7 = 3)::BIGINT AS n
FROM generate_series(@start_dt, @end_dt, INTERVAL 1 DAY) AS s(d)
`;

describe.skipIf(postgresPrograms() === undefined)('a worker whose state can only be read for a while', () => {
  let machines: Machines;
  beforeEach(async () => {
    machines = await sharedProject({ 'models/appended.sql': APPENDED });
  });
  afterEach(() => machines.close());

  const runs = () =>
    machines.state('SELECT id, status FROM runs WHERE plan_id IS NULL ORDER BY started_at, id');
  const refused = /state\.read-only, The state of the gateway local at [^"]* can only be read/;

  /** A worker in the middle of a run, which was refused by the state since. */
  async function refusedWorker(): Promise<{ readonly worker: Member; readonly first: unknown }> {
    const planned = await machines.plinth('2025-06-15', 'plan', '--yes');
    expect(planned.code, planned.stderr).toBe(0);
    const worker = await machines.work();
    const first = await until('a scheduled run that fills', async () => {
      const [intent] = await machines.state('SELECT run_id FROM intents');
      return intent?.['run_id'];
    });
    await setReadOnly(machines.server, true);
    await until('the refusal', async () => (refused.test(worker.output()) ? true : undefined));
    return { worker, first };
  }

  async function expectFilledOnce(worker: Member): Promise<void> {
    expect(await Promise.race([worker.ended, 'runs'])).toBe('runs');
    const { stdout } = await machines.plinth(
      '2025-06-15',
      ...['query', '--format', 'json', '--sql'],
      'SELECT count(*) > 365 AS is_filled, count(*) = count(DISTINCT day) AS is_once FROM s.appended',
    );
    expect(JSON.parse(stdout)).toMatchObject({ rows: [[true, true]] });
  }

  test('goes on with its run when it can write before its lease has passed', async () => {
    const { worker, first } = await refusedWorker();
    await setReadOnly(machines.server, false);
    await until('the end of the run', async () => {
      const [run] = await runs();
      return run?.['status'] === 'running' ? undefined : true;
    });
    expect(await runs()).toEqual([{ id: first, status: 'succeeded' }]);
    await expectFilledOnce(worker);
  });

  test.runIf(IS_LONG)(
    'gives up its run when it cannot write for longer than a lease lasts, and fills all once when it can',
    async () => {
      const { worker, first } = await refusedWorker();
      const told = () => worker.output().split('\n');
      const failed = await until('the end of the run', async () =>
        told().find((line) => line.includes('"scheduler.run-failed"')),
      );
      expect(failed).toMatch(refused);
      expect(await runs()).toEqual([{ id: first, status: 'running' }]);
      await setReadOnly(machines.server, false);
      await until(
        'a run that succeeded',
        async () => ((await runs()).at(-1)?.['status'] === 'succeeded' ? true : undefined),
        180_000,
      );
      const [before, ...after] = await runs();
      expect(before).toMatchObject({ id: first, status: expect.not.stringMatching(/running|succeeded/) });
      expect(after).toHaveLength(1);
      await expectFilledOnce(worker);
    },
  );
});

/** For every transaction that begins from now on; the superuser of the tests may still alter the system. */
async function setReadOnly(server: PostgresServer, isReadOnly: boolean): Promise<void> {
  await server.ask(`ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await server.ask('SELECT pg_reload_conf()');
  await until('the setting', async () => {
    const [row] = await server.ask('SHOW default_transaction_read_only');
    return row?.['default_transaction_read_only'] === (isReadOnly ? 'on' : 'off') ? true : undefined;
  });
}
