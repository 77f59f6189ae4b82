/** A state goes out of one store and into another, both ways, and is the same. */
import { describe, expect, test } from 'vitest';
import type { StateStore } from '../../src/domain/state-store.ts';
import { audit, grantOf, person, tokenOf, told } from './access-store-fixtures.ts';
import { everyStateStore, isHere } from './every-state-store.ts';
import { day, environmentOf, ledgerRow, planOf, runOf, table } from './state-store-fixtures.ts';

const stores = everyStateStore();

async function fill(state: StateStore): Promise<void> {
  const strange = 'zero \0, half \ud800, last \uffff, \\u0000';
  const run = runOf('run-1', { kind: 'plan', planId: 'plan-1' });
  await state.journal.startRun(run, { now: 1000, events: [{ at: 1, event: 'a', data: { strange } }] });
  const plan = planOf(['a.one', 'a.two'], { id: 'plan-1' });
  await state.snapshots.savePlan(plan, 'me', [{ at: 2, event: 'b', model: 'a.one', data: null }]);
  await state.snapshots.beginPlan(plan, run, []);
  const rows = [ledgerRow('a.one', day(0, 3), { token: 1, dataVersion: '9007199254740993' })];
  await state.journal.finishBackfill('i', { rows, events: [] });
  const target = environmentOf(['a.one', 'a.two'], { promotionId: 'p1' });
  await state.snapshots.beginPromotion({ target, runId: 'run-1' });
  await state.snapshots.finishPromotion(target, 5, []);
  await state.journal.finishRun({ ...run, status: 'succeeded', endedAt: 7 }, []);
  await state.principals.createPrincipal(person('ada', ['g', strange]), audit('create'));
  await state.principals.createToken(tokenOf('t1'), audit('token'), []);
  await state.principals.grant(grantOf({ expiresAt: 9 }), told('grant'));
  await state.journal.raiseTokens(new Map([[`table:${table('a.three').model}`, 41]]));
}

async function linesOf(state: StateStore): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of state.exportAll()) lines.push(line);
  return lines;
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const pairs = Object.keys(stores).flatMap((from) => Object.keys(stores).map((to) => [from, to] as const));

describe.each(pairs)('a state %s', (from, to) => {
  test.skipIf(!isHere(from) || !isHere(to))(`moves to one ${to}, and back, without a change`, async () => {
    const opened: StateStore[] = [];
    const open = async (kind: string): Promise<StateStore> => {
      const store = stores[kind];
      if (store === undefined) throw new Error(`no store ${kind}`);
      const state = await store.open(store.newPlace());
      opened.push(state);
      return state;
    };
    try {
      const [first, second, third] = [await open(from), await open(to), await open(from)];
      await fill(first);
      const lines = await linesOf(first);
      expect(lines.length).toBeGreaterThan(10);
      await second.importAll(each(lines));
      expect(await linesOf(second)).toEqual(lines);
      await third.importAll(each(await linesOf(second)));
      expect(await linesOf(third)).toEqual(lines);
      expect(third.warehouseId).toBe(first.warehouseId);
      // The log goes on behind what came in.
      await second.snapshots.invalidate('none', 1, [{ at: 3, event: 'c', data: null }]);
      const events = await second.events.events({ limit: 100 });
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    } finally {
      for (const state of opened) await state.close();
    }
  });
});
