import type { Stage } from '../../domain/plan.ts';
import type { RunContext } from './run-context.ts';
import { withRetries } from './with-retries.ts';

/** Schemas have a transaction of their own: two runs that make the same one conflict, and one of them simply tries again. */
export async function createSchemas(
  context: RunContext,
  stage: Extract<Stage, { kind: 'create-schemas' }>,
): Promise<void> {
  if (stage.schemas.length === 0) return;
  const { engine } = context.world;
  await withRetries(context, () =>
    engine.write([], (session) => session.createSchemas(stage.schemas), { signal: context.cancel }),
  );
}
