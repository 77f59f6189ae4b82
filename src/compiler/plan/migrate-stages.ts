import type { MigrationWork, ShownView, Stage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import type { StageInput } from './stage-input.ts';
import { viewsOver } from './views-over.ts';

/** The migrations of a plan with the views over each table, upstream first; `order` are all models in that order. */
export function migrationWork(
  { migrations = [], environments, snapshots }: StageInput,
  order: readonly string[],
): readonly MigrationWork[] {
  const place = new Map(order.map((model, i) => [model, i]));
  return migrations
    .toSorted((one, other) => (place.get(one.table.model) ?? 0) - (place.get(other.table.model) ?? 0))
    .map((one) => ({ ...one, views: viewsOver(one.table, environments, snapshots) }));
}

/** Those that make the same view again come one after the other; the others do not wait, nor fail, for each other. */
export function migrateStages(
  migrations: readonly MigrationWork[],
  roots: readonly string[],
): readonly Stage[] {
  const made: { readonly id: string; readonly names: ReadonlySet<string> }[] = [];
  return migrations.map((work) => {
    const id = migrateId(tableKey(work.table));
    const names = new Set(work.views.map(nameOfView));
    const before = made.filter((other) => [...names].some((name) => other.names.has(name)));
    made.push({ id, names });
    return {
      id,
      needs: before.length === 0 ? roots : before.map((other) => other.id),
      kind: 'migrate',
      ...work,
    };
  });
}

/** Id of the stage that migrates a table, by its `tableKey`. */
export function migrateId(key: string): string {
  return `migrate:${key}`;
}

function nameOfView({ environment, entry: { model, version = '' } }: ShownView): string {
  return environment === undefined ? tableKey({ model, version }) : `${environment}:${model}`;
}
