import { rollbackPlan, rollbackTarget } from '../../compiler/plan/rollback-plan.ts';
import type { Plan } from '../../domain/plan.ts';
import { type Diagnostic, hasErrors } from '../../foundation/diagnostics/diagnostic.ts';
import { outOfStep, promotionDrift } from '../../runtime/execute/promotion-drift.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { storePlan } from './store-plan.ts';
import { tableColumns } from './table-columns.ts';

export interface RollbackRequest {
  readonly environment: string;
  readonly executionTime: number;
  readonly who: string;
  /** A plan's id; the one before the present when absent. */
  readonly to?: string;
}

/** The plan that points an environment back at what it showed; stored like any other. Without `plan` the diagnostics say why it cannot be. */
export async function planRollback(
  world: OpenedWorld,
  request: RollbackRequest,
): Promise<{ readonly plan?: Plan; readonly diagnostics: readonly Diagnostic[] }> {
  await recover(world);
  const present = await appliedEnvironment(world, request.environment);
  const drift = await promotionDrift(world, present.name);
  if (drift !== undefined) throw outOfStep(drift);
  const { snapshots, journal } = world.state;
  const found = rollbackTarget(present, await snapshots.promotions(present.name), request.to);
  if ('problem' in found) return { diagnostics: [found.problem] };
  const { target } = found;
  const [environments, known, intervals, contents, columns] = await Promise.all([
    snapshots.environments(),
    snapshots.snapshots(),
    journal.intervals(),
    snapshots.contents(target.entries.map(({ fingerprint }) => fingerprint)),
    tableColumns(world, target),
  ]);
  const createdAt = world.clock.now();
  const { plan: drafted, diagnostics } = rollbackPlan({
    id: newId('p', createdAt),
    promotionId: newId('v', createdAt),
    createdAt,
    executionTime: request.executionTime,
    present,
    target,
    environments,
    snapshots: new Map(known.map((snapshot) => [snapshot.fingerprint, snapshot])),
    tableColumns: columns,
    contents,
    intervals,
    naming: (name) => world.naming(name),
    concurrency: world.config.run.maxParallel,
  });
  if (hasErrors(diagnostics)) return { diagnostics };
  return { plan: await storePlan(world, drafted, request.who), diagnostics };
}
