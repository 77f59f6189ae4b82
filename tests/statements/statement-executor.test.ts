/** The executor over a real store and real files, with an engine that fails when it is told to. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderResultStore } from '../../src/adapters/results/folder-result-store.ts';
import { sqliteStateStore } from '../../src/adapters/state/sqlite/sqlite-state-store.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { diagnostic } from '../../src/domain/diagnostics/catalog.ts';
import { Failure, failure } from '../../src/domain/failure.ts';
import { STATEMENT_LIMITS, type StatementLimits } from '../../src/domain/server-limits.ts';
import type { StateStore, SubmitOutcome, SubmitRequest } from '../../src/domain/state-store.ts';
import { StatementExecutor } from '../../src/runtime/statements/statement-executor.ts';
import { accepted, promote, requestOf, statementOf } from '../conformance/statement-store-fixtures.ts';
import { type ScriptedEngine, scriptedEngine } from '../support/scripted-engine.ts';

let folder = '';
let state: StateStore;
let scripted: ScriptedEngine;
const executors: StatementExecutor[] = [];

/** How much later it is than the machine says. */
let laterMs = 0;
const clock: Clock = {
  now: () => Date.now() + laterMs,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
      if (signal?.aborted) resolve();
    }),
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-executor-'));
  state = await sqliteStateStore({ file: join(folder, 'state.db'), thread: 'never' });
  await promote(state);
  scripted = scriptedEngine();
  laterMs = 0;
});
afterEach(async () => {
  for (const executor of executors.splice(0)) await executor.close(0);
  await state.close();
  rmSync(folder, { recursive: true });
});

async function executorOf(worker: string, limits: Partial<StatementLimits> = {}): Promise<StatementExecutor> {
  const executor = new StatementExecutor({
    engine: scripted.engine,
    statements: state.statements,
    results: folderResultStore(join(folder, 'results')),
    clock,
    limits: { ...STATEMENT_LIMITS, ...limits },
    worker,
  });
  executors.push(executor);
  await executor.open();
  return executor;
}

