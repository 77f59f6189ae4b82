import type { QualityEvent } from '../../domain/check-event.ts';
import { Failure } from '../../domain/failure.ts';
import type { Run, RunEvent } from '../../domain/run.ts';
import type { OpenedWorld } from '../open-world.ts';
import { checkDue } from './check-due.ts';
import { observeFreshness } from './observe-freshness.ts';

/** Follows a run, then checks what it has changed. Checks change nothing about how the run ended. */
export async function* checkAfter(
  world: OpenedWorld,
  running: AsyncGenerator<RunEvent, Run>,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent | QualityEvent, Run> {
  const run = yield* running;
  if (run.kind === 'janitor' || run.kind === 'audit' || signal?.aborted === true) return run;
  try {
    await observeFreshness(world, { environment: run.environment, runId: run.id, trigger: 'change' });
    yield* checkDue(world, {
      environment: run.environment,
      changedBy: run.id,
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield { event: 'checks.failed', error: error.diagnostic };
  }
  return run;
}
