import type { AppliedProduct } from '../../domain/applied-product.ts';
import type { Change } from '../../domain/plan.ts';
import { memberLabels } from './semantic-changes.ts';

/** What is gone cannot be looked up any more, and tests and checks name members: both are shown only to callers from whom nothing is hidden. */
export function seenChange(change: Change, seen: AppliedProduct | undefined): readonly Change[] {
  const { kind, name, columns } = change;
  if (kind === 'metric')
    return seen?.metrics.some((each) => each.name.value === name) === true ? [change] : [];
  if (kind !== 'semantic') return kind === 'model' ? [change] : [];
  const semantic = seen?.semanticModels.find((each) => each.name.value === name);
  if (semantic === undefined) return [];
  // Rollups and policies are for callers from whom nothing is hidden.
  const labels = new Set(memberLabels(semantic));
  const isKnown = (label: string): boolean => labels.has(label);
  return [
    {
      ...change,
      columns: {
        added: columns.added.filter(isKnown),
        removed: [],
        changed: columns.changed.filter(isKnown),
      },
    },
  ];
}
