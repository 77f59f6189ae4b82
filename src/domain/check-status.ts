/*
 * What a result changes. The status of a check in an environment follows from its newest evaluated result:
 *
 *   outcome differs from the one before   ─▶ dq.failed | dq.warned | dq.recovered; of what is promised: freshness.breached | freshness.recovered
 *   first `fail`                          ─▶ an incident opens, each further one counts
 *   next `pass`                           ─▶ it closes; `warn`, `error` and `not_evaluated` leave it as it is
 *   its pack asks for it no longer        ─▶ it closes; the check stands for nothing
 *
 * A result that is older than the newest evaluated one comes late: it joins the history and changes nothing here.
 */
import type { CheckIdentity, CheckOutcome, CheckResult, Incident } from './check-result.ts';
import type { NewEvent } from './event.ts';
import { FRESHNESS_CHECK } from './product-health.ts';

export type EvaluatedOutcome = Extract<CheckOutcome, 'pass' | 'warn' | 'fail'>;
export const EVALUATED_OUTCOMES: readonly EvaluatedOutcome[] = ['pass', 'warn', 'fail'];

/** What the newest results say of a check in one environment. */
export interface CheckStatus {
  /** The newest result, evaluated or not. */
  readonly latestId: string;
  readonly model: string;
  /** The newest result that was evaluated. */
  readonly evaluated?: { readonly id: string; readonly outcome: EvaluatedOutcome };
  /** The one that is open. */
  readonly incident?: Incident;
}

export interface CheckStatusChange {
  readonly status: CheckStatus;
  /** It opened, counted one more failure, or closed. */
  readonly incident?: Incident;
  readonly events: readonly NewEvent[];
}

export function checkStatusAfter(before: CheckStatus | undefined, result: CheckResult): CheckStatusChange {
  const isNewest = before === undefined || result.id > before.latestId;
  const latest = isNewest
    ? { latestId: result.id, model: result.model }
    : { latestId: before.latestId, model: before.model };
  const { evaluated, incident } = before ?? {};
  if (!isEvaluated(result.outcome) || (evaluated !== undefined && result.id <= evaluated.id))
    return { status: { ...before, ...latest }, events: [] };
  const changed = incidentAfter(incident, result);
  const open = changed === undefined ? incident : changed.closedAt === undefined ? changed : undefined;
  return {
    status: {
      ...latest,
      evaluated: { id: result.id, outcome: result.outcome },
      ...(open === undefined ? {} : { incident: open }),
    },
    ...(changed === undefined ? {} : { incident: changed }),
    events: [
      ...outcomeEvents(evaluated?.outcome, result),
      ...(changed === undefined ? [] : incidentEvents(incident, changed, result)),
    ],
  };
}

/** What becomes of the open incident of a check that no pack has any more. */
export function retiredIncident(
  open: Incident,
  at: number,
): { readonly incident: Incident; readonly event: NewEvent } {
  const { environment, model, id, check, severity, owner, openedAt, failures } = open;
  const about = { check, severity, ...(owner === undefined ? {} : { owner }) };
  return {
    incident: { ...open, closedAt: at },
    event: {
      ...{ at, event: 'incident.closed', environment, model },
      data: { ...about, incidentId: id, openedAt, failures, isRetired: true },
    },
  };
}

const isEvaluated = (outcome: CheckOutcome): outcome is EvaluatedOutcome =>
  (EVALUATED_OUTCOMES as readonly CheckOutcome[]).includes(outcome);

function incidentAfter(open: Incident | undefined, result: CheckResult): Incident | undefined {
  if (result.outcome === 'fail')
    return open === undefined ? opened(result) : { ...open, failures: open.failures + 1 };
  if (result.outcome === 'pass' && open !== undefined)
    return { ...open, closedAt: result.at, closedBy: result.id };
  return undefined;
}

/** Its id is that of the result that opened it, so that recording twice makes one. */
function opened(result: CheckResult): Incident {
  return {
    ...identityOf(result),
    id: `i_${result.id.replace(/^[a-z]_/, '')}`,
    environment: result.environment,
    openedAt: result.at,
    openedBy: result.id,
    failures: 1,
    summary: summaryOf(result),
  };
}

function summaryOf({ expected, value, reason }: CheckResult): string {
  if (reason !== undefined) return `${expected}: ${reason}`;
  return value === undefined ? expected : `${expected}: it is ${value === null ? 'without a value' : value}`;
}

function identityOf(result: CheckResult): CheckIdentity {
  const { check, pack, rule, model, columns, readsMore, dimension, severity, owner } = result;
  return {
    ...{ check, pack, rule, model, dimension, severity },
    ...(columns === undefined ? {} : { columns }),
    ...(readsMore === undefined ? {} : { readsMore }),
    ...(owner === undefined ? {} : { owner }),
  };
}

const EVENT_OF: Readonly<Record<EvaluatedOutcome, string>> = {
  fail: 'dq.failed',
  warn: 'dq.warned',
  pass: 'dq.recovered',
};

/** A promise is kept or broken. */
const EVENT_OF_FRESHNESS: typeof EVENT_OF = {
  fail: 'freshness.breached',
  warn: 'freshness.breached',
  pass: 'freshness.recovered',
};

function outcomeEvents(before: EvaluatedOutcome | undefined, result: CheckResult): readonly NewEvent[] {
  const outcome = result.outcome as EvaluatedOutcome;
  // A check that passes from the beginning has recovered from nothing.
  if (outcome === (before ?? 'pass')) return [];
  const names = result.check === FRESHNESS_CHECK ? EVENT_OF_FRESHNESS : EVENT_OF;
  return [eventOf(names[outcome], result, { outcome, ...(before === undefined ? {} : { before }) })];
}

function incidentEvents(
  before: Incident | undefined,
  { id, failures, closedAt }: Incident,
  result: CheckResult,
): readonly NewEvent[] {
  if (before === undefined) return [eventOf('incident.opened', result, { incidentId: id })];
  return closedAt === undefined
    ? []
    : [eventOf('incident.closed', result, { incidentId: id, openedAt: before.openedAt, failures })];
}

/** Without what was measured: who may see that is decided where the result is read. */
function eventOf(event: string, result: CheckResult, more: Readonly<Record<string, unknown>>): NewEvent {
  const { at, environment, runId, model, id, check, severity, owner } = result;
  return {
    ...{ at, event, environment, runId, model },
    data: { check, severity, ...(owner === undefined ? {} : { owner }), resultId: id, ...more },
  };
}
