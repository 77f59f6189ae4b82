import type { CheckEvent } from '../../domain/check-event.ts';
import type { CheckTrigger } from '../../domain/check-result.ts';
import { failure } from '../../domain/failure.ts';
import { type CheckTally, runChecks } from '../../runtime/quality/run-checks.ts';
import { selectedModels } from '../change/selected-models.ts';
import { newId } from '../new-id.ts';
import { appliedEnvironment, type OpenedWorld } from '../open-world.ts';
import { environmentChecks } from './environment-checks.ts';

export interface CheckRequest {
  readonly environment: string;
  /** Only packs on these models. */
  readonly selection?: string;
  /** Only packs of these names. */
  readonly packs?: readonly string[];
  readonly trigger: CheckTrigger;
  readonly signal?: AbortSignal;
}

/** Evaluates the dq packs of an environment over the tables it shows, and records what they found. */
export async function* check(
  world: OpenedWorld,
  { environment: name, selection, packs, trigger, signal }: CheckRequest,
): AsyncGenerator<CheckEvent, CheckTally> {
  const environment = await appliedEnvironment(world, name);
  const models = selection === undefined ? undefined : await selectedModels(world, environment, selection);
  const folded = models && new Set([...models].map((model) => model.toLowerCase()));
  const checks = await environmentChecks(
    world,
    environment,
    (pack) =>
      folded?.has(pack.model.value.toLowerCase()) !== false && packs?.includes(pack.name.value) !== false,
  );
  const unknown = packs?.find((pack) => !checks.packs.some((each) => each.name.value === pack));
  if (unknown !== undefined) throw failure('dq.unknown-pack', { name: unknown, environment: name });
  return yield* runChecks(world, {
    ...checks,
    run: {
      ...{ id: newId('c', world.clock.now()), environment: environment.name, trigger },
      ...(environment.dqPacks === undefined ? {} : { definedBy: environment.dqPacks }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
}
