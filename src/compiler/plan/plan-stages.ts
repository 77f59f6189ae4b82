import { type Environment, viewName } from '../../domain/environment.ts';
import type { Stage } from '../../domain/plan.ts';
import { type Snapshot, splitName } from '../../domain/snapshot.ts';

/** The stages of a plan: make the schemas, build what no environment has yet, point the environment at it. */
export function planStages(
  environment: string,
  wanted: readonly { readonly snapshot: Snapshot; readonly query: string }[],
  present: Environment | undefined,
): readonly Stage[] {
  const built = new Set(present?.snapshots.map(({ table }) => table));
  const snapshots = wanted.map(({ snapshot }) => snapshot);
  const views = snapshots.map(({ model, table }) => ({ view: viewName(model, environment), table }));
  const schemas = new Set([
    ...snapshots.map(({ table }) => splitName(table)[0]),
    ...views.map(({ view }) => splitName(view)[0]),
  ]);
  return [
    { kind: 'create-schemas', schemas: [...schemas].sort() },
    ...wanted
      .filter(({ snapshot }) => !built.has(snapshot.table))
      .map(({ snapshot, query }): Stage => ({ kind: 'backfill', snapshot, query })),
    { kind: 'promote', environment, views, snapshots },
  ];
}
