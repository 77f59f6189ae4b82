/*
 * Random lives of statements, against a model of a hundred lines: what a store answers, and what it shows after every
 * step, is what the model says. Workers die by falling silent; whoever beats next finds them gone.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEASE_MS } from '../../src/domain/lease.ts';
import type { StatementStore } from '../../src/domain/state-store.ts';
import type { Execution } from '../../src/domain/statement.ts';
import type { StateStoreUnderTest } from './state-store.ts';
import { failed, promote, requestOf, sharedAs, statementOf, success } from './statement-store-fixtures.ts';

const KEPT = 50_000;
const REFUSED = 20_000;
const WORKERS = ['w1', 'w2', 'w3'] as const;

interface Work {
  readonly id: string;
  readonly question: string;
  readonly isShared: boolean;
  status: 'QUEUED' | 'IN_PROGRESS' | 'SUCCESS' | 'FAILED' | 'CANCELLED' | 'EXPIRED';
  worker: string;
  attempt: number;
  finishedAt: number;
  expiresAt: number;
}

interface Told {
  readonly work: Work;
  status: string;
  version: number;
  expiresAt: number;
}

const isWaiting = ({ status }: { readonly status: string }): boolean =>
  status === 'QUEUED' || status === 'IN_PROGRESS';

/** The simplest thing that could be right. */
class Model {
  now = 1_000;
  readonly works = new Map<string, Work>();
  readonly statements = new Map<string, Told>();
  readonly alive = new Map<string, number>();
  readonly refused = new Map<string, number>();

  submit(
    id: string,
    asked: { question: string; isShared: boolean; isCached: boolean; worker: string; room: string },
  ): string {
    const { question, isShared, isCached, worker, room } = asked;
    if ((this.refused.get(question) ?? 0) > this.now) return 'refused';
    const same = isShared
      ? [...this.works.values()].filter((work) => work.isShared && work.question === question)
      : [];
    const kept = same
      .filter(({ status, expiresAt }) => isCached && status === 'SUCCESS' && expiresAt > this.now)
      .sort((a, b) => b.finishedAt - a.finishedAt || (a.id < b.id ? 1 : -1))[0];
    if (kept !== undefined) {
      kept.expiresAt = Math.max(kept.expiresAt, this.now + KEPT);
      this.statements.set(id, { work: kept, status: 'SUCCESS', version: 1, expiresAt: this.now + KEPT });
      return 'from_cache';
    }
    const shared = same.find(isWaiting);
    if (shared === undefined && room === 'none') return 'full';
    const work: Work = shared ?? {
      id,
      question,
      isShared,
      status: room === 'start' ? 'IN_PROGRESS' : 'QUEUED',
      worker,
      attempt: 1,
      finishedAt: 0,
      expiresAt: Number.POSITIVE_INFINITY,
    };
    this.works.set(work.id, work);
    this.statements.set(id, { work, status: work.status, version: 1, expiresAt: Number.POSITIVE_INFINITY });
    return shared === undefined ? 'execute' : 'await_primary';
  }

