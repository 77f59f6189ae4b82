import { seenChange } from '../../compiler/plan/seen-change.ts';
import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { Change } from '../../domain/plan.ts';
import type { PlanRecord } from '../../domain/state-store.ts';
import { plans, shownPlan } from '../change/plans.ts';
import type { OpenedWorldReader } from '../open-world.ts';

/** One plan that changed an environment. */
export interface AppliedChange {
  readonly record: PlanRecord;
  readonly promotedAt: number;
  readonly changes: readonly VisibleChange[];
}

/** A change as a caller may know it, and whether it breaks, which does not depend on the caller. */
export interface VisibleChange {
  readonly change: Change;
  readonly isBreaking: boolean;
}

/** Whether those who read what was there before may have to change what they do: it is gone, has fewer columns, or its rows are others. */
const isBreaking = ({ change, category, columns }: Change): boolean =>
  change === 'removed' || category === 'breaking' || columns.removed.length > 0;

const PLANS_MAX = 10_000;

/** What was applied to an environment after a moment, newest first; semantic models and metrics only as far as the caller may see them. */
export async function appliedChanges(
  world: OpenedWorldReader,
  seen: AppliedProduct,
  {
    isWhole,
    since,
    before,
    limit,
  }: {
    /** Nothing of the product is hidden from the caller. */
    readonly isWhole: boolean;
    readonly since?: number | undefined;
    readonly before?: string | undefined;
    readonly limit: number;
  },
): Promise<{ readonly items: readonly AppliedChange[]; readonly next?: string }> {
  const records = (await plans(world, { environment: seen.environment.name, limit: PLANS_MAX })).filter(
    ({ id, promotedAt, changes }) =>
      promotedAt !== undefined &&
      changes > 0 &&
      (since === undefined || promotedAt > since) &&
      (before === undefined || id < before),
  );
  const shown = records.slice(0, limit);
  const items = await Promise.all(
    shown.map(async (record) => ({
      record,
      promotedAt: record.promotedAt ?? record.createdAt,
      changes: (await shownPlan(world, record.id)).plan.changes.flatMap((change) =>
        (isWhole ? [change] : seenChange(change, seen)).map((visible) => ({
          change: visible,
          isBreaking: isBreaking(change),
        })),
      ),
    })),
  );
  const last = shown.at(-1);
  return { items, ...(records.length > limit && last !== undefined ? { next: last.id } : {}) };
}
