/** What a state in PostgreSQL knows of changes whose COMMIT was not answered. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { runOf } from '../conformance/state-store-fixtures.ts';
import { type PostgresServer, postgresPrograms, startPostgresServer } from '../postgres-server.ts';
import { configOn, newSchema } from '../postgres-state.ts';
import { type CuttingProxy, cuttingProxy, NEVER } from './cutting-proxy.ts';

/** Transactions of the others after a restart: as many as may have to pass until a number is used again. */
const OTHERS = 50;

describe.skipIf(postgresPrograms() === undefined)('a change whose COMMIT was not answered', () => {
  let server: PostgresServer;
  let proxy: CuttingProxy;
  beforeAll(async () => {
    // Numbers of transactions that wrote nothing to the disk are used again after a crash.
    server = await startPostgresServer(['wal_writer_delay=10s']);
    proxy = await cuttingProxy(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
  });

  const begin = (state: StateStore, id: string) =>
    state.journal.startRun(runOf(id, { environment: id }), {
      now: 1,
      events: [{ at: 1, event: 'run.started', runId: id, data: null }],
    });
  const eventsOf = async (state: StateStore, runId: string): Promise<number> =>
    (await state.events.events({ runId, limit: 10 })).length;

  async function withTwo(work: (state: StateStore, other: StateStore) => Promise<void>): Promise<void> {
    const schema = newSchema();
    const states = [
      await postgresStateStore(configOn(proxy.port, schema)),
      await postgresStateStore(configOn(server.port, schema)),
    ] as const;
    try {
      await work(...states);
    } finally {
      proxy.cutAt(NEVER, 'before');
      for (const state of states) await state.close();
    }
  }

  /** COMMIT is the last of its messages. */
  async function messagesOfChange(state: StateStore): Promise<number> {
    await begin(state, 'first');
    proxy.cutAt(NEVER, 'before');
    await begin(state, 'second');
    return proxy.messages();
  }

  test.each(['before', 'after'] as const)(
    'is made once when the server crashes %s its COMMIT, and others get the numbers of its transactions',
    (moment) =>
      withTwo(async (state, other) => {
        const commit = await messagesOfChange(state);
        proxy.cutAt(commit, moment, async () => {
          await server.restart();
          for (let n = 0; n < OTHERS; n++) await begin(other, `other-${n}`);
        });
        expect((await begin(state, 'third')).kind).toBe('granted');
        expect(proxy.isCut()).toBe(true);
        expect(await eventsOf(other, 'third')).toBe(1);
        expect((await other.journal.run('third'))?.status).toBe('running');
      }),
  );

  test('leaves a row for each writer, which is not exported and goes a day later', () =>
    withTwo(async (state, other) => {
      await Promise.all(['a', 'b', 'c', 'd'].map((id) => begin(state, id)));
      const schema = (await server.ask(
        "SELECT table_schema AS name FROM information_schema.tables WHERE table_name = 'plinth_writers'",
      )) as readonly { readonly name: string }[];
      const { name } = schema.at(-1) as { readonly name: string };
      const writers = () => server.ask(`SELECT changes FROM ${name}.plinth_writers`);
      expect((await writers()).length).toBeLessThanOrEqual(4);
      await other.compact();
      const before = await writers();
      expect(before.length).toBeGreaterThan(0);
      const lines: string[] = [];
      for await (const line of other.exportAll()) lines.push(line);
      expect(lines.join('\n')).not.toContain('plinth_writers');
      await server.ask(`UPDATE ${name}.plinth_writers SET last_at = last_at - INTERVAL '25 hours'`);
      await other.compact();
      expect(await writers()).toEqual([]);
      expect((await begin(state, 'e')).kind).toBe('granted');
    }));
});