const ask = (
  executor: StatementExecutor,
  id: string,
  {
    question = id,
    task = {},
    ...changed
  }: Partial<Omit<SubmitRequest, 'task'>> & {
    readonly task?: Partial<SubmitRequest['task']>;
    readonly principalId?: string;
  } = {},
): Promise<SubmitOutcome> => {
  const { worker: _, room: __, keptMs: ___, versions: ____, isShared: _____, ...request } = requestOf();
  const { principalId = 'ann', isShared = true, ...more } = changed;
  return executor.submit(statementOf(id, { principalId, submittedAt: Date.now() }), {
    ...request,
    ...more,
    ...(isShared ? { tables: [] } : {}),
    question,
    now: Date.now(),
    task: { ...request.task, texts: [{ sql: question }], ...task },
  });
};
/** Waits for something that will happen soon; long before a test is ended as one that hangs, it fails. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const begun = performance.now();
  while (!(await isSo())) {
    if (performance.now() - begun > 30_000) throw new Error('waited for half a minute in vain');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};
const ended = async (executor: StatementExecutor, id: string) =>
  (await executor.wait(id, { waitMs: 20_000 }))?.statement;
const reading = async (sql: string) => {
  await until(() => scripted.open.some((each) => each.sql === sql));
  return scripted.open.find((each) => each.sql === sql)!;
};

describe('a statement', () => {
  test('is executed, waited for without polling, and its small result is in the store', async () => {
    const executor = await executorOf('w1');
    const listening = executor.listen('s1', { waitMs: 20_000 });
    const { statement } = accepted(await ask(executor, 's1'));
    const waiting = listening.until(statement);
    (await reading('s1')).answer([[1], [2]]);
    const news = await waiting;
    listening.stop();
    expect(news?.statement).toMatchObject({
      status: 'SUCCESS',
      rowCount: 2,
      columns: [{ name: 'n', type: 'integer' }],
    });
    expect(news?.result?.place).toEqual({ kind: 'inline', lines: Buffer.from('[1]\n[2]\n') });
    expect(readdirSync(folder)).not.toContain('results');
  });

  test('with a large result leaves a file, which goes when its time is over', async () => {
    const executor = await executorOf('w1', { inlineBytesMax: 8, keptMs: 200 });
    await ask(executor, 's1');
    (await reading('s1')).answer([[1], [2], [3]]);
    expect((await ended(executor, 's1'))?.stats).toMatchObject({ rows: 3, bytes: 12 });
    expect(readdirSync(join(folder, 'results'))).toEqual(['s1.1.rows']);
    await until(async () => {
      await executor.sweep();
      return readdirSync(join(folder, 'results')).length === 0;
    });
  });

  test('that fails says why, and one that a bug broke is told as such', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    (await reading('s1')).fail(failure('engine.statement-failed', { detail: 'no' }));
    expect(await ended(executor, 's1')).toMatchObject({
      status: 'FAILED',
      error: { code: 'engine.statement-failed' },
    });
    await ask(executor, 's2');
    (await reading('s2')).fail(new TypeError('x is undefined'));
    expect((await ended(executor, 's2'))?.error).toMatchObject({ code: 'statement.bug' });
    expect((await ended(executor, 's2'))?.error?.message).toContain('x is undefined');
  });

  test('that finds the disk full is told so, is no bug, and may be asked again', async () => {
    const executor = await executorOf('w1');
    for (const [id, error] of [
      ['s1', failure('engine.disk-full', { detail: 'No space left on device' })],
      ['s2', Object.assign(new Error('write'), { code: 'ENOSPC' })],
      ['s3', Object.assign(new Error('write'), { code: 'EDQUOT' })],
      ['s4', Object.assign(new Error('write'), { code: 'EFBIG' })],
    ] as const) {
      await ask(executor, id, { question: 'same' });
      (await reading('same')).fail(error);
      expect((await ended(executor, id))?.error).toMatchObject({
        code: 'statement.out-of-resources',
        message: 'The statement needs more than the server has: the disk of the server is full.',
      });
    }
  });

  test('with a row limit is cut or fails, as it was asked', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1', { task: { rowLimit: 2 } });
    (await reading('s1')).answer([[1], [2], [3]]);
    expect(await ended(executor, 's1')).toMatchObject({ status: 'SUCCESS', rowCount: 2, isTruncated: true });
    await ask(executor, 's2', { task: { rowLimit: 2, onLimit: 'fail' } });
    (await reading('s2')).answer([[1], [2], [3]]);
    expect(await ended(executor, 's2')).toMatchObject({
      status: 'FAILED',
      error: { code: 'statement.too-many-rows' },
    });
    await ask(executor, 's3', { task: { rowLimit: 2, onLimit: 'fail' } });
    (await reading('s3')).answer([[1], [2]]);
    expect(await ended(executor, 's3')).toMatchObject({ status: 'SUCCESS', isTruncated: false });
  });

  test('whose result grows without end is stopped and leaves no file', async () => {
    const executor = await executorOf('w1', { inlineBytesMax: 4, resultBytesMax: 40 });
    await ask(executor, 's1');
    (await reading('s1')).answer(Array.from({ length: 100 }, () => [1]));
    expect((await ended(executor, 's1'))?.error?.code).toBe('statement.result-too-large');
    expect(readdirSync(join(folder, 'results'))).toEqual([]);
  });

  test('over a rollup that is not up to date is asked again without it', async () => {
    const executor = await executorOf('w1');
    const texts = [{ sql: 'rolled', rollup: 'orders.daily' }, { sql: 'plain' }];
    await ask(executor, 's1', { task: { texts } });
    (await reading('rolled')).answer([]);
    (await reading('plain')).answer([[1]]);
    expect(await ended(executor, 's1')).toMatchObject({ rowCount: 1 });
    expect((await ended(executor, 's1'))?.stats.rollup).toBeUndefined();
    await ask(executor, 's2', { question: 'b', task: { texts } });
    (await reading('rolled')).answer([[1]]);
    expect((await ended(executor, 's2'))?.stats.rollup).toBe('orders.daily');
  });
});

describe('the queue', () => {
  test('runs four at a time, the others in turn, and refuses beyond its length', async () => {
    const executor = await executorOf('w1', { queuedMax: 3 });
    for (const id of ['s1', 's2']) await ask(executor, id);
    for (const id of ['s3', 's4']) await ask(executor, id, { principalId: 'cid' });
    for (const id of ['s5', 's6']) await ask(executor, id);
    await ask(executor, 's7', { principalId: 'bob' });
    expect(await ask(executor, 's8', { principalId: 'bob' })).toEqual({ kind: 'full' });
    expect(await ask(executor, 's9', { question: 's1' })).toMatchObject({
      statement: { strategy: 'await_primary' },
    });
    await until(() => scripted.open.length === 4);
    expect(executor.figures).toMatchObject({ running: 4, queued: 3 });
    scripted.open[0]!.answer();
    await reading('s5');
    scripted.open[0]!.answer();
    await reading('s7');
    expect(scripted.asked).toEqual(['s1', 's2', 's3', 's4', 's5', 's7']);
    expect((await state.statements.statement('s7'))?.status).toBe('IN_PROGRESS');
  });

  test('lets one person have half of it, and half of the places while others wait', async () => {
    const executor = await executorOf('w1', { runningMax: 4, queuedMax: 6 });
    for (let n = 0; n < 4; n++) await ask(executor, `eve${n}`, { principalId: 'eve' });
    await until(() => scripted.open.length === 4);
    // Nobody else waits: all four are hers. One who comes gets a place at once, and hers waits once more.
    await ask(executor, 'ann0', { principalId: 'ann' });
    (await reading('ann0')).answer();
    expect((await ended(executor, 'ann0'))?.status).toBe('SUCCESS');
    await until(() => scripted.open.length === 4);
    const kinds: string[] = [];
    for (let n = 4; n < 9; n++) kinds.push((await ask(executor, `eve${n}`, { principalId: 'eve' })).kind);
    expect(kinds).toEqual(['accepted', 'accepted', 'accepted', 'full', 'full']);
    expect((await ask(executor, 'ann1', { principalId: 'ann' })).kind).toBe('accepted');
    (await reading('ann1')).answer();
    for (let n = 0; n < 7; n++) (await reading(`eve${n}`)).answer();
    for (let n = 0; n < 7; n++) expect((await ended(executor, `eve${n}`))?.status).toBe('SUCCESS');
  });

  test('is told about changes: a queued statement that begins is news', async () => {
    const executor = await executorOf('w1', { runningMax: 1 });
    await ask(executor, 's1');
    await ask(executor, 's2');
    const changed = executor.wait('s2', { waitMs: 20_000, sinceVersion: 1 });
    (await reading('s1')).answer();
    expect((await changed)?.statement).toMatchObject({ status: 'IN_PROGRESS', version: 2 });
  });
});

describe('the place of a statement', () => {
  test('is free for the next as soon as the engine is: one commit stores the end and the beginning', async () => {
    const { statements } = state;
    let store: () => void = () => undefined;
    const isStored = new Promise<void>((resolve) => {
      store = resolve;
    });
    const order: string[] = [];
    state = {
      ...state,
      statements: {
        ...statements,
        finish: async (work, request) => {
          order.push(`end ${work.id}`);
          if (work.id === 's1') await isStored;
          return statements.finish(work, request);
        },
        start: (work, worker, now) => {
          order.push(`begin ${work.id}`);
          return statements.start(work, worker, now);
        },
      },
    };
    const executor = await executorOf('w1', { runningMax: 1 });
    await ask(executor, 's1');
    await ask(executor, 's2');
    (await reading('s1')).answer();
    const second = await reading('s2');
    expect(order).toEqual(['end s1', 'begin s2']);
    expect((await statements.statement('s1'))?.status).toBe('IN_PROGRESS');
    const closed = executor.close(20_000);
    second.answer();
    store();
    await closed;
    for (const id of ['s1', 's2']) expect((await statements.statement(id))?.status).toBe('SUCCESS');
  });
});

describe('what is counted', () => {
  test('is each statement once, by how it ended and how it got its answer, with its times', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1', { question: 'q' });
    await ask(executor, 's2', { question: 'q' });
    await ask(executor, 's3');
    await ask(executor, 's4');
    (await reading('q')).answer();
    (await reading('s3')).fail(failure('engine.statement-failed', { detail: 'no' }));
    for (const id of ['s1', 's2', 's3']) await ended(executor, id);
    await executor.cancel('s4');
    await executor.cancel('s4');
    await ask(executor, 's5', { question: 'q' });
    const { counts } = executor.figures;
    expect(counts.ended).toEqual({ SUCCESS: 3, FAILED: 1, CANCELLED: 1 });
    expect(counts.byStrategy).toEqual({ execute: 3, await_primary: 1, from_cache: 1 });
    expect(counts.executed.count).toBe(5);
    expect(counts.queued.count).toBe(5);
    expect(counts.executed.seconds).toBeLessThan(60);
  });
});

describe('the time of a statement', () => {
  /** Some of it passes while a test goes on, and none is added. */
  const expectLeft = (
    { timeoutMs = 0 }: { readonly timeoutMs: number | undefined },
    mostMs: number,
  ): void => {
    expect(timeoutMs).toBeLessThanOrEqual(mostMs);
    expect(timeoutMs).toBeGreaterThan(mostMs - 15_000);
  };

  test('goes on while its process is gone: the next one gives it what is left', async () => {
    const first = await executorOf('w1');
    await ask(first, 's1', { task: { timeoutMs: 60_000 } });
    expectLeft(await reading('s1'), 60_000);
    await first.close(0);
    laterMs = 40_000;
    const second = await executorOf('w2');
    expectLeft(await reading('s1'), 20_000);
    await second.close(0);
    laterMs = 70_000;
    const third = await executorOf('w3');
    expect(await ended(third, 's1')).toMatchObject({
      status: 'FAILED',
      error: { code: 'statement.timed-out', message: expect.stringContaining('60') },
    });
    expect(scripted.asked).toEqual(['s1', 's1']);
  });

  test('does not run while it waits for its turn, and a clock that is set back does not lengthen it', async () => {
    const executor = await executorOf('w1', { runningMax: 1 });
    await ask(executor, 's1');
    await ask(executor, 's2', { task: { timeoutMs: 60_000 } });
    const first = await reading('s1');
    laterMs = 120_000;
    first.answer();
    expectLeft(await reading('s2'), 60_000);
    await executor.close(0);
    laterMs = 0;
    await executorOf('w2');
    expectLeft(await reading('s2'), 60_000);
  });
});

