import { failure } from '../../domain/failure.ts';
import type { Scope } from '../../domain/principal.ts';
import { type HeldDecision, refuseWithoutReason, scopeOfDecision } from '../../domain/quarantine.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import type { ActOptions } from './apply.ts';
import { heldTableOf } from './held-tables-of.ts';
import { refuseBadSelection } from './refuse-bad-selection.ts';
import { refuseOthersTable } from './refuse-others-table.ts';

export interface SettledQuarantine extends HeldDecision {
  readonly environment: string;
  readonly model: string;
  /** The selection names no rows because all of them are meant. */
  readonly isAll: boolean;
  readonly executionTime: number;
}

export interface SettleOptions extends ActOptions {
  /** Whether the caller may do what a scope names; the owner of the folder may do everything. */
  readonly permits: (scope: Scope) => boolean;
}

/** Releases rows that pass the model's present audits into its table. */
export const releaseQuarantine = (
  world: OpenedWorld,
  request: Omit<SettledQuarantine, 'decision'>,
  options: SettleOptions,
): AsyncGenerator<RunEvent, Run> => settle(world, { ...request, decision: 'release' }, options);

/** Deletes rows that are held back. */
export const discardQuarantine = (
  world: OpenedWorld,
  request: Omit<SettledQuarantine, 'decision' | 'isAccepted'>,
  options: SettleOptions,
): AsyncGenerator<RunEvent, Run> => settle(world, { ...request, decision: 'discard' }, options);

async function* settle(
  world: OpenedWorld,
  { environment: name, model, isAll, executionTime, ...settles }: SettledQuarantine,
  { permits, who, waitMs, signal }: SettleOptions,
): AsyncGenerator<RunEvent, Run> {
  if (!permits(scopeOfDecision(settles))) throw failure('access.forbidden', {});
  refuseWithoutReason(settles);
  yield* await recover(world);
  const environment = await appliedEnvironment(world, name);
  const found = await heldTableOf(world, { environment: name, model });
  await refuseOthersTable(world, name, found);
  await refuseBadSelection(world, found, { ...settles, isAll, environment: name });
  const { relation: _, columns: _columns, ...member } = found;
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      ...{ id: newId('r', startedAt), kind: 'quarantine', environment: environment.name, who, startedAt },
      ...{ executionTime, selection: found.model, isPart: true, status: 'running', models: [] },
    },
    stages: [
      {
        ...{
          id: `${settles.decision} ${found.model}`,
          needs: [],
          kind: 'backfill',
          auditedViews: [],
          settles,
        },
        members: [{ ...member, ranges: [], unit: 'day', batchConcurrency: 1 }],
      },
    ],
    entries: environment.entries,
    basePromotionId: environment.promotionId,
    naming: (each) => world.naming(each),
    maxParallel: 1,
    executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}
