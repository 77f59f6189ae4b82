import type { Environment, EnvironmentEntry } from '../../domain/environment.ts';
import type { ShownView } from '../../domain/plan.ts';
import { type TableId, tableKey } from '../../domain/relation.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { orderByDependencies } from '../../foundation/graph.ts';
import { ShownTables } from './backfill-groups.ts';

/**
 * All views that list columns of a table: the views of environments that show it, and the physical views that read it,
 * through other views and EMBEDDED models, with the environments' views of those. Physical ones first, each after what
 * it reads, so they can be made again in this order.
 */
export function viewsOver(
  table: TableId,
  environments: readonly Environment[],
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly ShownView[] {
  const wanted = tableKey(table);
  const physical = new Map<string, ShownView>();
  const shown: ShownView[] = [];
  for (const { name, entries } of environments) {
    const tables = new ShownTables(entries, snapshots);
    const over = entries.filter(
      ({ model, fingerprint }) =>
        snapshots.get(fingerprint)?.kind === 'view' && tables.below(model).has(wanted),
    );
    for (const entry of upstreamFirst(over, snapshots))
      if (entry.version !== undefined) {
        const key = tableKey({ model: entry.model, version: entry.version });
        if (!physical.has(key)) physical.set(key, { entry });
      }
    const direct = entries.filter(
      ({ model, version }) => version !== undefined && tableKey({ model, version }) === wanted,
    );
    shown.push(...[...direct, ...over].map((entry) => ({ environment: name, entry })));
  }
  return [...physical.values(), ...shown];
}

function upstreamFirst(
  views: readonly EnvironmentEntry[],
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly EnvironmentEntry[] {
  const byName = new Map(views.map((entry) => [entry.model, entry]));
  const parents = new Map(
    views.map(({ model, fingerprint }) => [model, snapshots.get(fingerprint)?.parents ?? []]),
  );
  return orderByDependencies(parents).order.map((model) => byName.get(model)!);
}
