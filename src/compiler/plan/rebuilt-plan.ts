import type { Environment, EnvironmentHooks } from '../../domain/environment.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { PromotionRecord } from '../../domain/promotion-record.ts';
import type { SnapshotContent } from '../../domain/snapshot.ts';
import { isSemanticKey } from './definition-hashes.ts';
import { hooksHash } from './promotion-record.ts';
import type { ProvenEntry } from './prove-entries.ts';

/** What is known of an environment that a promotion recorded. */
export interface ProvenEnvironment {
  readonly proven: readonly (ProvenEntry & { readonly content: SnapshotContent })[];
  readonly hasSemantics: boolean;
  readonly project: Pick<Project, 'semanticModels' | 'metrics'>;
  /** Those that the environment had; absent when the project has others. */
  readonly dqPacks?: Project['dqPacks'];
  /** Statements around its plans and runs, as the project has them. */
  readonly statements: EnvironmentHooks | undefined;
}

/** The plan that would have made the environment what is proven of it. */
export function rebuiltPlan(
  { environment, hooks: recorded }: PromotionRecord,
  { proven, hasSemantics, project, dqPacks = [], statements }: ProvenEnvironment,
  { id, createdAt, executionTime }: Pick<Plan, 'id' | 'createdAt' | 'executionTime'>,
): Plan {
  const isSame = statements !== undefined && hooksHash(statements) === recorded;
  const isKnown = hasSemantics && Object.keys(environment.definitions).some(isSemanticKey);
  const { semanticModels, metrics } = project;
  const target: Environment = {
    ...environment,
    entries: proven.map(({ entry }) => entry),
    planId: id,
    ...(isKnown ? { semantics: id } : {}),
    ...(dqPacks.length > 0 ? { dqPacks: id } : {}),
    ...(isSame ? { hooks: statements } : {}),
  };
  return {
    ...planWithout(target, createdAt),
    executionTime,
    ...(isKnown ? { semantics: { semanticModels, metrics } } : {}),
    ...(dqPacks.length > 0 ? { dqPacks } : {}),
    snapshots: proven.map(({ snapshot, content }) => ({ snapshot: { ...snapshot, planId: id }, content })),
  };
}

function planWithout(target: Environment, createdAt: number): Plan {
  return {
    id: target.planId,
    environment: target.name,
    createdAt,
    executionTime: createdAt,
    changes: [],
    missing: [],
    snapshots: [],
    target,
    restatements: [],
    stages: [],
  };
}

/** Since when tables are set aside, for the janitor, where no environment is known. */
export function emptyPlan(
  { name, gateway }: Pick<Environment, 'name' | 'gateway'>,
  {
    id,
    promotionId,
    createdAt,
    executionTime,
  }: Pick<Plan, 'id' | 'createdAt' | 'executionTime'> & Pick<Environment, 'promotionId'>,
): Plan {
  const target: Environment = {
    ...{ name, entries: [], planId: id, promotionId, promotedAt: createdAt },
    ...{ gateway, definitions: {} },
  };
  return { ...planWithout(target, createdAt), executionTime };
}
