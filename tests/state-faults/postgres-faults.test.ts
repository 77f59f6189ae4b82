/** A state in PostgreSQL whose connections are cut, whose server is started again, and whose clocks differ. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgresStateStore } from '../../src/adapters/state/postgres/postgres-state-store.ts';
import { LEASE_MS } from '../../src/domain/lease.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import { runOf } from '../conformance/state-store-fixtures.ts';
import { type PostgresServer, postgresPrograms, startPostgresServer } from '../postgres-server.ts';
import { configOn, newSchema } from '../postgres-state.ts';
import { IS_LONG } from '../support/long-form.ts';
import { cuttingProxy, NEVER } from './cutting-proxy.ts';

/** PLINTH_CAMPAIGN=1 makes it long. */
const RESTARTS = IS_LONG ? 20 : 2;

describe.skipIf(postgresPrograms() === undefined)('a state in PostgreSQL', () => {
  let server: PostgresServer;
  const opened: StateStore[] = [];
  const open = async (
    schema: string,
    { port = server.port, ...options }: { readonly port?: number; readonly clock?: () => number } = {},
  ): Promise<StateStore> => {
    const state = await postgresStateStore(configOn(port, schema), options);
    opened.push(state);
    return state;
  };
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(async () => {
    for (const state of opened) await state.close();
    await server.stop();
  });

  const begin = (state: StateStore, id: string) =>
    state.journal.startRun(runOf(id, { environment: id }), {
      now: Date.now(),
      events: [{ at: 1, event: 'run.started', runId: id, data: null }],
    });
  const toldOf = async (state: StateStore, runId: string): Promise<number> =>
    (await state.events.events({ runId, limit: 10 })).length;

  test.each(['before', 'after'] as const)(
    'that loses its connection %s any message of a change makes the change once, and tells of no loss',
    async (moment) => {
      const proxy = await cuttingProxy(server.port);
      const schema = newSchema();
      const witness = await open(schema);
      const state = await open(schema, { port: proxy.port });
      let cuts = 0;
      for (let n = 1; ; n++) {
        const id = `run-${n}`;
        proxy.cutAt(n, moment);
        expect((await begin(state, id)).kind).toBe('granted');
        const wasCut = proxy.isCut();
        proxy.cutAt(NEVER, moment);
        expect(await toldOf(witness, id)).toBe(1);
        expect((await witness.journal.run(id))?.status).toBe('running');
        if (!wasCut) break;
        cuts++;
      }
      // BEGIN, four statements of the rule, COMMIT.
      expect(cuts).toBeGreaterThanOrEqual(6);
      expect(await state.statements.statement('none')).toBeUndefined();
      await state.close();
      opened.splice(opened.indexOf(state), 1);
      await proxy.close();
    },
  );

  test('whose server is started again in the middle of changes loses none, and doubles none', async () => {
    const schema = newSchema();
    const states = [await open(schema), await open(schema)];
    let isOver = false;
    const ids: string[] = [];
    const work = states.map(async (state, which) => {
      for (let n = 0; !isOver; n++) {
        const id = `run-${which}-${n}`;
        await begin(state, id);
        ids.push(id);
      }
    });
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await server.restart();
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    isOver = true;
    await Promise.all(work);
    const events = await (states[0] as StateStore).events.events({ limit: 1_000_000 });
    expect(events.map(({ runId }) => runId).toSorted()).toEqual(ids.toSorted());
    expect(events.map(({ sequence }) => sequence)).toEqual(ids.map((_, index) => index + 1));
  });

  test('that several write to at once shows no race to any of them', async () => {
    const schema = newSchema();
    const states = [await open(schema), await open(schema), await open(schema)];
    await Promise.all(
      states.flatMap((state, which) =>
        Array.from({ length: 20 }, (_, n) => begin(state, `run-${which}-${n}`)),
      ),
    );
    const events = await (states[0] as StateStore).events.events({ limit: 1000 });
    expect(events.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });

  test.each([
    ['ahead', 300_000],
    ['behind', -300_000],
  ])('is shared with a machine whose clock is five minutes %s', async (_, skewMs) => {
    const schema = newSchema();
    const here = await open(schema);
    const clock = (): number => Date.now() + skewMs;
    const there = await open(schema, { clock });
    const thereNow = (): number => clock() + there.aheadMs;
    expect(here.aheadMs).toBe(0);
    const apartMs = Math.abs(thereNow() - Date.now());
    expect(apartMs).toBeLessThan(5_000);
    const take = (state: StateStore, holder: string, now: number) =>
      state.journal.takeLease({ name: 'scheduler', holder, who: holder, now });
    expect((await take(here, 'here', Date.now())).kind).toBe('granted');
    const refused = await take(there, 'there', thereNow());
    if (refused.kind !== 'held') throw new Error('the lease was taken from its holder');
    const now = Date.now();
    expect(Math.abs(refused.by.expiresAt - now - LEASE_MS)).toBeLessThan(5_000);
    await here.journal.releaseLease('scheduler', 'here');
    expect((await take(there, 'there', thereNow())).kind).toBe('granted');
    expect((await take(here, 'here', Date.now())).kind).toBe('held');
    const beat = { running: [], keptMs: 1, refusedMs: 1 };
    await here.statements.beat('w-here', { ...beat, now: Date.now() });
    expect(await there.statements.beat('w-there', { ...beat, now: thereNow() })).toEqual({
      taken: [],
      lost: [],
    });
    const alive = await server.ask(`SELECT id FROM ${schema}.statement_workers ORDER BY id`);
    expect(alive).toEqual([{ id: 'w-here' }, { id: 'w-there' }]);
  });
});
