import type { Diagnostic } from '../foundation/diagnostics/diagnostic.ts';
import { isoInstant } from '../foundation/time/iso.ts';
import type { QualityEvent } from './check-event.ts';
import { checkEventParts } from './check-json.ts';
import { intervalPairs } from './interval-pairs.ts';
import { profileEventParts } from './profile-json.ts';
import type { AuditResult, ModelResult, Run, RunEvent } from './run.ts';

/** Failing rows by the audit that found them. */
type RowsOf = ReadonlyMap<AuditResult, readonly Readonly<Record<string, unknown>>[]>;

/** `plinth.run/1`; applying a plan has the same parts. `rows` are shown with their audits. */
export function runJson(run: Run, rows?: RowsOf): Readonly<Record<string, unknown>> {
  return {
    run_id: run.id,
    environment: run.environment,
    kind: run.kind,
    status: run.status,
    plan_id: run.planId ?? null,
    who: run.who,
    started_at: isoInstant(run.startedAt),
    ended_at: run.endedAt === undefined ? null : isoInstant(run.endedAt),
    execution_time: isoInstant(run.executionTime),
    models: run.models.map((result) => modelJson(result, rows)),
  };
}

function modelJson(result: ModelResult, failing?: RowsOf): Readonly<Record<string, unknown>> {
  const { name, status, intervals, rows, ms, error, audits, balance, rowsOutside, because } = result;
  return {
    name,
    status,
    intervals: intervalPairs(intervals),
    rows,
    ms,
    error: error === undefined ? null : errorJson(error),
    audits: audits.map((audit) => auditJson(audit, failing?.get(audit))),
    ...(balance === undefined ? {} : { balance }),
    ...(rowsOutside === undefined ? {} : { rows_outside: rowsOutside }),
    ...(because === undefined ? {} : { because }),
  };
}

function auditJson(
  { name, status, failedRows, sample }: AuditResult,
  rows?: readonly Readonly<Record<string, unknown>>[],
): Readonly<Record<string, unknown>> {
  return {
    name,
    status,
    failed_rows: failedRows,
    ...(sample === undefined ? {} : { sample }),
    ...(rows === undefined ? {} : { sample_rows: rows }),
  };
}

const errorJson = ({ code, message, hint, at }: Diagnostic): Readonly<Record<string, unknown>> => ({
  code,
  message,
  file: at?.file ?? null,
  hint: hint ?? null,
});

/** One line of the stream that comes before the answer. */
export function eventJson(event: RunEvent | QualityEvent, at: number): string {
  return JSON.stringify({ v: 1, event: event.event, at: isoInstant(at), ...eventParts(event) });
}

function eventParts(event: RunEvent | QualityEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'run.started':
      return {
        run_id: event.run.id,
        environment: event.run.environment,
        kind: event.run.kind,
        stages: event.stages,
        models: event.models,
      };
    case 'run.finished':
      return { run_id: event.run.id, environment: event.run.environment, status: event.run.status };
    case 'run.recovered':
      return { run_id: event.runId, did: event.did };
    case 'stage.started':
      return { stage: event.stage.id, kind: event.stage.kind };
    case 'stage.finished':
      return { stage: event.stage.id, kind: event.stage.kind, ms: event.ms };
    case 'stage.failed':
      return { stage: event.stage.id, kind: event.stage.kind, error: errorJson(event.error) };
    case 'model.started':
      return { model: event.model, batches: event.batches };
    case 'model.progress':
      return { model: event.model, batch: event.batch, batches: event.batches, rows: event.rows };
    case 'model.waiting':
      return { model: event.model, holder: event.holder };
    case 'model.built':
    case 'model.failed':
    case 'model.skipped': {
      const { name, ...parts } = modelJson(event.result);
      return { model: name, ...parts };
    }
    case 'audit.failed':
      return { model: event.model, audit: auditJson(event.audit), blocking: event.isBlocking };
    case 'quarantine.released':
    case 'quarantine.discarded': {
      const { event: _, ...parts } = event;
      return parts;
    }
    case 'environment.promoted':
      return { environment: event.environment, views: event.views, removed: event.removed };
    case 'warehouse.cleaned':
      return { dropped: event.dropped, kept: event.kept, environments: event.environments };
    case 'profiles.started':
    case 'model.profiled':
    case 'profile.left':
      return profileEventParts(event);
    default:
      return checkEventParts(event);
  }
}
