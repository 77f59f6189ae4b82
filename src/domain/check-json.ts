import { isoInstant } from '../foundation/time/iso.ts';
import { unreachable } from '../foundation/unreachable.ts';
import type { CheckEvent } from './check-event.ts';
import type { CheckIdentity, Incident } from './check-result.ts';
import type { VisibleResult } from './visible-check.ts';

/** A result as every door shows it; what its reader may not see of the sample is gone already. */
export function checkResultJson(result: VisibleResult): Readonly<Record<string, unknown>> {
  const { learned, sample, groups } = result;
  return {
    id: result.id,
    ...identityJson(result),
    outcome: result.outcome,
    value: result.value ?? null,
    expected: result.expected,
    reason: result.reason ?? null,
    is_learning: result.isLearning === true,
    rows_tested: result.rowsTested ?? null,
    rows_failed: result.rowsFailed ?? null,
    ...(groups === undefined ? {} : { groups, groups_tested: result.groupsTested ?? groups.length }),
    ...(learned === undefined ? {} : { learned }),
    ...(result.baseline === undefined ? {} : { baseline: result.baseline }),
    ...(sample === undefined
      ? {}
      : { sample: { columns: sample.columns, rows: sample.rows, is_part: sample.isPart } }),
    sql: result.sql ?? null,
    ...(result.isWithheld === undefined ? {} : { withheld: true }),
    environment: result.environment,
    run_id: result.runId,
    trigger: result.trigger,
    changed_by: result.changedBy ?? null,
    data_version: result.dataVersion,
    at: isoInstant(result.at),
    ms: result.ms,
  };
}

export function incidentJson(incident: Incident): Readonly<Record<string, unknown>> {
  return {
    id: incident.id,
    ...identityJson(incident),
    environment: incident.environment,
    state: incident.closedAt === undefined ? 'open' : 'closed',
    summary: incident.summary,
    failures: incident.failures,
    opened_at: isoInstant(incident.openedAt),
    opened_by: incident.openedBy,
    closed_at: incident.closedAt === undefined ? null : isoInstant(incident.closedAt),
    closed_by: incident.closedBy ?? null,
  };
}

const identityJson = (of: CheckIdentity) => ({
  check: of.check,
  pack: of.pack,
  rule: of.rule,
  model: of.model,
  columns: of.columns ?? null,
  dimension: of.dimension,
  severity: of.severity,
  owner: of.owner ?? null,
});

/** The parts of an event in a stream of JSON lines. */
export function checkEventParts(event: CheckEvent): Readonly<Record<string, unknown>> {
  switch (event.event) {
    case 'checks.started':
      return { run_id: event.runId, models: event.models };
    case 'model.checked':
      return { model: event.model, ms: event.ms, results: event.results.map(checkResultJson) };
    case 'checks.failed':
      return {
        error: { code: event.error.code, message: event.error.message, hint: event.error.hint ?? null },
      };
    case 'incident.opened':
    case 'incident.closed':
      return { incident: incidentJson(event.incident) };
    default:
      return unreachable(event);
  }
}
