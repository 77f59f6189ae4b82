/** What every store of statements must do. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diagnostic } from '../../src/domain/diagnostics/catalog.ts';
import { LEASE_MS } from '../../src/domain/lease.ts';
import type { StatementStore, StateStore } from '../../src/domain/state-store.ts';
import type { Execution } from '../../src/domain/statement.ts';
import type { StateStoreUnderTest } from './state-store.ts';
import {
  accepted,
  failed,
  KEPT_MS,
  promote,
  requestOf,
  sharedAs,
  statementOf,
  success,
  successIn,
} from './statement-store-fixtures.ts';

export function describeStatementStore(name: string, store: StateStoreUnderTest): void {
  describe(name, () => {
    let state: StateStore;
    let statements: StatementStore;
    beforeEach(async () => {
      state = await store.open(store.newPlace());
      statements = state.statements;
      await promote(state);
    });
    afterEach(() => state.close());

    const beat = (worker: string, now: number, running: readonly string[] = []) =>
      statements.beat(worker, { running, now, keptMs: KEPT_MS, refusedMs: 500 });
    const submit = async (id: string, changed: Parameters<typeof requestOf>[0] = {}, of = {}) =>
      accepted(await statements.submit(statementOf(id, of), requestOf(changed)));
    const work = async (id: string, changed: Parameters<typeof requestOf>[0] = {}): Promise<Execution> =>
      (await submit(id, changed)).work!;
    const finish = (of: Execution, end = success(), worker = 'w1', now = 200) =>
      statements.finish(of, { worker, end: sharedAs(of, end), now, keptMs: KEPT_MS });
    const statusOf = async (id: string): Promise<string | undefined> =>
      (await statements.statement(id))?.status;

    describe('submitting', () => {
      test('with a free place it is in progress at once, otherwise queued, and is read back whole', async () => {
        const { statement, work: first } = await submit('s1');
        expect(statement).toMatchObject({
          ...statementOf('s1'),
          status: 'IN_PROGRESS',
          version: 1,
          strategy: 'execute',
          startedAt: 100,
          isTruncated: false,
        });
        expect(first).toMatchObject({
          id: 's1',
          attempt: 1,
          principalId: 'ann',
          tenant: 'acme',
          task: requestOf().task,
        });
        expect(await statements.statement('s1')).toEqual(statement);
        expect(await statements.statement('s1', 'ann')).toEqual(statement);
        expect(await statements.statement('s1', 'bob')).toBeUndefined();
        const queued = await submit('s2', { question: 'other', room: 'queue' });
        expect(queued.statement).toMatchObject({ status: 'QUEUED', version: 1 });
        expect(queued.statement.startedAt).toBeUndefined();
        expect(await statements.statement('s2')).toEqual(queued.statement);
        expect(await statements.statement('s3')).toBeUndefined();
      });

      test('without room, and for an environment that has moved, nothing is stored', async () => {
        expect(await statements.submit(statementOf('s1'), requestOf({ room: 'none' }))).toEqual({
          kind: 'full',
        });
        const before = statementOf('s2', { trust: { promotionId: 'v0', promotedAt: 1 } });
        expect(await statements.submit(before, requestOf())).toEqual({ kind: 'moved' });
        expect(await statements.statements({ limit: 10 })).toEqual([]);
      });

      test('an equal question joins work under way, even without room, unless its data, its time limit or itself is another', async () => {
        const { work: first } = await submit('s1');
        const joined = await submit('s2', { room: 'none' });
        expect(joined.work).toBeUndefined();
        expect(await statements.statement('s2')).toEqual(joined.statement);
        expect(joined.statement).toMatchObject({ strategy: 'await_primary', status: 'IN_PROGRESS' });
        const others = [
          await submit('s3', { question: 'other' }),
          await submit('s4', { task: { ...requestOf().task, timeoutMs: 5 } }),
          await submit('s5', { isShared: false }),
          await submit('s6', { versions: ['1:7'] }),
        ];
        expect(others.map((each) => each.work?.id)).toEqual(['s3', 's4', 's5', 's6']);
        const ended = await finish(first!);
        expect(ended.map(({ id, status }) => [id, status])).toEqual([
          ['s1', 'SUCCESS'],
          ['s2', 'SUCCESS'],
        ]);
      });

      test('an answer that is kept is given again while it is young enough and the data is the same', async () => {
        const versions = ['1:7', ''];
        await finish(await work('s1', { versions }), success('[1]\n[2]\n'));
        const cached = await submit('s2', { versions, now: 300, room: 'none' });
        expect(cached.statement).toMatchObject({
          strategy: 'from_cache',
          status: 'SUCCESS',
          rowCount: 2,
          expiresAt: 300 + KEPT_MS,
        });
        expect(cached.result?.rowCount).toBe(2);
        expect(
          Buffer.from(
            (await statements.result('s2', 400))!.place.kind === 'inline'
              ? (cached.result!.place as { lines: Uint8Array }).lines
              : [],
          ).toString(),
        ).toBe('[1]\n[2]\n');
        expect((await submit('s3', { versions, cachedSince: 201 })).work?.id).toBe('s3');
        const { cachedSince: _, ...uncached } = requestOf({ versions, question: 'z' });
        await finish(await work('s4', { versions, question: 'z' }));
        expect(accepted(await statements.submit(statementOf('s5'), uncached)).work?.id).toBe('s5');
        expect((await submit('s6', { versions: ['2:9', ''] })).work?.id).toBe('s6');
      });

      test('an answer is kept for the data that its rows were read from, or for nobody', async () => {
        const [before, after] = [['1:7'], ['2:9']];
        const { fingerprint: later } = (await submit('other', { versions: after, question: 'q' })).statement;
        await statements.cancel('other', { now: 100, keptMs: KEPT_MS });
        const moved = await work('s1', { versions: before });
        const request = { worker: 'w1', now: 200, keptMs: KEPT_MS };
        const read = { ...success('[7]\n'), fingerprint: later } as const;
        expect(await statements.finish(moved, { ...request, end: read })).toMatchObject([
          { id: 's1', fingerprint: later },
        ]);
        expect((await statements.statement('s1'))?.fingerprint).toBe(later);
        expect((await submit('s2', { versions: before })).work?.id).toBe('s2');
        expect((await submit('s3', { versions: after })).statement.strategy).toBe('from_cache');
        const unknown = await work('s4', { versions: ['3:3'] });
        await statements.finish(unknown, { ...request, end: success() });
        expect((await submit('s5', { versions: ['3:3'] })).work?.id).toBe('s5');
      });

      test('what is not shared is neither joined nor given again', async () => {
        await finish(await work('s1', { isShared: false }));
        expect((await submit('s2', { isShared: false })).work?.id).toBe('s2');
        expect((await submit('s3')).work?.id).toBe('s3');
      });
    });

    describe('working', () => {
      test('queued work is started once, by the worker that has it', async () => {
        const first = await work('s1', { room: 'queue' });
        await submit('s2');
        expect(await statements.start(first, 'w2', 150)).toEqual([]);
        const started = await statements.start(first, 'w1', 150);
        expect(started.toSorted()).toEqual(['s1', 's2']);
        for (const id of started)
          expect(await statements.statement(id)).toMatchObject({ status: 'IN_PROGRESS', version: 2 });
        expect(await statements.start(first, 'w1', 150)).toEqual([]);
      });

      test('an end is final: it is told once, kept with its result, and failures go into the log', async () => {
        const [good, bad] = [await work('s1'), await work('s2', { question: 'bad' })];
        const [ended] = await finish(good);
        expect(ended).toMatchObject({
          status: 'SUCCESS',
          version: 2,
          finishedAt: 200,
          expiresAt: 200 + KEPT_MS,
          stats: { queuedMs: 0, execMs: 100, rows: 1, bytes: 4 },
          columns: [{ name: 'one' }],
        });
        expect(await finish(good, failed())).toEqual([]);
        expect(await finish(bad, failed())).toMatchObject([
          { status: 'FAILED', error: { code: 'engine.statement-failed' } },
        ]);
        expect(await statements.cancel('s1', { now: 300, keptMs: KEPT_MS })).toEqual({
          statement: ended,
          isChanged: false,
        });
        expect(await statements.result('s2', 300)).toBeUndefined();
        const events = await state.events.events({ limit: 10 });
        expect(
          events.map(({ event, environment, data }) => [
            event,
            environment,
            (data as { statementId: string }).statementId,
          ]),
        ).toEqual([['statement.failed', 'prod', 's2']]);
      });

      test('only the worker that has the work may end it', async () => {
        const first = await work('s1');
        expect(await finish(first, success(), 'w2')).toEqual([]);
        expect(await finish({ ...first, attempt: 2 })).toEqual([]);
        expect(await statusOf('s1')).toBe('IN_PROGRESS');
      });

      test('cancelling one of several detaches it, the last one stops the work, and cancelling twice changes nothing', async () => {
        const first = await work('s1');
        await submit('s2');
        const request = { now: 150, keptMs: KEPT_MS };
        const one = await statements.cancel('s1', request);
        expect(one).toMatchObject({
          isChanged: true,
          statement: { status: 'CANCELLED', version: 2, finishedAt: 150 },
        });
        expect(one?.stopped).toBeUndefined();
        expect(await statements.cancel('s1', request)).toEqual({ ...one!, isChanged: false });
        expect(await statements.cancel('s2', request)).toMatchObject({
          stopped: 's1',
          statement: { status: 'CANCELLED' },
        });
        expect(await finish(first)).toEqual([]);
        expect(await statements.cancel('s9', request)).toBeUndefined();
        expect((await submit('s3')).work?.id).toBe('s3');
      });

      test('a fingerprint that was refused is not executed until its time is over', async () => {
        await finish(await work('s1'), failed(1_000));
        expect(await statements.submit(statementOf('s2'), requestOf({ now: 999 }))).toEqual({
          kind: 'refused',
          until: 1_000,
        });
        expect((await submit('s3', { now: 1_000 })).work?.id).toBe('s3');
        const { fingerprint } = (await submit('s4', { question: 'y' })).work!;
        await statements.refuse(fingerprint, 2_000);
        expect(
          await statements.submit(statementOf('s5'), requestOf({ question: 'y', now: 1_500 })),
        ).toMatchObject({ kind: 'refused' });
      });

      test('work that is done again waits, as the same attempt', async () => {
        const first = await work('s1');
        expect(await statements.retry(first, 'w1')).toBe(true);
        expect(await statements.retry(first, 'w1')).toBe(false);
        expect(await statusOf('s1')).toBe('QUEUED');
        expect(await statements.start(first, 'w1', 150)).toEqual(['s1']);
        expect(await statements.retry(first, 'w2')).toBe(false);
        expect(await statusOf('s1')).toBe('IN_PROGRESS');
      });
    });

    describe('workers that are gone', () => {
      test('what they had queued and begun is taken over by the next, with a new attempt for what was begun', async () => {
        await beat('w1', 100);
        await work('s1');
        await work('s2', { question: 'b', room: 'queue' });
        expect((await beat('w2', 100 + LEASE_MS - 1)).taken).toEqual([]);
        const { taken } = await beat('w2', 100 + LEASE_MS);
        expect(taken.map(({ id, attempt, startedAt }) => [id, attempt, startedAt])).toEqual([
          ['s1', 2, 100],
          ['s2', 1, undefined],
        ]);
        expect(await statusOf('s1')).toBe('QUEUED');
        expect((await beat('w2', 200 + LEASE_MS)).taken).toEqual([]);
      });

      test('work keeps the time it was first begun, by whomever, however often it is begun again', async () => {
        await beat('w1', 100);
        const first = await work('s1', { room: 'queue' });
        expect(first.startedAt).toBeUndefined();
        await statements.start(first, 'w1', 150);
        await statements.retry(first, 'w1');
        await statements.start(first, 'w1', 170);
        expect(await statements.statement('s1')).toMatchObject({ startedAt: 170 });
        const [again] = (await beat('w2', 100 + LEASE_MS)).taken;
        expect(again).toMatchObject({ attempt: 2, startedAt: 150 });
        expect((await work('s2', { question: 'b', now: 190 })).startedAt).toBe(190);
      });

      test('one that comes back learns that its work is no longer its own', async () => {
        await beat('w1', 100);
        const first = await work('s1');
        expect((await beat('w1', 150, ['s1'])).lost).toEqual([]);
        await beat('w2', 150 + LEASE_MS);
        expect((await beat('w1', 151 + LEASE_MS, ['s1'])).lost).toEqual(['s1']);
        expect(await finish(first)).toEqual([]);
      });

      test('work that is put back to wait while its worker says that it runs is not taken from it', async () => {
        await beat('w1', 100);
        const first = await work('s1');
        await statements.retry(first, 'w1');
        expect((await beat('w1', 150, ['s1'])).lost).toEqual([]);
        expect(await statements.start(first, 'w1', 160)).toEqual(['s1']);
      });

      test('one that leaves need not be waited for', async () => {
        await beat('w1', 100);
        await work('s1', { room: 'queue' });
        await statements.leave('w1');
        expect((await beat('w2', 101)).taken.map(({ id }) => id)).toEqual(['s1']);
      });

      test('work that was lost twice fails in the words of the catalog, and is refused for a while', async () => {
        await beat('w1', 100);
        await work('s1');
        const [again] = (await beat('w2', 100 + LEASE_MS)).taken;
        await statements.start(again!, 'w2', 100 + LEASE_MS);
        const now = 100 + 2 * LEASE_MS;
        expect((await beat('w3', now)).taken).toEqual([]);
        const { code, message, hint } = diagnostic('statement.worker-lost', {});
        expect(await statements.statement('s1')).toMatchObject({
          status: 'FAILED',
          error: { code, message, hint },
        });
        expect(await statements.submit(statementOf('s2'), requestOf({ now }))).toEqual({
          kind: 'refused',
          until: now + 500,
        });
      });

      test('a cancelled statement is told to whoever works on it', async () => {
        await beat('w1', 100);
        await work('s1');
        await statements.cancel('s1', { now: 120, keptMs: KEPT_MS });
        expect((await beat('w1', 130, ['s1'])).lost).toEqual(['s1']);
      });
    });

    describe('time', () => {
      test('a result is gone when its time is over, its statement after as long again', async () => {
        const file = successIn('s1.1');
        await finish(await work('s1'), file);
        const last = 200 + KEPT_MS;
        expect(await statements.wantedResults(['s1.1', 's1.2', 's9.1', 'x'])).toEqual(['s1.1']);
        expect(await statements.result('s1', last - 1)).toMatchObject({
          place: { kind: 'file', name: 's1.1' },
        });
        expect(await statements.expire({ now: last - 1, keptMs: KEPT_MS })).toEqual([]);
        expect(await statements.result('s1', last)).toBeUndefined();
        expect(await statements.expire({ now: last, keptMs: KEPT_MS })).toEqual(['s1.1']);
        expect(await statements.wantedResults(['s1.1'])).toEqual([]);
        expect(await statusOf('s1')).toBe('SUCCESS');
        expect((await submit('s2', { now: last })).work?.id).toBe('s2');
        await statements.expire({ now: last + KEPT_MS, keptMs: KEPT_MS });
        expect(await statusOf('s1')).toBeUndefined();
        expect(await statusOf('s2')).toBe('IN_PROGRESS');
      });

      test('an answer that is asked for again is kept for longer', async () => {
        await finish(await work('s1'));
        await submit('s2', { now: 200 + KEPT_MS - 1 });
        await statements.expire({ now: 200 + KEPT_MS, keptMs: KEPT_MS });
        expect(await statements.result('s2', 200 + KEPT_MS)).toMatchObject({ rowCount: 1 });
        expect(await statements.result('s1', 200 + KEPT_MS)).toBeUndefined();
      });
    });

    describe('room', () => {
      const room = (principalId: string, own: readonly [number, number], all: readonly [number, number]) =>
        statements.makeRoom({
          principalId,
          own: { writing: own[0], max: own[1] },
          all: { writing: all[0], max: all[1] },
          now: 500,
        });
      /** Results of four bytes each, in files, in the order of their names. */
      const keep = async (...names: readonly string[]): Promise<void> => {
        for (const [at, name] of names.entries()) {
          const principalId = name.startsWith('b') ? 'bob' : 'ann';
          const begun = await statements.submit(
            statementOf(name, { principalId }),
            requestOf({ question: name }),
          );
          await statements.finish(accepted(begun).work!, {
            ...{ worker: 'w1', end: successIn(`${name}.1`), now: 200 + at, keptMs: KEPT_MS },
          });
        }
      };
      const kept = async (...names: readonly string[]): Promise<readonly string[]> => {
        const found = await Promise.all(names.map((name) => statements.result(name, 501)));
        return names.filter((_, at) => found[at] !== undefined);
      };

      test('is made by the oldest results, first those of the principal, then those of all', async () => {
        await keep('b1', 'a1', 'a2', 'a3');
        expect(await room('ann', [0, 12], [0, 16])).toEqual({ names: [], isEnough: true });
        expect(await room('ann', [4, 12], [4, 20])).toEqual({ names: ['a1.1'], isEnough: true });
        expect(await kept('b1', 'a1', 'a2', 'a3')).toEqual(['b1', 'a2', 'a3']);
        expect(await room('ann', [4, 12], [5, 12])).toEqual({ names: ['b1.1', 'a2.1'], isEnough: true });
        expect(await kept('b1', 'a1', 'a2', 'a3')).toEqual(['a3']);
        expect(await statements.wantedResults(['b1.1', 'a3.1'])).toEqual(['a3.1']);
        expect(await statements.statement('b1')).toMatchObject({ status: 'SUCCESS', expiresAt: 500 });
      });

      test('that is never enough takes nothing, and what has expired takes none', async () => {
        await keep('a1', 'a2');
        expect(await room('ann', [13, 12], [13, 100])).toEqual({ names: [], isEnough: false });
        expect(await room('ann', [4, 100], [13, 12])).toEqual({ names: [], isEnough: false });
        await statements.expire({ now: 200 + KEPT_MS, keptMs: KEPT_MS });
        expect(await room('ann', [8, 12], [8, 12])).toEqual({ names: [], isEnough: true });
        expect(await kept('a1', 'a2')).toEqual(['a2']);
      });

      test('is that of answers that nothing shares any more', async () => {
        await keep('a1');
        expect(await room('ann', [4, 4], [4, 4])).toEqual({ names: ['a1.1'], isEnough: true });
        const again = await statements.submit(statementOf('a9'), requestOf({ question: 'a1', now: 600 }));
        expect(accepted(again).work?.id).toBe('a9');
      });
    });

    test('lists are newest first, of one person, status or tag, and go on where they ended', async () => {
      for (const [id, principalId, tag] of [
        ['s1', 'ann', 'a'],
        ['s2', 'bob', 'b'],
        ['s3', 'ann', 'b'],
        ['s4', 'ann', 'a'],
      ] as const)
        await submit(id, { question: id }, { principalId, tags: [tag] });
      await statements.cancel('s3', { now: 120, keptMs: KEPT_MS });
      const ids = async (request: Parameters<StatementStore['statements']>[0]) =>
        (await statements.statements(request)).map(({ id }) => id);
      expect(await ids({ limit: 10 })).toEqual(['s4', 's3', 's2', 's1']);
      expect(await ids({ limit: 2, principalId: 'ann' })).toEqual(['s4', 's3']);
      expect(await ids({ limit: 2, principalId: 'ann', before: 's3' })).toEqual(['s1']);
      expect(await ids({ limit: 9, status: 'CANCELLED' })).toEqual(['s3']);
      expect(await ids({ limit: 9, tag: 'b' })).toEqual(['s3', 's2']);
    });
  });
}
