import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  appliedOf,
  contentOf,
  environmentOf,
  planOf,
  runOf,
  snapshotOf,
} from '../../../../tests/conformance/state-store-fixtures.ts';
import type { Plan } from '../../../domain/plan.ts';
import type { Snapshot } from '../../../domain/snapshot.ts';
import type { StateStore } from '../../../domain/state-store.ts';
import { sqliteStateStore } from './sqlite-state-store.ts';

let folder = '';
let state: StateStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-snapshots-'));
  state = await sqliteStateStore({ file: join(folder, 'state.db') });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true });
});

/** Two plans that want the same snapshot, with the same table, for different reasons. */
const plans = (['breaking', 'non-breaking'] as const).map((category, at) => {
  const id = `plan-${at + 1}`;
  const snapshot: Snapshot = { ...snapshotOf('a.one'), category, planId: id };
  const name = `env_${at + 1}`;
  const target = { ...environmentOf(['a.one'], { name, promotionId: `promotion-${name}` }), planId: id };
  const content = contentOf('a.one', appliedOf(id));
  return planOf([], { id, environment: name, target, snapshots: [{ snapshot, content }] });
}) as [Plan, Plan];

const begin = (plan: Plan): Promise<void> =>
  state.snapshots.beginPlan(plan, runOf(`run-${plan.id}`, { kind: 'plan', planId: plan.id }), []);

test.each([
  ['first', 0],
  ['second', 1],
] as const)(
  'of two plans at once the one that shows a snapshot first is its plan: the %s',
  async (_, winner) => {
    const [first, second] = plans;
    await begin(first);
    await begin(second);
    const shown = plans[winner] as Plan;
    const later = plans[1 - winner] as Plan;
    const expected = shown.snapshots.map(({ snapshot }) => snapshot);
    await state.snapshots.finishPromotion(shown.target, 7, []);
    expect(await state.snapshots.snapshots()).toEqual(expected);
    await state.snapshots.finishPromotion(later.target, 8, []);
    expect(await state.snapshots.snapshots()).toEqual(expected);
  },
);

test('a snapshot that a plan shows without having decided about it keeps the plan that did', async () => {
  const [first] = plans;
  await begin(first);
  const rollback = {
    ...environmentOf(['a.one'], { name: 'env_3', promotionId: 'promotion-3' }),
    planId: 'plan-3',
  };
  await state.snapshots.finishPromotion(rollback, 7, []);
  expect(await state.snapshots.snapshots()).toEqual(first.snapshots.map(({ snapshot }) => snapshot));
});

test('a snapshot that comes back with another table stays what it was, and that table is remembered', async () => {
  const [first] = plans;
  await begin(first);
  await state.snapshots.finishPromotion(first.target, 7, []);
  const [{ snapshot, content }] = first.snapshots as [Plan['snapshots'][number]];
  const returned: Snapshot = { ...snapshot, version: 'another', isReturn: true };
  await begin({
    ...first,
    id: 'plan-9',
    basePromotionId: first.target.promotionId,
    snapshots: [{ snapshot: returned, content }],
  });
  expect(await state.snapshots.snapshots()).toEqual([{ ...snapshot, abandoned: ['another'] }]);
});

test('a snapshot of before that says later what it was made of is otherwise what it was', async () => {
  const [first] = plans;
  await begin(first);
  await state.snapshots.finishPromotion(first.target, 7, []);
  const [{ snapshot, content }] = first.snapshots as [Plan['snapshots'][number]];
  const inputs = { 'a.two': 'x' };
  await begin({
    ...first,
    id: 'plan-9',
    basePromotionId: first.target.promotionId,
    snapshots: [{ snapshot: { ...snapshot, inputs, planId: 'plan-9', category: 'breaking' }, content }],
  });
  expect(await state.snapshots.snapshots()).toEqual([{ ...snapshot, inputs }]);
});

test('a snapshot that took a table over says once prod has shown it', async () => {
  const [first] = plans;
  const [{ snapshot, content }] = first.snapshots as [Plan['snapshots'][number]];
  const forward: Snapshot = { ...snapshot, category: 'forward-only', isForward: true };
  await begin({ ...first, snapshots: [{ snapshot: forward, content }] });
  await state.snapshots.finishPromotion(first.target, 7, []);
  expect(await state.snapshots.snapshots()).toEqual([forward]);
  const prod = environmentOf(['a.one'], { name: 'prod', promotionId: 'promotion-prod' });
  for (const promotionId of ['promotion-prod', 'promotion-again'])
    await state.snapshots.finishPromotion({ ...prod, promotionId }, 8, []);
  expect(await state.snapshots.snapshots()).toEqual([{ ...forward, isDeployed: true }]);
});
