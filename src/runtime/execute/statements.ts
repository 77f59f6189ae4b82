import type { Stage } from '../../domain/plan.ts';
import type { RunContext } from './run-context.ts';
import { refuseWhenStopped } from './run-context.ts';

/** `before_all` and `after_all`: each statement is a transaction of its own and is never repeated, because nobody knows what it does. */
export async function runStatements(
  context: RunContext,
  stage: Extract<Stage, { kind: 'statements' }>,
): Promise<void> {
  for (const statement of stage.statements) {
    refuseWhenStopped(context, stage.when === 'before-all' ? 'before_all' : 'after_all');
    await context.world.engine.write([], (session) => session.execute(statement), {
      signal: context.cancel,
    });
  }
}
