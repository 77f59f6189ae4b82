/** How a backfill ended, reported model by model. */
import { Failure, failure } from '../../domain/failure.ts';
import type { AuditedView, BackfillStage } from '../../domain/plan.ts';
import type { AuditResult } from '../../domain/run.ts';
import type { BackfillProgress } from './backfill-work.ts';
import { blameModel } from './blame-model.ts';
import { keepFailedRows } from './keep-failed-rows.ts';
import { NO_WRITES } from './model-tally.ts';
import { diagnosticOf, EMPTY_RESULT, type RunContext, report } from './run-context.ts';
import { BlockedWrite } from './write-steps.ts';

interface Ended {
  readonly stage: BackfillStage;
  readonly progress: BackfillProgress;
  readonly ms: number;
}

export function reportBuilt(context: RunContext, { stage, progress, ms }: Ended): void {
  for (const { model } of stage.members) {
    const tally = progress.tallies.get(model);
    report(
      context,
      tally === undefined
        ? { name: model, status: 'up-to-date', ...EMPTY_RESULT, ms }
        : { name: model, status: 'built', ...tally, ms },
    );
  }
  for (const { model } of stage.auditedViews) {
    const tally = progress.tallies.get(model);
    if (tally === undefined || stage.members.some((member) => member.model === model)) continue;
    report(context, { name: model, status: 'up-to-date', ...tally, ms });
  }
}

/** Keeps the failing rows of a blocking audit, reports every model of the stage, and answers with the error that stops it. */
export async function reportFailedBackfill(
  context: RunContext,
  { stage, progress, ms, error }: Ended & { readonly error: unknown },
): Promise<unknown> {
  const blocked = error instanceof BlockedWrite ? await blockedFailure(context, error) : undefined;
  const guilty = blocked?.model ?? progress.current ?? stage.members[0]?.model;
  const about = [...stage.members, ...stage.auditedViews].find(({ model }) => model === guilty);
  const reported = blocked?.error ?? error;
  const cause = about === undefined ? reported : await blameModel(context, reported, about);
  const isMember = stage.members.some(({ model }) => model === guilty);
  // A view's audit stops the writes below it: they fail together.
  for (const { model } of stage.members) {
    const tally = progress.tallies.get(model) ?? NO_WRITES;
    const isGuilty = model === guilty || !isMember || stage.members.length === 1;
    report(context, {
      name: model,
      ...tally,
      ms,
      ...(isGuilty
        ? {
            status: 'failed',
            error: diagnosticOf(cause, model),
            ...(isMember || guilty === undefined ? {} : { because: guilty }),
          }
        : { status: 'skipped', ...(guilty === undefined ? {} : { because: guilty }) }),
      ...(model === guilty && blocked !== undefined ? { audits: blocked.audits } : {}),
    });
  }
  const isView = !isMember && (about as AuditedView | undefined)?.audits === undefined;
  if (!isMember && guilty !== undefined && blocked !== undefined)
    report(context, {
      name: guilty,
      ...EMPTY_RESULT,
      // A table whose audit stopped the write of another is what it was.
      ...(isView ? { status: 'failed', error: diagnosticOf(cause, guilty) } : { status: 'up-to-date' }),
      audits: blocked.audits,
    });
  return cause;
}

/** The failure of a blocking audit, its failing rows kept; when they cannot be kept, that is said instead of where they are. */
export async function blockedFailure(
  context: RunContext,
  { model, table, result, environment }: BlockedWrite,
  consequence = ', so nothing was published',
): Promise<{ readonly model: string; readonly error: Failure; readonly audits: readonly AuditResult[] }> {
  const failed = result.failed ?? [];
  let sample: string | undefined;
  let problem = '';
  try {
    sample = await keepFailedRows(context, table, failed);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    problem = `they could not be kept to look at: ${error.diagnostic.message}`;
  }
  const audits = result.audits.map((audit) =>
    sample !== undefined && failed.some(({ name }) => name === audit.name) ? { ...audit, sample } : audit,
  );
  for (const audit of audits)
    if (audit.status === 'failed') context.emit({ event: 'audit.failed', model, audit, isBlocking: true });
  const [first] = failed;
  const count = first?.count ?? 0;
  return {
    model,
    audits,
    error: failure(
      'audit.failed',
      {
        rows: count === 1 ? '1 row' : `${count} rows`,
        fail: count === 1 ? 'fails' : 'fail',
        consequence,
        model,
        audit: `${first?.name ?? ''}${environment === undefined ? '' : ` that environment ${environment} demands`}`,
        sample: sample ?? '',
      },
      sample === undefined ? { hint: problem } : {},
    ),
  };
}
