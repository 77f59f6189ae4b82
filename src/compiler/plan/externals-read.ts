import type { Plan } from '../../domain/plan.ts';

/** Tables that new queries of a plan read and no model of it makes. */
export function externalsRead(plan: Pick<Plan, 'target' | 'snapshots'>): readonly string[] {
  const own = new Set(
    plan.target.entries.filter(({ version }) => version !== undefined).map(({ model }) => model),
  );
  const embedded = new Set(
    plan.snapshots
      .filter(({ snapshot }) => snapshot.kind === 'embedded')
      .map(({ snapshot }) => snapshot.model),
  );
  const known = new Set(plan.target.entries.map(({ model }) => model));
  const read = new Set(
    plan.snapshots.flatMap(({ content }) =>
      content.model.dependencies.filter((name) => !own.has(name) && !embedded.has(name)),
    ),
  );
  // An EMBEDDED model that did not change has no relation to look for.
  return [...read].filter(
    (name) =>
      !known.has(name) ||
      plan.snapshots.some(({ snapshot }) => snapshot.model === name && snapshot.kind === 'external'),
  );
}
