import { modelsReadBy, standaloneTable } from '../../compiler/plan/standalone-audits.ts';
import type { Stage } from '../../domain/plan.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import { executeStages } from '../../runtime/execute/execute-stages.ts';
import { recover } from '../../runtime/execute/recover.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import type { ActOptions } from './apply.ts';
import type { RunRequest } from './run-input.ts';
import { selectedModels } from './selected-models.ts';

/** Runs the audits of models over the tables an environment shows; nothing is written but a sample of the rows that fail. */
export async function* auditEnvironment(
  world: OpenedWorld,
  request: RunRequest,
  { who, waitMs, signal }: ActOptions,
): AsyncGenerator<RunEvent, Run> {
  yield* await recover(world);
  const environment = await appliedEnvironment(world, request.environment);
  const chosen =
    request.selection === undefined ? undefined : await selectedModels(world, environment, request.selection);
  const contents = await world.state.snapshots.contents(
    environment.entries.map(({ fingerprint }) => fingerprint),
  );
  const stages: Stage[] = environment.entries.flatMap(({ model, version, fingerprint }): readonly Stage[] => {
    const hasAudits = (contents.get(fingerprint)?.model.audits.length ?? 0) > 0;
    if (version === undefined || !hasAudits || chosen?.has(model) === false) return [];
    const table = { model, version };
    return [{ id: `audit ${model}`, needs: [], kind: 'audit', table, fingerprint, reason: 'asked' }];
  });
  const known = await world.state.snapshots.snapshots(
    (environment.audits ?? []).map(({ fingerprint }) => fingerprint),
  );
  for (const entry of environment.audits ?? []) {
    const { model, fingerprint } = entry;
    const snapshot = known.find((each) => each.fingerprint === fingerprint);
    const reads = snapshot && modelsReadBy(snapshot);
    if (chosen !== undefined && reads?.some((name) => chosen.has(name)) !== true) continue;
    const table = standaloneTable(entry);
    stages.push({ id: `audit ${model}`, needs: [], kind: 'audit', table, fingerprint, reason: 'asked' });
  }
  const startedAt = world.clock.now();
  return yield* executeStages(world, {
    run: {
      id: newId('r', startedAt),
      kind: 'audit',
      environment: environment.name,
      who,
      startedAt,
      executionTime: request.executionTime,
      status: 'running',
      models: [],
    },
    stages,
    entries: environment.entries,
    basePromotionId: environment.promotionId,
    naming: (name) => world.naming(name),
    maxParallel: world.config.run.maxParallel,
    executionTime: request.executionTime,
    ...(waitMs === undefined ? {} : { waitMs }),
    ...(signal === undefined ? {} : { signal }),
  });
}