describe('cancelling', () => {
  test('stops what runs and what waits; the place is free for the next', async () => {
    const executor = await executorOf('w1', { runningMax: 1 });
    await ask(executor, 's1');
    await ask(executor, 's2');
    await ask(executor, 's3');
    const first = await reading('s1');
    expect((await executor.cancel('s2'))?.status).toBe('CANCELLED');
    expect((await executor.cancel('s1'))?.status).toBe('CANCELLED');
    expect(first.isStopped).toBe(true);
    (await reading('s3')).answer();
    expect((await ended(executor, 's3'))?.status).toBe('SUCCESS');
    expect(scripted.asked).toEqual(['s1', 's3']);
    expect(await executor.cancel('s9')).toBeUndefined();
    expect((await executor.cancel('s3'))?.status).toBe('SUCCESS');
  });

  test('one of two that share work lets the other have it', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1', { question: 'q' });
    await ask(executor, 's2', { question: 'q' });
    await executor.cancel('s1');
    const shared = await reading('q');
    expect(shared.isStopped).toBe(false);
    shared.answer();
    expect((await ended(executor, 's2'))?.status).toBe('SUCCESS');
    expect((await ended(executor, 's1'))?.status).toBe('CANCELLED');
  });
});

describe('losing the engine', () => {
  const lost = () => failure('engine.lost', { detail: 'gone' });
  test('is survived once, then the statement is to blame and refused', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    (await reading('s1')).fail(lost());
    (await reading('s1')).answer();
    expect((await ended(executor, 's1'))?.status).toBe('SUCCESS');
    await ask(executor, 's2');
    (await reading('s2')).fail(lost());
    (await reading('s2')).fail(lost());
    expect((await ended(executor, 's2'))?.error?.code).toBe('statement.out-of-resources');
    expect((await ask(executor, 's3', { question: 's2' })).kind).toBe('refused');
  });

  test.each([
    ['time', () => failure('engine.timed-out', { detail: 'it ran longer than 1 s' })],
    ['memory', () => failure('engine.out-of-memory', { detail: 'too large' } as never)],
  ])('because another ran out of %s does not count, whoever hears of it first', async (_, why) => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    for (const guilty of ['a', 'b', 'c']) {
      await ask(executor, guilty);
      const [innocent, other] = [await reading('s1'), await reading(guilty)];
      innocent.fail(lost());
      other.fail(why());
      // Memory that lacked is tried for once more.
      if (why().code === 'engine.out-of-memory') (await reading(guilty)).fail(why());
      expect((await ended(executor, guilty))?.status).toBe('FAILED');
    }
    (await reading('s1')).answer();
    expect((await ended(executor, 's1'))?.status).toBe('SUCCESS');
  });

  test('beside others suspects all of them: each is done again alone, and only one that loses it alone is to blame', async () => {
    const executor = await executorOf('w1');
    const people = ['ann', 'bob', 'cid'];
    for (const [at, principalId] of people.entries()) await ask(executor, `s${at}`, { principalId });
    for (const [at] of people.entries()) await reading(`s${at}`);
    for (const each of [...scripted.open]) each.fail(lost());
    await until(() => scripted.open.length === 1);
    await ask(executor, 'late', { principalId: 'dan' });
    const done: string[] = [];
    let blows = 0;
    while (done.length < 3) {
      await until(() => scripted.open.length > 0);
      expect(scripted.open.map(({ sql }) => sql)).toHaveLength(1);
      const [alone] = scripted.open;
      if (alone?.sql === 's1' && ++blows < 2) alone.fail(lost());
      else {
        done.push(alone?.sql ?? '');
        if (alone?.sql === 's1') alone.fail(lost());
        else alone?.answer();
      }
    }
    expect([...done].sort()).toEqual(['s0', 's1', 's2']);
    expect((await ended(executor, 's0'))?.status).toBe('SUCCESS');
    expect((await ended(executor, 's2'))?.status).toBe('SUCCESS');
    expect((await ended(executor, 's1'))?.error?.code).toBe('statement.out-of-resources');
    (await reading('late')).answer();
    expect((await ended(executor, 'late'))?.status).toBe('SUCCESS');
    expect((await ask(executor, 'again', { question: 's1', principalId: 'dan' })).kind).toBe('refused');
    expect((await ask(executor, 'other', { question: 's0', principalId: 'dan' })).kind).toBe('accepted');
  });

  test('by one person again and again suspends that person, and nobody else', async () => {
    const executor = await executorOf('w1');
    for (const id of ['a', 'b', 'c']) {
      expect((await ask(executor, id, { principalId: 'eve' })).kind).toBe('accepted');
      (await reading(id)).fail(lost());
      (await reading(id)).fail(lost());
      expect((await ended(executor, id))?.status).toBe('FAILED');
    }
    expect((await ask(executor, 'd', { principalId: 'eve' })).kind).toBe('suspended');
    expect((await ask(executor, 'e', { principalId: 'ann' })).kind).toBe('accepted');
  });

  test('by an error of the engine itself blames the statement that met it, at once', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    (await reading('s1')).fail(failure('engine.broken', { detail: 'INTERNAL Error: x' }));
    expect((await ended(executor, 's1'))?.error).toMatchObject({ code: 'engine.broken' });
    expect((await ask(executor, 's2', { question: 's1' })).kind).toBe('refused');
  });

  test('because another was stopped does not count', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 'guilty');
    await ask(executor, 's1');
    await reading('guilty');
    await executor.cancel('guilty');
    for (let n = 0; n < 3; n++) (await reading('s1')).fail(lost());
    (await reading('s1')).fail(lost());
    (await reading('s1')).answer();
    expect((await ended(executor, 's1'))?.status).toBe('SUCCESS');
  });

  const memory = (isRetryable: boolean) =>
    new Failure(diagnostic('engine.out-of-memory', { detail: 'much' } as never), { isRetryable });

  test('memory that another may have taken is tried once more; lacked alone twice, the text is refused', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    (await reading('s1')).fail(memory(true));
    (await reading('s1')).answer();
    expect((await ended(executor, 's1'))?.status).toBe('SUCCESS');
    await ask(executor, 's0');
    (await reading('s0')).fail(memory(false));
    (await reading('s0')).answer();
    expect((await ended(executor, 's0'))?.status).toBe('SUCCESS');
    await ask(executor, 's2');
    (await reading('s2')).fail(memory(false));
    (await reading('s2')).fail(memory(false));
    expect((await ended(executor, 's2'))?.error).toMatchObject({ code: 'statement.out-of-resources' });
    expect((await ask(executor, 's3', { question: 's2' })).kind).toBe('refused');
  });

  test('what lacks memory beside others a second time has the engine alone, and they go on after it', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 'greedy', { principalId: 'eve' });
    const greedy = await reading('greedy');
    await ask(executor, 's1');
    (await reading('s1')).fail(memory(true));
    (await reading('s1')).fail(memory(true));
    await until(() => greedy.isStopped && scripted.open.length > 0);
    expect(scripted.open.map(({ sql }) => sql)).toEqual(['s1']);
    (await reading('s1')).answer();
    expect((await ended(executor, 's1'))?.status).toBe('SUCCESS');
    (await reading('greedy')).answer();
    expect((await ended(executor, 'greedy'))?.status).toBe('SUCCESS');
  });

  test('what lacks memory every time fails', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    for (let tries = 0; tries < 6; tries++) (await reading('s1')).fail(memory(true));
    expect((await ended(executor, 's1'))?.error).toMatchObject({ code: 'statement.out-of-resources' });
    expect(scripted.asked.filter((sql) => sql === 's1')).toHaveLength(6);
  });
});

