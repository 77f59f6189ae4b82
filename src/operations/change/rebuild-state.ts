/*
 * A way back when the state is gone (`rm -rf .plinth`) and the warehouse is not:
 *
 *   what promotions recorded ─┐
 *   the project ──────────────┴▶ entries that both say alike ─▶ environments   with the promotion ids of the warehouse
 *   the ledger ─▶ tables that no such entry shows ─▶ set aside: no plan takes their rows over
 *
 * Nothing in the warehouse is changed: what it shows stays until a plan shows something else.
 */

import { definitionHashes, isSemanticKey } from '../../compiler/plan/definition-hashes.ts';
import { type DraftSnapshot, draftSnapshots } from '../../compiler/plan/draft-snapshots.ts';
import { hasSameSemantics } from '../../compiler/plan/plan-changes.ts';
import { hooksHash } from '../../compiler/plan/promotion-record.ts';
import {
  type ProvenEntry,
  proveEntries,
  takersOf,
  type UnprovenEntry,
  unprovenSnapshot,
} from '../../compiler/plan/prove-entries.ts';
import { signalFiles } from '../../compiler/render/signal-files.ts';
import { snapshotContent } from '../../compiler/render/snapshot-content.ts';
import { type Environment, tableOf } from '../../domain/environment.ts';
import { failure } from '../../domain/failure.ts';
import type { Plan } from '../../domain/plan.ts';
import type { Project } from '../../domain/project.ts';
import { type PromotionRecord, readPromotionRecord } from '../../domain/promotion-record.ts';
import { physicalRelation, relationText, type TableId, tableKey } from '../../domain/relation.ts';
import type { Adoption } from '../../domain/state-store.ts';
import { lostViews, relationsThere, viewsOf } from '../../runtime/execute/lost-relations.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { newId } from '../new-id.ts';
import { environmentOf, type OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import type { Workspace } from '../workspace.ts';
import { environmentHooks } from './environment-hooks.ts';

/** What will be known of an environment again, and what not. */
export interface RebuiltEnvironment {
  readonly name: string;
  readonly promotionId: string;
  readonly proven: readonly string[];
  readonly unproven: readonly UnprovenEntry[];
  /** Why nothing is known of it; absent when something is. */
  readonly reason?: string;
  /** Whether its semantic models are known again; until a plan brings them, only callers who are exempt from policies are answered. */
  readonly hasSemantics: boolean;
}

/** A state as it could be built: looked at before anything is changed. */
export interface StateRebuild {
  readonly environments: readonly RebuiltEnvironment[];
  /** Tables and views of the warehouse that no plan will take over, as SQL names them. */
  readonly setAside: readonly string[];
  readonly adoption: Adoption;
}

/** What can be proven of the warehouse; without a project (`afresh`) nothing is. Refused when the state is not empty. */
export async function stateRebuild(
  workspace: Workspace,
  world: OpenedWorld,
  loaded: LoadedWorkspace | undefined,
): Promise<StateRebuild> {
  const { engine, state, names } = world;
  if (!(await state.isEmpty())) throw failure('state.not-empty', { file: names.state });
  const { id: warehouseId } = await engine.identity(state.warehouseId);
  const promotions = (await engine.promotions()).map(({ record, ...promotion }) => ({
    ...promotion,
    record: record === undefined ? undefined : readPromotionRecord(record),
  }));
  const takers = takersOf(promotions.flatMap(({ record }) => record ?? []));
  const context =
    loaded === undefined ? undefined : { ...(await surroundings(workspace, world, loaded)), takers };
  const found: Rebuilt[] = [];
  for (const promotion of promotions) found.push(await rebuilt(world, promotion, context));
  const at = world.clock.now();
  const shown = found.flatMap(({ plan }) => plan ?? []);
  const plans = shown.length > 0 ? shown : [emptyPlan(world, workspace, at)];
  const tables = await tablesOf(world, new Set(shown.flatMap(({ target }) => target.entries.map(keyOf))));
  const environments = found.map(({ report }) => report);
  return {
    environments,
    setAside: tables.map(({ name }) => name),
    adoption: {
      warehouseId,
      plans: plans.map((plan) => ({ plan, isShown: shown.length > 0 })),
      unproven: tables.map(({ table, object }) => unprovenSnapshot(table, { planId: plans[0]!.id, object })),
      who: workspace.who,
      at,
      events: [
        { at, event: 'state.rebuilt', data: { who: workspace.who, environments, setAside: tables.length } },
      ],
    },
  };
}

/** Makes it so, and copies from the ledger what is filled. */
export async function adoptRebuild(world: OpenedWorld, { adoption }: StateRebuild): Promise<void> {
  await world.state.adopt(adoption);
  await recover(world);
}

/** What the project says, as far as entries are compared with it. */
interface Surroundings {
  readonly project: Project;
  readonly loaded: LoadedWorkspace;
  readonly drafts: ReadonlyMap<string, DraftSnapshot>;
  readonly executionTime: number;
  contentOf(model: string): Promise<Plan['snapshots'][number]['content']>;
}

async function surroundings(
  workspace: Workspace,
  world: OpenedWorld,
  loaded: LoadedWorkspace,
): Promise<Surroundings> {
  const project: Project = { ...loaded.project, models: [...loaded.project.models, ...loaded.rollups] };
  const models = new Map(project.models.map((model) => [model.name, model]));
  const filesIn = (folder: string): Readonly<Record<string, string>> =>
    Object.fromEntries([...loaded.sources].filter(([path]) => path.startsWith(folder)));
  const [macroFiles, signals] = [filesIn('macros/'), filesIn('signals/')];
  const { functions } = await world.userCode.functions('signals');
  return {
    project,
    loaded,
    drafts: new Map(draftSnapshots(project).map((draft) => [draft.model, draft])),
    executionTime: workspace.executionTime,
    async contentOf(name) {
      const model = models.get(name)!;
      const content = await snapshotContent(model, loaded, macroFiles);
      return model.signals.length === 0
        ? content
        : { ...content, signalFiles: signalFiles(model, functions, signals) };
    },
  };
}

interface Rebuilt {
  readonly report: RebuiltEnvironment;
  readonly plan?: Plan;
}

async function rebuilt(
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
  context: (Surroundings & { readonly takers: ReturnType<typeof takersOf> }) | undefined,
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

/** The plan that would have made the environment what is proven of it. */
async function planOf(
  world: OpenedWorld,
  { environment, around: recorded }: PromotionRecord,
  {
    proven,
    hasSemantics,
    context,
  }: {
    readonly proven: readonly ProvenEntry[];
    readonly hasSemantics: boolean;
    readonly context: Surroundings;
  },
): Promise<Plan> {
  const { project, loaded, executionTime } = context;
  const createdAt = world.clock.now();
  const id = newId('p', createdAt);
  const statements = await environmentHooks(world, loaded, { environment: environment.name, executionTime });
  const isSame = statements !== undefined && hooksHash(statements) === recorded;
  const isKnown = hasSemantics && Object.keys(environment.definitions).some(isSemanticKey);
  const { semanticModels, metrics } = project;
  const target: Environment = {
    ...environment,
    entries: proven.map(({ entry }) => entry),
    planId: id,
    ...(isKnown ? { semantics: id } : {}),
    ...(isSame ? { around: statements } : {}),
  };
  return {
    ...planWithout(target, createdAt),
    executionTime,
    ...(isKnown ? { semantics: { semanticModels, metrics } } : {}),
    snapshots: await Promise.all(
      proven.map(async ({ snapshot }) => ({
        snapshot: { ...snapshot, planId: id },
        content: await context.contentOf(snapshot.model),
      })),
    ),
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
function emptyPlan({ config, gateway }: OpenedWorld, { executionTime }: Workspace, at: number): Plan {
  const planId = newId('p', at);
  const name = environmentOf(config, undefined);
  const target = {
    ...{ name, entries: [], planId, promotionId: newId('v', at), promotedAt: at },
    ...{ gateway: gateway.name, definitions: {} },
  };
  return { ...planWithout(target, at), executionTime };
}

const keyOf = (entry: Environment['entries'][number]): string =>
  tableKey(tableOf(entry) ?? { model: '', version: '' });

/** All that the ledger has but these, with the names under which they lie. */
async function tablesOf(
  { engine }: OpenedWorld,
  known: ReadonlySet<string>,
): Promise<readonly { readonly table: TableId; readonly object: 'table' | 'view'; readonly name: string }[]> {
  const there = new Map(
    (await engine.relations([])).map(({ relation, object }) => [relationText(relation), object]),
  );
  return (await engine.ledger())
    .filter(({ table }) => !known.has(tableKey(table)))
    .map(({ table }) => {
      const name = relationText(physicalRelation(table, engine.capabilities.identifierMax));
      return { table, name, object: there.get(name) ?? 'table' };
    });
}
