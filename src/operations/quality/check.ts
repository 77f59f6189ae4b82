import type { CheckEvent } from '../../domain/check-event.ts';
import type { CheckTrigger } from '../../domain/check-result.ts';
import { type CheckTally, runChecks } from '../../runtime/quality/run-checks.ts';
import { newId } from '../new-id.ts';
import type { OpenedWorld } from '../open-world.ts';
import { type WantedChecks, wantedChecks } from './wanted-checks.ts';

export interface CheckRequest extends WantedChecks {
  /** Of the check run; a new one when absent. */
  readonly id?: string;
  readonly trigger: CheckTrigger;
  readonly signal?: AbortSignal;
}

/** Evaluates the dq packs of an environment over the tables it shows, and records what they found. */
export async function* check(
  world: OpenedWorld,
  { id, trigger, signal, ...wanted }: CheckRequest,
): AsyncGenerator<CheckEvent, CheckTally> {
  const checks = await wantedChecks(world, wanted);
  const { environment } = checks;
  return yield* runChecks(world, {
    ...checks,
    run: {
      ...{ id: id ?? newId('c', world.clock.now()), environment: environment.name, trigger },
      ...(environment.dqPacks === undefined ? {} : { definedBy: environment.dqPacks }),
    },
    ...(signal === undefined ? {} : { signal }),
  });
}
