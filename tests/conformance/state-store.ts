/** What every state store must do, whatever database it lies in. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_MS, type LeaseAnswer } from '../../src/domain/lease.ts';
import { tableKey } from '../../src/domain/relation.ts';
import type { StateStore } from '../../src/domain/state-store.ts';
import {
  appliedOf,
  contentOf,
  day,
  environmentOf,
  intentOf,
  ledgerRow,
  planOf,
  runOf,
  snapshotOf,
  stageOf,
  table,
} from './state-store-fixtures.ts';

/** One kind of store. `open` opens the same place again, as another process would. */
export interface StateStoreUnderTest {
  readonly schemaVersion: number;
  newPlace(): string;
  open(place: string): Promise<StateStore>;
}

export function describeStateStore(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    let place = '';
    let state: StateStore;
    const opened: StateStore[] = [];
    const open = async (): Promise<StateStore> => {
      const another = await store.open(place);
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      place = store.newPlace();
      state = await open();
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });

    const reopen = async (): Promise<StateStore> => {
      for (const one of opened.splice(0)) await one.close();
      state = await open();
      return state;
    };
    const start = async (run = runOf('run-1'), now = 1000): Promise<LeaseAnswer> =>
      state.journal.startRun(run, { now, events: [] });
    const tokenOf = (answer: LeaseAnswer): number =>
      answer.kind === 'granted' ? answer.leases[0]!.token : -1;

    test('says what it is kept by, and can be written', async () => {
      await state.checkUsable();
      const { product, version, schemaVersion } = await state.about();
      expect(product).toMatch(/^(SQLite|PostgreSQL)$/);
      expect(version).toMatch(/^\d+\.\d+/);
      expect(schemaVersion).toBe(store.schemaVersion);
    });

    describe('plans and snapshots', () => {
      test('a new state is empty, has an id for its warehouse, and keeps it', async () => {
        expect(await state.isEmpty()).toBe(true);
        expect(await state.snapshots.environments()).toEqual([]);
        const id = state.warehouseId;
        expect(id).toMatch(/\S{8,}/);
        expect((await reopen()).warehouseId).toBe(id);
      });

      test('a saved plan is read back whole, by another opening too, and alone makes nothing known', async () => {
        const plan = planOf(['a.one', 'a.two'], { basePromotionId: 'gone' });
        await state.snapshots.savePlan(plan, 'ann', []);
        await reopen();
        expect(await state.snapshots.plan('plan-1')).toEqual(plan);
        expect(await state.snapshots.plan('plan-2')).toBeUndefined();
        expect(await state.snapshots.snapshots()).toEqual([]);
        expect(await state.isEmpty()).toBe(true);
      });

      test('plans are listed newest first, of one environment when asked', async () => {
        await state.snapshots.savePlan(planOf(['a.one'], { id: 'p1', createdAt: 1 }), 'ann', []);
        await state.snapshots.savePlan(planOf(['a.one', 'a.two'], { id: 'p2', createdAt: 3 }), 'bob', []);
        const prod = environmentOf([], { name: 'prod' });
        await state.snapshots.savePlan(planOf([], { id: 'p3', createdAt: 2, target: prod }), 'bob', []);
        expect((await state.snapshots.plans({ limit: 2 })).map(({ id }) => id)).toEqual(['p2', 'p3']);
        expect(await state.snapshots.plans({ environment: 'dev', limit: 1 })).toEqual([
          {
            id: 'p2',
            environment: 'dev',
            createdAt: 3,
            who: 'bob',
            status: 'planned',
            changes: 2,
            stages: 1,
          },
        ]);
      });

      test('beginning a plan stores its snapshots with their contents, and marks it as being applied', async () => {
        const plan = planOf(['a.one', 'a.two']);
        const run = runOf('run-1', { kind: 'plan', planId: plan.id });
        await start(run);
        await state.snapshots.beginPlan(plan, run, [{ at: 1, event: 'plan.begun', data: { models: 2 } }]);
        await reopen();
        const tried = (model: string) => ({ ...snapshotOf(model), isTried: true });
        expect(await state.snapshots.snapshots()).toEqual([tried('a.one'), tried('a.two')]);
        const one = snapshotOf('a.one').fingerprint;
        expect(await state.snapshots.snapshots([one, 'unknown'])).toEqual([tried('a.one')]);
        const contents = await state.snapshots.contents([one, 'unknown']);
        expect([...contents]).toEqual([[one, contentOf('a.one')]]);
        expect((await state.snapshots.plans({ limit: 1 }))[0]?.status).toBe('applying');
        expect(await state.events.events({ limit: 9 })).toEqual([
          { sequence: 1, at: 1, event: 'plan.begun', data: { models: 2 } },
        ]);
        expect(await state.isEmpty()).toBe(false);
      });

      test('a state that is built again shows environments, sets tables aside and belongs to the warehouse; only an empty one is built', async () => {
        const plan = planOf(['a.one'], { target: environmentOf(['a.one']) });
        const lost = { ...snapshotOf('a.lost'), isUnproven: true as const };
        const adoption = {
          warehouseId: 'the warehouse',
          plans: [{ plan, isShown: true }],
          unproven: [lost],
          who: 'ann',
          at: 9,
          events: [{ at: 9, event: 'state.rebuilt', data: {} }],
        };
        await state.adopt(adoption);
        expect(state.warehouseId).toBe('the warehouse');
        await expect(state.adopt(adoption)).rejects.toMatchObject({ code: 'state.not-empty' });
        await reopen();
        expect(state.warehouseId).toBe('the warehouse');
        expect(await state.snapshots.environments()).toEqual([environmentOf(['a.one'])]);
        expect(await state.snapshots.snapshots()).toEqual([lost, snapshotOf('a.one')]);
        const one = snapshotOf('a.one').fingerprint;
        expect([...(await state.snapshots.contents([one]))]).toEqual([[one, contentOf('a.one')]]);
        expect(await state.snapshots.plans({ limit: 9 })).toMatchObject([
          { id: 'plan-1', status: 'applied', promotedAt: 9 },
        ]);
        expect((await state.events.events({ limit: 9 })).map(({ event }) => event)).toEqual([
          'state.rebuilt',
        ]);
        const untold = { ...adoption, plans: [] };
        await expect(state.adopt(untold)).rejects.toMatchObject({ code: 'state.not-empty' });
      });

      test('a plan of a state that begins afresh shows nothing', async () => {
        await state.adopt({
          ...{
            warehouseId: 'w',
            plans: [{ plan: planOf([]), isShown: false }],
            who: 'ann',
            at: 9,
            events: [],
          },
          unproven: [{ ...snapshotOf('a.lost'), isUnproven: true }],
        });
        expect(await state.snapshots.environments()).toEqual([]);
        expect(await state.snapshots.plans({ limit: 9 })).toMatchObject([{ status: 'applied' }]);
        expect(await state.isEmpty()).toBe(false);
      });

      const otherwise = {
        snapshot: {
          ...snapshotOf('a.one'),
          version: 'other',
          category: 'breaking',
          planId: 'plan-2',
        } as const,
        content: contentOf('a.one', appliedOf('other')),
      };

      test('the first to show a fingerprint decides its category, version and content; a plan with another table is refused', async () => {
        await state.snapshots.beginPlan(planOf(['a.one']), runOf('run-1'), []);
        await state.snapshots.finishPromotion(environmentOf(['a.one']), 7, []);
        expect(await state.snapshots.snapshots()).toEqual([snapshotOf('a.one')]);
        const { snapshot, content } = otherwise;
        const base = { basePromotionId: 'promotion-1' };
        const equal = { snapshot: { ...snapshotOf('a.one'), planId: 'plan-3' }, content };
        await state.snapshots.beginPlan(
          planOf([], { ...base, id: 'plan-3', snapshots: [equal] }),
          runOf('run-3'),
          [],
        );
        await expect(
          state.snapshots.beginPlan(
            planOf([], { ...base, id: 'plan-2', snapshots: [otherwise] }),
            runOf('run-2'),
            [],
          ),
        ).rejects.toMatchObject({ code: 'environment.moved', message: expect.stringContaining('a.one') });
        expect(await state.snapshots.snapshots()).toEqual([snapshotOf('a.one')]);
        const { fingerprint } = snapshot;
        expect((await state.snapshots.contents([fingerprint])).get(fingerprint)).toEqual(contentOf('a.one'));
      });

      test('what a plan that failed wanted, the next one may decide otherwise; its table is remembered', async () => {
        const failed = runOf('run-1', { kind: 'plan', planId: 'plan-1' });
        await start(failed);
        await state.snapshots.beginPlan(planOf(['a.one']), failed, []);
        const prod = environmentOf([], { name: 'prod', promotionId: 'prod-1' });
        const next = planOf([], { id: 'plan-2', snapshots: [otherwise], target: prod });
        await expect(state.snapshots.beginPlan(next, runOf('run-2'), [])).rejects.toMatchObject({
          code: 'environment.moved',
        });
        await state.journal.finishRun({ ...failed, status: 'failed', endedAt: 2 }, []);
        await state.snapshots.beginPlan(next, runOf('run-2'), []);
        const { snapshot, content } = otherwise;
        const abandoned = [snapshotOf('a.one').version];
        expect(await state.snapshots.snapshots()).toEqual([{ ...snapshot, isTried: true, abandoned }]);
        const { fingerprint } = snapshot;
        expect((await state.snapshots.contents([fingerprint])).get(fingerprint)).toEqual(content);
        await state.snapshots.finishPromotion(environmentOf(['a.one']), 7, []);
        expect(await state.snapshots.snapshots()).toEqual([{ ...snapshot, abandoned }]);
      });

      test.each(['model', 'dataHash', 'parentsHash', 'metadataHash'] as const)(
        'an equal fingerprint with another %s is refused, and nothing of that plan is stored',
        async (part) => {
          await state.snapshots.beginPlan(planOf(['a.one']), runOf('run-1'), []);
          const wrong = { snapshot: { ...snapshotOf('a.one'), [part]: 'x' }, content: contentOf('a.one') };
          const good = { snapshot: snapshotOf('a.two'), content: contentOf('a.two') };
          const plan = planOf([], { id: 'plan-2', snapshots: [good, wrong] });
          await expect(
            state.snapshots.beginPlan(plan, runOf('run-2'), [{ at: 1, event: 'x', data: null }]),
          ).rejects.toMatchObject({ code: 'state.snapshot-differs' });
          expect(await state.snapshots.snapshots()).toHaveLength(1);
          expect(await state.snapshots.plan('plan-2')).toBeUndefined();
          expect(await state.events.events({ limit: 9 })).toEqual([]);
        },
      );

      test('a plan made for another promotion of the environment is refused, and names the plan that moved it', async () => {
        const refused = { code: 'environment.moved', message: expect.stringContaining('dev') };
        const gone = planOf(['a.one'], { basePromotionId: 'gone' });
        await expect(state.snapshots.beginPlan(gone, runOf('run-1'), [])).rejects.toMatchObject(refused);
        const now = { ...environmentOf(['a.one']), planId: 'plan-of-bob' };
        await state.snapshots.finishPromotion(now, 7, []);
        await expect(state.snapshots.beginPlan(planOf(['a.one']), runOf('run-1'), [])).rejects.toMatchObject({
          ...refused,
          message: expect.stringContaining('plan-of-bob'),
        });
        const good = planOf(['a.one'], { basePromotionId: 'promotion-1' });
        await state.snapshots.beginPlan(good, runOf('run-1'), []);
      });
    });

    describe('environments', () => {
      test('the hooks of an environment are found that an earlier version stored as `around`', async () => {
        const hooks = { beforeAll: ['SELECT 1'], afterAll: [], applied: appliedOf('') };
        const { hooks: _, ...environment } = { ...environmentOf(['a.one']), hooks };
        const before = { ...environment, around: hooks };
        const run = runOf('run-1');
        await start(run);
        await state.snapshots.savePlan({ ...planOf(['a.one']), target: before }, 'ann', []);
        await state.snapshots.beginPromotion({ target: before, runId: run.id });
        const now = { ...environment, hooks };
        expect(await state.journal.promotionIntents()).toEqual([{ target: now, runId: run.id }]);
        await state.snapshots.finishPromotion(before, 7, []);
        await reopen();
        expect(await state.snapshots.environment('dev')).toEqual(now);
        expect(await state.snapshots.environments()).toEqual([now]);
        expect(await state.snapshots.promotions('dev')).toEqual([{ environment: now, at: 7 }]);
        expect((await state.snapshots.plan('plan-1'))?.target).toEqual(now);
      });

      test('an environment is what was promoted last, and its history is newest first', async () => {
        const first = environmentOf(['a.one']);
        const second = { ...environmentOf(['a.one', 'a.two'], { promotionId: 'p2' }), expiresAt: 99 };
        await state.snapshots.finishPromotion(first, 7, [{ at: 7, event: 'environment.promoted', data: 1 }]);
        await state.snapshots.finishPromotion(second, 8, []);
        await state.snapshots.finishPromotion(environmentOf([], { name: 'prod', promotionId: 'p3' }), 9, []);
        await reopen();
        expect(await state.snapshots.environment('dev')).toEqual(second);
        expect(await state.snapshots.environment('nobody')).toBeUndefined();
        expect((await state.snapshots.environments()).map(({ name: each }) => each)).toEqual(['dev', 'prod']);
        expect(await state.snapshots.promotions('dev')).toEqual([
          { environment: second, at: 8 },
          { environment: first, at: 7 },
        ]);
        expect(await state.snapshots.promotions('dev', 1)).toHaveLength(1);
        expect(await state.events.events({ limit: 9 })).toHaveLength(1);
      });

      test('a promotion that was begun is found again until it is finished or dropped', async () => {
        const run = runOf('run-1');
        await start(run);
        const target = environmentOf(['a.one']);
        await state.snapshots.beginPromotion({ target, runId: run.id });
        await reopen();
        expect(await state.journal.promotionIntents()).toEqual([{ target, runId: 'run-1' }]);
        expect(await state.snapshots.environment('dev')).toBeUndefined();
        await state.snapshots.finishPromotion(target, 7, []);
        expect(await state.journal.promotionIntents()).toEqual([]);
        await state.snapshots.beginPromotion({ target: { ...target, promotionId: 'p2' }, runId: run.id });
        await state.snapshots.dropPromotion('dev', 'run-0');
        expect(await state.journal.promotionIntents()).toHaveLength(1);
        await state.snapshots.dropPromotion('dev', run.id);
        expect(await state.journal.promotionIntents()).toEqual([]);
        expect(await state.snapshots.environment('dev')).toEqual(target);
      });

      test('finishing a promotion twice is the same as once', async () => {
        const target = environmentOf(['a.one']);
        await state.snapshots.finishPromotion(target, 7, []);
        await state.snapshots.finishPromotion(target, 8, []);
        expect(await state.snapshots.promotions('dev')).toEqual([{ environment: target, at: 7 }]);
      });

      test('finishing a promotion again undoes neither a later one nor the intent of one', async () => {
        const target = (promotionId: string) => environmentOf(['a.one'], { promotionId });
        await state.snapshots.finishPromotion(target('p1'), 7, []);
        await state.snapshots.finishPromotion(target('p2'), 8, []);
        await start(runOf('run-3'));
        await state.snapshots.beginPromotion({ target: target('p3'), runId: 'run-3' });
        await state.snapshots.finishPromotion(target('p1'), 9, []);
        expect(await state.snapshots.environment('dev')).toEqual(target('p2'));
        expect(await state.journal.promotionIntents()).toHaveLength(1);
      });

      test('a run whose environment has passed to another begins neither a promotion, a plan nor a write', async () => {
        const paused = runOf('run-1');
        await start(paused, 1000);
        await start(runOf('run-2'), 1000 + LEASE_MS);
        const lost = { code: 'state.lease-lost', message: expect.stringContaining('test run-2') };
        const target = environmentOf([]);
        await expect(state.snapshots.beginPromotion({ target, runId: 'run-1' })).rejects.toMatchObject(lost);
        await expect(state.snapshots.beginPlan(planOf([]), paused, [])).rejects.toMatchObject(lost);
        await expect(
          state.journal.startBackfill(intentOf('i1', paused), { tables: [], who: 'x', now: 9999 }),
        ).rejects.toMatchObject(lost);
        expect(await state.journal.intents()).toEqual([]);
      });

      test('an invalidated environment has expired, until it is promoted again', async () => {
        const target = { ...environmentOf(['a.one']), expiresAt: 99 };
        await state.snapshots.finishPromotion(target, 7, []);
        await state.snapshots.invalidate('dev', 8, [{ at: 8, event: 'environment.invalidated', data: null }]);
        expect((await state.snapshots.environment('dev'))?.expiresAt).toBe(0);
        await state.snapshots.finishPromotion(environmentOf(['a.one'], { promotionId: 'p2' }), 9, []);
        expect(await state.snapshots.environment('dev')).not.toHaveProperty('expiresAt');
      });

      test('what is forgotten is gone, and tokens go on', async () => {
        const run = runOf('run-1', { planId: 'plan-1' });
        await start(run);
        await state.snapshots.beginPlan(planOf(['a.one', 'a.two']), run, []);
        await state.snapshots.finishPromotion(environmentOf(['a.one']), 7, []);
        const intent = intentOf('i1', run);
        const backfill = { tables: [table('a.one')], who: 'x', now: 1000 };
        expect(tokenOf(await state.journal.startBackfill(intent, backfill))).toBe(1);
        await state.journal.finishBackfill('i1', {
          rows: [ledgerRow('a.one', day(0), { token: 1, dataVersion: '5' })],
          events: [],
        });
        await state.journal.finishRun({ ...run, status: 'succeeded' }, []);
        const one = snapshotOf('a.one').fingerprint;
        const two = snapshotOf('a.two').fingerprint;
        await state.snapshots.forget(
          { environments: ['dev'], fingerprints: [one], tables: [table('a.one')] },
          [{ at: 9, event: 'janitor.cleaned', data: null }],
        );
        await reopen();
        expect(await state.snapshots.environments()).toEqual([]);
        expect(await state.snapshots.promotions('dev')).toEqual([]);
        expect(await state.snapshots.snapshots()).toMatchObject([snapshotOf('a.two')]);
        expect([...(await state.snapshots.contents([one, two])).keys()]).toEqual([two]);
        expect((await state.journal.intervals()).size).toBe(0);
        expect(
          (await state.snapshots.plan('plan-1'))?.snapshots.map(({ snapshot }) => snapshot.model),
        ).toEqual(['a.two']);
        const again = runOf('run-2');
        await start(again, 2000);
        expect(tokenOf(await state.journal.startBackfill(intentOf('i2', again), backfill))).toBe(2);
      });

      test('forgetting keeps the contents of a plan that can still be applied', async () => {
        await state.snapshots.savePlan(planOf(['a.one']), 'ann', []);
        await state.snapshots.savePlan(
          planOf(['a.two'], { id: 'stale', basePromotionId: 'gone' }),
          'ann',
          [],
        );
        await state.snapshots.forget({ environments: [], fingerprints: [], tables: [] }, []);
        expect((await state.snapshots.plan('plan-1'))?.snapshots).toHaveLength(1);
        expect((await state.snapshots.plan('stale'))?.snapshots).toHaveLength(0);
      });
    });

    describe('runs and leases', () => {
      test('one run has an environment; the other is told who, and leaves no trace', async () => {
        const answer = await start(runOf('run-1'), 1000);
        expect(answer).toEqual({
          kind: 'granted',
          leases: [
            {
              name: 'environment:dev',
              holder: 'run-1',
              token: 1,
              since: 1000,
              expiresAt: 1000 + LEASE_MS,
              who: 'test run-1',
            },
          ],
        });
        const events = [{ at: 1, event: 'run.started', data: null }];
        const refused = await state.journal.startRun(runOf('run-2'), { now: 1001 + LEASE_MS / 2, events });
        expect(refused).toMatchObject({ kind: 'held', by: { holder: 'run-1', since: 1000 } });
        expect(await state.journal.run('run-2')).toBeUndefined();
        expect(await state.events.events({ limit: 9 })).toEqual([]);
        expect((await start(runOf('run-3', { environment: 'prod' }))).kind).toBe('granted');
      });

      test('an expired lease passes on with a greater token, and its former holder is told', async () => {
        await start(runOf('run-1'), 1000);
        const second = await start(runOf('run-2'), 1000 + LEASE_MS);
        expect(tokenOf(second)).toBe(2);
        expect(await state.journal.heartbeat('run-1', 1001 + LEASE_MS)).toBe(false);
        expect(await state.journal.heartbeat('run-2', 1001 + LEASE_MS)).toBe(true);
      });

      test('a heartbeat keeps every lease of the run, also an expired one that nobody took', async () => {
        const run = runOf('run-1');
        await start(run, 1000);
        await state.journal.startBackfill(intentOf('i1', run), {
          tables: [table('a.one')],
          who: 'x',
          now: 1000,
        });
        expect(await state.journal.heartbeat('run-1', 20_000)).toBe(true);
        expect((await state.journal.leases()).map(({ expiresAt }) => expiresAt)).toEqual([
          20_000 + LEASE_MS,
          20_000 + LEASE_MS,
        ]);
        expect((await start(runOf('run-2'), 20_001)).kind).toBe('held');
      });

      test('a heartbeat of a run that ended, was declared interrupted or never was is refused', async () => {
        expect(await state.journal.heartbeat('nobody', 1)).toBe(false);
        await start(runOf('run-1'), 1000);
        await state.journal.reconcile([], ['run-1'], 1000 + LEASE_MS);
        expect(await state.journal.heartbeat('run-1', 1001 + LEASE_MS)).toBe(false);
        await start(runOf('run-2'), 2000);
        await state.journal.finishRun(runOf('run-2', { status: 'succeeded' }), []);
        expect(await state.journal.heartbeat('run-2', 2001)).toBe(false);
      });

      test('a clock that is set back does not make a dead holder live for ever', async () => {
        await start(runOf('run-1'), 10_000_000);
        expect((await start(runOf('run-2'), 1000)).kind).toBe('held');
        expect((await start(runOf('run-2'), 1000 + LEASE_MS)).kind).toBe('granted');
      });

      test('table leases are taken all or none, are kept by their run, and tokens grow with every grant', async () => {
        const one = runOf('run-1');
        const two = runOf('run-2', { environment: 'prod' });
        await start(one);
        await start(two);
        const both = { tables: [table('a.one'), table('a.two')], who: 'x', now: 1000 };
        const first = await state.journal.startBackfill(intentOf('i1', one), both);
        expect(first).toMatchObject({ kind: 'granted', leases: [{ token: 1 }, { token: 1 }] });
        const three = { ...both, tables: [table('a.three'), table('a.two')] };
        const held = await state.journal.startBackfill(intentOf('i2', two), three);
        expect(held).toMatchObject({ kind: 'held', by: { name: `table:${tableKey(table('a.two'))}` } });
        expect((await state.journal.intents()).map(({ id }) => id)).toEqual(['i1']);
        expect(await state.journal.startBackfill(intentOf('i3', one), both)).toMatchObject({
          kind: 'granted',
          leases: [{ token: 1 }, { token: 1 }],
        });
        await state.journal.releaseTables('run-2', [table('a.two')]);
        await state.journal.releaseTables('run-1', [table('a.two')]);
        expect(await state.journal.startBackfill(intentOf('i2', two), three)).toMatchObject({
          kind: 'granted',
          leases: [{ token: 1 }, { token: 2 }],
        });
      });

      test('a lease of no run is taken, extended, refused to others, and released', async () => {
        const take = (holder: string, now: number): Promise<LeaseAnswer> =>
          state.journal.takeLease({ name: 'scheduler', holder, who: holder, now });
        expect(tokenOf(await take('a', 1000))).toBe(1);
        expect(tokenOf(await take('a', 5000))).toBe(1);
        expect((await take('b', 5000 + LEASE_MS - 1)).kind).toBe('held');
        await state.journal.releaseLease('scheduler', 'b');
        expect((await take('b', 5001)).kind).toBe('held');
        await state.journal.releaseLease('scheduler', 'a');
        expect(tokenOf(await take('b', 5002))).toBe(2);
        expect(tokenOf(await take('a', 5002 + LEASE_MS))).toBe(3);
      });

      test('the end of a run takes its intents and leases with it, and its plan follows', async () => {
        const run = runOf('run-1', { kind: 'plan', planId: 'plan-1' });
        await start(run);
        await state.snapshots.beginPlan(planOf(['a.one']), run, []);
        await state.journal.startBackfill(intentOf('i1', run), {
          tables: [table('a.one')],
          who: 'x',
          now: 1000,
        });
        expect(await state.journal.intents()).toEqual([intentOf('i1', run)]);
        const ended = { ...run, status: 'failed', endedAt: 50 } as const;
        await state.journal.finishRun(ended, [{ at: 50, event: 'run.finished', runId: run.id, data: null }]);
        expect(await state.journal.run('run-1')).toEqual(ended);
        expect(await state.journal.intents()).toEqual([]);
        expect(await state.journal.leases()).toEqual([]);
        expect((await state.snapshots.plans({ limit: 1 }))[0]?.status).toBe('failed');
      });

      test.each([
        ['succeeded', 'applied'],
        ['failed', 'failed'],
        ['cancelled', 'interrupted'],
        ['interrupted', 'interrupted'],
      ] as const)('a plan whose run %s is %s', async (status, expected) => {
        const run = runOf('run-1', { planId: 'plan-1' });
        await start(run);
        await state.snapshots.beginPlan(planOf(['a.one']), run, []);
        await state.journal.finishRun({ ...run, status }, []);
        expect((await state.snapshots.plans({ limit: 1 }))[0]?.status).toBe(expected);
      });

      test('a run that others declared interrupted stays interrupted, with what it did', async () => {
        const run = runOf('run-1');
        await start(run, 1000);
        await state.journal.reconcile([], ['run-1'], 1000 + LEASE_MS);
        expect(await state.journal.run('run-1')).toEqual({
          ...run,
          status: 'interrupted',
          endedAt: 1000 + LEASE_MS,
        });
        const models = [
          { name: 'a.one', status: 'built', intervals: [], rows: 1, ms: 1, audits: [] },
        ] as const;
        await state.journal.finishRun({ ...run, status: 'succeeded', models }, []);
        expect(await state.journal.run('run-1')).toMatchObject({ status: 'interrupted', models });
      });

      test('a run that came back to life is not declared interrupted', async () => {
        await start(runOf('run-1'), 1000);
        await state.journal.heartbeat('run-1', 1000 + LEASE_MS);
        await state.journal.reconcile([], ['run-1'], 1001 + LEASE_MS);
        expect((await state.journal.run('run-1'))?.status).toBe('running');
      });

      test('runs are listed newest first, by environment and status', async () => {
        await start(runOf('run-1', { startedAt: 1 }));
        await state.journal.finishRun(runOf('run-1', { startedAt: 1, status: 'failed' }), []);
        await start(runOf('run-2', { startedAt: 2, environment: 'prod' }));
        await start(runOf('run-3', { startedAt: 2 }));
        const ids = async (request: { environment?: string; status?: 'running' }): Promise<string[]> =>
          (await state.journal.runs({ ...request, limit: 9 })).map(({ id }) => id);
        expect(await ids({})).toEqual(['run-3', 'run-2', 'run-1']);
        expect(await ids({ environment: 'dev' })).toEqual(['run-3', 'run-1']);
        expect(await ids({ status: 'running', environment: 'prod' })).toEqual(['run-2']);
        expect(await state.journal.runs({ limit: 1 })).toHaveLength(1);
      });
    });

    describe('intervals', () => {
      const one = table('a.one');
      const filledOf = async (): Promise<unknown> => (await state.journal.intervals()).get(tableKey(one));
      const fill = (range: ReturnType<typeof day>, token: number, dataVersion: string): Promise<void> =>
        state.journal.finishBackfill(`i-${dataVersion}`, {
          rows: [ledgerRow('a.one', range, { token, dataVersion })],
          events: [{ at: 1, event: 'model.built', model: 'a.one', data: null }],
        });
      const restate = async (id: string, ranges: readonly ReturnType<typeof day>[]): Promise<void> =>
        state.snapshots.beginPlan(
          planOf([], { id, restatements: [{ table: one, ranges }] }),
          runOf(`run ${id}`),
          [],
        );

      test('what the ledger got is filled, its intent is gone, its event is in the log', async () => {
        const run = runOf('run-1');
        await start(run);
        await state.journal.startBackfill(intentOf('i-5', run), { tables: [one], who: 'x', now: 1000 });
        await fill(day(0), 1, '5');
        await fill(day(2), 1, '6');
        await fill(day(1), 1, '9223372036854775807');
        await reopen();
        expect(await filledOf()).toEqual([day(0, 3)]);
        expect(await state.journal.intents()).toEqual([]);
        expect(await state.events.events({ limit: 9 })).toHaveLength(3);
        expect((await state.journal.dataVersions()).get(tableKey(one))).toBe(
          `3:${5n ^ 6n ^ 9223372036854775807n}`,
        );
        expect([...(await state.journal.intervals([table('a.two')]))]).toEqual([]);
        expect([...(await state.journal.dataVersions([one, table('a.two')])).keys()]).toEqual([
          tableKey(one),
        ]);
      });

      test('a ledger row that is told twice counts once', async () => {
        await fill(day(0), 1, '5');
        await fill(day(0), 1, '5');
        expect((await state.journal.dataVersions()).get(tableKey(one))).toBe('1:5');
      });

      test('an intent of a write that was rolled back can be dropped', async () => {
        const run = runOf('run-1');
        await start(run);
        await state.journal.startBackfill(intentOf('i1', run), { tables: [one], who: 'x', now: 1000 });
        await state.journal.dropIntent('i1', [{ at: 3, event: 'stage.failed', data: null }]);
        expect(await state.journal.intents()).toEqual([]);
        expect(await filledOf()).toBeUndefined();
        expect((await state.journal.leases()).length).toBe(2);
      });

      test('what waits to be restated is not filled until a later holder has filled it', async () => {
        const run = runOf('run-1');
        await start(run);
        const lease = { tables: [one], who: 'x', now: 1000 };
        expect(tokenOf(await state.journal.startBackfill(intentOf('i1', run), lease))).toBe(1);
        await fill(day(0, 10), 1, '5');
        await state.journal.finishRun({ ...run, status: 'succeeded' }, []);
        await restate('plan-2', [day(2, 3)]);
        await reopen();
        expect(await filledOf()).toEqual([day(0, 2), day(5, 5)]);
        expect(await state.journal.restatements()).toEqual([
          { table: one, ranges: [day(2, 3)], sinceToken: 1, planId: 'plan-2' },
        ]);
        // A write that had begun before the restatement does not fulfil it.
        await fill(day(2, 3), 1, '6');
        expect(await filledOf()).toEqual([day(0, 2), day(5, 5)]);
        await fill(day(2, 1), 2, '7');
        expect(await filledOf()).toEqual([day(0, 3), day(5, 5)]);
        await fill(day(3, 2), 2, '8');
        expect(await filledOf()).toEqual([day(0, 10)]);
        expect(await state.journal.restatements()).toEqual([]);
      });

      test('a table that waits to be restated as a whole has nothing filled', async () => {
        await fill(day(0, 2), 1, '5');
        await restate('plan-2', [day(0, 2)]);
        expect(await filledOf()).toBeUndefined();
      });

      test('a second restatement joins the first under the later token', async () => {
        const run = runOf('run-1', { environment: 'prod' });
        await start(run);
        await fill(day(0, 10), 1, '5');
        await restate('plan-2', [day(2, 2)]);
        await state.journal.startBackfill(intentOf('i1', run), { tables: [one], who: 'x', now: 1000 });
        await state.journal.finishRun({ ...run, status: 'cancelled' }, []);
        await restate('plan-3', [day(3, 3)]);
        expect(await state.journal.restatements()).toEqual([
          { table: one, ranges: [day(2, 4)], sinceToken: 1, planId: 'plan-3' },
        ]);
      });

      test('reconciling makes intervals, data versions and restatements equal to the ledger', async () => {
        await fill(day(0, 10), 1, '5');
        await restate('plan-2', [day(2, 4)]);
        const summary = { table: one, filled: [day(0, 8)], filledSince: [day(2, 1)], dataVersion: '2:77' };
        await state.journal.reconcile([summary], [], 1000);
        expect(await filledOf()).toEqual([day(0, 3), day(6, 2)]);
        expect(await state.journal.restatements()).toMatchObject([{ ranges: [day(3, 3)] }]);
        expect((await state.journal.dataVersions()).get(tableKey(one))).toBe('2:77');
        const nothing = { table: one, filled: [], filledSince: [], dataVersion: '0:0' };
        await state.journal.reconcile([nothing], [], 1000);
        expect((await state.journal.dataVersions()).size).toBe(0);
      });
    });

    describe('the log', () => {
      test('events are numbered without gaps and read in order, after one and by what they are about', async () => {
        const about = [{ environment: 'dev', runId: 'run-1' }, { environment: 'prod' }, { runId: 'run-1' }];
        const events = about.map((more, index) => ({
          at: index,
          event: 'x',
          model: 'a.one',
          data: [index],
          ...more,
        }));
        await state.snapshots.invalidate('dev', 1, events.slice(0, 1));
        await state.snapshots.invalidate('dev', 1, events.slice(1));
        await expect(
          state.snapshots.beginPlan(planOf([], { basePromotionId: 'gone' }), runOf('r'), events),
        ).rejects.toThrow();
        await state.snapshots.invalidate('dev', 1, events.slice(0, 1));
        const all = await state.events.events({ limit: 9 });
        expect(all).toEqual(
          [...events, events[0]].map((event, index) => ({ sequence: index + 1, ...event })),
        );
        const numbers = async (request: object): Promise<number[]> =>
          (await state.events.events({ limit: 9, ...request })).map(({ sequence }) => sequence);
        expect(await numbers({ after: 2 })).toEqual([3, 4]);
        expect(await numbers({ limit: 2 })).toEqual([1, 2]);
        expect(await numbers({ environment: 'dev' })).toEqual([1, 4]);
        expect(await numbers({ runId: 'run-1', after: 1 })).toEqual([3, 4]);
      });
    });

    describe('as a whole', () => {
      const fillEverything = async (): Promise<void> => {
        const run = runOf('run-1', { planId: 'plan-1' });
        await start(run);
        await state.snapshots.beginPlan(planOf(['a.one', 'a.two']), run, [
          { at: 1, event: 'x', data: 'ü\n' },
        ]);
        await state.journal.startBackfill(intentOf('i1', run), {
          tables: [table('a.one')],
          who: 'x',
          now: 1000,
        });
        await state.journal.finishBackfill('i0', {
          rows: [ledgerRow('a.one', day(0, 4), { token: 1, dataVersion: '5' })],
          events: [],
        });
        await state.snapshots.finishPromotion(environmentOf(['a.one', 'a.two']), 7, []);
        await state.snapshots.beginPromotion({
          target: environmentOf(['a.one'], { promotionId: 'p2' }),
          runId: run.id,
        });
        const restatements = [{ table: table('a.one'), ranges: [day(1)] }];
        await state.snapshots.beginPlan(
          planOf([], { id: 'plan-2', basePromotionId: 'promotion-1', restatements }),
          run,
          [],
        );
      };
      const everythingIn = async (from: StateStore): Promise<unknown> => ({
        environments: await from.snapshots.environments(),
        promotions: await from.snapshots.promotions('dev'),
        snapshots: await from.snapshots.snapshots(),
        contents: await from.snapshots.contents([snapshotOf('a.one').fingerprint]),
        plans: await from.snapshots.plans({ limit: 9 }),
        plan: await from.snapshots.plan('plan-1'),
        intervals: await from.journal.intervals(),
        dataVersions: await from.journal.dataVersions(),
        restatements: await from.journal.restatements(),
        intents: await from.journal.intents(),
        promotionIntents: await from.journal.promotionIntents(),
        runs: await from.journal.runs({ limit: 9 }),
        events: await from.events.events({ limit: 9 }),
        warehouseId: from.warehouseId,
      });
      const linesOf = async (from: StateStore): Promise<string[]> => {
        const lines: string[] = [];
        for await (const line of from.exportAll()) lines.push(line);
        return lines;
      };
      async function* given(lines: readonly string[]): AsyncGenerator<string> {
        yield* lines;
      }
      const another = async (): Promise<StateStore> => {
        place = store.newPlace();
        return open();
      };

      test('an export imported into an empty store is the same state, with tokens that go on and no holders', async () => {
        await fillEverything();
        const before = await everythingIn(state);
        const lines = await linesOf(state);
        for (const line of lines) expect(line).not.toContain('\n');
        const copy = await another();
        await copy.importAll(given(lines));
        expect(await everythingIn(copy)).toEqual(before);
        expect(await linesOf(copy)).toEqual(lines);
        expect(await copy.journal.leases()).toEqual([]);
        const run = runOf('run-9');
        expect(tokenOf(await copy.journal.startRun(run, { now: 1, events: [] }))).toBe(2);
      });

      test('nothing is imported into a state that is not empty', async () => {
        const lines = await linesOf(state);
        await state.snapshots.savePlan(planOf(['a.one']), 'ann', []);
        await expect(state.importAll(given(lines))).rejects.toMatchObject({ code: 'state.not-empty' });
      });

      test.each([
        ['that is cut off', (lines: string[]) => lines.slice(0, -1)],
        ['with a line less', (lines: string[]) => lines.toSpliced(3, 1)],
        ['with half a line', (lines: string[]) => lines.with(3, lines[3]!.slice(0, 20))],
        ['with a line twice', (lines: string[]) => lines.toSpliced(3, 0, lines[3]!)],
        ['of something else', () => ['{"a": 1}']],
        ['of nothing', () => []],
        ['with a list', (lines: string[]) => lines.with(3, '[]')],
        ['of an unknown kind', (lines: string[]) => lines.with(3, '{"kind":"toString"}')],
        [
          'of a newer kind',
          (lines: string[]) => lines.with(0, lines[0]!.replace(/"version":\d+/, '"version":99')),
        ],
        ['with an end too early', (lines: string[]) => [...lines, lines[3]!]],
      ])('an export %s is refused with its line, and leaves the store empty', async (_name, spoil) => {
        await fillEverything();
        const lines = await linesOf(state);
        const copy = await another();
        const id = copy.warehouseId;
        await expect(copy.importAll(given(spoil(lines)))).rejects.toMatchObject({ code: 'state.bad-import' });
        expect(await copy.isEmpty()).toBe(true);
        expect((await reopen()).warehouseId).toBe(id);
      });

      test('two openings see each other’s changes at once', async () => {
        const other = await open();
        for (let index = 0; index < 20; index++) {
          const [one, two] = index % 2 === 0 ? [state, other] : [other, state];
          const promotionId = `p${index}`;
          await one.snapshots.finishPromotion(environmentOf(['a.one'], { promotionId }), index, []);
          expect((await two.snapshots.environment('dev'))?.promotionId).toBe(promotionId);
        }
      });

      test('changes asked for at the same time all happen, one at a time, and a refused one takes none with it', async () => {
        const other = await open();
        const answers = await Promise.allSettled(
          Array.from({ length: 100 }, (_, index) => {
            const to = index % 2 === 0 ? state : other;
            if (index % 10 === 3) {
              return to.snapshots.beginPlan(planOf([], { basePromotionId: 'gone' }), runOf(`r${index}`), []);
            }
            return to.journal.finishBackfill('none', {
              rows: [ledgerRow('a.one', day(index), { token: 1, dataVersion: String(index + 1) })],
              events: [{ at: index, event: 'model.built', data: stageOf('a.one') }],
            });
          }),
        );
        const refusals = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
        expect(refusals.map((reason: { readonly code?: string }) => reason.code ?? reason)).toEqual(
          Array.from({ length: 10 }, () => 'environment.moved'),
        );
        expect(await state.events.events({ limit: 999 })).toHaveLength(90);
        const version = (await other.journal.dataVersions()).get(tableKey(table('a.one')));
        expect(version?.startsWith('90:')).toBe(true);
      });
    });
  });
}
