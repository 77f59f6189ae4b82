import type { Snapshot } from '../../domain/snapshot.ts';

/** Readers of each model. */
export function childrenOf(
  models: readonly Pick<Snapshot, 'model' | 'parents'>[],
): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const { model, parents } of models)
    for (const parent of parents) {
      const list = children.get(parent);
      if (list === undefined) children.set(parent, [model]);
      else list.push(model);
    }
  return children;
}