  #change(work: Work, status: Work['status'], expiresAt = Number.POSITIVE_INFINITY): number {
    work.status = status;
    let changed = 0;
    for (const told of this.statements.values()) {
      if (told.work !== work || !isWaiting(told)) continue;
      if (told.status === status) continue;
      Object.assign(told, { status, version: told.version + 1, expiresAt });
      changed++;
    }
    return changed;
  }

  start({ id, attempt }: Execution, worker: string): number {
    const work = this.works.get(id);
    if (work === undefined || work.status !== 'QUEUED' || work.worker !== worker || work.attempt !== attempt)
      return 0;
    return this.#change(work, 'IN_PROGRESS');
  }

  #holds({ id, attempt }: Execution, worker: string): Work | undefined {
    const work = this.works.get(id);
    return work?.status === 'IN_PROGRESS' && work.worker === worker && work.attempt === attempt
      ? work
      : undefined;
  }

  finish(of: Execution, worker: string, end: 'ok' | 'bad' | 'refuse'): number {
    const work = this.#holds(of, worker);
    return work === undefined ? 0 : this.#end(work, end);
  }

  #end(work: Work, end: 'ok' | 'bad' | 'refuse'): number {
    Object.assign(work, { finishedAt: this.now, expiresAt: this.now + KEPT });
    if (end === 'refuse') this.refused.set(work.question, this.now + REFUSED);
    return this.#change(work, end === 'ok' ? 'SUCCESS' : 'FAILED', this.now + KEPT);
  }

  retry(of: Execution, worker: string): boolean {
    const work = this.#holds(of, worker);
    if (work === undefined) return false;
    this.#change(work, 'QUEUED');
    return true;
  }

  cancel(id: string): string | undefined {
    const told = this.statements.get(id);
    if (told === undefined || !isWaiting(told)) return undefined;
    Object.assign(told, { status: 'CANCELLED', version: told.version + 1, expiresAt: this.now + KEPT });
    if ([...this.statements.values()].some((other) => other.work === told.work && isWaiting(other)))
      return undefined;
    if (!isWaiting(told.work)) return undefined;
    Object.assign(told.work, { status: 'CANCELLED', finishedAt: this.now, expiresAt: this.now + KEPT });
    return told.work.id;
  }

  beat(worker: string): readonly string[] {
    this.alive.set(worker, this.now + LEASE_MS);
    for (const [other, until] of this.alive)
      if (other !== worker && until <= this.now) this.alive.delete(other);
    const orphans = [...this.works.values()].filter(
      (work) => isWaiting(work) && !this.alive.has(work.worker),
    );
    return orphans.flatMap((work) => {
      const attempt = work.attempt + (work.status === 'IN_PROGRESS' ? 1 : 0);
      if (attempt > 2) {
        this.#end(work, 'refuse');
        return [];
      }
      if (work.status === 'IN_PROGRESS') this.#change(work, 'QUEUED');
      Object.assign(work, { worker, attempt });
      return [work.id];
    });
  }

  /** It waits for this worker, or is done by it. */
  isOf(worker: string, id: string): boolean {
    const work = this.works.get(id);
    return work !== undefined && isWaiting(work) && work.worker === worker;
  }

  expire(): void {
    for (const [question, until] of this.refused) if (until <= this.now) this.refused.delete(question);
    for (const [id, { expiresAt }] of this.statements)
      if (expiresAt <= this.now - KEPT) this.statements.delete(id);
    for (const work of this.works.values())
      if (work.status === 'SUCCESS' && work.expiresAt <= this.now) work.status = 'EXPIRED';
  }
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      question: fc.constantFrom('a', 'b'),
      isShared: fc.boolean(),
      isCached: fc.boolean(),
      worker: fc.nat(2),
      room: fc.constantFrom('start', 'queue', 'none'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('start' as const), which: fc.nat(), worker: fc.nat(2) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      which: fc.nat(),
      worker: fc.nat(2),
      end: fc.constantFrom('ok', 'bad', 'refuse'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('retry' as const),
      which: fc.nat(),
      worker: fc.nat(2),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('beat' as const), worker: fc.nat(2) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(1, LEASE_MS / 2, LEASE_MS, KEPT),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function live(statements: StatementStore, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  /** What workers believe to hold: also what was taken from them. */
  const held: Execution[] = [];
  let count = 0;
  for (const each of steps) {
    const worker = WORKERS['worker' in each ? each.worker : 0] as string;
    const picked = 'which' in each && held.length > 0 ? held[each.which % held.length] : undefined;
    switch (each.kind) {
      case 'submit': {
        const id = `s${String(count++).padStart(4, '0')}`;
        const { question, isShared, isCached, room } = each;
        const { cachedSince: _, ...request } = requestOf({
          question,
          isShared,
          worker,
          room: room as never,
          now: model.now,
          keptMs: KEPT,
        });
        const outcome = await statements.submit(statementOf(id), {
          ...request,
          ...(isCached ? { cachedSince: 0 } : {}),
        });
        const told = outcome.kind === 'accepted' ? outcome.statement.strategy : outcome.kind;
        expect(told).toBe(model.submit(id, { question, isShared, isCached, worker, room }));
        if (outcome.kind === 'accepted' && outcome.work !== undefined) held.push(outcome.work);
        break;
      }
      case 'start':
        if (picked !== undefined)
          expect((await statements.start(picked, worker, model.now)).length).toBe(
            model.start(picked, worker),
          );
        break;
      case 'finish':
        if (picked !== undefined) {
          const end =
            each.end === 'ok' ? success() : failed(each.end === 'refuse' ? model.now + REFUSED : undefined);
          const ended = await statements.finish(picked, {
            worker,
            end: sharedAs(picked, end),
            now: model.now,
            keptMs: KEPT,
          });
          expect(ended.length).toBe(model.finish(picked, worker, each.end as 'ok'));
        }
        break;
      case 'retry':
        if (picked !== undefined) {
          const isQueued = model.retry(picked, worker);
          expect(await statements.retry(picked, worker)).toBe(isQueued);
        }
        break;
      case 'cancel':
        if (count > 0) {
          const id = `s${String(each.which % count).padStart(4, '0')}`;
          const isKnown = model.statements.has(id);
          const cancelled = await statements.cancel(id, { now: model.now, keptMs: KEPT });
          expect(cancelled !== undefined).toBe(isKnown);
          expect(cancelled?.stopped).toBe(model.cancel(id));
        }
        break;
      case 'beat': {
        // It may still call running what it put back, what ended and what was taken from it.
        const running = [...new Set(held.map(({ id }) => id))];
        const { taken, lost } = await statements.beat(worker, {
          running,
          now: model.now,
          keptMs: KEPT,
          refusedMs: REFUSED,
        });
        expect(taken.map(({ id }) => id).toSorted()).toEqual(model.beat(worker).toSorted());
        expect(lost.toSorted()).toEqual(running.filter((id) => !model.isOf(worker, id)).toSorted());
        held.push(...taken);
        break;
      }
      case 'pass':
        model.now += each.ms;
        break;
      case 'expire':
        await statements.expire({ now: model.now, keptMs: KEPT });
        model.expire();
    }
    const shown = await statements.statements({ limit: 1_000 });
    expect(shown.map(({ id, status, version }) => `${id} ${status} ${version}`).toReversed()).toEqual(
      [...model.statements].map(([id, { status, version }]) => `${id} ${status} ${version}`),
    );
  }
}

export function describeStatementModel(name: string, store: StateStoreUnderTest): void {
  describe(`${name}, whatever happens`, () => {
    test('every step ends as the model says: ends are final, versions grow, nothing is done twice', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
          const state = await store.open(store.newPlace());
          try {
            await promote(state);
            await live(state.statements, steps);
          } finally {
            await state.close();
          }
        }),
        { numRuns: Number(process.env['PLINTH_STATEMENT_RUNS'] ?? 40) },
      );
    }, 120_000);
  });
}
