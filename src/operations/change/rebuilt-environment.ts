import { definitionHashes, isSemanticKey } from '../../compiler/plan/definition-hashes.ts';
import { type DraftSnapshot, draftSnapshots } from '../../compiler/plan/draft-snapshots.ts';
import { hasSameDqPacks, hasSameSemantics } from '../../compiler/plan/plan-changes.ts';
import { type ProvenEntry, proveEntries, type takersOf } from '../../compiler/plan/prove-entries.ts';
import { rebuiltPlan } from '../../compiler/plan/rebuilt-plan.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import type { PromotionRecord } from '../../domain/promotion-record.ts';
import type { RebuiltEnvironment } from '../../domain/rebuilt-environment.ts';
import { lostViews, relationsThere, viewsOf } from '../../runtime/execute/lost-relations.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import { environmentHooks } from './environment-hooks.ts';
import { projectContents } from './project-contents.ts';

/** What the project says, as far as entries are compared with it. */
export interface ComparedProject {
  readonly project: Project;
  readonly loaded: LoadedWorkspace;
  readonly drafts: ReadonlyMap<string, DraftSnapshot>;
}

/** With the models that its rollups are. */
export function comparedProject(loaded: LoadedWorkspace): ComparedProject {
  const project: Project = { ...loaded.project, models: [...loaded.project.models, ...loaded.rollups] };
  return { project, loaded, drafts: new Map(draftSnapshots(project).map((draft) => [draft.model, draft])) };
}

/** An environment as its promotion recorded it, compared with the project. */
export interface Rebuilt {
  readonly report: RebuiltEnvironment;
  readonly plan?: Plan;
}

/** Without a project nothing is known of it. */
export async function rebuiltEnvironment(
  world: OpenedWorld,
  {
    environment: name,
    promotionId,
    record,
  }: {
    readonly environment: string;
    readonly promotionId: string;
    readonly record: PromotionRecord | undefined;
  },
  context:
    | (ComparedProject & {
        readonly takers: ReturnType<typeof takersOf>;
        readonly executionTime: number;
      })
    | undefined,
): Promise<Rebuilt> {
  const nothing = (reason: string): { readonly report: RebuiltEnvironment } => ({
    report: { name, promotionId, proven: [], unproven: [], hasSemantics: false, reason },
  });
  if (context === undefined) return nothing('it begins afresh');
  if (record === undefined)
    return nothing('another version of Plinth promoted it, without a record of what it shows');
  const views = viewsOf(record.environment, world.naming(name));
  const gone = lostViews(views, await relationsThere(world, [...views.values()]));
  if (views.size > 0 && gone.length === views.size) return nothing('none of its views is there any more');
  const { proven, unproven } = proveEntries(record, context.drafts, context.takers);
  const { definitions } = record.environment;
  const hasSemantics =
    !Object.keys(definitions).some(isSemanticKey) ||
    hasSameSemantics(definitions, definitionHashes(context.project));
  const row = { name, promotionId, proven: proven.map(({ entry }) => entry.model), unproven, hasSemantics };
  if (proven.length === 0)
    return { report: { ...row, reason: 'nothing it shows is as the project defines it' } };
  return { report: row, plan: await planOf(world, record, { proven, hasSemantics, context }) };
}

async function planOf(
  world: OpenedWorld,
  record: PromotionRecord,
  {
    proven,
    hasSemantics,
    context: { project, loaded, executionTime },
  }: {
    readonly proven: readonly ProvenEntry[];
    readonly hasSemantics: boolean;
    readonly context: ComparedProject & { readonly executionTime: number };
  },
): Promise<Plan> {
  const createdAt = world.clock.now();
  const id = newId('p', createdAt);
  const { name: environment } = record.environment;
  const statements = await environmentHooks(world, loaded, { environment, executionTime });
  const contentOf = projectContents(loaded, world.userCode);
  const models = new Map(project.models.map((model) => [model.name, model]));
  const known = await Promise.all(
    proven.map(async (each) => ({ ...each, content: await contentOf(models.get(each.snapshot.model)!) })),
  );
  const hasPacks = hasSameDqPacks(record.environment.definitions, definitionHashes(project));
  return rebuiltPlan(
    record,
    { proven: known, hasSemantics, project, ...(hasPacks ? { dqPacks: project.dqPacks } : {}), statements },
    { id, createdAt, executionTime },
  );
}
