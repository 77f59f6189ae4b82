import type { Stage } from '../../domain/plan.ts';
import type { World } from '../world.ts';

/** Points all views of an environment at their tables in one transaction, then records it. */
export async function promote(
  { engine, state }: World,
  { environment, views, snapshots }: Extract<Stage, { kind: 'promote' }>,
): Promise<void> {
  await engine.executeInTransaction(
    views.map(({ view, table }) => `CREATE OR REPLACE VIEW ${view} AS SELECT * FROM ${table}`),
  );
  await state.promote({ name: environment, snapshots });
}
