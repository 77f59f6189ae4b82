/*
 * Brings a table that a snapshot inherited to the snapshot's columns, and every view over it, in one transaction: what
 * only adds. What takes away follows in the promotion, so that a plan that fails leaves what its environment shows.
 */
import type { Fence } from '../../domain/engine.ts';
import { environmentViews } from '../../domain/environment.ts';
import type { Stage } from '../../domain/plan.ts';
import { blameModel } from './blame-model.ts';
import { holdTables } from './hold-tables.ts';
import { migrationStep, refuseWhenPromoted } from './migration-step.ts';
import { diagnosticOf, EMPTY_RESULT, type RunContext, report } from './run-context.ts';
import { withRetries } from './with-retries.ts';

type MigrateStage = Extract<Stage, { kind: 'migrate' }>;

export async function migrate(context: RunContext, stage: MigrateStage): Promise<void> {
  const { journal } = context.world.state;
  try {
    const held = await holdTables(context, stage, [stage.table]);
    try {
      await withRetries(context, async () => {
        await context.world.engine.raiseFences(held.fences);
        await change(context, stage, held.fences);
      });
      await journal.dropIntent(held.intentId, context.takeEvents());
    } finally {
      await journal.releaseTables(context.execution.run.id, [stage.table]);
    }
  } catch (thrown) {
    const { model } = stage.table;
    const error = await blameModel(context, thrown, { model, fingerprint: stage.fingerprint });
    report(context, {
      name: model,
      status: 'failed',
      ...EMPTY_RESULT,
      error: diagnosticOf(error, `the migration of ${model}`),
    });
    throw error;
  }
}

async function change(context: RunContext, stage: MigrateStage, fences: readonly Fence[]): Promise<void> {
  const step = await migrationStep(context, stage, 'before-writes');
  const { relation, changes, views } = step;
  if (changes.length === 0 && views.length === 0) return;
  await context.world.engine.write(
    fences,
    async (session) => {
      const sent: Promise<unknown>[] = [];
      if (changes.length > 0) sent.push(session.alterTable(relation, changes));
      if (views.length > 0) sent.push(session.replaceViews(views));
      sent.push(
        session.recordViews([...step.shownIn].map((name) => environmentViews(name, relation.catalog))),
      );
      await Promise.all(sent);
      await refuseWhenPromoted(context, step);
    },
    { signal: context.cancel },
  );
}
