import { readsOn } from '../../compiler/semantic/perspectives/asked-side.ts';
import type { Perspective } from '../../domain/perspective.ts';
import { askedSideOf } from '../../runtime/execute/asked-side.ts';
import { everyPerspective } from '../../runtime/execute/every-perspective.ts';
import type { Product } from '../platform.ts';

/** What a perspective is made of. Columns are those of all its models: a filter or a join may read any of them. */
export interface PerspectiveReach {
  readonly id: string;
  readonly models: readonly string[];
  readonly columns: readonly string[];
  readonly members: readonly string[];
  readonly metrics: readonly string[];
}

/** What these are made of, those that can be asked of an environment. Who may hear of them is decided for each reader. */
export async function perspectiveReach(
  { world }: Product,
  { environment, ids }: { readonly environment: string; readonly ids: ReadonlySet<string> },
): Promise<readonly PerspectiveReach[]> {
  if (ids.size === 0) return [];
  const applied = await world.state.snapshots.environment(environment);
  const side = applied && (await askedSideOf(world, applied));
  if (side === undefined) return [];
  const metrics = new Set(side.semantics.metrics.map(({ name }) => name.value));
  const reachOf = (perspective: Perspective): readonly PerspectiveReach[] => {
    const reads = readsOn(side, perspective);
    if (reads === undefined) return [];
    const { models, semantics } = reads;
    const columns = models.flatMap((model) =>
      (side.columns.get(model.toLowerCase()) ?? []).map((column) => `${model}.${column}`.toLowerCase()),
    );
    const named = semantics.filter((name) => metrics.has(name));
    return [{ id: perspective.id, models, columns, members: [], metrics: named }];
  };
  const found: PerspectiveReach[] = [];
  for await (const page of everyPerspective(world.state.perspectives))
    found.push(...page.filter(({ id }) => ids.has(id)).flatMap(reachOf));
  return found;
}