describe('processes', () => {
  test('an executor that closes leaves its work to the next, uncounted, and accepts nothing more', async () => {
    const first = await executorOf('w1', { runningMax: 1 });
    await ask(first, 's1');
    await ask(first, 's2');
    await reading('s1');
    await first.close(0);
    await expect(ask(first, 's3')).rejects.toMatchObject({ code: 'statement.closing' });
    expect((await state.statements.statement('s1'))?.status).toBe('QUEUED');
    const second = await executorOf('w2');
    for (const id of ['s1', 's2']) {
      (await reading(id)).answer();
      expect((await ended(second, id))?.status).toBe('SUCCESS');
    }
    const [work] = (
      await state.statements.beat('w3', { running: [], now: Date.now(), keptMs: 1, refusedMs: 1 })
    ).taken;
    expect(work).toBeUndefined();
  });

  test('closing gives what runs the time it is given', async () => {
    const executor = await executorOf('w1');
    await ask(executor, 's1');
    const running = await reading('s1');
    const closed = executor.close(20_000);
    running.answer();
    await closed;
    expect((await state.statements.statement('s1'))?.status).toBe('SUCCESS');
  });

  test('changes by another process are noticed by whoever waits, and its cancelling stops the work here', async () => {
    const [here, there] = [await executorOf('w1'), await executorOf('w2')];
    await ask(here, 's1');
    const running = await reading('s1');
    const waiting = there.wait('s1', { waitMs: 20_000 });
    await there.cancel('s1');
    expect((await waiting)?.statement.status).toBe('CANCELLED');
    await until(() => running.isStopped);
  });

  test('files that nobody knows are removed', async () => {
    const results = folderResultStore(join(folder, 'results'));
    await (await results.begin('gone.1')).finish();
    const half = await results.begin('half.1');
    const executor = await executorOf('w1');
    expect(await results.names()).toEqual([]);
    await half.abandon();
    expect(executor.figures.problem).toBeUndefined();
  });
});
