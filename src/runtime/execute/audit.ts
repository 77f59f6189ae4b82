import type { Answer } from '../../domain/engine.ts';
import type { Stage } from '../../domain/plan.ts';
import { tableKey } from '../../domain/relation.ts';
import { auditTable } from './audit-table.ts';
import { blameModel } from './blame-model.ts';
import { dataVersionsOf } from './prove-promotion.ts';
import { blockedFailure } from './report-backfill.ts';
import type { AuditOutcome } from './run-audits.ts';
import { diagnosticOf, EMPTY_RESULT, type RunContext, refuseWhenStopped, report } from './run-context.ts';
import { BlockedWrite } from './write-steps.ts';

type AuditStage = Extract<Stage, { kind: 'audit' }>;

/** Audits over rows that are there already; a blocking one that fails stops everything that needs this stage, the promotion too. */
export async function audit(context: RunContext, stage: AuditStage): Promise<void> {
  const { world, contents, execution } = context;
  const { model } = stage.table;
  const began = world.clock.now();
  try {
    refuseWhenStopped(context, `the audits of ${model}`);
    const needed = context.proofs.needed(tableKey(stage.table));
    // Read before the rows are: a write in between makes the proof worthless, not wrong.
    const seen = needed && [...needed.over, ...(needed.reads ?? [])];
    const versions = seen === undefined ? undefined : await dataVersionsOf(context, seen);
    const ask = (sql: string): Promise<Answer> => world.engine.query(sql, { signal: context.cancel });
    const outcome = await auditTable(ask, world.engine, {
      ...(await contents.snapshot(stage.fingerprint)),
      table: stage.table,
      executionTime: execution.executionTime,
      tableOf: await contents.namesAmong(execution.entries),
      ...(stage.audits === undefined ? {} : { audits: stage.audits }),
    });
    if (outcome.failed !== undefined) throw new BlockedWrite(stage.table, outcome);
    if (versions !== undefined) context.proofs.add(tableKey(stage.table), versions, stage.audits);
    for (const result of outcome.audits)
      if (result.status === 'warned')
        context.emit({ event: 'audit.failed', model, audit: result, isBlocking: false });
    reportAudits(context, stage, outcome, world.clock.now() - began);
  } catch (error) {
    // A command that only audits publishes nothing anyway.
    const consequence = stage.reason === 'asked' ? '' : undefined;
    const blocked =
      error instanceof BlockedWrite ? await blockedFailure(context, error, consequence) : undefined;
    const { fingerprint } = stage;
    const cause = await blameModel(context, blocked?.error ?? error, { model, fingerprint });
    report(context, {
      ...(context.results.get(model) ?? EMPTY_RESULT),
      name: model,
      status: 'failed',
      error: diagnosticOf(cause, `the audits of ${model}`),
      audits: blocked?.audits ?? [],
    });
    throw cause;
  }
}

/** A model that was written in this run stays `built`; its audits are added. */
function reportAudits(context: RunContext, stage: AuditStage, { audits }: AuditOutcome, ms: number): void {
  const { model } = stage.table;
  const earlier = context.results.get(model);
  report(
    context,
    earlier === undefined
      ? { name: model, status: 'up-to-date', ...EMPTY_RESULT, ms, audits }
      : { ...earlier, ms: earlier.ms + ms, audits: [...without(earlier.audits, audits), ...audits] },
  );
}

function without(earlier: AuditOutcome['audits'], now: AuditOutcome['audits']): AuditOutcome['audits'] {
  return earlier.filter(({ name }) => !now.some((audit) => audit.name === name));
}
