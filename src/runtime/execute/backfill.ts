import { failure } from '../../domain/failure.ts';
import type { Stage } from '../../domain/plan.ts';
import type { World } from '../world.ts';

/** Builds one snapshot. Walking skeleton: views and full tables; audits come between write and publish with issue 4. */
export async function backfill(
  { engine }: World,
  { snapshot, query }: Extract<Stage, { kind: 'backfill' }>,
): Promise<void> {
  const object = { view: 'VIEW', full: 'TABLE', seed: 'TABLE' }[snapshot.kind];
  if (object === undefined)
    throw failure('engine.kind-not-yet', { kind: snapshot.kind, model: snapshot.model });
  await engine.executeInTransaction([`CREATE OR REPLACE ${object} ${snapshot.table} AS ${query}`]);
}
