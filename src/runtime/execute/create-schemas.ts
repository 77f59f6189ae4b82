import type { Stage } from '../../domain/plan.ts';
import type { RunContext } from './run-context.ts';
import { withRetries } from './with-retries.ts';

/**
 * Schemas have a transaction of their own, one for each catalog because an engine writes one per transaction: two runs
 * that make the same one conflict, and one of them simply tries again.
 */
export async function createSchemas(
  context: RunContext,
  stage: Extract<Stage, { kind: 'create-schemas' }>,
): Promise<void> {
  const { engine } = context.world;
  for (const schemas of Map.groupBy(stage.schemas, ({ catalog }) => catalog).values())
    await withRetries(context, () =>
      engine.write([], (session) => session.createSchemas(schemas), { signal: context.cancel }),
    );
}
