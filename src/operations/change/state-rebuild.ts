/*
 * A way back when the state is gone (`rm -rf .plinth`) and the warehouse is not:
 *
 *   what promotions recorded ─┐
 *   the project ──────────────┴▶ entries that both say alike ─▶ environments   with the promotion ids of the warehouse
 *   the ledger ─▶ tables that no such entry shows ─▶ set aside: no plan takes their rows over
 *
 * Nothing in the warehouse is changed: what it shows stays until a plan shows something else.
 */
import { takersOf, unprovenSnapshot } from '../../compiler/plan/prove-entries.ts';
import { emptyPlan } from '../../compiler/plan/rebuilt-plan.ts';
import { failure } from '../../domain/failure.ts';
import type { Plan } from '../../domain/plan.ts';
import { readPromotionRecord } from '../../domain/promotion-record.ts';
import type { RebuiltEnvironment } from '../../domain/rebuilt-environment.ts';
import type { Adoption } from '../../domain/state-store.ts';
import { newId } from '../new-id.ts';
import { environmentOf, type OpenedWorld } from '../open-world.ts';
import type { LoadedWorkspace } from '../project/load-project.ts';
import type { Workspace } from '../workspace.ts';
import { comparedProject, type Rebuilt, rebuiltEnvironment } from './rebuilt-environment.ts';
import { unshownTables } from './unshown-tables.ts';

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
    loaded === undefined
      ? undefined
      : { ...comparedProject(loaded), takers, executionTime: workspace.executionTime };
  const found: Rebuilt[] = [];
  for (const promotion of promotions) found.push(await rebuiltEnvironment(world, promotion, context));
  const at = world.clock.now();
  const shown = found.flatMap(({ plan }) => plan ?? []);
  const plans = shown.length > 0 ? shown : [nothingKnown(world, workspace, at)];
  const tables = await unshownTables(
    world,
    shown.flatMap(({ target }) => target.entries),
  );
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

function nothingKnown({ config, gateway }: OpenedWorld, { executionTime }: Workspace, at: number): Plan {
  const ids = { id: newId('p', at), promotionId: newId('v', at) };
  const environment = { name: environmentOf(config, undefined), gateway: gateway.name };
  return emptyPlan(environment, { ...ids, createdAt: at, executionTime });
}
