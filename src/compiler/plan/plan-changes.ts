import type { DqPack } from '../../domain/dq-pack.ts';
import { type Environment, isRollup } from '../../domain/environment.ts';
import type { AppliedSemantics, Change } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { CategoryDecision } from './decide-categories.ts';
import { definitionChanges } from './definition-changes.ts';
import { isDqKey, isSemanticKey } from './definition-hashes.ts';
import type { PlanInput } from './plan-input.ts';
import { describedChange } from './semantic-changes.ts';

/** Everything that differs from what the project is compared with: models, then definitions. */
export function changesOf(
  { prepared, project, appliedSemantics }: PlanInput,
  decisions: readonly CategoryDecision[],
  target: Environment,
): readonly Change[] {
  const removed = prepared.removed.map(
    ({ model }): Change => ({
      kind: 'model',
      name: model,
      change: 'removed',
      category: null,
      reason: 'no file defines it any more',
      columns: {
        added: [],
        removed: prepared.base?.entries.find((entry) => entry.model === model)?.columns ?? [],
        changed: [],
      },
    }),
  );
  const models = [...decisions.flatMap(({ change }) => change ?? []), ...removed];
  return [
    ...rollupChanges(models, [target, prepared.base]),
    ...definitionChanges(prepared.base?.definitions ?? {}, target.definitions).map((change) =>
      describedChange(change, appliedSemantics, project),
    ),
  ];
}

/** Changes of generated models are reported as changes of what they are. */
export function rollupChanges(
  changes: readonly Change[],
  environments: readonly (Pick<Environment, 'entries'> | undefined)[],
): readonly Change[] {
  const rollups = new Set(
    environments.flatMap((each) => each?.entries.filter(isRollup).map(({ model }) => model) ?? []),
  );
  return rollups.size === 0
    ? changes
    : changes.map((change) =>
        change.kind === 'model' && rollups.has(change.name) ? { ...change, kind: 'rollup' } : change,
      );
}

/** Where the semantics of the target are stored: with the plan that applied them first, this one or an earlier. */
export function semanticsOf(
  { id, prepared: { base }, project }: PlanInput,
  definitions: Environment['definitions'],
): { readonly id?: string; readonly content?: AppliedSemantics } {
  if (project.semanticModels.length + project.metrics.length === 0) return {};
  if (base?.semantics !== undefined && hasSameSemantics(base.definitions, definitions))
    return { id: base.semantics };
  return { id, content: appliedSemanticsOf(project) };
}

/** The same for the dq packs. */
export function dqPacksOf(
  { id, prepared: { base }, project }: PlanInput,
  definitions: Environment['definitions'],
): { readonly id?: string; readonly content?: readonly DqPack[] } {
  if (project.dqPacks.length === 0) return {};
  if (base?.dqPacks !== undefined && hasSameDqPacks(base.definitions, definitions))
    return { id: base.dqPacks };
  return { id, content: project.dqPacks };
}

function appliedSemanticsOf({ semanticModels, metrics }: Project): AppliedSemantics {
  return { semanticModels, metrics };
}

/** Whether two environments have the same semantic models and metrics. */
export function hasSameSemantics(
  one: Environment['definitions'],
  other: Environment['definitions'],
): boolean {
  return hasSame(isSemanticKey, one, other);
}

/** Whether two environments have the same dq packs. */
export function hasSameDqPacks(one: Environment['definitions'], other: Environment['definitions']): boolean {
  return hasSame(isDqKey, one, other);
}

function hasSame(
  isAsked: (key: string) => boolean,
  one: Environment['definitions'],
  other: Environment['definitions'],
): boolean {
  const keys = Object.keys(one).filter(isAsked);
  return (
    keys.length === Object.keys(other).filter(isAsked).length && keys.every((key) => one[key] === other[key])
  );
}
